"""What to know about splits before their values are read: small parts, classes that are missing, leave-one-out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.inputs.reading import Check
from heldout.inputs.wording import quoted
from heldout.splits.division import Split

LEAST = 30
"""Rows a test part should have for a value of its own."""


def split_checks(parts: Sequence[Split], y: Any, *, task: str, least: int = LEAST) -> tuple[Check, ...]:
    """Notes (H312) on test parts below `least` rows, parts without a class, and leave-one-out of equal classes.

    >>> from heldout.splits import splits
    >>> truth = [0, 1] * 20
    >>> split_checks(splits(10, truth, task="binary"), truth, task="binary")[0].text
    'the smallest of 10 test parts has 4 rows, fewer than 30: values per part are rough, pool their predictions'
    """
    truth = np.asarray(y)
    sizes = np.array([len(one.test) for one in parts])
    classes = task in ("binary", "multiclass")
    texts = []
    if len(parts) > 1 and sizes.max() == 1:
        texts += _one_left_out(truth) if classes else []
    elif sizes.min() < least:
        many = f"the smallest of {len(parts):,} test parts has" if len(parts) > 1 else "the test part has"
        advice = "values per part are rough, pool their predictions" if len(parts) > 1 else "its value is rough"
        texts.append(f"{many} {sizes.min()} row{'' if sizes.min() == 1 else 's'}, fewer than {least}: {advice}")
    if classes and sizes.max() > 1:
        texts += _missing(parts, truth)
    return tuple(Check(code="H312", text=text) for text in texts)


def _one_left_out(truth: Any) -> list[str]:
    counts = np.sort(np.unique(truth, return_counts=True)[1])[::-1]
    if len(counts) < 2 or counts[0] - counts[1] > 1:
        return []
    classes = f"leave-one-out with classes of {counts[0]} and {counts[1]} rows"
    return [
        f"{classes}: a learner that says the commonest class errs on every row left out; take stratified folds (cv=10)"
    ]


def _missing(parts: Sequence[Split], truth: Any) -> list[str]:
    """Which class is missing from how many parts."""
    values, codes = np.unique(truth, return_inverse=True)
    texts = []
    for side, why in (("train", "it cannot be learned there"), ("test", "its recall is undefined there")):
        present = np.stack([np.bincount(codes[getattr(one, side)], minlength=len(values)) > 0 for one in parts])
        absent = (~present).sum(axis=0)
        name = "training" if side == "train" else "test"
        texts += [
            f"class {quoted(values[at].item())} is missing from {absent[at]:,} of {len(parts):,} {name} parts: {why}"
            for at in np.flatnonzero(absent)
        ]
    return texts
