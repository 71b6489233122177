"""Worlds of scores: normal in each class."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from heldout.batch import Array
from heldout.lab.worlds.recipe import Recipe, between


def binormal(*, auc: float = 0.9, prevalence: float = 0.5) -> Recipe:
    """Scores are N(0, 1) in the negative class and N(sqrt(2) Phi^-1(auc), 1) in the positive one."""
    between(0, 1, auc=auc, prevalence=prevalence)
    shift = apart(auc)

    def truth(shared: Array) -> Array:
        from scipy.special import ndtri

        return (shared[0] > -ndtri(prevalence)).astype(int)

    def said(shared: Array, own: Array) -> dict[str, Array]:
        return {"score": own[0] + shift * truth(shared)}

    return Recipe(
        about=f"normal scores in two classes, {prevalence:g} positive, area under the ROC curve {auc:g}",
        task="binary",
        shared=1,
        own=1,
        truth=truth,
        said=said,
        values=lambda: binormal_values(auc, prevalence),
        accuracy=1e-6,
        facts={"labels": (0, 1), "positive": 1},
    )


def columns(*, apart: float = 1.0, classes: float = 3) -> Recipe:
    """One normal score per class, that of the true class moved up; all classes are equally likely."""
    between(1, 100, classes=classes)
    count = int(classes)

    def truth(shared: Array) -> Array:
        from scipy.special import ndtr

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
        values=lambda: _column_values(apart, count),
        accuracy=1e-9,
        facts={"labels": tuple(range(count))},
    )


def apart(auc: float) -> float:
    """How far apart two normal classes are for an area: sqrt(2) Phi^-1(auc).

    >>> round(apart(0.9), 4)
    1.8124
    """
    from scipy.special import ndtri

    return float(sqrt(2) * ndtri(auc))


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


def _column_values(shift: float, classes: int) -> dict[str, float]:
    """The area between any class and the rest, and the chance that the true class has the highest score.

    All pairs of a row and a class are alike, so that they rank in one list as they do class by class.
    """
    from scipy.special import ndtr

    at = np.linspace(-9, 9, 4001)
    density = np.exp(-(at**2) / 2) / sqrt(2 * pi)
    below = ndtr(at + shift)
    right = float(np.trapezoid(density * below ** (classes - 1), at))
    second = float(np.trapezoid(density * (classes - 1) * (1 - below) * below ** (classes - 2), at))
    area = float(ndtr(shift / sqrt(2)))
    precision = binormal_values(area, 1 / classes)["average_precision"]
    areas = ("roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovo_weighted", "roc_auc_micro", "roc_auc_weighted")
    return {
        **dict.fromkeys(areas, area),
        **{f"average_precision_{average}": precision for average in ("macro", "micro", "weighted")},
        "top_2_accuracy": right + second,
        "accuracy": right,
        "balanced_accuracy": right,
    }
