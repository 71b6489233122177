"""Calls of functions that scikit-learn and heldout share: every value of every parameter, on several kinds of rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

rng = np.random.default_rng(7)
ROWS = 70
Call = tuple[str, tuple[Any, ...], dict[str, Any]]

BINARY = rng.integers(0, 2, ROWS)
CHANCE = np.round(np.clip(rng.normal(0.35 + 0.3 * BINARY, 0.2), 0.01, 0.99), 2)
CALLED = (CHANCE > 0.5).astype(int)
CLASSES = rng.integers(0, 4, ROWS)
CHANCES = rng.dirichlet(np.ones(4), ROWS) + 0.6 * np.eye(4)[CLASSES]
CHANCES /= CHANCES.sum(axis=1, keepdims=True)
GUESSED = np.where(rng.random(ROWS) < 0.6, CLASSES, rng.integers(0, 4, ROWS))
WORDS = np.array(["ant", "bee", "cat", "dog"])
MARKS = rng.integers(0, 2, (ROWS, 5))
MARKS[:, :2] = np.where(MARKS.sum(axis=1, keepdims=True) == 0, [1, 0], MARKS[:, :2])
MARKS[:, :2] = np.where(MARKS.sum(axis=1, keepdims=True) == 5, [0, 1], MARKS[:, :2])
MARK_SCORES = np.round(rng.normal(MARKS, 1), 1)  # with ties
MARKED = (MARK_SCORES > 0.5).astype(int)
RELEVANCE = rng.integers(0, 4, (ROWS, 6))
RELEVANCE[0] = 0
RELEVANCE_SCORES = np.round(rng.normal(RELEVANCE, 1.5), 1)
NUMBERS = rng.gamma(3, 1, ROWS) + 0.1
PREDICTED = NUMBERS * np.exp(rng.normal(0, 0.4, ROWS))
TARGETS = np.column_stack([NUMBERS, rng.gamma(2, 3, ROWS) + 0.5, rng.gamma(5, 1, ROWS)])
TARGETS_PREDICTED = TARGETS * np.exp(rng.normal(0, 0.3, TARGETS.shape))
WEIGHT = rng.random(ROWS) + 0.2
WHOLE_WEIGHT = rng.integers(1, 4, ROWS)

LABELS = {
    "binary": (BINARY, CALLED),
    "words": (np.array(["no", "yes"])[BINARY], np.array(["no", "yes"])[CALLED]),
    "classes": (CLASSES, GUESSED),
    "names": (WORDS[CLASSES], WORDS[GUESSED]),
    "marks": (MARKS, MARKED),
}
ONE_LABEL = {name: rows for name, rows in LABELS.items() if name != "marks"}
WEIGHTS = ({}, {"sample_weight": WEIGHT}, {"sample_weight": WHOLE_WEIGHT})
TWO_WEIGHTS = WEIGHTS[:2]


def options(**choices: Any) -> Iterator[dict[str, Any]]:
    """All combinations of the values of these parameters."""
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def calls() -> Iterator[Call]:
    """Every call."""
    yield from of_labels()
    yield from of_classes()
    yield from of_scores()
    yield from of_probabilities()
    yield from of_rankings()
    yield from of_numbers()


def of_labels() -> Iterator[Call]:
    for rows, weight in product(LABELS.values(), WEIGHTS):
        for normalize in (True, False):
            yield "accuracy_score", rows, {"normalize": normalize, **weight}
            yield "zero_one_loss", rows, {"normalize": normalize, **weight}
        yield "hamming_loss", rows, dict(weight)
        yield "multilabel_confusion_matrix", rows, dict(weight)
    for rows, weight in product(ONE_LABEL.values(), WEIGHTS):
        yield "matthews_corrcoef", rows, dict(weight)
        yield "balanced_accuracy_score", rows, {"adjusted": True, **weight}
        yield "balanced_accuracy_score", rows, {"adjusted": False, **weight}
        for normalize in (None, "true", "pred", "all"):
            yield "confusion_matrix", rows, {"normalize": normalize, **weight}
        for by_distance in (None, "linear", "quadratic"):
            yield "cohen_kappa_score", rows, {"weights": by_distance, **weight}
    for weight in WEIGHTS:
        for labels in ([2, 0], [3, 1, 2], [0, 1, 2, 3, 9]):
            yield "confusion_matrix", LABELS["classes"], {"labels": labels, **weight}
            yield "multilabel_confusion_matrix", LABELS["classes"], {"labels": labels, **weight}
            for by_distance in (None, "linear", "quadratic"):
                yield "cohen_kappa_score", LABELS["classes"], {"labels": labels, "weights": by_distance, **weight}
        yield "multilabel_confusion_matrix", LABELS["marks"], {"samplewise": True, **weight}
        yield "multilabel_confusion_matrix", LABELS["marks"], {"labels": [3, 1], **weight}
        yield "class_likelihood_ratios", LABELS["binary"], dict(weight)
        yield "class_likelihood_ratios", LABELS["words"], {"labels": ["yes", "no"], **weight}
        yield "class_likelihood_ratios", (BINARY, np.ones(ROWS, int)), {"replace_undefined_by": 1.0, **weight}
        both = {"LR+": np.inf, "LR-": 0.0}
        yield "class_likelihood_ratios", (BINARY, BINARY), {"replace_undefined_by": both, **weight}
        yield "class_likelihood_ratios", (BINARY, BINARY), dict(weight)


def of_classes() -> Iterator[Call]:
    scores = ("precision_score", "recall_score", "f1_score", "jaccard_score")
    averages = ("micro", "macro", "weighted", None)
    for name, weight in product((*scores, "fbeta_score", "precision_recall_fscore_support"), TWO_WEIGHTS):
        beta = {"beta": 0.7} if "beta" in name or "support" in name else {}
        binary = {"average": "binary"} if "support" in name else {}
        for zero in ("warn", 0, 1):
            for rows, average in product(LABELS.values(), averages):
                yield name, rows, {"average": average, "zero_division": zero, **beta, **weight}
            yield name, LABELS["binary"], {"zero_division": zero, **binary, **beta, **weight}
            yield name, LABELS["binary"], {"zero_division": zero, "pos_label": 0, **binary, **beta, **weight}
            yield name, LABELS["words"], {"zero_division": zero, "pos_label": "no", **binary, **beta, **weight}
            yield name, (BINARY, 0 * BINARY), {"zero_division": zero, **binary, **beta, **weight}
            yield name, LABELS["marks"], {"average": "samples", "zero_division": zero, **beta, **weight}
            yield (
                name,
                LABELS["marks"],
                {"average": "samples", "labels": [4, 1], "zero_division": zero, **beta, **weight},
            )
            for labels, average in product(([2, 0], [1, 3, 7]), averages):
                yield (
                    name,
                    LABELS["classes"],
                    {"labels": labels, "average": average, "zero_division": zero, **beta, **weight},
                )
                few = (np.minimum(CLASSES, 2), np.minimum(GUESSED, 1))  # one class is never predicted
                yield name, few, {"average": average, "zero_division": zero, **beta, **weight}
                yield name, (few[1], few[0]), {"average": average, "zero_division": zero, **beta, **weight}
        if name != "jaccard_score":  # which scikit-learn refuses there
            for average in averages:
                few = (np.minimum(CLASSES, 2), np.minimum(GUESSED, 1))
                yield name, few, {"average": average, "zero_division": np.nan, **beta, **weight}
    for beta in (0, 0.5, 1, 2, 3.25, np.inf):
        yield "fbeta_score", LABELS["binary"], {"beta": beta}
        yield "fbeta_score", LABELS["classes"], {"beta": beta, "average": "macro"}
    for rows, weight in product(LABELS.values(), TWO_WEIGHTS):
        yield "classification_report", rows, {"output_dict": True, "zero_division": 0, **weight}
    yield "classification_report", LABELS["classes"], {"output_dict": True, "labels": [2, 1]}
    named = {"labels": [2, 1], "target_names": ["two", "one"]}
    yield "classification_report", LABELS["classes"], {"output_dict": True, **named}


def of_scores() -> Iterator[Call]:
    words = np.array(["no", "yes"])[BINARY]
    for weight in TWO_WEIGHTS:
        for max_fpr in (None, 0.3, 0.05, 1):
            yield "roc_auc_score", (BINARY, CHANCE), {"max_fpr": max_fpr, **weight}
            yield "roc_auc_score", (words, CHANCE), {"max_fpr": max_fpr, **weight}
            for average in ("macro", "micro", "weighted", None):
                yield "roc_auc_score", (MARKS, MARK_SCORES), {"average": average, "max_fpr": max_fpr, **weight}
        yield "roc_auc_score", (MARKS, MARK_SCORES), {"average": "samples", **weight}
        for average in ("macro", "micro", "weighted", None):
            yield "roc_auc_score", (CLASSES, CHANCES), {"average": average, "multi_class": "ovr", **weight}
        for average in ("macro", "micro", "weighted", "samples", None):
            yield "average_precision_score", (MARKS, MARK_SCORES), {"average": average, **weight}
            yield "average_precision_score", (CLASSES, CHANCES), {"average": average, **weight}
        yield "average_precision_score", (BINARY, CHANCE), dict(weight)
        yield "average_precision_score", (BINARY, -CHANCE), {"pos_label": 0, **weight}
        yield "average_precision_score", (words, CHANCE), {"pos_label": "yes", **weight}
        yield "average_precision_score", (np.ones(ROWS, int), CHANCE), dict(weight)
        yield "average_precision_score", (np.zeros(ROWS, int), CHANCE), dict(weight)
        for k, normalize in product((1, 2, 3, 4), (True, False)):
            yield "top_k_accuracy_score", (CLASSES, np.round(CHANCES, 1)), {"k": k, "normalize": normalize, **weight}
        yield "top_k_accuracy_score", (WORDS[CLASSES], CHANCES), {"labels": list(WORDS), **weight}
        yield "top_k_accuracy_score", (BINARY, CHANCE), {"k": 1, **weight}
        yield "top_k_accuracy_score", (BINARY, CHANCE * 4 - 2), {"k": 1, **weight}
        yield "top_k_accuracy_score", (BINARY, CHANCE), {"k": 2, **weight}
    for average in ("macro", "weighted"):
        yield "roc_auc_score", (CLASSES, CHANCES), {"average": average, "multi_class": "ovo"}
    few = np.minimum(CLASSES, 2)
    yield "roc_auc_score", (few, CHANCES), {"multi_class": "ovr", "labels": [0, 1, 2, 3]}
    yield "roc_auc_score", (BINARY, CALLED), {}  # decisions are scores, too
    yield "average_precision_score", (BINARY, CALLED), {}


def of_probabilities() -> Iterator[Call]:
    words, float32 = np.array(["no", "yes"])[BINARY], CHANCES.astype(np.float32)
    both = np.column_stack([1 - CHANCE, CHANCE])
    certain = np.where(BINARY == 1, 1.0, 0.0)
    wrong = certain.copy()
    wrong[:3] = 1 - wrong[:3]
    for weight in TWO_WEIGHTS:
        for rows, normalize in product(
            ((BINARY, CHANCE), (words, CHANCE), (BINARY, both), (CLASSES, CHANCES), (WORDS[CLASSES], CHANCES)),
            (True, False),
        ):
            yield "log_loss", rows, {"normalize": normalize, **weight}
            if normalize:
                yield "d2_log_loss_score", rows, dict(weight)
        for rows in ((BINARY, certain), (BINARY, wrong), (BINARY, CALLED.astype(float))):
            yield "log_loss", rows, dict(weight)
            yield "d2_log_loss_score", rows, dict(weight)
            yield "brier_score_loss", rows, dict(weight)
        yield "log_loss", (np.ones(ROWS, int), CHANCE), {"labels": [0, 1], **weight}
        yield "log_loss", (np.minimum(CLASSES, 2), CHANCES), {"labels": [0, 1, 2, 3], **weight}
        yield "d2_log_loss_score", (np.minimum(CLASSES, 2), CHANCES), {"labels": [0, 1, 2, 3], **weight}
        for half in ("auto", True, False):
            for rows in ((BINARY, CHANCE), (BINARY, both), (2 * BINARY - 1, CHANCE), (BINARY + 3, CHANCE)):
                yield "brier_score_loss", rows, {"scale_by_half": half, **weight}
            yield "brier_score_loss", (CLASSES, CHANCES), {"scale_by_half": half, **weight}
            yield "brier_score_loss", (words, CHANCE), {"scale_by_half": half, "pos_label": "no", **weight}
        for rows in ((BINARY, CHANCE), (BINARY, both), (CLASSES, CHANCES)):
            yield "d2_brier_score", rows, dict(weight)
        yield "d2_brier_score", (words, CHANCE), {"pos_label": "no", **weight}
        yield "d2_brier_score", (np.minimum(CLASSES, 2), CHANCES), {"labels": [0, 1, 2, 3], **weight}
        yield "hinge_loss", (BINARY, 4 * CHANCE - 2), dict(weight)
        yield "hinge_loss", (words, 4 * CHANCE - 2), dict(weight)
        yield "hinge_loss", (CLASSES, 3 * CHANCES), dict(weight)
        yield "hinge_loss", (np.minimum(CLASSES, 2), 3 * CHANCES), {"labels": [0, 1, 2, 3], **weight}
    yield "log_loss", (CLASSES, (float32 / float32.sum(axis=1, keepdims=True)).astype(float)), {}


def of_rankings() -> Iterator[Call]:
    for weight in TWO_WEIGHTS:
        for k, ignore in product((None, 1, 3, 6, 20), (True, False)):
            facts = {"k": k, "ignore_ties": ignore, **weight}
            for rows in ((RELEVANCE, RELEVANCE_SCORES), (RELEVANCE / 3, RELEVANCE_SCORES), (MARKS, MARK_SCORES)):
                yield "ndcg_score", rows, facts
                yield "dcg_score", rows, {**facts, "log_base": 2 if k is None else 10}
        yield "dcg_score", (RELEVANCE - 1, RELEVANCE_SCORES), dict(weight)
        none_and_all = MARKS.copy()
        none_and_all[:3], none_and_all[3:5] = 0, 1
        for name in ("label_ranking_average_precision_score", "label_ranking_loss", "coverage_error"):
            yield name, (MARKS, MARK_SCORES), dict(weight)
            yield name, (none_and_all, MARK_SCORES), dict(weight)
        yield "average_precision_score", (none_and_all, MARK_SCORES), {"average": "samples", **weight}
    empty = MARKS.copy()
    empty[:, 2] = 0
    yield "average_precision_score", (empty, MARK_SCORES), {}
    yield "average_precision_score", (empty, MARK_SCORES), {"average": "weighted"}
    yield "average_precision_score", (empty, MARK_SCORES), {"average": None}


def of_numbers() -> Iterator[Call]:
    errors = ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "mean_squared_log_error")
    errors += ("root_mean_squared_log_error", "mean_absolute_percentage_error", "median_absolute_error")
    skills = ("r2_score", "explained_variance_score", "d2_absolute_error_score")
    one, several = (NUMBERS, PREDICTED), (TARGETS, TARGETS_PREDICTED)
    flat = (np.column_stack([TARGETS[:, 0], np.full(ROWS, 2.0), np.full(ROWS, 3.0)]), TARGETS_PREDICTED.copy())
    flat[1][:, 1] = 2.0
    constants = ((np.full(ROWS, 2.0), PREDICTED), (np.full(ROWS, 2.0), np.full(ROWS, 2.0)))
    by = np.array([0.2, 0.5, 0.3])
    for weight in WEIGHTS:
        for name in (*errors, *skills):
            yield name, one, dict(weight)
            yield name, one, {"multioutput": "raw_values", **weight}
            for multioutput in ("uniform_average", "raw_values", by):
                yield name, several, {"multioutput": multioutput, **weight}
        for name in ("r2_score", "explained_variance_score"):
            for rows in (one, several):
                yield name, rows, {"multioutput": "variance_weighted", **weight}
            for multioutput in ("uniform_average", "raw_values", "variance_weighted", by):
                # with fractional weights scikit-learn's mean of equal numbers is off by a digit, and R² is -6e30
                if weight.get("sample_weight") is not WEIGHT:
                    yield name, flat, {"multioutput": multioutput, **weight}
            for rows, force in product(constants, (True, False)):
                yield name, rows, {"force_finite": force, **weight}
        for alpha in (0.1, 0.5, 0.9):
            for multioutput in ("uniform_average", "raw_values", by):
                yield "mean_pinball_loss", several, {"alpha": alpha, "multioutput": multioutput, **weight}
                yield "d2_pinball_score", several, {"alpha": alpha, "multioutput": multioutput, **weight}
            yield "d2_pinball_score", flat, {"alpha": alpha, **weight}
            yield "d2_pinball_score", constants[0], {"alpha": alpha, **weight}
        yield "mean_poisson_deviance", one, dict(weight)
        yield "mean_poisson_deviance", (np.floor(NUMBERS), PREDICTED), dict(weight)
        yield "mean_gamma_deviance", one, dict(weight)
        for power in (-1, 0, 1, 1.5, 2, 3):
            yield "mean_tweedie_deviance", one, {"power": power, **weight}
            yield "d2_tweedie_score", one, {"power": power, **weight}
    yield "max_error", one, {}
    yield "r2_score", several, {"multioutput": None}
