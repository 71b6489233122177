"""Worlds by their words: `binormal:auc=0.9,prevalence=0.1` draws rows, and knows what its metrics really are.

A world has a family, the family's parameters, and some that all worlds share: `icc` and `size` (rows come in units that
are alike), `weights` (log-normal weights of this spread), `digits` (scores are rounded, which makes ties) and `fixed`
(the sizes of the classes do not vary). `clustered-` before a family's name sets the first two. `pair-` makes several
models on the same rows: `models` of them, as alike as `correlation`, the later ones better than the first by `gain`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from inspect import signature
from math import sqrt
from string import ascii_lowercase
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import metric as named_metric
from heldout.lab.worlds.recipe import Recipe

FAMILIES: dict[str, tuple[str, str, int]] = {
    "coin": ("heldout.lab.worlds.label_worlds:coin", "p", 1),
    "labels": ("heldout.lab.worlds.label_worlds:labels", "recall", 1),
    "classes": ("heldout.lab.worlds.label_worlds:classes", "right", 1),
    "marks": ("heldout.lab.worlds.multilabel_worlds:marks", "right", 1),
    "rankings": ("heldout.lab.worlds.multilabel_worlds:rankings", "apart", 1),
    "binormal": ("heldout.lab.worlds.score_worlds:binormal", "auc", 1),
    "columns": ("heldout.lab.worlds.score_worlds:columns", "apart", 1),
    "probabilities": ("heldout.lab.worlds.probability_worlds:probabilities", "noise", -1),
    "logistic": ("heldout.lab.worlds.probability_worlds:logistic", "noise", -1),
    "numbers": ("heldout.lab.worlds.regression_worlds:numbers", "own", -1),
    "amounts": ("heldout.lab.worlds.regression_worlds:amounts", "own", -1),
}
"""Where each family lives, which parameter makes a model better, and whether it must rise or fall for that."""
SHARED: dict[str, float] = {"icc": 0.0, "size": 1, "weights": 0.0, "digits": -1, "fixed": 0}
TOGETHER: dict[str, float] = {"models": 2, "correlation": 0.6, "gain": 0.0}
UNITS: dict[str, float] = {"icc": 0.3, "size": 10}
"""What `clustered-` sets."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How rows are drawn, whatever the family."""

    icc: float = 0.0
    """Correlation of the normals behind two rows of one unit."""
    size: int = 1
    """Rows of a unit."""
    weights: float = 0.0
    """Spread of the logarithm of the weights; 0: no weights."""
    digits: int = -1
    """To how many digits scores are rounded; -1: not at all."""
    fixed: bool = False
    """Whether every draw has the expected number of rows of each class."""

    @property
    def plain(self) -> bool:
        """Whether every row is drawn by itself and counts one."""
        return self.size == 1 and not self.weights

    def units(self, rows: int) -> Array | None:
        """Which unit each row belongs to; None where every row is its own."""
        return np.arange(rows) // self.size if self.size > 1 else None

    def normals(self, count: int, rows: int, rng: np.random.Generator) -> Array:
        """Standard normals, `count` for each row, alike within units."""
        alone = rng.standard_normal((count, rows))
        unit = self.units(rows)
        if unit is None:
            return alone
        common = rng.standard_normal((count, int(unit[-1]) + 1))[:, unit]
        return sqrt(self.icc) * common + sqrt(1 - self.icc) * alone

    def shared(self, recipe: Recipe, rows: int, rng: np.random.Generator) -> Array:
        """The normals that decide the truth; with `fixed`, the first of them at equal steps of probability."""
        drawn = self.normals(recipe.shared, rows, rng)
        if self.fixed and recipe.shared:
            from scipy.special import ndtri

            drawn[0] = ndtri((np.argsort(np.argsort(drawn[0])) + 0.5) / rows)
        return drawn

    def batch(self, recipe: Recipe, shared: Array, own: Array, weight: Array | None) -> Batch:
        """One model's rows."""
        said: dict[str, Any] = dict(recipe.said(shared, own))
        if self.digits >= 0 and "score" in said:
            said["score"] = np.round(said["score"], self.digits)
        rows = shared.shape[1]
        facts = dict(recipe.facts)
        return Batch(
            task=recipe.task, truth=recipe.truth(shared), weight=weight, unit=self.units(rows), **said, **facts
        )

    def weighed(self, rows: int, rng: np.random.Generator) -> Array | None:
        """Weights that have nothing to do with the rows."""
        return np.exp(self.weights * rng.standard_normal(rows)) if self.weights else None


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
        shared = self.drawing.shared(self.recipe, rows, rng)
        own = self.drawing.normals(self.recipe.own, rows, rng)
        return self.drawing.batch(self.recipe, shared, own, self.drawing.weighed(rows, rng))

    @cached_property
    def values(self) -> Mapping[str, float]:
        """The true value of every metric that is known."""
        return self.recipe.values()

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
        name = named_metric(metric).name
        if name not in self.values:
            known = f"it knows {', '.join(self.values)}"
            raise UsageError(f"the world {self.name} does not know its {name}", fix=known)
        return float(self.values[name])


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A distribution of rows under two or more models; the first is the one that the others are compared with."""

    name: str
    family: str
    recipes: tuple[Recipe, ...]
    correlation: float
    """Of what two models have of their own."""
    drawing: Drawing

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
        weight = self.drawing.weighed(rows, rng)
        common = self.drawing.normals(first.own, rows, rng)
        models = {}
        for name, recipe in zip(self.models, self.recipes, strict=True):
            alone = self.drawing.normals(recipe.own, rows, rng)
            own = sqrt(self.correlation) * common + sqrt(1 - self.correlation) * alone
            models[name] = self.drawing.batch(recipe, shared, own, weight)
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
        return tuple(known.setdefault(id(one), one.values()) for one in self.recipes)

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
        name = named_metric(metric).name
        if name not in self.values[0]:
            known = f"it knows {', '.join(self.values[0])}"
            raise UsageError(f"the world {self.name} does not know its {name}", fix=known)
        return float(self.values[1][name] - self.values[0][name])


@cache
def world(word: str) -> World | Pair:
    """A simulation with known truth, by name.

    Parameters
    ----------
    word : str
        Its family, with parameters after a colon: "coin:p=0.01". "pair-" before it gives two models, "clustered-"
        clusters of rows.

    Returns
    -------
    World or Pair
        The simulation: `draw` gives rows, `truth` the true value of a metric.

    Raises
    ------
    UsageError
        If no simulation has that name or parameter.

    Examples
    --------
    >>> coin = world("coin:p=0.01")
    >>> coin.draw(5, np.random.default_rng(0)).rows, coin.truth("accuracy")
    (5, 0.01)
    >>> sorted(world("pair-binormal:auc=0.8").draw(5, np.random.default_rng(0)))
    ['a', 'b']
    """
    name, _, rest = word.partition(":")
    family, several, clustered = _parts(name)
    return _made(word, family, _given(word, rest), several=several, clustered=clustered)


def _parts(name: str) -> tuple[str, bool, bool]:
    """The family in a world's name, whether it is one of pairs, and whether of clusters."""
    *before, family = name.split("-")
    if family == "pair":
        before, family = [*before, "pair"], "labels"
    if family not in FAMILIES or not set(before) <= {"pair", "clustered"}:
        fix = f"choose one of {', '.join(FAMILIES)}, with pair- or clustered- before it if you like"
        raise UsageError(
            f"no world is named {name!r}{did_you_mean(family, [*FAMILIES, 'pair-', 'clustered-'])}", fix=fix
        )
    return family, "pair" in before, "clustered" in before


