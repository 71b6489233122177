"""Metrics of true and false positives and negatives per class, where they are all that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from heldout import inputs
from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import estimate
from heldout.estimates.value_with_interval import with_value
from heldout.formulas import METRICS, Metric, metric as named_metric
from heldout.formulas.families import AVERAGES
from heldout.formulas.table import ONE_CLASS
from heldout.inputs import Check, Source
from heldout.inputs.columns.number_parsing import number_table
from heldout.inputs.formats.count_tables import MOST_IN_A_CELL
from heldout.inputs.message_text import quoted
from heldout.tallies.cells import ClassCounts
from heldout.verbs.evaluate.dummy_model import Baseline, against
from heldout.verbs.evaluate.evaluation import Evaluation
from heldout.verbs.settings import Settings

PRINTED = tuple(
    f"{name}_{average}" for average in ("macro", "micro", "weighted") for name in ("precision", "recall", "f1")
)
"""Averages that are printed unless others are asked for."""


@dataclass(frozen=True, kw_only=True)
class ClassTables:
    """TP, FP, FN and TN of each class; TN is 0 where it is not known."""

    labels: tuple[Label, ...]
    counts: Array
    """One line (TP, FP, FN, TN) per class."""
    negatives: bool
    """Whether true negatives are known."""


def read_tables(counts: Any) -> tuple[ClassTables, tuple[Source, ...]]:
    """The counts of each class, from a mapping or a file, and the file."""
    if isinstance(counts, str | Path):
        labels, table = inputs.read_class_counts(counts)
        return _checked(labels, table), (inputs.source_of(counts),)
    if not isinstance(counts, Mapping) or not counts:
        fix = "give (TP, FP, FN) or (TP, FP, FN, TN) for each class: {'a': (5, 1, 2), 'b': (7, 2, 1)}"
        raise DataError("counts per class must be a mapping of class to counts, or a file", code="H110", fix=fix)
    return _checked(tuple(counts), _array(counts)), ()


def _array(counts: Mapping[Label, Sequence[float]]) -> Array:
    unordered = [line for line in counts.values() if isinstance(line, set | frozenset | str | bytes)]
    if unordered:
        fix = "give (TP, FP, FN) or (TP, FP, FN, TN) for each class, as a tuple or list"
        raise DataError(
            f"the counts of a class are {unordered[0]!r}, which has no order of counts", code="H110", fix=fix
        )
    fix = "give (TP, FP, FN) or (TP, FP, FN, TN) for each class, of all classes alike"
    if len({np.size(line) for line in counts.values()}) > 1:
        raise DataError("each class needs three or four counts", code="H110", fix=fix)
    table = number_table([list(np.atleast_1d(line)) for line in counts.values()], "counts per class", fix=fix)
    if table.ndim != 2 or table.shape[1] not in (3, 4):
        raise DataError("each class needs three or four counts", code="H110", fix=fix)
    return table


def _checked(labels: tuple[Label, ...], table: Array) -> ClassTables:
    wrong = ~np.isfinite(table) | (table < 0) | (table != np.rint(table))
    if wrong.any():
        line, column = (int(at) for at in np.argwhere(wrong)[0])
        what = f"{('TP', 'FP', 'FN', 'TN')[column]} of class {labels[line]!r} is {table[line, column]:g}"
        raise DataError(
            f"{what}, but a count is a whole number of zero or more", code="H110", fix="give counts of rows"
        )
    vast = table > MOST_IN_A_CELL
    if vast.any():
        line, column = (int(at) for at in np.argwhere(vast)[0])
        what = f"{('TP', 'FP', 'FN', 'TN')[column]} of class {labels[line]!r} is {table[line, column]:g}"
        text = f"{what}, and counts beyond 1e12 take digits from rare classes"
        raise DataError(text, code="H110", fix="evaluate a sample of the rows")
    if not table.any():
        raise DataError("every count is zero", code="H110", fix="count at least one row")
    known = table.shape[1] == 4
    return ClassTables(labels=labels, counts=table if known else np.pad(table, ((0, 0), (0, 1))), negatives=known)


def squared(tables: ClassTables) -> Array | None:
    """A confusion matrix with these counts, if every row has one label; None where no confusion matrix has them.

    Of three or more classes many matrices have the same counts. This one has the errors of each class spread over the
    others in proportion to their false positives (quasi-independence), and margins exact to rounding.

    >>> tables = ClassTables(labels=("a", "b"), counts=np.array([[6.0, 1, 2, 3], [3, 2, 1, 6]]), negatives=True)
    >>> squared(tables).tolist()
    [[6.0, 2.0], [1.0, 3.0]]
    """
    tp, fp, fn, tn = tables.counts.T
    wrong, rows = fn.sum(), (tp + fn).sum()
    # an error is missed in one class and false in another one
    if len(tp) < 2 or fp.sum() != wrong or np.any(fp + fn > wrong):
        return None
    if tables.negatives and np.any(tp + fp + fn + tn != rows):
        return None
    table = _spread(fn, fp)
    table = np.where(table > 1e-9, table, 0.0)
    whole = np.rint(table)
    table = whole if np.allclose(table, whole, atol=1e-6) else table
    return np.asarray(table + np.diag(tp))


def _spread(fn: Array, fp: Array) -> Array:
    """The table t_ij = N u_i v_j off the diagonal whose rows add up to fn and whose columns add up to fp.

    With u and v each adding up to 1, N u_i (1 - v_i) = fn_i and N v_i (1 - u_i) = fp_i give u_i and v_i as roots of a
    quadratic in N, and one equation is left for N. Proportional fitting stops far from the margins where one class is
    in nearly all errors.
    """
    from scipy.optimize import brentq

    least = (np.sqrt(fn) + np.sqrt(fp)) ** 2  # of N, where both roots of a class are the same
    in_all = fn + fp == fn.sum()
    most = int((in_all if in_all.any() else least).argmax())
    others = np.arange(len(fn)) != most
    if in_all[most]:  # every error is of this class: there is one such table
        table = np.zeros((len(fn), len(fn)))
        table[most, others], table[others, most] = fp[others], fn[others]
        return table

    def roots(total: float) -> tuple[Array, Array]:
        root = np.sqrt((total - least) * (total - (np.sqrt(fn) - np.sqrt(fp)) ** 2))
        # without errors of a kind the root is 0, also where it would be 0 / 0
        u = np.divide(2 * fn, total + fn - fp + root, out=np.zeros_like(fn), where=fn > 0)
        return u, np.divide(2 * fp, total - fn + fp + root, out=np.zeros_like(fp), where=fp > 0)

    def beyond(total: float) -> float:
        u, v = roots(total)
        return float(total * (u[others].sum() - v[most] if large else u.sum() - 1))

    low, large = float(least[most]), False
    large = beyond(low) < 0  # then the class of this bound has the larger root: (1 - v, 1 - u) of the smaller one
    high = 2 * low
    while (beyond(high) > 0) != large:
        high *= 2
    total = brentq(beyond, low, high, xtol=1e-12 * low, rtol=1e-14)
    u, v = roots(total)
    if large:
        u[most], v[most] = 1 - v[most], 1 - u[most]
    return np.asarray(total * np.outer(u, v) * ~np.eye(len(fn), dtype=bool))


def evaluate_tables(tables: ClassTables, asked: Settings, sources: tuple[Source, ...]) -> Evaluation:
    """Averages and metrics per class, where the classes' tables are independent of each other."""
    tally = ClassCounts(tables.counts)
    every = tuple(one for one in METRICS.values() if one.reads == "labels" and one.name.endswith(tuple(AVERAGES)))
    wanted = tuple(_allowed(one, tables) for one in (asked.metrics or (*every, *asked.extra)))
    found = {
        one.name: _printed(
            _average(one, tally, asked), shown=one.name in PRINTED or one in (asked.metrics or asked.extra)
        )
        for one in wanted
    }
    of_class = [one for one in ONE_CLASS if tables.negatives or "tn" not in one.needs]
    classes = {
        str(name): {one.name: _estimate(one, tally, k, asked) for one in of_class}
        for k, name in enumerate(tables.labels)
    }
    beside = _dummy(tables, found)
    return Evaluation(
        estimates=found,
        classes=classes,
        baseline=beside,
        task="multiclass",
        rows=_rows(tables),
        units=_rows(tables),
        class_tables=bool(_rows(tables) != tables.counts[0].sum()),
        level=asked.level,
        seed=asked.seed,
        labels=tables.labels,
        sources=sources,
        checks=(Check(code="H320", text=_independent(tables)),) if len(tables.labels) > 1 else (),
    )


