"""Learners that are fitted in no time, for tests of choosing."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Stump(ClassifierMixin, BaseEstimator):
    """One column, cut halfway between the means of two classes."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        x = np.asarray(X)[:, self.column]
        self.classes_ = np.unique(y)
        low, high = (x[y == kind].mean() for kind in self.classes_)
        self.cut_, self.up_ = (low + high) / 2, high > low
        return self

    def predict(self, X):
        return self.classes_[((np.asarray(X)[:, self.column] > self.cut_) == self.up_).astype(int)]


class Cut(ClassifierMixin, BaseEstimator):
    """Positive where the first column exceeds a number that is not learned."""

    def __init__(self, at=0.0, turned=False):
        self.at = at
        self.turned = turned

    def fit(self, _X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[((np.asarray(X)[:, 0] > self.at) != self.turned).astype(int)]


def coins(seed, rows=60, columns=50):
    """Features and labels that have nothing to do with each other; as many labels of one kind as of the other."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.permutation(np.arange(rows) % 2)


def planted(seed=0, rows=200, columns=10, which=7):
    """Labels that one column nearly tells."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, which] + rng.normal(scale=0.3, size=rows) > 0).astype(int)


def beyond(seed=0, rows=300, at=0.7):
    """Labels that say whether the first column exceeds a number."""
    X = np.random.default_rng(seed).normal(size=(rows, 2))
    return X, (X[:, 0] > at).astype(int)
