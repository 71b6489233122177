"""What every threshold would do; precision against recall."""

from __future__ import annotations

import numpy as np

import heldout
from tests.oracles.answers.asking import FAST, Answers, points, ranked
from tests.oracles.reader import Case

COUNTS = {"cutoff": "threshold", "tp": "tp", "fp": "fp", "tn": "tn", "fn": "fn", "rpp": "share"}
METRICS = {"prec": "precision", "rec": "recall", "f1": "f1", "mcc": "mcc", "acc": "accuracy", "f": "f1"}


def column(case: Case, entry: str) -> np.ndarray:
    if entry in COUNTS:
        return points(case, "sweep")[COUNTS[entry]]
    return points(case, "sweep", METRICS[entry])[METRICS[entry]]


def lift(case: Case) -> np.ndarray:
    """Undefined before the first row is taken."""
    return np.concatenate([[np.nan], points(case, "lift")["lift"]])


def least_cost(case: Case, false_alarm: str, miss: str) -> float:
    sweep = points(case, "sweep")
    rows = sweep["tp"] + sweep["fp"] + sweep["fn"] + sweep["tn"]
    return float(((float(false_alarm) * sweep["fp"] + float(miss) * sweep["fn"]) / rows).min())


def ends_of_curve(case: Case) -> list[list[float]]:
    """Precision, then recall, where everything and where nothing is called positive."""
    curve = points(case, "precision_recall")
    return [[curve["precision"][-1], curve["precision"][0]], [curve["recall"][-1], curve["recall"][0]]]


def detections(case: Case) -> heldout.Evaluation:
    """Hits and misses by falling confidence."""
    hits = case.params["hits"]
    return heldout.evaluate(hits, y_score=np.arange(len(hits), 0, -1.0), metrics="average_precision", method=FAST)


def found(case: Case) -> float:
    """The share of all objects that some detection hit: the rest is never found, at no precision."""
    return sum(case.params["hits"]) / case.params["objects"]


def plain(case: Case) -> float:
    return detections(case)["average_precision"] * found(case)


def envelope(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Recall over all objects, and the highest precision at that recall or a higher one."""
    curve = detections(case).curve("precision_recall").points
    precision = np.maximum.accumulate(curve["precision"][:0:-1])[::-1]
    return curve["recall"][1:] * found(case), precision


def every_point(case: Case) -> float:
    recall, precision = envelope(case)
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


def eleven_point(case: Case) -> float:
    recall, precision = envelope(case)
    reached = [precision[recall >= at - 1e-12].max(initial=0.0) for at in np.linspace(0, 1, 11)]
    return float(np.mean(reached))


SWEEP: Answers = {
    "auc": ranked,
    r"auc_fpr_stop_([\d.]+)": lambda case, limit: ranked(case, f"partial_auc@{limit}"),
    "max_(acc|f|mcc)": lambda case, entry: np.nanmax(column(case, entry)),
    r"min_cost_fp([\d.]+)_fn([\d.]+)": least_cost,
    "rch_(fpr|tpr)": lambda case, axis: points(case, "convex_hull")[axis],
    f"({'|'.join([*COUNTS, *METRICS])})": column,
    "lift": lift,
}
CURVES: Answers = {
    "roc_n_points": lambda case: len(points(case, "roc")["fpr"]),
    "pr_first_last": ends_of_curve,
    "det_eer|torchmetrics_eer": lambda case: ranked(case, "eer"),
}
PRECISION_RECALL: Answers = {
    "auc_roc": ranked,
    "plain_sum": plain,
    "every_point": every_point,
    "eleven_point": eleven_point,
}
