"""Worlds: distributions whose truth is known."""

from heldout.lab.worlds.registry import moved, one_model, several_models, world
from heldout.lab.worlds.simulated_models import Pair, World, metric_in

__all__ = ["Pair", "World", "metric_in", "moved", "one_model", "several_models", "world"]
