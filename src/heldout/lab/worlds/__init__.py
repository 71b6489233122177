"""Worlds: distributions whose truth is known."""

from heldout.lab.worlds.registry import Pair, World, moved, one_model, several_models, world

__all__ = ["Pair", "World", "moved", "one_model", "several_models", "world"]
