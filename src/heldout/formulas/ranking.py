"""Formulas on the order of rows by score, and how far each row moves them.

Both arguments hold one sum per distinct score, in rising order, on the last axis. Each formula has a slope: the
derivative of the value by the weight of one more positive, and of one more negative, at each score. For the area under
the curve these are DeLong's placements.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from heldout.batch import Array
from heldout.compiled import kernel
from heldout.tallies.scores import tally_scores

WHOLE_PAIRS = 1 << 26
"""Below so many rows, half the pairs of them are whole numbers that floats have exactly."""


def roc_auc_ovr(areas_one_vs_rest: Array) -> Array:
    """Mean over classes (or labels) of the area under the ROC curve of the class against the rest."""
    return areas_one_vs_rest.mean(axis=-1)


def roc_auc_ovr_weighted(areas_one_vs_rest: Array, sizes: Array) -> Array:
    """Mean over classes, by their true rows, of the area under the ROC curve of the class against the rest."""
    return _by_size(areas_one_vs_rest, sizes)


def roc_auc_ovr_micro(areas_pooled: Array) -> Array:
    """Area under the ROC curve of all pairs of a row and a class in one ranking."""
    return areas_pooled.mean(axis=-1)


def roc_auc_ovo(areas_one_vs_one: Array) -> Array:
    """Mean over ordered pairs of classes of the area under the ROC curve of one against the other [hand01]."""
    return areas_one_vs_one.mean(axis=-1)


def roc_auc_ovo_weighted(areas_one_vs_one: Array, sizes: Array) -> Array:
    """Mean over ordered pairs of classes, by their true rows, of the area under the ROC curve of the pair."""
    return _by_size(areas_one_vs_one, sizes)


def average_precision_macro(precisions_one_vs_rest: Array) -> Array:
    """Mean over classes (or labels) of the average precision of the class against the rest."""
    return precisions_one_vs_rest.mean(axis=-1)


def average_precision_weighted(precisions_one_vs_rest: Array, sizes: Array) -> Array:
    """Mean over classes (or labels), by their true rows, of the average precision of the class against the rest."""
    return _by_size(precisions_one_vs_rest, sizes)


def average_precision_micro(precisions_pooled: Array) -> Array:
    """Average precision of all pairs of a row and a class in one ranking."""
    return precisions_pooled.mean(axis=-1)


def _by_size(values: Array, sizes: Array) -> Array:
    # a class without rows weighs nothing, though its own value is undefined
    return np.where(sizes == 0, 0.0, values * sizes).sum(axis=-1) / sizes.sum(axis=-1)


Slopes = dict[str, Array]


def roc_auc(positives: Array, negatives: Array) -> Array:
    """Chance that a positive scores above a negative, ties counting half [hanley82].

    >>> float(roc_auc(np.array([0.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0])))
    0.875
    """
    below = _midway(negatives)
    beaten = positives @ below if below.ndim == 1 else np.einsum("...i,...i", positives, below)
    return beaten / (positives.sum(axis=-1) * negatives.sum(axis=-1))


def roc_auc_of_counts(positives: Array, negatives: Array) -> Array:
    """The same for lines of whole numbers, of at most 2^26 rows.

    >>> float(roc_auc_of_counts(np.array([0, 1, 1], dtype=np.int32), np.array([1, 1, 0], dtype=np.int32)))
    0.875
    """
    m, k = positives.sum(axis=-1, dtype=float), negatives.sum(axis=-1, dtype=float)
    count = kernel("ordered_pairs", positives.size)
    if count is None or np.max(m + k, initial=0) >= WHOLE_PAIRS:
        return roc_auc(positives.astype(float), negatives.astype(float))
    twice = np.empty(positives.shape[:-1])
    positives, negatives = np.ascontiguousarray(positives), np.ascontiguousarray(negatives)
    count(positives, negatives, twice.size, positives.shape[-1], twice)
    return twice * 0.5 / (m * k)


def roc_auc_slopes(positives: Array, negatives: Array) -> Slopes:
    """DeLong's placements, centred and divided by the size of the class [delong88]."""
    m, k = positives.sum(), negatives.sum()
    beaten, beating = _midway(negatives), _midway(positives)
    area = float(positives @ beaten / (m * k))
    # in place: these are as long as the data, and new memory costs more than the arithmetic
    beaten /= m * k
    beaten -= area / m
    beating /= -m * k
    beating += (1 - area) / k
    return {"positives": beaten, "negatives": beating}


