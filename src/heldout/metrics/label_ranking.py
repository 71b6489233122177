"""How rows rank their own labels or documents: a row is one query, and the interval is over rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.formulas.families import dcg, ndcg
from heldout.metrics.documentation import documented
from heldout.metrics.reading import Options, RandomState, Rows, dense, read, width


@documented
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Normalized discounted cumulative gain, averaged over queries; the interval is over queries.

    Parameters
    ----------
    y_true : array-like of shape (n_queries, n_documents)
        True relevance of each document, 0 or more. A row is one query.
    y_score : array-like of shape (n_queries, n_documents)
        Scores by which the documents are ranked.
    k : int, default: None
        Only the k highest scores count; None: all.
    ignore_ties : bool, default: False
        True: equal scores are ranked in any order, which is faster. False: they share their ranks.

    Examples
    --------
    >>> from heldout.metrics import ndcg_score
    >>> round(float(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]])), 4)
    0.6957
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = _read_relevances(y_true, y_score, k, options)
    if rows.batch.truth.min() < 0:
        raise DataError(
            f"y_true is {rows.batch.truth.min():.6g} at least once, and NDCG needs relevances of 0 or more",
            fix="use dcg_score, or shift the relevances",
        )
    return rows.estimate(ndcg(k, ties=not ignore_ties))


@documented
def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Discounted cumulative gain, averaged over queries; the interval is over queries.

    Parameters
    ----------
    y_true : array-like of shape (n_queries, n_documents)
        True relevance of each document. A row is one query.
    y_score : array-like of shape (n_queries, n_documents)
        Scores by which the documents are ranked.
    k : int, default: None
        Only the k highest scores count; None: all.
    log_base : float, default: 2
        Base of the logarithm of the rank that discounts, above 0.
    ignore_ties : bool, default: False
        True: equal scores are ranked in any order, which is faster. False: they share their ranks.

    Examples
    --------
    >>> from heldout.metrics import dcg_score
    >>> round(float(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]])), 4)
    9.4995
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    if not log_base > 0:
        raise UsageError(f"log_base is {log_base!r}, but must be above 0", fix="pass log_base=2")
    rows = _read_relevances(y_true, y_score, k, options)
    made = dcg(k, log_base=log_base, ties=not ignore_ties)
    lowest = float("-inf") if rows.batch.truth.min() < 0 else 0.0
    return rows.estimate(replace(made, range=(lowest, float("inf"))))


@documented
def label_ranking_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Precision at each relevant label of a row, averaged over its relevant labels and over rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        1 for relevant labels, 0 for the others.
    y_score : array-like of shape (n_samples, n_labels)
        Scores by which the labels are ranked.

    Examples
    --------
    >>> from heldout.metrics import label_ranking_average_precision_score
    >>> round(float(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])), 4)
    0.4167
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return _read_relevant(y_true, y_score, options).estimate("lrap")


@documented
def label_ranking_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Share of pairs of a relevant and an irrelevant label of a row in the wrong order, averaged over rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        1 for relevant labels, 0 for the others.
    y_score : array-like of shape (n_samples, n_labels)
        Scores by which the labels are ranked.

    Examples
    --------
    >>> from heldout.metrics import label_ranking_loss
    >>> float(label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]))
    0.75
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return _read_relevant(y_true, y_score, options).estimate("label_ranking_loss")


@documented
def coverage_error(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """How many labels of a row, by falling score, cover its relevant ones, averaged over rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        1 for relevant labels, 0 for the others.
    y_score : array-like of shape (n_samples, n_labels)
        Scores by which the labels are ranked.

    Examples
    --------
    >>> from heldout.metrics import coverage_error
    >>> float(coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]]))
    1.5
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return _read_relevant(y_true, y_score, options).estimate("coverage_error")


def _read_relevances(y_true: Any, y_score: Any, k: int | None, options: Options) -> Rows:
    """Rows of documents: numbers of any size beside their scores."""
    if k is not None and k < 1:
        raise UsageError(f"k is {k!r}, but must be 1 or more", fix="pass k=None for all documents")
    y_true, y_score = dense(y_true), dense(y_score)
    if width(y_true) < 2:
        raise UsageError(
            "y_true has one document per query, and a ranking needs two or more",
            fix="pass one row per query and one column per document",
        )
    rows = read(y_true, options, called=("y_true", "y_score"), y_pred=y_score, task="regression")
    return rows.changed(task="multilabel", score=rows.batch.prediction, prediction=None)


def _read_relevant(y_true: Any, y_score: Any, options: Options) -> Rows:
    """Rows of 0/1 labels with a score for each."""
    y_true = dense(y_true)
    if width(y_true) < 2:
        raise UsageError(
            "y_true has one column, and a ranking of labels needs two or more", fix="pass one 0/1 column per label"
        )
    return read(y_true, options, called=("y_true", "y_score"), y_score=dense(y_score), task="multilabel")
