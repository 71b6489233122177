"""Learners fitted over splits, and what each fitted model predicts for rows it has not seen."""

from __future__ import annotations

from heldout.learners.by_name import learner_at, learners_named
from heldout.learners.designs import Design, designed, holdout_beside
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
    "holdout_beside",
    "learner_at",
    "learners_named",
    "predictions",
    "whole",
    "worked",
]
