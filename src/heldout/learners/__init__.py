"""Learners over splits → what every fitted model said of rows it had not seen.

learners     scikit-learn's estimators, or whatever has fit and predict: by object, by import path, by name
learning_rows  features and target of the rows to learn from
designs      which splits are made, and what they are made for: folds, repeats, bootstrap, halves, folds within folds
fitting      one learner, one split: cloned, fitted, asked
working      many of them: side by side, kept in a store, resumed
out_of_fold  what was said → a batch like any other file of predictions
"""

from __future__ import annotations

from heldout.learners.by_name import learner_at, learners_named
from heldout.learners.designs import Design, designed
from heldout.learners.fitting import Said, whole
from heldout.learners.out_of_fold import Predictions, predictions
from heldout.learners.parallel_fits import Effort, worked
from heldout.learners.training_data import Dataset, dataset

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
