"""Types and descriptions of the parameters that several verbs share: one name and one text per thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from os import PathLike
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

import numpy as np

from heldout.errors import PYTHON_NAMES, HeldoutError, UsageError
from heldout.formulas import Metric

Metrics = str | Metric | Sequence[str | Metric] | None
Task = Literal["binary", "multiclass", "multilabel", "regression"]
OnNan = Literal["error", "drop"]
Log = Literal["lm-eval", "inspect"]
Engine = Literal["local", "dask", "ray", "spark"]
Side = Literal["two-sided", "lower", "upper"]
Spending = Literal["obrien-fleming", "pocock"]
Progress = Callable[[int, int], None]
Function = TypeVar("Function", bound=Callable[..., Any])

TEXTS: dict[str, str] = {
    "y_pred": """array-like or str, optional
        Predicted labels or numbers; the name of their column where `y_true` is a table.""",
    "y_score": """array-like or str, optional
        Scores of the positive class, such as probabilities; or the name of their column.""",
    "y_proba": """array-like of shape (n_rows, n_classes), optional
        One probability per class. Columns without names are in the sorted order of the labels, as `predict_proba` has
        them, unless `labels` gives another. For a table, name the columns with `prob_prefix`.""",
    "sample_weight": """array-like or str, optional
        How much each row counts; or the name of the column.""",
    "groups": """array-like or str, optional
        Clusters: rows of one group (a patient, a document) are not independent. Or the name of the column.""",
    "in_time": """array-like or str, optional
        Time of each row (numbers or ISO dates), or the name of the column: intervals and tests allow for errors that
        depend on those before (HAC). Rows of one time may depend on each other in any way.""",
    "series": """array-like or str, optional
        Series that each row is of, where several are observed at the same times; or the name of the column.""",
    "horizon": """int, optional
        Steps ahead of the forecasts: their errors depend on those of `horizon` - 1 times before, and of no others.""",
    "segments": """mapping of str to array-like, str or sequence of str, optional
        Subgroups to evaluate as well: one array per name; or the names of columns of a table.""",
    "truth": """str or sequence of str, optional
        Column of the truth, where `y_true` is a table (default: found by its name).""",
    "prob_prefix": """str, optional
        Prefix of the columns that hold one probability per class, where `y_true` is a table.""",
    "id": """str, optional
        Column that identifies a row, where `y_true` is a table.""",
    "model_column": """str, optional
        Column that names the model of each row, where `y_true` is a table that stacks the rows of several models.""",
    "pos_label": """label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order; echoed in the output).""",
    "labels": """sequence of labels, optional
        The classes, in order (default: those that occur).""",
    "threshold": """float, optional
        Scores of this and more are predicted positive (default: 0.5 for probabilities).""",
    "task": """{"binary", "multiclass", "multilabel", "regression"}, optional
        The task (default: guessed from the columns and echoed in the output).""",
    "on_nan": """{"error", "drop"}, default "error"
        Whether missing values are refused, or their rows dropped and counted.""",
    "clip": """float, optional
        Least probability that log losses count, such as 1e-6: probabilities below it and above one minus it are moved
        there, for log losses only (default: nothing is clipped, and a zero costs infinitely much).""",
    "link": """{"logit"}, optional
        The scores are logits; they are converted to probabilities.""",
    "log": """{"lm-eval", "inspect"}, optional
        Read an evaluation log of this program.""",
    "metrics": """str, Metric or sequence of them, optional
        Metrics by name, or of your own (`heldout.define`); "all" for every one (default: those that suit the task).""",
    "primary": """str or Metric, optional
        The metric that decides; it is tested alone. Without one, all metrics are corrected for their number (Holm).""",
    "baseline": """str, optional
        Name of the reference model (default: the first).""",
    "margin": """float or mapping of str to float, optional
        Differences within the margin either way are EQUIVALENT; one number, or one per metric.""",
    "sequential": """bool, default False
        Confidence sequences: valid at any number of looks while rows are added.""",
    "looks": """int or sequence of float, optional
        Planned number of looks at growing data, or the share of the planned rows at each of them: boundaries by alpha
        spending.""",
    "look": """int, optional
        Number of this look, from 1.""",
    "spending": """{"obrien-fleming", "pocock"}, optional
        How the error rate is spent over planned looks (default: obrien-fleming, hardly any of it early).""",
    "method": """str, default "auto"
        Interval method by name; `heldout explain` lists them (default: the one that suits the metric).""",
    "side": """{"two-sided", "lower", "upper"}, default "two-sided"
        An interval, or one bound.""",
    "confidence_level": """float, default 0.95
        Level of confidence intervals; differences are significant at 1 - confidence_level.""",
    "cost": """array-like, frame or path, optional
        Cost of each truth (row) and prediction (column), for the metric "cost".""",
    "n_resamples": """int, default {n_resamples}
        Number of bootstrap or permutation resamples, where a method resamples.""",
    "random_state": """int or numpy.random.Generator, default 0
        Random seed; the same seed gives the same numbers.""",
    "engine": """{"local", "dask", "ray", "spark"}, optional
        Engine that reads tables in chunks (default: this process, and only for what exceeds `memory`).""",
    "engine_address": """str, optional
        Where the engine runs, such as the address of a scheduler.""",
    "memory": """float or str, optional
        Memory for rows, in bytes or as "4G"; larger tables are read in chunks (default: 2 GiB).""",
    "progress": """callable, optional
        Called with the number of chunks or fits that are done, and of how many.""",
    "models": """estimator, sequence or mapping of str to estimator
        scikit-learn estimators and pipelines, whatever has fit and predict, or import paths such as
        "sklearn.svm:SVC(C=10)". A fresh copy is fitted in every split.""",
    "X": """array-like, frame or path
        Features; or a table with the target among its columns.""",
    "y": """array-like or str
        Target; or the name of its column in X.""",
    "cv": """int, str or splitter, optional
        {cv}""",
    "strata": """array-like or str or sequence of str, optional
        Further columns whose shares every part keeps.""",
    "stratified": """bool, default True
        Whether every part keeps the shares of the classes; False leaves them to chance.""",
    "learner_groups": """array-like or str, optional
        Clusters: rows of one group are never on both sides of a split. Or the name of the column.""",
    "learner_weight": """array-like or str, optional
        How much each row counts in the evaluation; or the name of the column.""",
    "drop": """sequence of str, default ()
        Columns that are not features.""",
    "time": """array-like or str, optional
        Order of the rows: later rows are tested.""",
    "seed": """int, default 0
        Seed for splits and for learners that are random.""",
    "n_jobs": """int, optional
        Fits in parallel; -1 uses every core (default: 1).""",
    "repeats": """int, default {repeats}
        Number of simulated data sets.""",
    "simulation_seed": """int, default 0
        Seed of the simulation; the same seed gives the same numbers.""",
    "processes": """int, default 1
        Processes; the numbers do not depend on it.""",
    "into": """str or Path, optional
        File in which finished blocks are kept; the same call resumes where it stopped.""",
    "run": """str or Path, optional
        Folder in which finished fits are kept; the same call resumes where it stopped.""",
    "checks": """bool, default True
        Whether to look for leakage and distribution shift.""",
    "learner_engine": """{"local", "dask", "ray", "spark"}, optional
        Engine that runs the fits (default: this process).""",
}
"""Parameter → type and description, in numpydoc's form. `learner_` texts are for verbs that fit."""
RENAMED = {
    "learner_groups": "groups",
    "learner_weight": "sample_weight",
    "learner_engine": "engine",
    "seed": "random_state",
    "simulation_seed": "random_state",
    "processes": "n_jobs",
    "in_time": "time",
}


