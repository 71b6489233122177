"""Worlds by their words: `binormal:auc=0.9,prevalence=0.1` draws rows, and knows what its metrics really are.

A world has a family, the family's parameters, and some that all worlds share: `icc` and `size` (rows come in units that
are alike; with `largest`, units of 1 to so many rows), `weights` (log-normal weights of this spread), `hard` (on this
share of the rows the model knows nothing, and they weigh `heavy`), `rho` (each row is like the one before it, and has a
time), `digits` and `ties` (scores are rounded to so many digits, or to multiples of a step) and `fixed` (the sizes of
the classes do not vary). `clustered-` before a family's name sets the first two. `pair-` makes several models on the
same rows: `models` of them, as alike as `correlation`, the later ones better than the first by `gain`; or at another
operating point, moved by `tilt`, at which the metric `equal` is the same. `ratio` is for samples of their own: that of
the second model has so many times the rows.
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

from heldout.batch import Array, Batch, TimeOrder
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import MARK_METRICS, Metric, metric as named_metric
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
SHARED: dict[str, float] = {
    "icc": 0.0, "size": 1, "largest": 0, "weights": 0.0, "hard": 0.0, "heavy": 9.0, "rho": 0.0,
    "digits": -1, "ties": 0.0, "fixed": 0,
}  # fmt: skip
TOGETHER: dict[str, Any] = {"models": 2, "correlation": 0.6, "gain": 0.0, "tilt": 0.0, "equal": "", "ratio": 1.0}
OPERATING: dict[str, tuple[str, str]] = {
    "labels": ("recall", "precision"), "binormal": ("spread", "auc"), "numbers": ("knows", "own"),
}  # fmt: skip
"""Family → the parameter that `tilt` moves, and the one that is then chosen so that a metric stays the same."""
UNITS: dict[str, float] = {"icc": 0.3, "size": 10}
"""What `clustered-` sets."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How rows are drawn, whatever the family."""

    icc: float = 0.0
    """Correlation of the normals behind two rows of one unit."""
    size: int = 1
    """Rows of a unit."""
    largest: int = 0
    """Rows of the largest unit, where sizes differ: ten sizes from 1 to it, in turns; 0: all have `size` rows."""
    weights: float = 0.0
    """Spread of the logarithm of the weights; 0: no weights."""
    hard: float = 0.0
    """Share of the rows about which the model knows nothing."""
    heavy: float = 9.0
    """What such a row weighs, others weighing 1."""
    rho: float = 0.0
    """Correlation of the normals behind a row and the next one; rows have times then."""
    step: float = 0.0
    """Scores are rounded to multiples of this; 0: not at all."""
    fixed: bool = False
    """Whether every draw has the expected number of rows of each class."""

    @property
    def plain(self) -> bool:
        """Whether every row is drawn by itself and counts one."""
        return not (self.clustered or self.weighted or self.rho)

    @property
    def clustered(self) -> bool:
        """Whether rows share units."""
        return self.size > 1 or self.largest > 1

    @property
    def weighted(self) -> bool:
        """Whether rows weigh differently."""
        return bool(self.weights or self.hard)

    @property
    def unseen(self) -> float:
        """How much of all weight is on rows about which the model knows nothing."""
        return self.hard * self.heavy / (1 - self.hard + self.hard * self.heavy)

    @property
    def mean_size(self) -> float:
        """Rows of a unit in the mean."""
        return float(self._sizes.mean()) if self.largest > 1 else self.size

    @property
    def _sizes(self) -> Array:
        """Sizes of units that follow each other, largest and smallest mixed."""
        return np.rint(np.geomspace(1, self.largest, 10)).astype(int)[[4, 9, 1, 6, 3, 8, 0, 7, 2, 5]]

    def units(self, rows: int, samples: int = 1) -> Array | None:
        """Which unit each row belongs to: where rows depend on those before, its time; None where it is its own."""
        if not (self.clustered or self.rho):
            return None
        if self.rho:
            one = np.arange(rows)
        elif self.largest > 1:
            sizes = np.tile(self._sizes, rows // int(self._sizes.sum()) + 1)
            one = np.repeat(np.arange(len(sizes)), sizes)[:rows]
        else:
            one = np.arange(rows) // self.size
        if samples == 1:
            return one
        return (one + (int(one[-1]) + 1) * np.arange(samples)[:, None]).ravel()

    def normals(self, count: int, rows: int, rng: np.random.Generator, samples: int = 1) -> Array:
        """Standard normals, `count` for each row, alike within units and from row to row."""
        alone = rng.standard_normal((count, samples * rows))
        if self.rho and alone.size:
            alone = _serial(alone.reshape(count, samples, rows), self.rho).reshape(count, -1)
        unit = self.units(rows, samples) if self.clustered else None
        if unit is None:
            return alone
        common = rng.standard_normal((count, int(unit[-1]) + 1))[:, unit]
        return sqrt(self.icc) * common + sqrt(1 - self.icc) * alone

    def shared(self, recipe: Recipe, rows: int, rng: np.random.Generator, samples: int = 1) -> Array:
        """The normals that decide the truth; with `fixed`, the first of them at equal steps of probability."""
        drawn = self.normals(recipe.shared, rows, rng, samples)
        if self.fixed and recipe.shared:
            from scipy.special import ndtri

            places = np.argsort(np.argsort(drawn[0].reshape(samples, rows), axis=1), axis=1)
            drawn[0] = ndtri((places + 0.5) / rows).ravel()
        return drawn

    def seen(self, shared: Array, rng: np.random.Generator) -> tuple[Array, Array | None]:
        """What models see of the normals that decide the truth, and which rows are hard: there it is nothing."""
        if not self.hard:
            return shared, None
        hard = np.asarray(rng.random(shared.shape[1]) < self.hard)
        return np.where(hard, rng.standard_normal(shared.shape), shared), hard

    def batch(self, recipe: Recipe, shared: Array, own: Array, weight: Array | None, **more: Any) -> Batch:
        """One model's rows; `more`: what it sees of the shared normals, and samples that follow each other."""
        said: dict[str, Any] = dict(recipe.said(more.get("seen", shared), own))
        if self.step and "score" in said:
            said["score"] = np.round(said["score"] / self.step) * self.step
        samples = more.get("samples", 1)
        unit = self.units(shared.shape[1] // samples, samples)
        facts: dict[str, Any] = {"unit": unit, "time": TimeOrder() if self.rho else None, "weight": weight}
        return Batch(task=recipe.task, truth=recipe.truth(shared), **facts, **said, **recipe.facts)

    def weighed(self, rows: int, rng: np.random.Generator, hard: Array | None = None) -> Array | None:
        """Weights that have nothing to do with the rows, or that tell hard rows."""
        if hard is not None:
            return np.where(hard, self.heavy, 1.0)
        return np.exp(self.weights * rng.standard_normal(rows)) if self.weights else None


def _serial(alone: Array, rho: float) -> Array:
    """Standard normals of which each correlates by rho with the one before it, along the last axis."""
    from scipy.signal import lfilter

    scaled = sqrt(1 - rho**2) * alone
    scaled[..., 0] = alone[..., 0]
    return np.asarray(lfilter([1.0], [1.0, -rho], scaled, axis=-1))


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
        name = named_metric(metric).name
        if name not in self.values[0]:
            known = f"it knows {', '.join(self.values[0])}"
            raise UsageError(f"the world {self.name} does not know its {name}", fix=known)
        return float(self.values[1][name] - self.values[0][name])


def metric_in(place: World | Pair, name: str) -> Metric:
    """A metric by its name, as it is where rows carry one label or several."""
    found = named_metric(name)
    task = place.recipe.task if isinstance(place, World) else place.recipes[0].task
    return MARK_METRICS.get(found.name, found) if task == "multilabel" else found


def _values(recipe: Recipe, drawing: Drawing) -> Mapping[str, float]:
    """True values; with ties or hard rows, where the recipe knows these."""
    if recipe.varied is not None and (drawing.step or drawing.hard):
        return recipe.varied(drawing.step, drawing.unseen if drawing.hard else 0.0)
    if drawing.hard:
        raise UsageError("this world does not know its values with hard rows", fix="leave out hard=")
    return recipe.values()


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


def given_parameters(word: str) -> dict[str, Any]:
    """The parameters that a word gives.

    >>> given_parameters("binormal:auc=0.8")
    {'auc': 0.8}
    """
    return _given(word, word.partition(":")[2])


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
    first = later = make(**parameters)
    if chosen["gain"]:
        later = make(**{**parameters, better: parameters[better] + sign * chosen["gain"]})
    if chosen["tilt"]:
        later = make(**_elsewhere(word, family, parameters, make, chosen))
    recipes = (first, *[later] * (int(chosen["models"]) - 1))
    facts = {"correlation": float(chosen["correlation"]), "ratio": float(chosen["ratio"])}
    return Pair(name=word, family=family, recipes=recipes, drawing=drawing, **facts)


def _elsewhere(
    word: str, family: str, given: Mapping[str, Any], make: Callable[..., Recipe], chosen: Mapping[str, Any]
) -> dict[str, Any]:
    """Parameters of a model at another operating point, at which one metric has the same true value."""
    from scipy.optimize import brentq

    if family not in OPERATING or not chosen["equal"]:
        fix = f"write equal=METRIC in a world of {' or '.join(OPERATING)}"
        raise UsageError(f"the world {word!r} has a tilt, but nothing that stays equal", fix=fix)
    tilted, solved = OPERATING[family]
    name = named_metric(chosen["equal"]).name
    wanted = make(**given).values()[name]
    there = {**given, tilted: given[tilted] + chosen["tilt"]}

    def off(value: float) -> float:
        return float(make(**{**there, solved: value}).values()[name] - wanted)

    low, high = (0.0, 10.0) if family == "numbers" else (0.5, 1 - 1e-9)
    if family == "labels":  # below this precision there are not enough negatives for the false alarms
        found = given["prevalence"] * there[tilted]
        low = (1 + 1e-9) * found / (1 - given["prevalence"] + found)
    ends = low, high
    if off(ends[0]) * off(ends[1]) > 0:
        fix = f"no {solved} gives the same {name} with the {tilted} {there[tilted]:g}: write a smaller tilt"
        raise UsageError(f"the world {word!r} has a tilt of {chosen['tilt']:g}, which is too much", fix=fix)
    return {**there, solved: float(brentq(off, *ends, xtol=1e-14))}


def _drawing(word: str, chosen: Mapping[str, Any]) -> Drawing:
    if not (0 <= chosen["icc"] < 1 and chosen["size"] >= 1 and chosen["weights"] >= 0):
        fix = "icc is from 0 to below 1, size 1 or more, weights 0 or more"
        raise UsageError(f"the world {word!r} cannot be drawn from", fix=fix)
    if not (0 <= chosen["hard"] < 1 and chosen["heavy"] > 0 and -1 < chosen["rho"] < 1 and chosen["ties"] >= 0):
        fix = "hard is from 0 to below 1, heavy above 0, rho between -1 and 1, ties 0 or more"
        raise UsageError(f"the world {word!r} cannot be drawn from", fix=fix)
    if chosen["rho"] and (chosen["size"] > 1 or chosen["largest"] > 1):
        fix = "rho is for rows whose units are times: leave out size, largest and clustered-"
        raise UsageError(f"the world {word!r} has both rho and clusters", fix=fix)
    return Drawing(
        **{name: float(chosen[name]) for name in ("icc", "weights", "hard", "heavy", "rho")},
        size=int(chosen["size"]),
        largest=int(chosen["largest"]),
        step=float(chosen["ties"]) or (10.0 ** -int(chosen["digits"]) if chosen["digits"] >= 0 else 0.0),
        fixed=bool(chosen["fixed"]),
    )
