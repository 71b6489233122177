"""Splits: which rows are learned from and which are tested, by word or by any splitter of scikit-learn's protocol.

division    the value: rows of the training part, rows of the test part, repeat and fold
words       a word such as "10x10" → a splitter
drawing     splitters that scikit-learn lacks: bootstrap, halves, leave-pair-out, repeated groups, several strata
listing     a splitter and the rows → checked splits
remarks     what to know about splits before their values are read
nesting     splits within splits: nested cross-validation, halves of the conservative z
"""

from __future__ import annotations

from heldout.splits.cv_names import splitter
from heldout.splits.listing import Split, split_checks, splits
from heldout.splits.nested_splits import halved, nested

__all__ = ["Split", "halved", "nested", "split_checks", "splits", "splitter"]
