"""Simulations as results: what there is, what each is made of, and what its metrics really are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from inspect import getdoc, signature
from typing import TYPE_CHECKING, Any

from heldout.errors import UsageError, did_you_mean
from heldout.lab.folds.true_errors import noise
from heldout.lab.learning.function_world import Function
from heldout.lab.learning.gaussian_world import Gaussians, bayes_error, twins
from heldout.lab.learning.region_charts import class_picture, function_picture
from heldout.lab.learning.repeated_fits import MAKERS
from heldout.lab.name_parsing import meant
from heldout.lab.rates.repetition import plain
from heldout.lab.worlds.registry import FAMILIES, TOGETHER, world
from heldout.lab.worlds.row_drawing import SHARED
from heldout.lab.worlds.simulated_models import Pair
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.figure import Figure
    from heldout.charts.plot import Plot


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class WorldResult(Result):
    """Simulations by name, with their parameters; one of them with its true values."""

    kind = "world"

    worlds: tuple[Mapping[str, Any], ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    """Metric → its true value."""
    accuracy: float | None = None
    bayes_error: float | None = None
    picture: Callable[[], Figure] | None = None
    """Draws the simulation, where it has one or two features, as a chart of this name."""
    view: str = ""

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 the simulation draws itself
        """The regions of Gaussian classes, or the function."""
        from heldout.charts.plot import Plot

        return Plot(views={} if self.picture is None else {self.view: self.picture})

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "worlds": [dict(one) for one in self.worlds],
            "values": dict(self.values),
            "accuracy": self.accuracy,
            "bayes_error": self.bayes_error,
        }


EXACT = 1e-8
"""What closed forms and midpoint rules leave."""
TO_LEARN_FROM: dict[str, Callable[..., Any]] = {**MAKERS, "twins": twins, "noise": noise}
"""Simulations with features, by name: learners are fitted to their rows."""


def all_worlds() -> WorldResult:
    """Every family of simulations with its parameters.

    >>> [one["name"] for one in all_worlds().worlds][:3]
    ['coin', 'labels', 'classes']
    """
    found = [_family(name, *home.split(":")) for name, (home, _, _) in FAMILIES.items()]
    every = {"name": "any of these", "about": "Parameters that every simulation has; clustered- sets icc and size."}
    pairs = {"name": "pair-", "about": "Before a name: several models on the same rows, with these parameters besides."}
    found += [{**every, "parameters": dict(SHARED)}, {**pairs, "parameters": dict(TOGETHER)}]
    found += [_described(name, make) for name, make in TO_LEARN_FROM.items()]
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
    >>> round(one_world("gaussian:distance=2").bayes_error, 6)
    0.158655
    """
    if name.partition(":")[0] in TO_LEARN_FROM:
        return _with_features(name)
    family = name.partition(":")[0].split("-")[-1]
    if family not in (*FAMILIES, "pair"):
        names = (*FAMILIES, *TO_LEARN_FROM)
        fix = f"choose one of {', '.join(names)}; heldout lab world says what they are"
        raise UsageError(f"no world is named {name!r}{did_you_mean(family, names)}", fix=fix)
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


def _with_features(name: str) -> WorldResult:
    """A simulation that learners are fitted in: what the best rule or prediction there is gets."""
    family = name.partition(":")[0]
    found = meant(name, TO_LEARN_FROM, "simulation")
    one = {**_described(family, TO_LEARN_FROM[family]), "name": name}
    one["parameters"] = {
        **one["parameters"],
        **dict(part.split("=", 1) for part in name.partition(":")[2].split(",") if part),
    }
    if isinstance(found, Gaussians):
        least, off = bayes_error(found)
        values = {"accuracy": 1 - least, "error_rate": least}
        picture = partial(class_picture, found)
        return WorldResult(
            worlds=(one,),
            values=values,
            accuracy=max(off, EXACT),
            bayes_error=least,
            picture=picture,
            view="bayes_regions",
        )
    if isinstance(found, Function):
        values = {metric: found.truth(metric) for metric in ("mse", "mae", "r2")}
        return WorldResult(
            worlds=(one,),
            values=plain(values),
            accuracy=EXACT,
            picture=partial(function_picture, found),
            view="predictions",
        )
    return WorldResult(worlds=(one,), bayes_error=getattr(found, "bayes_error", None))


def _first_line(function: object) -> str:
    return (getdoc(function) or "").partition("\n")[0]
