"""Which rows are fitted and which are tested: by a name such as "10x10", or by any scikit-learn splitter."""

from __future__ import annotations

from heldout.splits.cv_names import splitter
from heldout.splits.listing import LEAST, Split, halved, nested, split_checks, splits

__all__ = ["LEAST", "Split", "halved", "nested", "split_checks", "splits", "splitter"]