def one_model(word: str) -> World:
    """A world of one model, by its word."""
    found = world(word)
    if isinstance(found, Pair):
        fix = f"leave out pair-, or ask for its size: heldout lab size --world {word}"
        raise UsageError(f"the world {word!r} has {len(found.recipes)} models, and one is wanted", fix=fix)
    return found


def several_models(word: str) -> Pair:
    """A world of several models, by its word."""
    found = world(word)
    if isinstance(found, World):
        raise UsageError(f"the world {word!r} has one model, and two are wanted", fix=f"write pair-{word}")
    return found


def moved(word: str, factor: float) -> str:
    """The word of the same world with its value nearer to, or further from, the end of its range that is closer.

    >>> moved("coin:p=0.01", 1.2), moved("binormal:auc=0.9,prevalence=0.1", 1.2)
    ('coin:p=0.012', 'binormal:auc=0.88,prevalence=0.1')
    """
    name, _, rest = word.partition(":")
    family, given = _parts(name)[0], _given(word, rest)
    module, function, key = *FAMILIES[family][0].split(":"), FAMILIES[family][1]
    default = signature(getattr(import_module(module), function)).parameters[key].default
    value = given.get(key, default)
    new = 1 - factor * (1 - value) if 0.5 < value < 1 else factor * value
    parameters = {**given, key: new}
    texts = (f"{k}={v}" if isinstance(v, str) else f"{k}={v:.12g}" for k, v in parameters.items())
    return f"{name}:{','.join(texts)}"


