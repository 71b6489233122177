"""Worlds of labels: truth and prediction have a joint table of chances."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array
from heldout.formulas import METRICS
from heldout.lab.worlds.recipe import Recipe, between


def coin(*, p: float = 0.9) -> Recipe:
    """Rows of one class that a model gets right with chance p."""
    between(0, 1, p=p)
    one = {"accuracy": p, "error_rate": 1 - p, "recall": p}
    return _table(np.array([[0.0, 0.0], [1 - p, p]]), f"right with chance {p:g}, row by row", only=one)


def labels(*, prevalence: float = 0.2, precision: float = 0.8, recall: float = 0.8) -> Recipe:
    """Two classes, and predictions with this precision and recall."""
    between(0, 1, prevalence=prevalence, precision=precision, recall=recall)
    tp = prevalence * recall
    fp = tp / precision - tp
    between(0, 1 - prevalence, **{"chance of a false alarm": fp})
    chances = np.array([[1 - prevalence - fp, fp], [prevalence - tp, tp]])
    about = f"two classes, {prevalence:g} positive, precision {precision:g}, recall {recall:g}"
    return _table(chances, about)


def classes(*, right: float = 0.8, classes: float = 3, tail: float = 0.0) -> Recipe:
    """Classes that are each right this often, the wrong answers being equally likely.

    Three classes have 50, 30 and 20% of the rows; others share them evenly, or with `tail` as 1 / rank^tail.
    """
    count = int(classes)
    between(1, 1001, classes=count)
    between(1 / count, 1, right=right)
    between(-1e-12, 20, tail=tail)
    shares = np.array([0.5, 0.3, 0.2]) if count == 3 and not tail else class_shares(count, tail)
    wrong = (1 - right) / (count - 1)
    chances = shares[:, None] * (wrong + (right - wrong) * np.eye(count))
    words = "three" if count == 3 else f"{count}"
    return _table(chances, f"{words} classes, each right with chance {right:g}")


def class_shares(count: int, tail: float) -> Array:
    """The share of each class where these fall as 1 / rank^tail (Zipf's law); 0: all are alike.

    >>> class_shares(3, 1.0).round(3).tolist()
    [0.545, 0.273, 0.182]
    """
    shares = 1 / np.arange(1, count + 1) ** tail
    found: Array = shares / shares.sum()
    return found


def _table(chances: Array, about: str, only: dict[str, float] | None = None) -> Recipe:
    """Rows whose truth (line) and prediction (column) have these joint chances."""
    size, shares = len(chances), chances.sum(axis=1)
    upto = np.cumsum(shares)[:-1]
    with np.errstate(invalid="ignore"):
        inside = np.cumsum(np.nan_to_num(chances / shares[:, None]), axis=1)[:, :-1]

    def truth(shared: Array) -> Array:
        from scipy.special import ndtr

        return np.searchsorted(upto, ndtr(shared[0]), side="right")

    def said(shared: Array, own: Array) -> dict[str, Array]:
        from scipy.special import ndtr

        return {"prediction": (ndtr(own[0])[:, None] >= inside[truth(shared)]).sum(axis=1)}

    binary = size == 2
    return Recipe(
        about=about,
        task="binary" if binary else "multiclass",
        shared=1,
        own=1,
        truth=truth,
        said=said,
        values=lambda: only if only is not None else table_values(chances),
        varied=None if only is not None else lambda _, unseen: table_values(_independent(chances, unseen)),
        chances=chances,
        facts={"labels": tuple(range(size)), "positive": 1 if binary else None},
    )


def _independent(chances: Array, share: float) -> Array:
    """The table where on this share truth and prediction are drawn independently of each other."""
    return (1 - share) * chances + share * np.outer(chances.sum(axis=1), chances.sum(axis=0))


def table_values(chances: Array) -> dict[str, float]:
    """The value of every label metric on the joint chances of truth (line) and prediction (column) themselves.

    >>> round(table_values(np.array([[0.7, 0.1], [0.05, 0.15]]))["f1"], 4)
    0.6667
    """
    hit, actual, said = np.diag(chances), chances.sum(axis=1), chances.sum(axis=0)
    sums = {"tp": hit, "fp": said - hit, "fn": actual - hit, "tn": 1 - actual - said + hit}
    one = {name: part[1] for name, part in sums.items()}
    task = "binary" if len(chances) == 2 else "multiclass"
    fitting = [found for found in METRICS.values() if found.reads == "labels" and task in found.tasks]
    kappas = {} if len(chances) == 2 else {"kappa_linear": 1, "kappa_quadratic": 2}  # of two classes both are kappa
    return {found.name: float(found(one if found.one_class else sums)) for found in fitting} | {
        name: _weighted_kappa(chances, power) for name, power in kappas.items()
    }


def _weighted_kappa(chances: Array, power: int) -> float:
    """1 - disagreement / that of independent truth and prediction, by the distance of classes to a power."""
    at = np.arange(len(chances))
    distance = np.abs(at[:, None] - at) ** power
    expected = np.outer(chances.sum(axis=1), chances.sum(axis=0))
    return float(1 - (distance * chances).sum() / (distance * expected).sum())
