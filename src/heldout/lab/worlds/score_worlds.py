"""Worlds of scores: normal in each class."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from heldout.batch import Array
from heldout.formulas import METRICS
from heldout.lab.worlds.label_worlds import class_shares
from heldout.lab.worlds.recipe import Recipe, between


def binormal(*, auc: float = 0.9, prevalence: float = 0.5, spread: float = 1.0) -> Recipe:
    """Scores are N(0, 1) in the negative class, and of standard deviation `spread` in the positive one."""
    between(0, 1, auc=auc, prevalence=prevalence)
    between(0, 50, spread=spread)
    shift = apart(auc, spread)

    def truth(shared: Array) -> Array:
        from scipy.special import ndtri

        return (shared[0] > -ndtri(prevalence)).astype(int)

    def said(shared: Array, own: Array) -> dict[str, Array]:
        positive = truth(shared)
        wide = own[0] if spread == 1 else own[0] * np.where(positive, spread, 1.0)
        return {"score": wide + shift * positive}

    def varied(step: float, unseen: float) -> dict[str, float]:
        return graded_values((shift, spread, prevalence), step, unseen)

    return Recipe(
        about=f"normal scores in two classes, {prevalence:g} positive, area under the ROC curve {auc:g}",
        task="binary",
        shared=1,
        own=1,
        truth=truth,
        said=said,
        values=lambda: binormal_values(auc, prevalence) if spread == 1 else varied(0.0, 0.0),
        varied=varied,
        accuracy=1e-6 if spread == 1 else 1e-5,
        facts={"labels": (0, 1), "positive": 1},
    )


FINE = 2e-3
"""Step of the grid where scores are not rounded."""


def graded_values(law: tuple[float, float, float], step: float, unseen: float) -> dict[str, float]:
    """What ranking metrics are where scores are rounded: the formulas themselves, on the chance of every score.

    `law` is shift and spread of the positive scores and the prevalence; on a share of the rows scores say nothing.

    >>> round(graded_values((0.0, 1.0, 0.5), 0.5, 0.0)["roc_auc"], 6)
    0.5
    """
    from scipy.special import ndtr

    shift, spread, prevalence = law
    width = step or FINE
    ends = min(-9, shift - 9 * spread), max(9, shift + 9 * spread)
    at = np.arange(np.floor(ends[0] / width), np.ceil(ends[1] / width) + 1) * width

    def chances(mean: float, wide: float) -> Array:
        below = ndtr((np.append(at - width / 2, at[-1] + width / 2) - mean) / wide)
        return np.diff(below)

    high, low = chances(shift, spread), chances(0.0, 1.0)
    any_score = prevalence * high + (1 - prevalence) * low
    positives = prevalence * ((1 - unseen) * high + unseen * any_score)
    negatives = (1 - prevalence) * ((1 - unseen) * low + unseen * any_score)
    sums = {"positives": positives, "negatives": negatives}
    names = ("roc_auc", "average_precision", "eer", "partial_auc", "ks", "gain@10%", "lift@10%", "gini")
    values = {name: float(METRICS[name](sums)) for name in names}
    if not step:  # of scores that are not rounded, half a cell of the grid lies above each score in it
        found, wrong = ((np.cumsum(part[::-1]) - part[::-1] / 2)[::-1] for part in (positives, negatives))
        values["average_precision"] = float(
            positives @ (found / np.maximum(found + wrong, np.finfo(float).tiny)) / positives.sum()
        )
    return values | {"hinge_loss": float(positives @ np.maximum(1 - at, 0) + negatives @ np.maximum(1 + at, 0))}


def columns(*, apart: float = 1.0, classes: float = 3, tail: float = 0.0) -> Recipe:
    """One normal score per class, that of the true class moved up; classes fall as 1 / rank^tail."""
    between(1, 101, classes=classes)
    between(-1e-12, 20, tail=tail)
    between(-1e-12, 50, apart=apart)
    count = int(classes)
    shares = class_shares(count, tail)
    upto = np.cumsum(shares)[:-1]

    def truth(shared: Array) -> Array:
        from scipy.special import ndtr

        if tail:
            return np.searchsorted(upto, ndtr(shared[0]), side="right")
        return np.minimum((ndtr(shared[0]) * count).astype(int), count - 1)

    def said(shared: Array, own: Array) -> dict[str, Array]:
        score = own.T.copy()
        score[np.arange(len(score)), truth(shared)] += apart
        return {"score": score, "prediction": score.argmax(axis=1)}

    return Recipe(
        about=f"{count} classes with a normal score each, the true one moved up by {apart:g}",
        task="multiclass",
        shared=1,
        own=count,
        truth=truth,
        said=said,
        values=lambda: _column_values(apart, shares),
        accuracy=1e-9,
        facts={"labels": tuple(range(count))},
    )


def apart(auc: float, spread: float = 1.0) -> float:
    """How far apart two normal classes of these spreads are for an area: sqrt(1 + spread^2) Phi^-1(auc).

    >>> round(apart(0.9), 4)
    1.8124
    """
    from scipy.special import ndtri

    return float(sqrt(1 + spread**2) * ndtri(auc))


def binormal_values(auc: float, prevalence: float = 0.5, depth: float = 0.1) -> dict[str, float]:
    """What ranking metrics are on infinitely many rows of two normal classes; integrals to about 1e-6.

    >>> round(binormal_values(0.9, 0.1)["average_precision"], 4)
    0.5983
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    shift = apart(auc)
    ends = min(-9, shift - 9), max(9, shift + 9)
    at = np.linspace(*ends, 40001)
    tpr, fpr = ndtr(shift - at), ndtr(-at)
    density = np.exp(-((at - shift) ** 2) / 2) / sqrt(2 * pi)
    precision = prevalence * tpr / (prevalence * tpr + (1 - prevalence) * fpr)
    cut = brentq(lambda t: prevalence * ndtr(shift - t) + (1 - prevalence) * ndtr(-t) - depth, *ends)
    part = np.linspace(0, 0.1, 40001)[1:]
    return {
        "roc_auc": auc,
        "average_precision": float(np.trapezoid(precision * density, at)),
        "eer": float(ndtr(-shift / 2)),
        "partial_auc": float(np.trapezoid(ndtr(shift + ndtri(part)), part)),
        "ks": float(abs(2 * ndtr(shift / 2) - 1)),
        "gain@10%": float(ndtr(shift - cut)),
        "lift@10%": float(ndtr(shift - cut) / depth),
        "gini": 2 * auc - 1,
        "hinge_loss": prevalence * _hinge(1 - shift) + (1 - prevalence) * _hinge(1.0),
    }