def columns_or_arrays(*, sample_weight: Any, groups: Any, time: Any = None, series: Any = None) -> dict[str, Any]:
    """Weights, groups, times and series as names of columns of a table, or as arrays beside the truth.

    >>> found = columns_or_arrays(sample_weight=[1, 2], groups="patient")
    >>> {name: value for name, value in found.items() if value is not None}
    {'group': 'patient', 'sample_weight': [1, 2]}
    """
    given = {"sample_weight": sample_weight, "groups": groups, "times": time, "several_series": series}
    columns = {"weight": sample_weight, "group": groups, "time": time, "series": series}
    return {
        **{name: value if isinstance(value, str) else None for name, value in columns.items()},
        **{name: None if isinstance(value, str) else value for name, value in given.items()},
    }


@dataclass(frozen=True)
class Rule:
    """What an argument may be: a test of the value, the same in words, and an example."""

    allows: Callable[[Any], bool]
    words: str
    fix: str


def _number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _truth_value(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


LARGEST_SEED = 2**32 - 1
"""The largest that scikit-learn's splitters and learners take."""


def _whole(value: Any) -> bool:
    # NumPy's isfinite knows no integers of more than 64 bits
    return _number(value) and (isinstance(value, Integral) or float(value).is_integer())


def _seed(value: Any) -> bool:
    if isinstance(value, np.random.Generator):
        return True
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= LARGEST_SEED


def _several(value: Any) -> bool:
    return (
        isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping) and getattr(value, "ndim", 1) > 0
    )


