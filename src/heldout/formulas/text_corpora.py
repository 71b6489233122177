"""Metrics of texts against references: formulas on what segments add. Sums of n-grams have one entry per n, last.

They stand beside the table of metrics and not in it: they are about texts, which no batch of labels or numbers has.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log
from typing import Literal

import numpy as np

from heldout.batch import Array
from heldout.formulas.metric_type import Metric

Smoothing = Literal["exp", "floor", "add-k", "none"]
SMOOTHING: dict[str, float] = {"exp": 0.0, "floor": 0.1, "add-k": 1.0, "none": 0.0}
"""What is added where nothing matches: by how much, unless said otherwise."""
PERCENT = (0.0, 100.0)


def bleu(
    smoothing: Smoothing = "exp", amount: float | None = None, *, order: int = 4, effective: bool = False
) -> Metric:
    """BLEU with a way of smoothing: exp halves a match for every n without one [papineni02] [chen14].

    `effective` leaves out those n for which there is no n-gram at all, as is done for single sentences.

    >>> sums = {"matches": np.array([4, 2, 1, 0]), "ngrams": np.array([5, 4, 3, 2]), "reference_length": np.array(5)}
    >>> round(float(bleu()(sums)), 4), float(bleu("none")(sums))
    (42.7287, 0.0)
    """
    added = SMOOTHING[smoothing] if amount is None else amount

    def formula(matches: Array, ngrams: Array, reference_length: Array) -> Array:
        """Geometric mean of n-gram precisions, n = 1 .. 4, times exp(1 - reference length / length) where too short."""
        matches, ngrams = matches[..., :order], ngrams[..., :order]
        length, many = ngrams[..., 0], matches.ndim > 1
        short = _each(exp, np.minimum(1 - reference_length / np.where(length > 0, length, 1), 0), many=many)
        brevity = np.where(length > 0, short, 0.0)
        more = added * (np.arange(matches.shape[-1]) > 0) if smoothing == "add-k" else 0.0
        shares = _smoothed(matches + more, ngrams + more, smoothing, added)
        known = (ngrams + more > 0) | (not effective)
        logs = np.where(known, _each(_log, shares, many=many), 0.0)
        value = brevity * _each(exp, _in_turn(logs) / np.maximum(np.sum(known, axis=-1), 1), many=many)
        return np.where(np.any(matches > 0, axis=-1), value, 0.0)

    return Metric(
        name="bleu",
        formula=formula,
        reads="numbers",
        tasks=(),
        rests_on="all rows",
        interval="corpus",
        range=PERCENT,
        printed=True,
    )


def _smoothed(matches: Array, ngrams: Array, smoothing: Smoothing, added: float) -> Array:
    """Precision of each n in percent, smoothed where nothing matches; 0 where there is no n-gram."""
    some = np.where(ngrams > 0, ngrams, 1)
    without = (matches <= 0) & (ngrams > 0)
    instead = np.zeros_like(some)
    if smoothing == "exp":
        instead = 100 / (2.0 ** np.cumsum(without, axis=-1) * some)
    elif smoothing == "floor":
        instead = 100 * added / some
    return np.where(ngrams > 0, np.where(without, instead, 100 * matches / some), 0.0)


def _log(x: float) -> float:
    return log(x) if x > 0 else -np.inf


def _each(function: Callable[[float], float], x: Array, *, many: bool) -> Array:
    """The function of every entry; numpy's own, which may differ in the last digit, where there are many corpora."""
    if many:
        with np.errstate(divide="ignore"):
            return np.exp(x) if function is exp else np.log(x)
    return np.array([function(float(one)) for one in x.ravel()]).reshape(x.shape)


def _in_turn(x: Array) -> Array:
    """Sums of the last axis, added from left to right: numpy adds eight and more in another order."""
    total = x[..., 0]
    for n in range(1, x.shape[-1]):
        total = total + x[..., n]
    return total


def chrf(beta: int = 2, words: int = 0) -> Metric:
    """The metric chrF with the weight beta of recall; chrF++ has n-grams of words, too [popovic15]."""

    def formula(matched: Array, said: Array, wanted: Array) -> Array:
        """F-beta of the average precision and recall of character n-grams, n = 1 .. 6: (1+b²) P R / (b² P + R)."""
        both = (said > 0) & (wanted > 0)
        known = np.maximum(np.sum(both, axis=-1), 1)
        precision = _in_turn(np.where(both, matched / np.where(both, said, 1), 0.0)) / known
        recall = _in_turn(np.where(both, matched / np.where(both, wanted, 1), 0.0)) / known
        below = beta**2 * precision + recall
        return 100 * np.where(below > 0, (1 + beta**2) * precision * recall / np.where(below > 0, below, 1), 0.0)

    return Metric(
        name="chrf" + "+" * words, formula=formula, reads="numbers", tasks=(), interval="corpus", range=PERCENT,
        rests_on="all rows", printed=True,
    )  # fmt: skip


