"""Simulations as results: what there is, what each is made of, and what its metrics really are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import getdoc, signature
from typing import Any

from heldout.lab.folds.true_errors import noise
from heldout.lab.learning.gaussian_world import twins
from heldout.lab.learning.repeated_fits import MAKERS
from heldout.lab.rates.repetition import plain
from heldout.lab.worlds.registry import FAMILIES, SHARED, TOGETHER, Pair, world
from heldout.verbs.result import Result


@dataclass(frozen=True, kw_only=True, repr=False)
class WorldResult(Result):
    """Simulations by name, with their parameters; one of them with its true values."""

    kind = "world"

    worlds: tuple[Mapping[str, Any], ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    """Metric → its true value."""
    accuracy: float | None = None
    bayes_error: float | None = None

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "worlds": [dict(one) for one in self.worlds],
            "values": dict(self.values),
            "accuracy": self.accuracy,
            "bayes_error": self.bayes_error,
        }


def all_worlds() -> WorldResult:
    """Every family of simulations with its parameters.

    >>> [one["name"] for one in all_worlds().worlds][:3]
    ['coin', 'labels', 'classes']
    """
    found = [_family(name, *home.split(":")) for name, (home, _, _) in FAMILIES.items()]
    every = {"name": "any of these", "about": "Parameters that every simulation has; clustered- sets icc and size."}
    pairs = {"name": "pair-", "about": "Before a name: several models on the same rows, with these parameters besides."}
    found += [{**every, "parameters": dict(SHARED)}, {**pairs, "parameters": dict(TOGETHER)}]
    to_learn_from: dict[str, Callable[..., Any]] = {**MAKERS, "twins": twins, "noise": noise}
    found += [_described(name, make) for name, make in to_learn_from.items()]
    return WorldResult(worlds=tuple(found))


def _family(name: str, module: str, function: str) -> dict[str, Any]:
    return _described(name, getattr(import_module(module), function))


def _described(name: str, make: Callable[..., Any]) -> dict[str, Any]:
    own = {key: parameter.default for key, parameter in signature(make).parameters.items()}
    return {"name": name, "about": _first_line(make), "parameters": own}


def one_world(name: str) -> WorldResult:
    """One world and its true values; of a pair, the differences.

    >>> round(one_world("logistic:strength=2").bayes_error, 6)
    0.222011
    """
    found = world(name)
    pair = isinstance(found, Pair)
    recipe = found.recipes[0] if isinstance(found, Pair) else found.recipe
    known = found.values[0] if isinstance(found, Pair) else found.values
    values = {metric: found.truth(metric) for metric in known}
    given = name.partition(":")[2]
    parameters = dict(part.split("=", 1) for part in given.split(",") if part)
    about = (
        f"{len(found.recipes)} models; the first: {recipe.about}" if isinstance(found, Pair) and pair else recipe.about
    )
    one = {"name": name, "about": about, "parameters": parameters}
    return WorldResult(worlds=(one,), values=plain(values), accuracy=recipe.accuracy, bayes_error=recipe.bayes_error)


def _first_line(function: object) -> str:
    return (getdoc(function) or "").partition("\n")[0]
