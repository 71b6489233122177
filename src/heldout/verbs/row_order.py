"""Whether rows depend on those before: what `time` does not go with, and a note where it was not given."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.estimates.interval_choice import INDEPENDENT
from heldout.inputs import Check, Reading
from heldout.intervals.long_run import long_run
from heldout.rows import probabilities as probability_rows
from heldout.verbs.measurement import Measurement

if TYPE_CHECKING:
    from heldout.verbs.chunked.table_source import ChunkedInput

LOOKED_AT = 100_000
"""Rows from the top that are looked at: the note takes no longer for more rows."""
FEWEST = 20
"""With fewer rows chance alone makes neighbours alike too often to say anything."""
FALSE_ALARMS = 0.001
"""How often neighbours of independent rows are said to be alike."""
WIDER = 1.2
"""How many times wider an interval must become for the note to be worth reading."""
IN_TIME = ("t", "diebold_mariano")
"""Tests that allow for dependence in time."""


def refuse_in_time(*, given: bool, method: str, max_fpr: float | None, choose_threshold: Any) -> None:
    """Raise if times were given and something was asked for that takes rows for independent."""
    if not given:
        return
    if method in INDEPENDENT:
        raise UsageError(
            f"the method {method} assumes independent rows, but these have times",
            fix="leave out --method (method=): intervals then allow for dependence in time",
        )
    for name, option, value in (
        ("max_fpr", "--max-fpr", max_fpr),
        ("choose_threshold", "--choose-threshold", choose_threshold),
    ):
        if value is not None:
            raise UsageError(
                f"{name} counts independent rows, and these have times",
                fix=f"leave out {option} ({name}=), or leave out --time (time=) and give rows that are far apart",
            )


def refuse_chunks_in_time(opened: ChunkedInput, time: Any) -> None:
    """Raise if rows that are read in chunks have times: their order is that of all rows."""
    if time is not None:
        message = "time needs all rows in memory, in order, and these are read in chunks"
        raise UsageError(message, fix=opened.in_memory_fix)


def refuse_tests_in_time(test: str | None, *, given: bool, paired: bool, looks: bool = False) -> None:
    """Raise if a test does not go with times, or needs them and there are none."""
    if test == "diebold_mariano" and not given:
        fix = "name the times with --time COLUMN (time=range(n) for rows in order)"
        raise UsageError("the test diebold_mariano is for rows in the order of time, and no times were given", fix=fix)
    if not given:
        return
    if looks:
        fix = "leave out --time (time=), or --sequential (sequential=True) and --looks (looks=)"
        raise UsageError("several looks are for independent rows, and these have times", fix=fix)
    if not paired:
        fix = "compare on the same rows, or leave out --time (time=)"
        raise UsageError("time is for models on the same rows, and these are independent samples", fix=fix)
    if test is not None and test not in IN_TIME:
        fix = f"choose one of {', '.join(IN_TIME)}, or leave out the test"
        raise UsageError(f"the test {test} assumes independent rows, but these have times", fix=fix)


def dependence_checks(reading: Reading, measured: Measurement) -> tuple[Check, ...]:
    """A note where losses of neighbouring rows are alike, or where the table has dates; none where rows have times."""
    batch = reading.batch
    if batch.time is not None:
        return _bands(batch)
    if batch.unit is not None or _is_chunked(measured) or _is_sorted(batch):
        return ()
    return _noted(*row_losses(batch), reading.dated)


def paired_dependence_checks(dated: tuple[str, ...], a: Measurement, b: Measurement) -> tuple[Check, ...]:
    """The same for the differences between two models' losses."""
    batch = b.given
    if batch.time is not None:
        return _bands(batch)
    if batch.unit is not None or _is_sorted(batch):
        return ()
    (first_kind, first), (second_kind, second) = row_losses(a.given), row_losses(b.given)
    losses = first - second if first is not None and second is not None and first_kind == second_kind else None
    return _noted(f"differences of {first_kind}", losses, dated)


def _is_chunked(measured: Measurement) -> bool:
    return type(measured) is not Measurement