def roc_auc_moves(score: Array, positive: Array) -> Array:
    """How far each row moves the area under the ROC curve, where every row counts one: the slope at its score.

    >>> roc_auc_moves(np.array([0.3, 0.2, 0.2]), np.array([True, True, False])).tolist()
    [0.125, -0.125, 0.0]
    """
    moved = np.empty(len(score))
    pack, placements = kernel("pack_rows", len(score)), kernel("placements", len(score))
    fits = score.dtype in (np.float32, np.float64) and len(score) < WHOLE_PAIRS and 0 < positive.sum() < len(score)
    if fits and pack is not None and placements is not None:
        score, positive = np.ascontiguousarray(score, dtype=np.float64), np.ascontiguousarray(positive, dtype=bool)
        keys, bits = np.empty(len(score), dtype=np.uint64), len(score).bit_length()
        pack(score, positive, len(score), bits, keys)
        keys.sort()
        if placements(keys, score, len(score), bits, moved) == 0:
            return moved
    tally = tally_scores(score, positive, keep_order=True)
    moved[tally.order] = tally.influence(roc_auc_slopes(**tally.sums))
    return moved


def gini(positives: Array, negatives: Array) -> Array:
    """Twice the area under the ROC curve minus one (Somers' D)."""
    return 2 * roc_auc(positives, negatives) - 1


def average_precision(positives: Array, negatives: Array) -> Array:
    """Precision averaged over the positives, each at its own score: sum of (R_i - R_i-1) P_i by falling score.

    >>> hits = np.array([1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0])  # 7 detections by rising confidence
    >>> round(float(average_precision(hits, 1 - hits) * 5 / 12), 4)  # 12 objects, 5 of them found
    0.304
    """
    falling = positives[..., ::-1]
    precision, taken = np.cumsum(falling, axis=-1), np.cumsum(negatives[..., ::-1], axis=-1)
    taken += precision
    precision /= np.maximum(taken, np.finfo(float).tiny, out=taken)
    found = falling @ precision if precision.ndim == 1 else np.einsum("...i,...i", falling, precision)
    return found / positives.sum(axis=-1)


def average_precision_slopes(positives: Array, negatives: Array) -> Slopes:
    """A row counts at its own score and in the precision of every score at or below it."""
    falling, m = positives[::-1], positives.sum()
    precision, wrong = np.cumsum(falling), np.cumsum(negatives[::-1])
    total = precision + wrong
    np.maximum(total, np.finfo(float).tiny, out=total)
    # in place: these are as long as the data, and new memory costs more than the arithmetic
    precision /= total
    value = float(falling @ precision / m)
    wrong /= total
    share = np.divide(falling, total, out=total)  # not by its square, which is zero where nothing above a row weighs
    wrong *= share
    share *= precision
    gained, lost = np.cumsum(wrong[::-1]), np.cumsum(share[::-1])
    precision -= value
    gained += precision[::-1]
    gained /= m
    lost /= -m
    return {"positives": gained, "negatives": lost}


def ks(positives: Array, negatives: Array) -> Array:
    """Largest distance between recall and false positive rate over thresholds (Kolmogorov-Smirnov)."""
    return _gap(positives, negatives).max(axis=-1, initial=0.0)


def ks_slopes(positives: Array, negatives: Array) -> Slopes:
    """Only the threshold of the largest distance matters."""
    best = int(_gap(positives, negatives).argmax())
    m, k = positives.sum(), negatives.sum()
    found, wrong = positives[best:].sum() / m, negatives[best:].sum() / k
    return {
        "positives": _steps(len(positives), best, below=-found / m, at=(1 - found) / m, above=(1 - found) / m),
        "negatives": _steps(len(positives), best, below=wrong / k, at=-(1 - wrong) / k, above=-(1 - wrong) / k),
    }


def eer(positives: Array, negatives: Array) -> Array:
    """Equal error rate: where missed positives and false alarms have the same rate, on lines between thresholds.

    >>> float(eer(np.array([0.0, 1.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 0.0])))
    0.5
    """
    missed, alarms = _reached(positives), _reached(negatives)
    missed /= positives.sum(axis=-1, keepdims=True)
    alarms /= negatives.sum(axis=-1, keepdims=True)
    np.subtract(1, alarms, out=alarms)
    after = np.argmax(missed >= alarms, axis=-1)[..., None]
    before = np.maximum(after - 1, 0)
    m0, m1 = np.take_along_axis(missed, before, -1), np.take_along_axis(missed, after, -1)
    a0, a1 = np.take_along_axis(alarms, before, -1), np.take_along_axis(alarms, after, -1)
    step = (m1 - m0) + (a0 - a1)
    share = np.where(step > 0, (a0 - m0) / np.where(step > 0, step, 1), 0)
    return (m0 + share * (m1 - m0))[..., 0]