def _independent(tables: ClassTables) -> str:
    fp, fn = tables.counts[:, 1].sum(), tables.counts[:, 2].sum()
    seen = f"{fp:g} false positives and {fn:g} false negatives in all{_sizes(tables)}"
    if fp == fn:
        seen = f"no confusion matrix has these counts{_sizes(tables) or _more_than_all(tables)}"
    return (
        f"rows do not have one label each ({seen}): the classes are assumed to be independent samples; "
        "if rows carry several labels, evaluate the rows instead"
    )


def _sizes(tables: ClassTables) -> str:
    """Two classes that do not have the same number of rows, where true negatives are known."""
    sizes = tables.counts.sum(axis=1)
    if not tables.negatives or np.all(sizes == sizes[0]):
        return ""
    most, other = int(sizes.argmax()), int(sizes.argmin())
    return f"; {quoted(tables.labels[most])} has {sizes[most]:g} rows, {quoted(tables.labels[other])} {sizes[other]:g}"


def _more_than_all(tables: ClassTables) -> str:
    """The class with more errors than there are: a row of one label is wrong once."""
    errors, wrong = tables.counts[:, 1] + tables.counts[:, 2], tables.counts[:, 2].sum()
    most = int(errors.argmax())
    if errors[most] <= wrong:
        return ""
    return f"; class {quoted(tables.labels[most])} has {errors[most]:g} of {wrong:g} errors"


