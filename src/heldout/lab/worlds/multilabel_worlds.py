"""Worlds of several labels per row: each is set or not, and right or wrong, and the answers of one row are alike."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import factorial, log2, pi, prod, sqrt

import numpy as np

from heldout.batch import Array
from heldout.formulas import MARK_METRICS, labels as formulas
from heldout.lab.worlds.recipe import Recipe, between
from heldout.lab.worlds.score_worlds import binormal_values


def marks(
    *, right: float = 0.9, labels: float = 4, share: float = 0.3, alike: float = 0.3, rare: float = 0.0
) -> Recipe:
    """Each label is set on this share of the rows and right this often; normals behind a row's answers correlate.

    With `rare`, labels are set less and less often, from `share` down to it.
    """
    between(0, 1, right=right, share=share)
    between(1, 100, labels=labels)
    between(-1e-12, 1, alike=alike, rare=rare)
    count = int(labels)
    shares = np.geomspace(share, rare, count) if rare else np.full(count, share)

    def truth(shared: Array) -> Array:
        from scipy.special import ndtri

        return (ndtri(shares) > shared.T).astype(int)

    def said(shared: Array, own: Array) -> dict[str, Array]:
        from scipy.special import ndtri

        behind = sqrt(alike) * own[0] + sqrt(1 - alike) * own[1:]
        wrong = (behind >= ndtri(right)).astype(int)
        return {"prediction": truth(shared) ^ wrong.T}

    def values() -> dict[str, float]:
        rows = {} if rare else row_average_values(right, count, share, alike)
        return {**mark_values(right, count, alike), **rows, **_label_averages(right, shares)}

    often = f"{share:g}" if not rare else f"{share:g} to {rare:g}"
    return Recipe(
        about=f"{count} labels a row, each set on {often} of the rows and right with chance {right:g}; "
        f"normals behind the answers of a row correlate by {alike:g}",
        task="multilabel",
        shared=count,
        own=count + 1,
        truth=truth,
        said=said,
        values=values,
        accuracy=1e-9,
        facts={"labels": tuple(range(count))},
    )


def _label_averages(right: float, shares: Array) -> dict[str, float]:
    """Averages over labels of precision and the like: the formulas themselves, on the chances of every label."""
    sums = {"tp": shares * right, "fn": shares * (1 - right), "fp": (1 - shares) * (1 - right)}
    sums["tn"] = (1 - shares) * right
    return {name: float(metric(sums)) for name, metric in MARK_METRICS.items()}


def mark_values(right: float, labels: int, alike: float) -> dict[str, float]:
    """All labels right: E Phi((q - sqrt(alike) c) / sqrt(1 - alike))^labels over a row's common normal c.

    >>> {name: round(value, 4) for name, value in mark_values(0.9, 2, 0.0).items()}
    {'subset_accuracy': 0.81, 'hamming_loss': 0.1}
    """
    from scipy.special import ndtr, ndtri

    at = np.linspace(-9, 9, 8001)
    mass = np.exp(-(at**2) / 2) / sqrt(2 * pi) * (at[1] - at[0])
    each = ndtr((ndtri(right) - sqrt(alike) * at) / sqrt(1 - alike))
    return {"subset_accuracy": float(mass @ each**labels), "hamming_loss": 1 - right}


@lru_cache(maxsize=64)
def row_average_values(right: float, labels: int, share: float, alike: float) -> dict[str, float]:
    """Mean over rows of precision and the like: all numbers of true and false positives and negatives of a row.

    Given the row's common normal, labels are alike and independent: their numbers are multinomial.

    >>> round(row_average_values(0.9, 2, 0.5, 0.0)["recall_samples"], 4)
    0.9
    """
    from scipy.special import ndtr, ndtri

    at = np.linspace(-9, 9, 2001)
    mass = np.exp(-(at**2) / 2) / sqrt(2 * pi) * (at[1] - at[0])
    correct = ndtr((ndtri(right) - sqrt(alike) * at) / sqrt(1 - alike))
    chances = (share * correct, (1 - share) * (1 - correct), share * (1 - correct), (1 - share) * correct)
    counts = np.array([c for c in product(range(labels + 1), repeat=4) if sum(c) == labels])
    ways = [factorial(labels) / prod(factorial(int(k)) for k in line) for line in counts]
    each = [mass @ np.prod([p**k for p, k in zip(chances, line, strict=True)], axis=0) for line in counts]
    likely = np.array(ways) * np.array(each)
    tp, fp, fn, _ = counts.T.astype(float)
    found = {}
    with np.errstate(invalid="ignore"):
        values = {
            "precision_samples": formulas.precision(tp, fp),
            "recall_samples": formulas.recall(tp, fn),
            "f1_samples": formulas.f1(tp, fp, fn),
            "jaccard_samples": formulas.jaccard(tp, fp, fn),
        }
    for name, value in values.items():
        defined = ~np.isnan(value)
        found[name] = float(likely[defined] @ value[defined] / likely[defined].sum())
    return found


def rankings(*, apart: float = 1.0, labels: float = 5, share: float = 0.4) -> Recipe:
    """Each label is relevant on this share of the rows; its score is normal, moved up by `apart` where it is."""
    between(0, 1, share=share)
    between(1, 100, labels=labels)
    between(-1e-12, 50, apart=apart)
    count = int(labels)

    def truth(shared: Array) -> Array:
        from scipy.special import ndtri

        return (ndtri(share) > shared.T).astype(int)

    def said(shared: Array, own: Array) -> dict[str, Array]:
        return {"score": own.T + apart * truth(shared)}

    return Recipe(
        about=f"{count} labels a row, each relevant on {share:g} of the rows; scores are normal, those of relevant "
        f"labels moved up by {apart:g}",
        task="multilabel",
        shared=count,
        own=count,
        truth=truth,
        said=said,
        values=lambda: ranking_values(apart, count, share),
        accuracy=1e-6,
        facts={"labels": tuple(range(count))},
    )


@lru_cache(maxsize=64)
def ranking_values(apart: float, labels: int, share: float) -> dict[str, float]:
    """Metrics of how rows rank their labels, from the number m of relevant labels and the ranks of these.

    Given its score x, a relevant label has A of the other m - 1 and B of the irrelevant ones above it, both binomial.
    """
    from scipy.special import ndtr
    from scipy.stats import binom

    at = np.linspace(-9, 9, 2001)
    mass = np.exp(-(at**2) / 2) / sqrt(2 * pi) * (at[1] - at[0])  # of a relevant label's score, less `apart`
    relevant_above, irrelevant_above = ndtr(-at), ndtr(-at - apart)
    likely = binom.pmf(np.arange(labels + 1), labels, share)
    gain, best, precision, covered = (np.zeros(labels + 1) for _ in range(4))
    for m in range(1, labels + 1):
        for a, b in product(range(m), range(labels - m + 1)):
            chance = mass @ (binom.pmf(a, m - 1, relevant_above) * binom.pmf(b, labels - m, irrelevant_above))
            gain[m] += m * chance / log2(a + b + 2)
            precision[m] += chance * (a + 1) / (a + b + 1)
        best[m] = sum(1 / log2(k + 2) for k in range(m))
        # an irrelevant label is covered unless it is below all relevant ones
        below_all = mass @ ndtr(apart - at) ** m  # of an irrelevant label's score
        covered[m] = m + (labels - m) * (1 - below_all)
    both = 1 - likely[0] - likely[-1]
    none_or_all = likely[0] + likely[-1]
    area = float(ndtr(apart / sqrt(2)))
    average_precision = binormal_values(area, share)["average_precision"]
    return {
        **{f"roc_auc_{average}": area for average in ("macro", "micro", "weighted", "samples")},
        **{f"average_precision_{average}": average_precision for average in ("macro", "micro", "weighted")},
        "average_precision_samples": float(likely[1:] @ precision[1:] / likely[1:].sum()),
        "ndcg": float(likely[1:] @ (gain[1:] / best[1:])),
        "dcg": float(likely @ gain),
        "lrap": float(likely[1:-1] @ precision[1:-1] + none_or_all),
        "label_ranking_loss": float((1 - area) * both),
        "coverage_error": float(likely @ covered),
    }