def eer_slopes(positives: Array, negatives: Array) -> Slopes:
    """Both error rates move, and the threshold with them; how dense the classes are there decides how much."""
    m, k = positives.sum(), negatives.sum()
    value = float(eer(positives, negatives))
    reached = np.cumsum(positives)
    cut = min(int(np.searchsorted(reached, value * m)), len(positives) - 1)
    dense_positive, dense_negative = _densities(positives, negatives, cut)
    share = dense_positive / (dense_positive + dense_negative)
    # a tie at the crossing is missed in part
    part = 1 - (reached[cut] - value * m) / positives[cut] if positives[cut] > 0 else 0.0
    missed = np.array([1.0, np.clip(part, 0, 1), 0.0])
    on_positives, on_negatives = (1 - share) * (missed - value) / m, share * (1 - missed - value) / k
    return {
        "positives": _steps(len(positives), cut, *on_positives),
        "negatives": _steps(len(positives), cut, *on_negatives),
    }


FEWEST_NEAR = 3.0
"""Rows to each side of a cut that tell what rows near it are like, where there are no more above it."""


def gain_at(depth: float) -> Callable[[Array, Array], Array]:
    """Share of all positives that are among the top `depth` of the rows; a tie at the cut counts in proportion."""

    def gain(positives: Array, negatives: Array) -> Array:
        return _found(positives, negatives, depth) / positives.sum(axis=-1)

    gain.__doc__ = f"Share of all positives that are among the {depth:.4g} of the rows with the highest scores."
    return gain


def lift_at(depth: float) -> Callable[[Array, Array], Array]:
    """How many times denser positives are among the top `depth` of the rows than among all."""

    def lift(positives: Array, negatives: Array) -> Array:
        return _found(positives, negatives, depth) / positives.sum(axis=-1) / depth

    lift.__doc__ = (
        f"How many times denser positives are among the {depth:.4g} of the rows with the highest scores than among all."
    )
    return lift


def gain_slopes(depth: float, scale: float = 1.0) -> Callable[[Array, Array], Slopes]:
    """A row above the cut pushes another below it, which is positive as often as rows near the cut are."""

    def slopes(positives: Array, negatives: Array) -> Slopes:
        m = positives.sum()
        total = _from_top(positives + negatives)
        n = total[0]
        value = float(_found(positives, negatives, depth) / m)
        cut = max(len(total) - int(np.searchsorted(total[::-1], depth * n)) - 1, 0)
        # a window with more rows below the cut than are above it would say what rows far below are like
        dense_positive, dense_negative = _densities(positives, negatives, cut, max(depth * n, FEWEST_NEAR))
        mix = dense_positive * m / (dense_positive * m + dense_negative * negatives.sum())
        # a tie at the cut is taken in part
        part = (depth * n - (total[cut + 1] if cut + 1 < len(total) else 0.0)) / (positives[cut] + negatives[cut])
        taken = np.array([0.0, np.clip(part, 0, 1), 1.0])
        pushed = (depth - taken) * mix
        on_positives, on_negatives = (taken + pushed - value) / m * scale, pushed / m * scale
        return {
            "positives": _steps(len(positives), cut, *on_positives),
            "negatives": _steps(len(positives), cut, *on_negatives),
        }

    return slopes


def partial_auc(low: float, high: float, *, standardized: bool = False) -> Callable[[Array, Array], Array]:
    """Area under the ROC curve between two false positive rates; standardized: 0.5 is guessing [mcclish89]."""

    def area(positives: Array, negatives: Array) -> Array:
        fpr, tpr = roc_points(positives, negatives)
        raw = _area_until(fpr, tpr, high) - _area_until(fpr, tpr, low)
        return _standardized(raw, low, high) if standardized else raw

    area.__doc__ = f"Area under the ROC curve from false positive rate {low:g} to {high:g}" + (
        ", scaled so that 0.5 is guessing [mcclish89]." if standardized else "."
    )
    return area


def partial_auc_slopes(low: float, high: float, *, standardized: bool = False) -> Callable[[Array, Array], Slopes]:
    """Positives lift the curve above their own place; negatives move it sideways."""

    def slopes(positives: Array, negatives: Array) -> Slopes:
        m, k = positives.sum(), negatives.sum()
        fpr, tpr = roc_points(positives, negatives)
        value = float(_area_until(fpr, tpr, high) - _area_until(fpr, tpr, low))
        top, bottom = np.interp([high, low], fpr, tpr)
        scale = 1 / (2 * (high - low - (high**2 - low**2) / 2)) if standardized else 1.0
        place = _from_top(negatives)
        place -= negatives * 0.5
        place /= k
        np.clip(place, low, high, out=place)
        heights = np.interp(place, fpr, tpr)
        # in place: (high - place - value) / m and -(top - heights - ...) / k, both times the scale
        heights += (high * top - low * bottom - value) - top
        heights *= scale / k
        place -= high - value
        place *= -scale / m
        return {"positives": place, "negatives": heights}

    return slopes