def _rows(tables: ClassTables) -> int:
    """How many rows there are: as many as each table has, where that is the same number, else all of them together."""
    sizes = tables.counts.sum(axis=1)
    return int(sizes[0] if tables.negatives and np.all(sizes == sizes[0]) else sizes.sum())


def _allowed(one: Metric, tables: ClassTables) -> Metric:
    """A metric that counts per class can give; an error that says why for any other."""
    if one.reads == "labels" and one.name.endswith(tuple(AVERAGES)):
        return one
    if one.one_class:
        name = one.name
        fix = f"see it per class, or ask for {name}_macro, {name}_micro or {name}_weighted"
        if f"{name}_macro" not in METRICS:
            fix = "leave it out: it is shown per class" + ("" if tables.negatives else ", if tn is given")
        raise UsageError(f"{name} is about one class, and there are {len(tables.labels)}", fix=fix)
    if one.reads == "labels":
        fix = "ask for averages such as f1_micro, or give a confusion matrix: --confusion FILE (evaluate_confusion)"
        raise UsageError(
            f"{one.name} cannot be computed from these counts: {_independent(tables).partition(':')[0]}", fix=fix
        )
    fix = f"leave out {one.name}, or evaluate the rows"
    raise UsageError(f"{one.name} needs rows: counts per class have counts of labels only", fix=fix)


def _average(one: Metric, tally: ClassCounts, asked: Settings) -> Estimate:
    """An average over classes; a micro average is the metric of one class on the tables added up."""
    name, _, average = one.name.rpartition("_")
    if average != "micro":
        return _estimate(one, tally, None, asked)
    pooled = ClassCounts(tally.counts.sum(axis=0, keepdims=True))
    return _estimate(replace(named_metric(name), name=one.name), pooled, 0, asked)


def _estimate(one: Metric, tally: ClassCounts, label: int | None, asked: Settings) -> Estimate:
    found = estimate(
        one,
        tally,
        label=label,
        level=asked.level,
        method=asked.method,
        side=asked.side,
        draws=asked.draws,
        seed=asked.seed,
    )
    if label is not None and one.name in METRICS and METRICS[one.name].one_class:
        return found
    known = found.measured_as
    return with_value(found, found.value, measured_as=None if known is None else known._replace(design="tables"))


def _printed(one: Estimate, *, shown: bool) -> Estimate:
    return with_value(one, one.value, printed=shown)


def _dummy(tables: ClassTables, found: dict[str, Estimate]) -> Baseline | None:
    """Each class predicted always or never, whichever is right more often; None where true negatives are not known."""
    if not tables.negatives:
        return None
    tp, fp, fn, tn = tables.counts.T
    always = tp + fn > fp + tn
    nothing = np.zeros_like(tp)
    sums = {
        "tp": np.where(always, tp + fn, nothing),
        "fp": np.where(always, fp + tn, nothing),
        "fn": np.where(always, nothing, tp + fn),
        "tn": np.where(always, nothing, fp + tn),
    }
    values = {name: float(named_metric(name)(sums)) for name in found}
    return against("always predicts each class's majority (present or absent)", values, found)
