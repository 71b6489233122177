"""Average precision and recall by class, size range and IoU threshold, from matches."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.boxes.matches import HIT, IGNORED, Matches

POINTS: dict[str, Array | None] = {"101": np.linspace(0, 1, 101), "11": np.linspace(0, 1, 11), "all": None}
"""Recalls at which precision is averaged: COCO's 101, Pascal VOC's 11 until 2009, every one since 2010."""
TINY = float(np.spacing(1))
MANY = 20_000
"""Candidates from which on classes are worth a thread of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Precision and recall after every detection that found something, the best score first."""

    recall: Array
    precision: Array
    score: Array


def counted_objects(m: Matches) -> Array:
    """How many objects count, by class and size range."""
    return np.stack(
        [
            np.bincount(m.truth_label[m.counted[:, a]], minlength=m.classes).astype(float)
            for a in range(m.counted.shape[1])
        ],
        axis=1,
    )


def average_precisions(m: Matches, points: str = "101") -> Array:
    """AP by class, size range and threshold: the mean over recalls r of the best precision at recall r or more.

    Nan where no object counts. `points` says at which recalls: "101" [lin14], "11" or "all" [everingham10].
    """
    grid, objects = POINTS[points], counted_objects(m)
    found = np.full((m.classes, len(m.areas), len(m.thresholds)), np.nan)
    found[objects > 0] = 0.0
    bounds = np.searchsorted(m.label[m.at], np.arange(m.classes + 1))
    starts = np.searchsorted(m.label, np.arange(m.classes))
    listed = np.cumsum(np.vstack([np.zeros(len(m.areas), dtype=np.int32), m.inside]), axis=0, dtype=np.int32)

    def filled(k: int) -> None:
        lines = slice(bounds[k], bounds[k + 1])
        right = m.outcome[lines] == HIT
        hits = np.cumsum(right, axis=0, dtype=np.int32)
        said = _said(m, lines, listed[m.at[lines] + 1] - listed[starts[k]])
        best = np.maximum.accumulate((hits / (said + TINY))[::-1], axis=0)[::-1]
        for a in np.flatnonzero(objects[k]):
            line, step = np.nonzero(right[:, a])
            worth = _worth(int(objects[k, a]), grid)[hits[line, a, step] - 1]
            reached = np.bincount(step, weights=best[line, a, step] * worth, minlength=len(m.thresholds))
            found[k, a] = np.minimum(reached / (1 if grid is None else len(grid)), 1.0)  # 101 parts may round above

    there = [k for k in range(m.classes) if bounds[k] < bounds[k + 1] and objects[k].any()]
    with ThreadPoolExecutor(None if len(m.at) > MANY else 1) as pool:  # numpy lets other threads run while it works
        list(pool.map(filled, there))
    return found


def _said(m: Matches, lines: slice, listed: Array) -> Array:
    """How many detections are right or wrong up to each candidate: those of the size, but for what matching changed."""
    outcome, inside = m.outcome[lines], m.inside[m.at[lines]][:, :, None]
    changed = ((outcome == HIT) & ~inside).astype(np.int32) - ((outcome == IGNORED) & inside)
    return listed[:, :, None] + np.cumsum(changed, axis=0, dtype=np.int32)


def _worth(objects: int, grid: Array | None) -> Array:
    """What the precision at the first object found, the second and so on counts: the recalls that it reaches."""
    recall = np.arange(1, objects + 1) / objects
    if grid is None:
        return np.diff(recall, prepend=0.0)
    return np.diff(np.searchsorted(grid, recall, side="right"), prepend=0)


def recalls(m: Matches, most: int) -> Array:
    """Share of the objects found among the best `most` detections per image and class, by class, range, threshold."""
    early = m.rank[m.at] < most
    hits, label = (m.outcome == HIT, m.label[m.at]) if early.all() else (m.outcome[early] == HIT, m.label[m.at[early]])
    found = np.zeros((m.classes, len(m.areas), len(m.thresholds)))
    there, starts = np.unique(label, return_index=True)
    if len(there):
        found[there] = np.add.reduceat(hits, starts, axis=0, dtype=np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return found / counted_objects(m)[:, :, None]


def curve(m: Matches, kind: int, threshold: int, area: int = 0) -> Curve:
    """The precision-recall curve of one class, at one threshold and size range."""
    lines = np.flatnonzero(m.label[m.at] == kind)
    start = np.searchsorted(m.label, kind)
    listed = np.cumsum(m.inside[start : np.searchsorted(m.label, kind, side="right"), area])
    outcome = m.outcome[lines, area, threshold]
    inside = m.inside[m.at[lines], area]
    said = listed[m.at[lines] - start] + np.cumsum(((outcome == HIT) & ~inside) * 1 - ((outcome == IGNORED) & inside))
    right = outcome == HIT
    hits = np.cumsum(right)[right]
    objects = counted_objects(m)[kind, area]
    with np.errstate(invalid="ignore", divide="ignore"):
        recall = hits / objects
    return Curve(recall=recall, precision=hits / said[right], score=m.score[m.at[lines]][right])