def roc_points(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """False positive rate and recall from (0, 0) to (1, 1), one point per distinct score, by falling score."""
    found, wrong = _reached(positives[..., ::-1]), _reached(negatives[..., ::-1])
    with np.errstate(divide="ignore", invalid="ignore"):  # one class only: its rate is undefined
        found[..., 1:] /= positives.sum(axis=-1, keepdims=True)
        wrong[..., 1:] /= negatives.sum(axis=-1, keepdims=True)
    return wrong, found


def _steps(length: int, cut: int, below: float, at: float, above: float) -> Array:
    """One number below a place, one at it and one above."""
    steps = np.full(length, below)
    steps[cut] = at
    steps[cut + 1 :] = above
    return steps


def _midway(sums: Array) -> Array:
    """Sums of all lower scores, and half of this one."""
    reached = np.cumsum(sums, axis=-1)
    reached -= sums * 0.5
    return reached


def _standardized(raw: Array, low: float, high: float) -> Array:
    guessing, best = (high**2 - low**2) / 2, high - low
    return (1 + (raw - guessing) / (best - guessing)) / 2


def _area_until(fpr: Array, tpr: Array, limit: float) -> Array:
    """Area under the piecewise straight curve from 0 to `limit`, for every line of curves."""
    if fpr.ndim == 1:  # the curve beyond the limit adds nothing
        needed = int(np.searchsorted(fpr, limit)) + 1
        fpr, tpr = fpr[:needed], tpr[:needed]
    left, right = fpr[..., :-1], fpr[..., 1:]
    width = right - left
    inside = np.clip(limit - left, 0, width)
    share = np.where(width > 0, inside / np.where(width > 0, width, 1), 0)
    height = tpr[..., :-1] + share / 2 * (tpr[..., 1:] - tpr[..., :-1])
    return (inside * height).sum(axis=-1)


def _found(positives: Array, negatives: Array, depth: float) -> Array:
    """Positives among the top `depth` of the rows."""
    found, reached = _reached(positives[..., ::-1]), _reached((positives + negatives)[..., ::-1])
    wanted = depth * reached[..., -1:]
    after = np.minimum(np.sum(reached < wanted * (1 - 1e-12), axis=-1, keepdims=True), reached.shape[-1] - 1)
    before = np.maximum(after - 1, 0)
    r0, r1 = np.take_along_axis(reached, before, -1), np.take_along_axis(reached, after, -1)
    f0, f1 = np.take_along_axis(found, before, -1), np.take_along_axis(found, after, -1)
    share = np.where(r1 > r0, (wanted - r0) / np.where(r1 > r0, r1 - r0, 1), 0)
    return (f0 + share * (f1 - f0))[..., 0]


def _from_top(sums: Array) -> Array:
    """Sums of this and all higher scores."""
    return np.cumsum(sums[..., ::-1], axis=-1)[..., ::-1]


def _gap(positives: Array, negatives: Array) -> Array:
    gap, wrong = _from_top(positives), _from_top(negatives)
    gap /= positives.sum(axis=-1, keepdims=True)
    wrong /= negatives.sum(axis=-1, keepdims=True)
    gap -= wrong
    return gap


def densities_at(positives_below: Array, negatives_below: Array, cuts: Array, most: float = inf) -> tuple[Array, Array]:
    """Share of each class in a window of scores around each cut, wide enough to be steady (n^0.8 rows).

    The first two are the sums below each place, from 0 on to the total. The window has at most so many rows to each
    side.
    """
    below = positives_below + negatives_below
    places = len(below) - 1
    middle = below[np.minimum(cuts, places - 1) + 1]
    reach = min(max(below[-1] ** 0.8 / 2, 10.0), most)
    first = np.maximum(np.searchsorted(below, middle - reach) - 1, 0)
    last = np.minimum(np.searchsorted(below, middle + reach), places)

    def share(part: Array) -> Array:
        # half a row more, so that a window with one class only gives no zero density
        return (part[last] - part[first] + 0.5) / part[-1]

    return share(positives_below), share(negatives_below)


def _densities(positives: Array, negatives: Array, cut: int, most: float = inf) -> tuple[float, float]:
    found, rest = densities_at(_reached(positives), _reached(negatives), np.array([cut]), most)
    return float(found[0]), float(rest[0])


def _reached(sums: Array) -> Array:
    """Sums up to each place, from nothing on."""
    reached = np.empty((*sums.shape[:-1], sums.shape[-1] + 1))
    reached[..., 0] = 0.0
    np.cumsum(sums, axis=-1, out=reached[..., 1:])
    return reached
