"""A threshold for a learner's scores, chosen across the folds that its out-of-fold predictions come from."""

from __future__ import annotations

import numpy as np

from heldout.validation import Predictions
from heldout.verbs.settings import Settings
from heldout.verbs.thresholds import ChosenThreshold, threshold_chosen


def learner_threshold(told: Predictions, asked: Settings, costs: tuple[float, float]) -> ChosenThreshold:
    """The threshold of least cost for scores of models that had not seen their rows, and what choosing it costs.

    The folds are those of the cross-validation, where each row was tested once. Rows that were tested several times are
    units, and folds are drawn that keep them whole.
    """
    fp, fn = costs
    once = len(np.unique(told.row)) == len(told.row) and len(told.splits) > 1
    return threshold_chosen(told.batch, asked, fp=fp, fn=fn, folds=told.split if once else None)
