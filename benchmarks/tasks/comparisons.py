"""Two models on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from benchmarks import worlds
from benchmarks.task import Data, Limit, Peer, Task


def paired(data: Data) -> Any:
    scores = {"second": data["second"], "first": data["first"]}
    return heldout.compare(data["truth"], scores, metrics="roc_auc")["roc_auc"]


def off(ours: Any, theirs: Any) -> float:
    """Difference of the areas, second less first in the peer: its statistic has the opposite sign."""
    error = (ours.high - ours.low) / 2 / 1.959963984540054
    return abs(abs(ours.value / error) - abs(float(theirs[0]))) / max(1.0, abs(float(theirs[0])))


def mlstatkit_delong(data: Data) -> Any:
    from MLstatkit import Delong_test

    return Delong_test(data["truth"], data["first"], data["second"])


PAIRED_AREAS = Task(
    name="auc_paired",
    title="paired DeLong, two models",
    rows=10**6,
    data=worlds.rival_scores,
    ours=paired,
    limit=Limit(
        name="sorting both columns of scores (np.sort)",
        call=lambda data: [np.sort(data[name]) for name in ("first", "second")],
    ),
    peers=(Peer(name="MLstatkit Delong_test", call=mlstatkit_delong, gap=off, bar=12),),
)
