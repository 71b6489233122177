"""Average precision and recall if images counted more or less: matches are weighed, never made again."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import POINTS
from heldout.boxes.matching import HIT, IGNORED, Matches
from heldout.compiled import kernel

ROUNDING = 3e-5
"""How well steps of a grid of recalls are known in single precision."""
BLOCK = 64
"""WIDTH in kernels.c."""


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
    shape = (m.classes, len(m.areas), len(m.thresholds), draws.shape[1])
    precision = np.zeros(shape, dtype=np.float32)
    recall = {best: np.full(shape, np.nan, dtype=np.float32) for best in most}
    for area in range(len(m.areas)):
        wanted = {best: recall[best][:, area] for best in most if area == 0 or best == max(most)}
        _fill(m, area, draws, points=points, precision=precision[:, area], recall=wanted)
    return Weighed(precision=precision, recall=recall)


def _fill(m: Matches, area: int, draws: Array, *, points: str, precision: Array, recall: dict[int, Array]) -> None:
    """Values of one size range by class, threshold and draw."""
    part, starts = _sorted_once(m, area), np.searchsorted(m.label[m.at], np.arange(m.classes)).tolist()
    objects = _product(part.objects, m.classes, draws)
    said = _product(part.between, len(part.rows), draws)
    for cells in recall.values():
        cells[:] = 0.0

    def of_class(k: int) -> None:
        lines = slice(part.bounds[k], part.bounds[k + 1])
        listed = running(np.add, said[lines])
        count = np.maximum(objects[k], 1)  # where there are none, the answer is nan in the end
        for t in range(len(m.thresholds)):
            one = _one_curve(m, (area, t), part.rows[lines], listed=listed, start=starts[k])
            if one is not None:
                precision[k, t], hits = one.averaged(draws, count, points)
                for best, cells in recall.items():
                    cells[k, t] = _found(m, one.chosen, best, hits, draws) / count

    # the many short calls of numpy would wait for each other
    with ThreadPoolExecutor(None if kernel("average_precision") else 1) as pool:
        list(pool.map(of_class, np.flatnonzero(np.diff(part.bounds)).tolist()))
    for cells in (precision, *recall.values()):
        np.copyto(cells, np.float32(np.nan), where=(objects == 0)[:, None, :])


def _found(m: Matches, chosen: Array, best: int, hits: Array, draws: Array) -> Array:
    """How many objects the best so many detections per image and class find, for every resample."""
    early = m.rank[m.at[chosen]] < best
    return hits if early.all() else draws[m.image[m.at[chosen[early]]]].sum(axis=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    """The right detections of a class, size range and threshold, and what makes more or fewer wrong between them."""

    chosen: Array
    """The candidates that are right."""
    image: Array
    """Their images."""
    line: Array
    """Which line of `listed` each is."""
    listed: Array
    """Weights of the detections of this size up to each line, for every resample."""
    place: Array
    """Before which of the right ones candidates stand that count though they are of another size, or do not."""
    moved_image: Array
    """Their images."""
    sign: Array
    """One that counts more: 1; one that counts less: -1."""

    def averaged(self, draws: Array, count: Array, points: str) -> tuple[Array, Array]:
        """The mean of the best precision over recalls, or of the one at each recall; and how many objects are found."""
        compiled = kernel("average_precision", draws.shape[1] * len(self.chosen))
        grid = POINTS[points]
        if compiled is None:
            hits, precise = self._precise(draws)
            found = hits[-1].copy()
            return _averaged(precise, np.divide(hits, count, out=hits), points), found
        found, precision = np.empty((2, draws.shape[1]), dtype=np.float32)
        steps, high = (0, None) if grid is None else (len(grid) - 1, _high(grid))
        kept = np.empty(2 * BLOCK * len(self.chosen), dtype=np.float32)
        compiled(
            draws, draws.shape[1], self.image, self.line, len(self.chosen), self.listed, self.place, self.moved_image,
            self.sign, len(self.place), count, high, steps, int(points != "steps"), ROUNDING, kept, found, precision,
        )  # fmt: skip
        return precision, found

    def _precise(self, draws: Array) -> tuple[Array, Array]:
        """Running weights of the right detections, and precision at each."""
        hits, said = running(np.add, draws[self.image]), self.listed[self.line]
        if len(self.place):
            there, starts = np.unique(self.place, return_index=True)
            moved = np.zeros_like(said)
            weights = draws[self.moved_image] * self.sign[:, None]
            moved[there] = np.add.reduceat(weights, starts, axis=0)
            said += running(np.add, moved)
        np.maximum(said, 1, out=said)
        return hits, np.divide(hits, said, out=said)


def _one_curve(m: Matches, cell: tuple[int, int], rows: Array, *, listed: Array, start: int) -> _Curve | None:
    """The curve of a class, size range and threshold; None where no detection is right."""
    area, threshold = cell
    right = m.outcome[rows, area, threshold] == HIT
    if not right.any():
        return None
    chosen = rows[right]
    outcome, inside = m.outcome[start : chosen[-1] + 1, area, threshold], m.inside[m.at[start : chosen[-1] + 1], area]
    sign = ((outcome == HIT) & ~inside).astype(np.float32) - ((outcome == IGNORED) & inside)
    changed = np.flatnonzero(sign)
    return _Curve(
        chosen=chosen,
        image=m.image[m.at[chosen]].astype(np.int64, copy=False),
        line=np.flatnonzero(right),
        listed=listed,
        place=np.searchsorted(chosen, changed + start),
        moved_image=m.image[m.at[changed + start]].astype(np.int64, copy=False),
        sign=sign[changed],
    )


def _averaged(precise: Array, reached: Array, points: str) -> Array:
    """The mean of the best precision over recalls, or of the one at each recall, for every resample."""
    grid = POINTS[points]
    best = precise if points == "steps" else running(np.maximum, precise[::-1])[::-1]
    passed, count = (reached, 1) if grid is None else (_passed(reached, grid), len(grid))
    steps = passed[1:] - passed[:-1]
    # line by line: other sums would round in an order of their own
    later = running(np.add, np.multiply(best[1:], steps, out=steps))[-1:].sum(axis=0)
    return (best[0] * passed[0] + later) / count


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
        high = _high(grid)
        flat = passed.reshape(-1)
        flat[exact] -= high[np.minimum(flat[exact].astype(np.int64) - 1, last)]
    return passed


def _high(grid: Array) -> Array:
    """Which recalls of an even grid lie a hair above their share: 3 / 10 does not reach 0.30000000000000004."""
    return grid > np.arange(len(grid)) / (len(grid) - 1)


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