def _one_value(value: Any) -> bool:
    return isinstance(value, str | bytes) or (not hasattr(value, "__len__") and (value == value) is True)  # noqa: PLR0124 not of what is missing


def _pair(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray) and len(value) == 2


RULES: dict[str, Rule] = {
    "confidence_level": Rule(_number, "a number between 0 and 1", "for 95% write confidence_level=0.95"),
    "method": Rule(_text, "the name of a method", "leave out method for the one that suits the metric"),
    "n_resamples": Rule(_whole, "a whole number", "write n_resamples=2000"),
    "random_state": Rule(
        lambda value: value is None or _seed(value),
        f"a whole number from 0 to {LARGEST_SEED}, or a numpy.random.Generator",
        "write random_state=0, or random_state=numpy.random.default_rng(0)",
    ),
    "metrics": Rule(
        lambda value: value is None or isinstance(value, str | Metric) or _several(value),
        "the name of a metric, or a list of names",
        "write metrics='accuracy', or metrics=['accuracy', 'f1']",
    ),
    "margin": Rule(
        lambda value: (
            value is None or _number(value) or (isinstance(value, Mapping) and all(map(_number, value.values())))
        ),
        "a number, or a number per metric",
        "write margin=0.01, or margin={'accuracy': 0.01}",
    ),
    "labels": Rule(
        lambda value: (
            value is None or (_several(value) and (not isinstance(value, list) or all(map(_one_value, value))))
        ),
        "a list of classes",
        "write labels=['no', 'yes']",
    ),
    "test": Rule(
        lambda value: value is None or _text(value),
        "the name of a test",
        "leave out test for the one that suits the metric",
    ),
    "max_fpr": Rule(
        lambda value: value is None or _number(value), "a number between 0 and 1", "for 5% write max_fpr=0.05"
    ),
    "choose_threshold": Rule(
        lambda value: value is None or (_pair(value) and all(map(_number, value))),
        "a pair (false_positive_cost, false_negative_cost)",
        "for a false negative that costs ten false positives write choose_threshold=(1, 10)",
    ),
    "threshold_from": Rule(
        lambda value: value is None or isinstance(value, str | PathLike | Mapping),
        "the path of a file",
        "write threshold_from='threshold.json', a file that a report has frozen",
    ),
    "noise_floor": Rule(
        lambda value: value is None or _pair(value),
        "a pair of runs of one model",
        "write noise_floor=(first_run, second_run)",
    ),
    "sequential": Rule(_truth_value, "True or False", "write sequential=True if you look again as rows are added"),
    "spending": Rule(
        lambda value: value is None or _text(value),
        "the name of a spending function",
        "leave out spending for 'obrien-fleming'",
    ),
    "paired": Rule(_truth_value, "True or False", "write paired=False if every model has rows of its own"),
    "allow_overlap": Rule(_truth_value, "True or False", "leave out allow_overlap"),
    "on_nan": Rule(_text, "'error' or 'drop'", "write on_nan='drop' to drop rows with missing values"),
}
"""Parameter → what it may be, for all verbs that have it."""


