"""Losses of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from benchmarks import worlds
from benchmarks.ratios import largest_gap
from benchmarks.task import Data, Limit, Peer, Task


def losses(data: Data) -> Any:
    return heldout.evaluate(data["truth"], y_score=data["score"], metrics="log_loss,brier")


def sklearn_losses(data: Data) -> Any:
    from sklearn.metrics import brier_score_loss, log_loss

    return log_loss(data["truth"], data["score"]), brier_score_loss(data["truth"], data["score"])


def gap(ours: Any, theirs: Any) -> float:
    return largest_gap([float(ours["log_loss"]), float(ours["brier"])], theirs)


LOSSES = Task(
    name="losses",
    title="log loss and Brier with intervals, binary",
    rows=10**7,
    data=worlds.scores,
    ours=losses,
    limit=Limit(name="one logarithm a row (np.log)", call=lambda data: np.log(data["score"])),
    peers=(Peer(name="scikit-learn log_loss + brier_score_loss", call=sklearn_losses, gap=gap, bar=8),),
)