def _given(word: str, rest: str) -> dict[str, Any]:
    """The parameters of a word, numbers where they are numbers."""
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, text = part.partition("=")
        if not equals:
            raise UsageError(f"the world {word!r} has {part!r}, which is no parameter", fix="write name=value")
        if key.strip() in given:
            fix = f"give {key.strip()}= once"
            raise UsageError(f"the world {word!r} has the parameter {key.strip()!r} twice", fix=fix)
        try:
            given[key.strip()] = float(text)
        except ValueError:
            given[key.strip()] = text.strip()
    return given


def _made(word: str, family: str, given: dict[str, Any], *, several: bool, clustered: bool) -> World | Pair:
    home, better, sign = FAMILIES[family]
    module, _, name = home.partition(":")
    make: Callable[..., Recipe] = getattr(import_module(module), name)
    own = {key: parameter.default for key, parameter in signature(make).parameters.items()}
    known = {**own, **SHARED, **(TOGETHER if several else {})}
    for key, value in given.items():
        if key not in known:
            fix = f"it has {', '.join(known)}"
            raise UsageError(f"the world {family!r} has no parameter {key!r}{did_you_mean(key, known)}", fix=fix)
        if isinstance(value, str) != isinstance(known[key], str):
            kind = "a word" if isinstance(known[key], str) else "a number"
            raise UsageError(f"the parameter {key} of the world {family!r} is {value!r}, but must be {kind}")
    chosen = {**known, **(UNITS if clustered else {}), **given}
    drawing = _drawing(word, chosen)
    parameters = {key: chosen[key] for key in own}
    if not several:
        return World(name=word, family=family, recipe=make(**parameters), drawing=drawing)
    if not (chosen["models"] >= 2 and 0 <= chosen["correlation"] < 1):
        raise UsageError(f"the world {word!r} needs two models or more, and a correlation from 0 to below 1")
    first = make(**parameters)
    later = make(**{**parameters, better: parameters[better] + sign * chosen["gain"]}) if chosen["gain"] else first
    recipes = (first, *[later] * (int(chosen["models"]) - 1))
    correlation = float(chosen["correlation"])
    return Pair(name=word, family=family, recipes=recipes, correlation=correlation, drawing=drawing)


def _drawing(word: str, chosen: Mapping[str, Any]) -> Drawing:
    if not (0 <= chosen["icc"] < 1 and chosen["size"] >= 1 and chosen["weights"] >= 0):
        fix = "icc is from 0 to below 1, size 1 or more, weights 0 or more"
        raise UsageError(f"the world {word!r} cannot be drawn from", fix=fix)
    return Drawing(
        icc=float(chosen["icc"]),
        size=int(chosen["size"]),
        weights=float(chosen["weights"]),
        digits=int(chosen["digits"]),
        fixed=bool(chosen["fixed"]),
    )