def unwarned() -> np.errstate:
    """NumPy does not warn of what is infinite or undefined: notes of the result say so."""
    return np.errstate(over="ignore", divide="ignore", invalid="ignore")


def refuse_wrong_types(**given: Any) -> None:
    """Raise if an argument is not of the kind that its parameter takes.

    >>> refuse_wrong_types(paired="no")
    Traceback (most recent call last):
    heldout.errors.UsageError: paired is 'no', but must be True or False
      Fix: write paired=False if every model has rows of its own
    """
    for name, value in given.items():
        rule = RULES[name]
        if not rule.allows(value):
            raise UsageError(f"{name} is {value_text(value)}, but must be {rule.words}", fix=rule.fix)


def value_text(value: Any) -> str:
    """A value as a message shows it: itself where it is short, otherwise its type.

    >>> value_text([0.9]), value_text(np.zeros(3))
    ('[0.9]', 'an object of type ndarray')
    """
    plain = value is None or isinstance(value, str | bytes | int | float | complex | list | tuple | dict | set)
    shown = repr(value) if plain else ""
    return shown if 0 < len(shown) <= 60 else f"an object of type {type(value).__name__}"


def documented(**facts: Any) -> Callable[[Function], Function]:
    """Fill in the shared descriptions: a line `<name>` in a docstring stands for the parameter of that name.

    >>> @documented(n_resamples=500)
    ... def verb(n_resamples=500):
    ...     '''Do.
    ...
    ...     Parameters
    ...     ----------
    ...     <n_resamples>
    ...     '''
    >>> print(verb.__doc__.splitlines()[4].strip())
    n_resamples : int, default 500
    """

    def filled(match: re.Match[str]) -> str:
        name = match["name"]
        return f"{match['indent']}{RENAMED.get(name, name)} : {_with_facts(TEXTS[name], facts)}"

    def decorated(function: Function) -> Function:
        if function.__doc__ is not None:  # python -OO has none
            function.__doc__ = re.sub(r"^(?P<indent> *)<(?P<name>\w+)>$", filled, function.__doc__, flags=re.MULTILINE)
        return with_hints(function)

    return decorated


def with_hints(function: Function) -> Function:
    """The function; its errors about arguments are sentences.

    An argument that it does not have: the error names the one that is likely meant. An argument of another type than
    its annotation, on which Python has stumbled somewhere inside: the error names the argument.

    >>> @with_hints
    ... def verb(*, groups=None, width: float | None = None):
    ...     return 0 < width
    >>> verb(group=[1, 1])
    Traceback (most recent call last):
    TypeError: verb() got an unexpected keyword argument 'group'; did you mean groups?
    >>> verb(width="wide")
    Traceback (most recent call last):
    heldout.errors.UsageError: width is 'wide', but must be a number
      Fix: pass width as a number, or leave it out
    """
    called = signature(function)
    known = called.parameters
    if any(one.kind is Parameter.VAR_KEYWORD for one in known.values()):
        return function

    @wraps(function)
    def checked(*given: Any, **options: Any) -> Any:
        for name in options.keys() - known.keys():
            meant = PYTHON_NAMES.get(name)
            near = [meant] if meant in known else get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}")
        plain = {name: _plain(value, str(known[name].annotation)) for name, value in options.items()}
        try:
            with unwarned():
                return function(*map(_plain, given), **plain)
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            if isinstance(error, HeldoutError):
                raise
            with suppress(TypeError):  # a call that does not fit the signature says so itself
                arguments = called.bind(*given, **options).arguments
                _refuse_other_types(known, arguments, function.__globals__, error)
            raise

    return cast("Function", checked)


