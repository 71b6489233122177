"""Limits from stored resamples: the same draws must give the same intervals."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

import heldout
from heldout.intervals.resampling import basic, bca, percentile
from tests.oracles.answers.asking import FAST, Answers, NotAnswered
from tests.oracles.reader import Case, columns, lines, numbers

TRUTHS = ("y", "outcome", "label", "labels", "truth")
NAMES = {"AUC": "roc_auc", "AP": "average_precision"}
"""What a statistic is called, where it is not our name in other letters."""


def compared(case: Case) -> tuple[str, str, str] | None:
    """Metric and the columns of a statistic of two models, `MAE(ridge) - MAE(rf), paired`; None where it is of one."""
    found = re.match(r"(\w+)\((\w+)\) - (\w+)\((\w+)\),", case.params["statistic"])
    if not found or found[1] != found[3]:
        return None
    return NAMES.get(found[1], found[1].lower()), f"yhat_{found[2]}", f"yhat_{found[4]}"


def statistic(case: Case) -> tuple[str, str, str | None]:
    """Metric, column and positive class of a statistic of one model: `F1 of yhat_lr, positive Yes, rows resampled`."""
    found = re.match(r"(.+?) of (\S+?)(?:,|$)(?: positive ([^,]+))?", case.params["statistic"])
    name = found and NAMES.get(found[1], found[1].lower().replace(" ", "_"))
    if not found or name not in heldout.metrics.METRICS:
        raise NotAnswered(case.params["statistic"])
    return str(name), found[2], found[3]


def truths(case: Case) -> np.ndarray:
    found = columns(case.file)
    return np.array(next(found[name] for name in TRUTHS if name in found))


def value(case: Case, rows: Any = slice(None)) -> float:
    """The statistic on some of the rows."""
    if compared(case) is not None:
        return difference(case, rows)
    metric, column, positive = statistic(case)
    truth, told = truths(case)[rows], np.array(columns(case.file)[column])[rows]
    reads = heldout.metrics.metric(metric).reads
    options: dict[str, Any] = {"metrics": metric, "method": FAST, "pos_label": positive}
    if reads in ("numbers", "ordered"):
        return heldout.evaluate(truth.astype(float), told.astype(float), task="regression", **options)[metric]
    if reads == "labels":
        return heldout.evaluate(truth, told, **options)[metric]
    door = "y_score" if reads == "scores" else "y_proba"
    return heldout.evaluate(truth, **{door: told.astype(float)}, **options)[metric]


def difference(case: Case, rows: Any) -> float:
    """The first model less the second, on some of the rows."""
    metric, *names = compared(case)  # type: ignore[misc]
    table = columns(case.file)
    models = {name: numbers(table[name])[rows] for name in reversed(names)}
    found = heldout.compare(truths(case)[rows].astype(float), models, metrics=metric, task="regression")
    return found[metric].value


def stored(case: Case, ending: str) -> Any:
    return next(files[0] for name, files in case.files.items() if name.endswith(ending))


def drawn(case: Case) -> np.ndarray:
    if compared(case) is None:
        statistic(case)
    return numbers(columns(stored(case, "_replicates"))["t"])


def first_drawn(case: Case, count: str) -> list[float]:
    picked = lines(stored(case, "_indices"))[: int(count)]
    return [value(case, np.array(line, dtype=int)) for line in picked]


@lru_cache(maxsize=4)
def influence(case: Case) -> np.ndarray:
    """How far each row moves the value, by leaving it out."""
    rows = np.arange(len(truths(case)))
    left_out = [value(case, np.delete(rows, row)) for row in rows]
    return (_peers(case) - 1) * (value(case) - np.array(left_out, dtype=float))


def _peers(case: Case) -> np.ndarray:
    """How many rows each row is drawn among: all, or those of its class."""
    truth = truths(case)
    if "stratified" not in case.params["statistic"]:
        return np.full(len(truth), len(truth))
    _, place, sizes = np.unique(truth, return_inverse=True, return_counts=True)
    return sizes[place]


def limits(case: Case, kind: str, percent: str) -> tuple[float, float]:
    level = float(percent) / 100
    if kind == "perc":
        return percentile(drawn(case), level)
    if kind == "basic":
        return basic(value(case), drawn(case), level)
    return bca(value(case), drawn(case), influence(case), level)


BOOTSTRAP: Answers = {
    "t0": value,
    r"first(\d+)_replicates": first_drawn,
    r"(perc|basic|bca)(\d+)": limits,
    r"jackknife_influence_first(\d+)": lambda case, count: influence(case)[: int(count)],
}
