"""Docstrings of the functions in this package: parameters that many share are described once, here."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import cleandoc, signature
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

SHARED = {
    "y_true": """y_true : array-like of shape (n_samples,)
    True values. Several 0/1 labels or several targets per row: shape (n_samples, n_labels).""",
    "y_pred": """y_pred : array-like
    Predicted values, in the shape of y_true.""",
    "y_score": """y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
    Scores: the higher, the more likely. Two classes: one column, that of the positive class; else one per class.""",
    "y_proba": """y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
    Predicted probabilities: of the positive class, or one column per class in sorted order of the labels.""",
    "labels": """labels : list of labels, default: None
    Classes that count, in this order; None: all labels of y_true and y_pred, sorted. Of 0/1 columns: their numbers.""",
    "pos_label": """pos_label : label, default: 1
    The positive class, used where average is 'binary'.""",
    "average": """average : {'binary', 'micro', 'macro', 'weighted', 'samples'} or None, default: 'binary'
    'binary': of pos_label only. 'macro': mean over classes. 'weighted': mean over classes by their true rows.
    'micro': of the counts of all classes. 'samples': mean over rows of 0/1 columns. None: a list, one per class.""",
    "zero_division": """zero_division : {'warn', 0, 1, nan}, default: 'warn'
    The value where the metric is 0/0. 'warn': 0, with a warning. nan: undefined classes are left out of averages.
    A note on the estimate says which classes are undefined.""",
    "normalize": """normalize : bool, default: True
    True: a mean over rows. False: the sum over rows, with their weights.""",
    "multioutput": """multioutput : {'uniform_average', 'raw_values'} or array-like of shape (n_outputs,)
    Of several targets: their plain mean, a list with one estimate per target, or a mean with these weights
    (default: 'uniform_average').""",
    "force_finite": """force_finite : bool, default: True
    Where y_true is constant, replace nan (perfect predictions) by 1 and -inf by 0; a note says so.""",
    "replace_undefined_by": """replace_undefined_by : float, default: nan
    The value where the metric is 0/0.""",
    "sample_weight": """sample_weight : array-like of shape (n_samples,), default: None
    Weight of each row. Scaling all weights changes neither the value nor the interval.""",
    "groups": """groups : array-like of shape (n_samples,), default: None
    Cluster of each row (patient, document), for rows that are not independent: the interval is cluster-robust.""",
    "confidence_level": """confidence_level : float, default: 0.95
    Confidence level of the interval, between 0 and 1.""",
    "method": """method : str, default: 'auto'
    Interval method; 'auto' is the default of the metric. `heldout.explain("methods")` lists all.""",
    "side": """side : {'two-sided', 'lower', 'upper'}, default: 'two-sided'
    Two-sided interval, or a one-sided bound at the same level.""",
    "n_resamples": """n_resamples : int, default: 2000
    Number of bootstrap resamples, for intervals that resample.""",
    "random_state": """random_state : int, numpy.random.Generator or None, default: 0
    Seed of the resamples; None: another one in each call.""",
}

RETURNS = """Returns
-------
Estimate
    A float, scikit-learn's value, with its confidence interval: low, high, level, method, units, notes."""
SEVERAL = {
    "average": "Where average is None: a list of Estimate, one per class or label in the order of labels.",
    "multioutput": "Where multioutput is 'raw_values': a list of Estimate, one per column of y_true.",
}
"""What else is returned, by the parameter that asks for it."""
RAISES = """Raises
------
UsageError
    Where an argument has a value that is not allowed or does not fit the data; the message says what to do.
DataError
    Where the data cannot be evaluated: lengths differ, a value is missing or infinite, a weight is negative."""
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def documented(function: Callable[P, R]) -> Callable[P, R]:
    """Complete a numpydoc docstring: every parameter of the signature, what is returned and raised, and where to look.

    What the docstring describes itself is kept.
    """
    if function.__doc__ is None:  # python -OO
        return function
    opening, sections = _sections(cleandoc(function.__doc__))
    own = _entries(sections.pop("Parameters", ""))
    entries = [own.get(name) or SHARED[name] for name in signature(function).parameters]
    parts = [opening.strip(), "Parameters\n----------\n" + "\n".join(entries)]
    several = [f"\n    {SEVERAL[name]}" for name in signature(function).parameters if name in SEVERAL]
    head = RETURNS.replace("\nEstimate\n", "\nEstimate or list of Estimate\n") if several else RETURNS
    parts.append(_written("Returns", sections) or head + "".join(several))
    parts.append(_written("Raises", sections) or RAISES)
    parts.append(
        "See Also\n--------\n"
        f"sklearn.metrics.{function.__name__} : The same value without an interval.\n"
        "heldout.evaluate : All metrics of the rows at once."
    )
    parts += [_written(name, sections) for name in list(sections)]
    function.__doc__ = "\n\n".join(part for part in parts if part) + "\n"
    return function


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """What comes before the first section, and the body of each section."""
    opening, *rest = SECTION.split(text)
    return opening, {name: body.strip("\n") for name, body in zip(rest[::2], rest[1::2], strict=True)}


def _written(name: str, sections: dict[str, str]) -> str:
    """A section as it was written; it is taken out of those that remain."""
    body = sections.pop(name, None)
    return f"{name}\n{'-' * len(name)}\n{body}" if body is not None else ""


def _entries(body: str) -> dict[str, str]:
    """The entries of a section of parameters, by name."""
    entries = re.split(r"^(?=\w+ : )", body, flags=re.MULTILINE)
    return {entry.partition(" : ")[0]: entry.rstrip() for entry in entries if entry.strip()}