def _hinge(mean: float) -> float:
    """E max(0, N(mean, 1)).

    >>> round(_hinge(0.0), 4)
    0.3989
    """
    from scipy.special import ndtr

    return float(mean * ndtr(mean) + np.exp(-(mean**2) / 2) / sqrt(2 * pi))


def _column_values(shift: float, shares: Array) -> dict[str, float]:
    """The area between any class and the rest, and the chance that the true class has the highest score.

    All pairs of a row and a class are alike, so that they rank in one list as they do class by class. Average precision
    depends on how large a class is.
    """
    from scipy.special import ndtr

    classes = len(shares)

    at = np.linspace(-9, 9, 4001)
    density = np.exp(-(at**2) / 2) / sqrt(2 * pi)
    below = ndtr(at + shift)
    right = float(np.trapezoid(density * below ** (classes - 1), at))
    second = float(np.trapezoid(density * (classes - 1) * (1 - below) * below ** (classes - 2), at))
    area = float(ndtr(shift / sqrt(2)))
    sizes = np.unique(shares)
    known = {size: binormal_values(area, size)["average_precision"] for size in {*sizes.tolist(), 1 / classes}}
    each = np.array([known[size] for size in shares])
    areas = ("roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovo_weighted", "roc_auc_micro", "roc_auc_weighted")
    return {
        **dict.fromkeys(areas, area),
        "average_precision_macro": float(each.mean()),
        "average_precision_micro": known[1 / classes],
        "average_precision_weighted": float(shares @ each),
        "top_2_accuracy": right + second,
        "accuracy": right,
        "balanced_accuracy": right,
    }
