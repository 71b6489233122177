"""Two models on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import worlds
from benchmarks.ratios import largest_gap
from benchmarks.task import Data, Limit, Peer, Task


def mlstatkit_delong(data: Data) -> Any:
    from MLstatkit import Delong_test

    return Delong_test(data["truth"], data["first"], data["second"])


PAIRED_AREAS = Task(
    name="auc_paired",
    title="paired DeLong, two models",
    rows=10**6,
    data=worlds.rival_scores,
    ours=None,
    limit=Limit(
        name="sorting both columns of scores (np.sort)",
        call=lambda data: [np.sort(data[name]) for name in ("first", "second")],
    ),
    peers=(Peer(name="MLstatkit Delong_test", call=mlstatkit_delong, gap=largest_gap, bar=12),),
    note="not yet: the package has no comparison of two models so far",
)
