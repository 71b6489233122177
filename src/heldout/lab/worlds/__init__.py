"""Worlds: distributions whose truth is known."""

from heldout.lab.worlds.registry import Pair, World, metric_in, moved, one_model, several_models, world

__all__ = ["Pair", "World", "metric_in", "moved", "one_model", "several_models", "world"]
