"""Which public functions of Python a command calls, and with which arguments they can be called."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from types import ModuleType
from typing import Any

import click

import heldout
import heldout.test
from heldout import lab, plan
from heldout.cli.option_names import NEGATED
from heldout.errors import PYTHON_NAMES

PLACES: dict[str, tuple[ModuleType, tuple[str, ...]]] = {
    "heldout": (heldout, (
        *("evaluate", "evaluate_counts", "evaluate_confusion", "evaluate_class_counts", "compare", "gate"),
        *("compare_fold_scores", "compare_across_sets", "validate", "learning_curve", "choose_folds", "select",
        "split"),
        *("detect", "detect_ranked", "masks", "text"),
    )),
    "heldout.plan": (plan, ("interval", "bound", "difference", "power", "looks")),
    "heldout.test": (heldout.test, ("binomial", "chi_square", "likelihood_ratio", "proportions")),
    "heldout.lab": (lab, (
        *("coverage", "size", "power", "split_coverage", "split_size", "split_power", "compare", "corpus_rates"),
        *("held_out", "outside", "selection_bias", "threshold_bias", "failures", "bias_variance", "estimation_bias"),
        *("ceiling", "rule_errors", "overfitting", "sweep"),
    )),
}  # fmt: skip


@contextlib.contextmanager
def recorded_calls() -> Iterator[list[str]]:
    """The names of public functions that are called from outside while this is open."""
    calls: list[str] = []
    kept = [(place, name, getattr(place, name)) for place, names in PLACES.values() for name in names]
    for title, (place, names) in PLACES.items():
        for name in names:
            setattr(place, name, _spy(getattr(place, name), f"{title}.{name}", calls))
    try:
        yield calls
    finally:
        for place, name, function in kept:
            setattr(place, name, function)


def _spy(function: Callable[..., Any], name: str, calls: list[str]) -> Callable[..., Any]:
    @wraps(function)
    def called(*given: Any, **options: Any) -> Any:
        calls.append(name)
        return function(*given, **options)

    return called


def takes(call: str, option: click.Option) -> bool:
    """Whether a public function has the argument that an option is."""
    place, _, name = call.rpartition(".")
    parameters = inspect.signature(getattr(PLACES[place][0], name)).parameters
    called = option.name or ""
    return PYTHON_NAMES.get(called, NEGATED.get(called, called)) in parameters
