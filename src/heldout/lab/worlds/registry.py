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
from functools import cache
from importlib import import_module
from inspect import signature
from math import isfinite
from typing import Any

from heldout.errors import UsageError, did_you_mean
from heldout.formulas import metric as named_metric
from heldout.lab.name_parsing import Range, within
from heldout.lab.worlds.recipe import Recipe
from heldout.lab.worlds.row_drawing import SHARED, UNITS, drawing
from heldout.lab.worlds.simulated_models import Pair, World

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
TOGETHER: dict[str, Any] = {"models": 2, "correlation": 0.6, "gain": 0.0, "tilt": 0.0, "equal": "", "ratio": 1.0}
"""Parameters that simulations of several models have besides, and their defaults."""
TOGETHER_RANGES: dict[str, Range] = {
    "models": Range(2, 1_000),
    "correlation": Range(0, 1, closed="low"),
    "ratio": Range(0, 1_000, closed="neither"),
}
"""What they may be; gain and tilt are checked as the parameters of the family that they move."""
OPERATING: dict[str, tuple[str, str]] = {
    "labels": ("recall", "precision"), "binormal": ("spread", "auc"), "numbers": ("knows", "own"),
}  # fmt: skip
"""Family → the parameter that `tilt` moves, and the one that is then chosen so that a metric stays the same."""


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
    >>> import numpy as np
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
            raise UsageError(f"the world {word!r} has {part!r}, which is not a parameter", fix="write name=value")
        if key.strip() in given:
            fix = f"give {key.strip()}= once"
            raise UsageError(f"the world {word!r} has the parameter {key.strip()!r} twice", fix=fix)
        try:
            given[key.strip()] = float(text)
        except ValueError:
            given[key.strip()] = text.strip()
            continue
        if not isfinite(given[key.strip()]):
            raise UsageError(
                f"the parameter {key.strip()} of the world {word!r} is {text.strip()}, but must be finite",
                fix=f"give {key.strip()} a finite number",
            )
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
            raise UsageError(
                f"the parameter {key} of the world {family!r} is {value!r}, but must be {kind}",
                fix=f"give {key} such a value; heldout lab world lists the parameters",
            )
        if isinstance(known[key], int) and value != int(value):
            raise UsageError(
                f"{key} of the world {word!r} is {value:g}, but must be a whole number", fix=f"write {key}={value:.0f}"
            )
    chosen = {**known, **(UNITS if clustered else {}), **given}
    drawn = drawing(word, chosen)
    parameters = {key: chosen[key] for key in own}
    if not several:
        return World(name=word, family=family, recipe=make(**parameters), drawing=drawn)
    within(word, TOGETHER_RANGES, chosen)
    first = later = make(**parameters)
    if chosen["gain"]:
        later = make(**{**parameters, better: parameters[better] + sign * chosen["gain"]})
    if chosen["tilt"]:
        later = make(**_elsewhere(word, family, parameters, make, chosen))
    recipes = (first, *[later] * (int(chosen["models"]) - 1))
    facts = {"correlation": float(chosen["correlation"]), "ratio": float(chosen["ratio"])}
    return Pair(name=word, family=family, recipes=recipes, drawing=drawn, **facts)


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
