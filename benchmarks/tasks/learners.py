"""What validating a learner costs beside fitting and predicting: 10 x 10 folds of one that does neither."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from benchmarks.ratios import largest_gap
from benchmarks.task import Data, Peer, Task

FEATURES = 10
FOLDS = 10
REPEATS = 10


def features(rows: int) -> Data:
    """Ten columns, the first of which tells something of the class.

    >>> features(3)["features"].shape
    (3, 10)
    """
    rng = np.random.default_rng(21)
    found = rng.normal(size=(rows, FEATURES))
    return {"features": found, "truth": (found[:, 0] + rng.normal(size=rows) > 0).astype(np.int64)}


def idle() -> Any:
    """Naive Bayes that learns nothing: what fitting and predicting would cost is left out of the time."""
    from sklearn.naive_bayes import GaussianNB

    class Idle(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Idle:  # noqa: ARG002
            self.classes_ = np.arange(2)
            return self

        def predict(self, X: Any) -> Any:
            return (X[:, 0] > 0).astype(np.int64)

    return Idle()


def validated(data: Data) -> Any:
    """With its interval, the training error and all checks; one fit more, to all rows."""
    found = heldout.validate(idle(), data["features"], data["truth"], cv=f"{REPEATS}x{FOLDS}", metrics="accuracy")
    return found.learners["Idle"].values["accuracy"]


def sklearn_scores(data: Data) -> Any:
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

    cv = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0)
    return cross_val_score(idle(), data["features"], data["truth"], cv=cv, scoring="accuracy")


OVERHEAD = Task(
    name="overhead",
    title="`validate`, 10 x 10 folds, beside fitting and predicting",
    rows=1000,
    data=features,
    ours=validated,
    grows=False,
    peers=(
        Peer(
            name="scikit-learn cross_val_score",
            call=sklearn_scores,
            gap=largest_gap,
            bar=1,
            note="of a learner whose fit and predict cost nothing; ours with interval, checks and training error",
        ),
    ),
)