def _refuse_other_types(
    known: Mapping[str, Parameter], given: Mapping[str, Any], namespace: Mapping[str, Any], error: Exception
) -> None:
    """Raise if an argument is not of its type, where its annotation tells the type."""
    for name, value in given.items():
        declared = str(known[name].annotation).split(" | ")
        kinds = [kind for kind in (_kind_of(one, namespace) for one in declared) if kind is not None]
        if len(kinds) == len(declared) and not any(allows(value) for allows, _ in kinds):
            words = " or ".join(word for _, word in kinds if word)
            optional = "" if known[name].default is Parameter.empty else ", or leave it out"
            raise UsageError(
                f"{name} is {value_text(value)}, but must be {words}", fix=f"pass {name} as {words}{optional}"
            ) from error


def _plain(value: Any, annotation: str = "") -> Any:
    """NumPy's numbers as Python's, one by one and in pairs and mappings, because JSON knows no others.

    An array without dimension is its one value, and a whole number beyond 64 bits, which NumPy does not know, the float
    that it stands for.

    >>> _plain(np.float64(0.5)), _plain({"f1": np.int64(1)}), _plain((np.bool_(True), None)), _plain(10**30, "float")
    (0.5, {'f1': 1}, (True, None), 1e+30)
    """
    if isinstance(value, np.bool_ | np.number | np.str_) or (isinstance(value, np.ndarray) and not value.ndim):
        value = value.item()
    if isinstance(value, Real | Decimal) and not isinstance(value, int | float):  # fractions and long doubles too
        with suppress(ValueError):  # a signalling nan
            value = float(value)
    if isinstance(value, float) and value.is_integer() and annotation.startswith("int"):
        return int(value)
    if isinstance(value, int) and abs(value) >= 2**63 and "float" in annotation:
        return float(value)
    if type(value) is dict and any(
        isinstance(one, Real | Decimal | np.ndarray) and not getattr(one, "ndim", 0) for one in value.values()
    ):
        return {name: _plain(one) for name, one in value.items()}
    if type(value) in {list, np.ndarray} and ("Sequence" in annotation or "tuple" in annotation):
        return [_plain(one, "int" if "Label" in annotation else "") for one in value]  # the class 1.0 is the class 1
    return tuple(map(_plain, value)) if type(value) is tuple else value


Kind = tuple[Callable[[Any], bool], str]
"""A test of a value, and the same in words."""
_PAIR: Kind = (_pair, "a pair")
_FUNCTION: Kind = (callable, "a function")
_GENERATOR: Kind = (lambda value: isinstance(value, np.random.Generator), "a numpy.random.Generator")
KINDS: dict[str, Kind] = {
    "float": (_number, "a number"),
    "int": (_whole, "a whole number"),
    "str": (_text, "text"),
    "bool": (_truth_value, "True or False"),
    "Path": (lambda value: isinstance(value, PathLike), "a path"),
    "Metric": (lambda value: isinstance(value, Metric), "a metric"),
    "None": (lambda value: value is None, ""),
    "Label": (_one_value, "one class"),
    "Generator": _GENERATOR,
    "np.random.Generator": _GENERATOR,
    "Sequence": (_several, "a list"),
    "Mapping": (lambda value: isinstance(value, Mapping), "a dictionary"),
    "tuple": _PAIR,
    "Callable": _FUNCTION,
    "Progress": _FUNCTION,
    "PerRow": _FUNCTION,
}
"""Annotation → what a value of it is."""


def _kind_of(annotation: str, namespace: Mapping[str, Any]) -> Kind | None:
    """What a value of an annotation is; None where that cannot be told."""
    words = get_args(namespace.get(annotation)) if get_origin(namespace.get(annotation)) is Literal else ()
    if annotation.startswith("Literal["):
        words = tuple(word.strip("'") for word in annotation.removeprefix("Literal[").removesuffix("]").split(", "))
    if words:
        return _text, " or ".join(map(repr, words))
    return KINDS.get(annotation.partition("[")[0])


def _with_facts(text: str, facts: Mapping[str, Any]) -> str:
    for name, value in facts.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text