def edit_rate(edits: Array, words: Array) -> Array:
    """Edits (insertions, deletions, substitutions and shifts) for each word of a reference, in percent [snover06]."""
    return 100 * np.where(words > 0, edits / np.where(words > 0, words, 1), np.where(edits > 0, 1.0, 0.0))


TER = Metric(
    name="ter", formula=edit_rate, reads="numbers", tasks=(), interval="mean", better="lower", range=(0.0, inf),
    rests_on="all rows", printed=True,
)  # fmt: skip


def ngram_precision(n: int) -> Metric:
    """The share of the hypothesis's n-grams that match; clipped, as in BLEU [papineni02]."""

    def formula(matches: Array, ngrams: Array) -> Array:
        """The share of the hypothesis's n-grams that a reference has, each at most as often as there (clipped)."""
        return matches[..., n - 1] / ngrams[..., n - 1]

    return _ngram_share(f"ngram_precision_{n}", formula)


def ngram_recall(n: int) -> Metric:
    """The share of the references' n-grams that match; clipped, as in ROUGE [lin04]."""

    def formula(recalled: Array, reference_ngrams: Array) -> Array:
        """The share of the references' n-grams that the hypothesis has, each at most as often as there (clipped)."""
        return recalled[..., n - 1] / reference_ngrams[..., n - 1]

    return _ngram_share(f"ngram_recall_{n}", formula)


def unclipped_precision(n: int) -> Metric:
    """The share of the hypothesis's n-grams that are in a reference at all: "the the the" has 1 for "the cat"."""

    def formula(present: Array, ngrams: Array) -> Array:
        """The share of the hypothesis's n-grams that a reference has at all, however often (unclipped)."""
        return present[..., n - 1] / ngrams[..., n - 1]

    return _ngram_share(f"ngram_precision_unclipped_{n}", formula)


def unclipped_recall(n: int) -> Metric:
    """The share of the references' n-grams that are in the hypothesis at all."""

    def formula(recalled_present: Array, reference_ngrams: Array) -> Array:
        """The share of the references' n-grams that the hypothesis has at all, however often (unclipped)."""
        return recalled_present[..., n - 1] / reference_ngrams[..., n - 1]

    return _ngram_share(f"ngram_recall_unclipped_{n}", formula)


def _ngram_share(name: str, formula: Callable[..., Array]) -> Metric:
    return Metric(name=name, formula=formula, reads="numbers", tasks=(), rests_on="all rows", interval="corpus")


def _average(letter: str) -> Metric:
    """The mean over segments of one of the three figures of BERTScore."""

    def precision(bert_p: Array, rows: Array) -> Array:
        """BERTScore precision: how near each token of the hypothesis comes to one of the reference [zhang20]."""
        return bert_p / rows

    def recall(bert_r: Array, rows: Array) -> Array:
        """BERTScore recall: how near each token of the reference comes to one of the hypothesis [zhang20]."""
        return bert_r / rows

    def f_score(bert_f: Array, rows: Array) -> Array:
        """BERTScore F: the harmonic mean 2PR / (P + R) of each segment, averaged [zhang20]."""
        return bert_f / rows

    formula = {"p": precision, "r": recall, "f": f_score}[letter]
    return Metric(
        name=f"bertscore_{letter}", formula=formula, reads="numbers", tasks=(), interval="mean", range=(-1.0, 1.0),
        rests_on="all rows", aliases=("bertscore",) if letter == "f" else (), printed=letter == "f",
    )  # fmt: skip


BERTSCORE = tuple(_average(letter) for letter in "prf")
NGRAMS = tuple(share(n) for share in (ngram_precision, ngram_recall) for n in range(1, 5))
UNCLIPPED = tuple(share(n) for share in (unclipped_precision, unclipped_recall) for n in range(1, 5))
TEXTS: dict[str, Metric] = {
    metric.name: metric for metric in (bleu(), chrf(), chrf(words=2), TER, *NGRAMS, *UNCLIPPED, *BERTSCORE)
}
"""Every metric of texts by name, with the settings that are usual."""
