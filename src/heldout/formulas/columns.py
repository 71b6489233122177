"""Formulas on one score column per class."""

from __future__ import annotations

from heldout.batch import Array


def roc_auc_ovr(areas_one_vs_rest: Array) -> Array:
    """Mean over classes of the area under the ROC curve of the class against the rest."""
    return areas_one_vs_rest.mean(axis=-1)


def roc_auc_ovo(areas_one_vs_one: Array) -> Array:
    """Mean over ordered pairs of classes of the area under the ROC curve of one against the other [hand01]."""
    return areas_one_vs_one.mean(axis=-1)
