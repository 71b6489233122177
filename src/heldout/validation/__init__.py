"""Learners over splits → what every fitted model said of rows it had not seen.

learners     scikit-learn's estimators, or whatever has fit and predict: by object, by import path, by name
learning_rows  features and target of the rows to learn from
designs      which splits are made, and what they are made for: folds, repeats, bootstrap, halves, folds within folds
fitting      one learner, one split: cloned, fitted, asked
working      many of them: side by side, kept in a store, resumed
out_of_fold  what was said → a batch like any other file of predictions
"""

from __future__ import annotations

from heldout.validation.designs import Design, designed
from heldout.validation.fitting import Said, whole
from heldout.validation.learners import learner_at, learners_named
from heldout.validation.learning_rows import Dataset, dataset
from heldout.validation.out_of_fold import Predictions, predictions
from heldout.validation.working import Effort, worked

__all__ = [
    "Dataset",
    "Design",
    "Effort",
    "Predictions",
    "Said",
    "dataset",
    "designed",
    "learner_at",
    "learners_named",
    "predictions",
    "whole",
    "worked",
]
