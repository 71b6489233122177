"""Means over repetitions with their Monte-Carlo errors, from sums that blocks of repetitions can add up."""

from __future__ import annotations

from math import sqrt

import numpy as np

from heldout.batch import Array
from heldout.lab.learning.decomposition import Measured


def moments(values: Array) -> Array:
    """Sums and sums of squares over repetitions (lines), two lines.

    >>> moments(np.array([[1.0], [3.0]])).tolist()
    [[4.0], [10.0]]
    """
    return np.stack([values.sum(axis=0), (values**2).sum(axis=0)])


def averages(sums: Array, repeats: int) -> list[Measured]:
    """The mean of every column of `moments`, and its standard error sqrt((mean of squares - mean²) / (R - 1)).

    >>> averages(moments(np.array([[1.0], [3.0]])), 2)
    [Measured(value=2.0, error=1.0)]
    """
    means, squares = sums / repeats
    errors = np.sqrt(np.maximum(squares - means**2, 0.0)) / sqrt(max(repeats - 1, 1))
    return [Measured(value=float(mean), error=float(error)) for mean, error in zip(means, errors, strict=True)]
