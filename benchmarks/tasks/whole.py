"""The whole evaluation of a binary model, beside the calls that people make one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from benchmarks import worlds
from benchmarks.ratios import largest_gap
from benchmarks.task import Data, Limit, Peer, Task

CURVES = ("roc", "precision_recall", "calibration", "gain")


def evaluated(data: Data) -> Any:
    """Every binary metric with its interval, and four curves with their bands."""
    found = heldout.evaluate(data["truth"], y_score=data["score"])
    return found, [found.curve(name) for name in CURVES]


def sklearn_calls(data: Data) -> Any:
    from sklearn import metrics

    truth, score = data["truth"], data["score"]
    return {
        "report": metrics.classification_report(truth, (score >= 0.5).astype(np.int64), output_dict=True),
        "roc_auc": metrics.roc_auc_score(truth, score),
        "average_precision": metrics.average_precision_score(truth, score),
        "log_loss": metrics.log_loss(truth, score),
        "brier": metrics.brier_score_loss(truth, score),
    }


def gap(ours: Any, theirs: Any) -> float:
    found, _ = ours
    names = ("roc_auc", "average_precision", "log_loss", "brier")
    positive = theirs["report"]["1"]
    return largest_gap(
        [float(found[name]) for name in (*names, "accuracy", "precision", "recall", "f1")],
        [
            *(theirs[name] for name in names),
            theirs["report"]["accuracy"],
            *(positive[name] for name in ("precision", "recall", "f1-score")),
        ],
    )


WHOLE = Task(
    name="evaluate",
    title="whole `evaluate`: every binary metric, intervals, four curves",
    rows=10**6,
    data=worlds.scores,
    ours=evaluated,
    limit=Limit(
        name="one sort and one logarithm of the scores",
        call=lambda data: (np.sort(data["score"]), np.log(data["score"])),
    ),
    peers=(
        Peer(
            name="scikit-learn, five calls",
            call=sklearn_calls,
            gap=gap,
            bar=3,
            note="classification_report, roc_auc_score, average_precision_score, log_loss, brier_score_loss: no curves",
        ),
    ),
)
