"""One model, or several on the same rows, whose true metric values are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from string import ascii_lowercase

import numpy as np

from heldout.batch import Batch
from heldout.errors import UsageError
from heldout.formulas import MARK_METRICS, Metric, metric as named_metric
from heldout.lab.worlds.recipe import Recipe
from heldout.lab.worlds.row_drawing import Drawing


@dataclass(frozen=True, kw_only=True)
class World:
    """A distribution of rows under one model, whose true values are known."""

    name: str
    family: str
    recipe: Recipe
    drawing: Drawing

    def draw(self, rows: int, rng: np.random.Generator) -> Batch:
        """Simulate rows.

        Parameters
        ----------
        rows : int
            Number of rows.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Batch
            Truth and predictions.
        """
        return self.draw_many(1, rows, rng)

    def draw_many(self, samples: int, rows: int, rng: np.random.Generator) -> Batch:
        """Simulate several samples, one after the other in one batch.

        Parameters
        ----------
        samples : int
            Number of samples.
        rows : int
            Number of rows of each.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Batch
            Truth and predictions of all rows.
        """
        drawing, recipe = self.drawing, self.recipe
        shared = drawing.shared(recipe, rows, rng, samples)
        own = drawing.normals(recipe.own, rows, rng, samples)
        seen, hard = drawing.seen(shared, rng)
        weight = drawing.weighed(samples * rows, rng, hard)
        return drawing.batch(recipe, shared, own, weight, seen=seen, samples=samples)

    @cached_property
    def values(self) -> Mapping[str, float]:
        """The true value of every metric that is known."""
        return _values(self.recipe, self.drawing)

    def truth(self, metric: str) -> float:
        """True value of a metric: its value on infinitely many rows.

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        float
            The true value.

        Raises
        ------
        UsageError
            If the true value of the metric is not known.
        """
        return _known(self.values, metric, self.name)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A distribution of rows under two or more models; the first is the one that the others are compared with."""

    name: str
    family: str
    recipes: tuple[Recipe, ...]
    correlation: float
    """Of what two models have of their own."""
    drawing: Drawing
    ratio: float = 1.0
    """Of samples of their own: how many times the rows of the first model the second one has."""

    def draw(self, rows: int, rng: np.random.Generator) -> dict[str, Batch]:
        """Simulate the same rows under every model.

        Parameters
        ----------
        rows : int
            Number of rows.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        dict of str to Batch
            Name of the model → truth and predictions.
        """
        first = self.recipes[0]
        shared = self.drawing.shared(first, rows, rng)
        seen, hard = self.drawing.seen(shared, rng)
        weight = self.drawing.weighed(rows, rng, hard)
        common = self.drawing.normals(first.own, rows, rng)
        models = {}
        for name, recipe in zip(self.models, self.recipes, strict=True):
            alone = self.drawing.normals(recipe.own, rows, rng)
            own = sqrt(self.correlation) * common + sqrt(1 - self.correlation) * alone
            models[name] = self.drawing.batch(recipe, shared, own, weight, seen=seen)
        return models

    @property
    def models(self) -> tuple[str, ...]:
        """Their names: letters, or m1, m2 … where there are too many."""
        letters = ascii_lowercase if len(self.recipes) <= 26 else [f"m{k + 1}" for k in range(len(self.recipes))]
        return tuple(letters[: len(self.recipes)])

    @cached_property
    def values(self) -> tuple[Mapping[str, float], ...]:
        """Each model's true values."""
        known: dict[int, Mapping[str, float]] = {}
        return tuple(known.setdefault(id(one), _values(one, self.drawing)) for one in self.recipes)

    def truth(self, metric: str) -> float:
        """True difference of a metric: the second model minus the first.

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        float
            The true difference.

        Raises
        ------
        UsageError
            If the true value of the metric is not known.
        """
        first, second = (_known(values, metric, self.name) for values in self.values[:2])
        return second - first


def metric_in(place: World | Pair, name: str) -> Metric:
    """A metric by its name, as it is where rows carry one label or several.

    >>> from heldout.lab.worlds import world
    >>> metric_in(world("coin"), "tpr").name
    'recall'
    """
    found = named_metric(name)
    task = place.recipe.task if isinstance(place, World) else place.recipes[0].task
    return MARK_METRICS.get(found.name, found) if task == "multilabel" else found


def _known(values: Mapping[str, float], metric: str, world: str) -> float:
    """The true value of a metric; an error that lists what is known."""
    name = named_metric(metric).name
    if name not in values:
        raise UsageError(f"the world {world} does not know its {name}", fix=f"it knows {', '.join(values)}")
    return float(values[name])


def _values(recipe: Recipe, drawing: Drawing) -> Mapping[str, float]:
    """True values; with ties or hard rows, where the recipe knows these."""
    if recipe.varied is not None and (drawing.step or drawing.hard):
        return recipe.varied(drawing.step, drawing.unseen if drawing.hard else 0.0)
    if drawing.hard:
        raise UsageError("this world does not know its values with hard rows", fix="leave out hard=")
    return recipe.values()