def _bands(batch: Batch) -> tuple[Check, ...]:
    """Notes on what does not allow for dependence in time: curves, and tests whether subgroups differ."""
    texts = []
    if batch.score is not None and batch.score.ndim == 1:
        texts.append(
            "bands of curves and of the threshold explorer take rows of different times for independent; "
            "the intervals of metrics do not"
        )
    if batch.segments:
        texts.append("whether subgroups differ is not tested: rows of one time in several of them are not independent")
    return tuple(Check(code="H319", text=text) for text in texts)


def row_losses(batch: Batch) -> tuple[str, Array | None]:
    """One loss per row, of the first rows, and what they are; None where there are none."""
    few = batch.part(slice(0, LOOKED_AT)) if batch.rows > LOOKED_AT else batch
    if few.task == "regression":
        assert few.prediction is not None
        squares: Array = (few.truth - few.prediction) ** 2
        return "squared errors", squares if squares.ndim == 1 else squares.sum(axis=1)
    if few.task == "binary" and few.probabilities and few.score is not None:
        return "Brier losses", np.asarray(probability_rows.brier_losses(few), dtype=float)
    if few.prediction is None:
        return "errors", None
    wrong = few.prediction != few.truth
    return "errors", np.asarray(wrong if wrong.ndim == 1 else wrong.any(axis=1), dtype=float)


def _is_sorted(batch: Batch) -> bool:
    """Whether the order of the rows is that of the truth, a prediction or a score: then it is not that of time."""
    columns = [batch.truth, batch.prediction, batch.score]
    return any(column is not None and column.ndim == 1 and _rises_or_falls(column[:LOOKED_AT]) for column in columns)


def _rises_or_falls(values: Array) -> bool:
    later, before = values[1:], values[:-1]
    return bool((later >= before).all() or (later <= before).all())


def _noted(what: str, losses: Array | None, dated: tuple[str, ...]) -> tuple[Check, ...]:
    """The note, from losses in the order of the rows and the names of columns that hold dates."""
    alike = losses is not None and len(losses) >= FEWEST and neighbours_alike(losses) < FALSE_ALARMS
    found = long_run(losses) if alike and losses is not None else None
    if found is not None and found.widening > WIDER:
        option = _option(dated)
        text = (
            f"{what} of neighbouring rows are alike: autocorrelation {found.autocorrelation:.2f} at lag 1 in row "
            f"order, more than chance allows. If this is the order of time, intervals should be about "
            f"{found.widening:.1f} times as wide: {option}; if neighbours are of one patient, document or the like, "
            "name it as the group"
        )
        return (Check(code="H318", text=text),)
    if dated:
        text = (
            f"{dated[0]} holds dates, and rows are assumed to be independent; if errors depend on those before: "
            f"{_option(dated)}"
        )
        return (Check(code="H318", text=text),)
    return ()


def _option(dated: tuple[str, ...]) -> str:
    if dated:
        return f"--time {dated[0]} (time={dated[0]!r})"
    return "--time COLUMN (time=range(n) for rows in order)"


def neighbours_alike(losses: Array) -> float:
    """P-value that losses above the median stand together as often as seen: Wald and Wolfowitz's runs [wald40].

    Losses of which more than half are equal are divided into those above and the rest. Given how many are above, the
    number of their runs is hypergeometric: exact whatever the distribution of losses, and blind to outliers.

    >>> neighbours_alike(np.repeat([0.0, 1.0, 0.0, 1.0], 20)) < 1e-9
    True
    >>> neighbours_alike(np.tile([0.0, 1.0], 40)) > 0.99
    True
    """
    if not np.isfinite(losses).all():
        return nan
    above = losses > np.median(losses)
    n, hits = len(above), int(np.count_nonzero(above))
    if hits < 2 or hits == n:
        return 1.0
    runs = int(above[0]) + int(np.count_nonzero(above[1:] & ~above[:-1]))
    from scipy.special import gammaln

    def log_choose(top: int, bottom: Array) -> Array:
        return np.asarray(gammaln(top + 1) - gammaln(bottom + 1) - gammaln(top - bottom + 1))

    counts = np.arange(1, runs + 1)  # P(R = r) = C(hits - 1, r - 1) C(n - hits + 1, r) / C(n, hits)
    counts = counts[counts <= n - hits + 1]
    logs = log_choose(hits - 1, counts - 1) + log_choose(n - hits + 1, counts) - log_choose(n, np.array(hits))
    return float(min(np.exp(logs).sum(), 1.0))
