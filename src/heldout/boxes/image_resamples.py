"""Average precision and recall if images counted more or less: matches are weighed, never made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import POINTS
from heldout.boxes.matching import HIT, IGNORED, Matches

ROUNDING = 3e-5
"""How well steps of a grid of recalls are known in single precision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Values by class, size range, threshold and draw; nan where no object counts."""

    precision: Array
    recall: dict[int, Array]
    """By the number of detections per image and class that are looked at; of fewer than the most, nan beyond the first
    size range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Range:
    """What one size range needs for every resample, sorted once."""

    rows: Array
    """Candidates that are right at some threshold, rising."""
    between: tuple[Array, Array, Array]
    """Images of the detections of this size, by the row they stand before: the parts of a sparse matrix."""
    objects: tuple[Array, Array, Array]
    """Images of the objects that count, by class."""
    bounds: Array
    """Where each class starts among the rows."""


def weighed(m: Matches, weights: Array, *, points: str = "101", most: Sequence[int] = (1, 10, 100)) -> Weighed:
    """AP and recall by class, size range and threshold with every image counted weights[image, draw] times.

    As `average_precisions` and `recalls` would give them if images were repeated that often, for all resamples at once.
    """
    draws = np.ascontiguousarray(weights, dtype=np.float32)
    starts = np.searchsorted(m.label[m.at], np.arange(m.classes)).tolist()
    shape = (m.classes, len(m.areas), len(m.thresholds), draws.shape[1])
    precision = np.zeros(shape, dtype=np.float32)
    recall = {best: np.full(shape, np.nan, dtype=np.float32) for best in most}
    for area in range(len(m.areas)):
        part = _sorted_once(m, area)
        objects = _product(part.objects, m.classes, draws)
        said = _product(part.between, len(part.rows), draws)
        wanted = [best for best in most if area == 0 or best == max(most)]
        for best in wanted:
            recall[best][:, area] = 0.0
        for k in np.flatnonzero(np.diff(part.bounds)):
            lines = slice(part.bounds[k], part.bounds[k + 1])
            listed = running(np.add, said[lines])
            count = np.maximum(objects[k], 1)  # where there are none, the answer is nan in the end
            for t in range(len(m.thresholds)):
                found = _one_curve(m, (area, t), part.rows[lines], listed=listed, draws=draws, start=starts[k])
                if found is not None:
                    hits, precise, chosen = found
                    for best in wanted:
                        recall[best][k, area, t] = _found(m, chosen, best, hits, draws) / count
                    precision[k, area, t] = _averaged(precise, hits / count, points)
        for cells in (precision, *(recall[best] for best in wanted)):
            np.copyto(cells[:, area], np.float32(np.nan), where=(objects == 0)[:, None, :])
    return Weighed(precision=precision, recall=recall)


def _found(m: Matches, chosen: Array, best: int, hits: Array, draws: Array) -> Array:
    """How many objects the best so many detections per image and class find, for every resample."""
    early = m.rank[m.at[chosen]] < best
    return hits[-1] if early.all() else draws[m.image[m.at[chosen[early]]]].sum(axis=0)


def _one_curve(
    m: Matches, cell: tuple[int, int], rows: Array, *, listed: Array, draws: Array, start: int
) -> tuple[Array, Array, Array] | None:
    """Running weights of the right detections of a size range and threshold, precision at each, and which they are.

    None where no detection is right.
    """
    area, threshold = cell
    right = m.outcome[rows, area, threshold] == HIT
    if not right.any():
        return None
    chosen = rows[right]
    hits = draws[m.image[m.at[chosen]]]
    said = listed[right]
    outcome, inside = m.outcome[start : chosen[-1] + 1, area, threshold], m.inside[m.at[start : chosen[-1] + 1], area]
    sign = ((outcome == HIT) & ~inside).astype(np.float32) - ((outcome == IGNORED) & inside)
    changed = np.flatnonzero(sign)
    if len(changed):
        place = np.searchsorted(chosen, changed + start)
        there, starts = np.unique(place, return_index=True)
        moved = np.zeros_like(said)
        weights = draws[m.image[m.at[changed + start]]] * sign[changed][:, None]
        moved[there] = np.add.reduceat(weights, starts, axis=0)
        said += running(np.add, moved)
    hits = running(np.add, hits)
    np.maximum(said, 1, out=said)
    return hits, np.divide(hits, said, out=said), chosen


def _averaged(precise: Array, reached: Array, points: str) -> Array:
    """The mean of the best precision over recalls, or of the one at each recall, for every resample."""
    grid = POINTS[points]
    best = precise if points == "steps" else running(np.maximum, precise[::-1])[::-1]
    passed, count = (reached, 1) if grid is None else (_passed(reached, grid), len(grid))
    steps = passed[1:] - passed[:-1]
    return (best[0] * passed[0] + np.einsum("ij,ij->j", best[1:], steps)) / count


def _passed(reached: Array, grid: Array) -> Array:
    """How many recalls of an even grid each recall reaches, in place; a few steps of the grid lie a hair too high."""
    last = len(grid) - 1
    reached *= last
    reached += ROUNDING
    passed = np.floor(reached)
    reached -= passed
    exact = np.flatnonzero(reached < 2 * ROUNDING)
    passed += 1
    if len(exact):
        high = grid > np.arange(len(grid)) / last  # 3 / 10 does not reach 0.30000000000000004
        flat = passed.reshape(-1)
        flat[exact] -= high[np.minimum(flat[exact].astype(np.int64) - 1, last)]
    return passed


def running(step: np.ufunc, lines: Array) -> Array:
    """The lines with every one joined to all before it, in place: a running sum or maximum for all resamples at once.

    numpy's own `accumulate` goes down one column after the other; line by line is several times faster.

    >>> running(np.add, np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 2.0], [4.0, 6.0]]
    """
    views = list(lines)
    for before, line in pairwise(views):
        step(before, line, out=line)
    return lines


def _sorted_once(m: Matches, area: int) -> _Range:
    rows = np.flatnonzero((m.outcome[:, area] == HIT).any(axis=1))
    place = m.at[rows]
    listed = np.flatnonzero(m.inside[:, area])
    slot = np.searchsorted(place, listed)
    there = slot < len(rows)
    slot, listed = slot[there], listed[there]
    same = m.label[place[slot]] == m.label[listed]
    slot, listed = slot[same], listed[same]
    counted = np.flatnonzero(m.counted[:, area])
    return _Range(
        rows=rows,
        between=_compressed(slot, m.image[listed], len(rows)),
        objects=_compressed(m.truth_label[counted], m.truth_image[counted], m.classes),
        bounds=np.searchsorted(m.label[place], np.arange(m.classes + 1)),
    )


def _compressed(line: Array, image: Array, lines: int) -> tuple[Array, Array, Array]:
    """A sparse matrix of ones: data, columns, where each line starts."""
    order = np.argsort(line, kind="stable")
    starts = np.searchsorted(line[order], np.arange(lines + 1))
    return np.ones(len(order), dtype=np.float32), image[order].astype(np.int32), starts.astype(np.int32)


def _product(parts: tuple[Array, Array, Array], lines: int, draws: Array) -> Array:
    from scipy.sparse import csr_array

    found: Array = csr_array(parts, shape=(lines, len(draws))) @ draws
    return found
