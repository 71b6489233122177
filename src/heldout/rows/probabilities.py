"""What a row adds to sums over probabilities and scores of classes."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from heldout.batch import Array, Batch
from heldout.rows import score_of


def chance_of_truth(batch: Batch) -> Array:
    """The probability that the model gave to what happened.

    >>> one = Batch(task="binary", truth=np.array([1, 0]), score=np.array([0.9, 0.2]), labels=(0, 1), positive=1)
    >>> chance_of_truth(one).tolist()
    [0.9, 0.8]
    """
    score = score_of(batch)
    if score.ndim == 1:
        return np.abs(score - (batch.truth != batch.positive))
    return score[np.arange(len(score)), batch.truth]


def log_losses(batch: Batch) -> Array:
    """-ln p of what happened; infinite where p is zero, unless the batch says how far to clip."""
    return log_losses_at(_clipped(chance_of_truth(batch), batch))


def _clipped(chance: Array, batch: Batch) -> Array:
    """Probabilities from clip to 1 - clip."""
    return np.clip(chance, batch.clip, 1 - batch.clip) if batch.clip else chance


def quadratic_losses(batch: Batch) -> Array:
    """Squared distance between the probabilities and what happened, summed over classes: between 0 and 2."""
    score = score_of(batch)
    if score.ndim == 1:
        return 2 * brier_losses(batch)
    return np.einsum("ij,ij->i", score, score) + 1 - 2 * chance_of_truth(batch)


def brier_losses(batch: Batch) -> Array:
    """Squared distance between the probability of the positive class and 1 or 0."""
    return (1 - chance_of_truth(batch)) ** 2


def losses(batch: Batch, names: Collection[str]) -> dict[str, Array]:
    """Several of these at once: what happened is looked up once."""
    chance = chance_of_truth(batch)
    made = {"log_losses": lambda: log_losses_at(_clipped(chance, batch)), "brier_losses": lambda: (1 - chance) ** 2}
    if score_of(batch).ndim == 1:
        made["quadratic_losses"] = lambda: 2 * (1 - chance) ** 2
    else:
        made["quadratic_losses"] = lambda: quadratic_losses(batch)
    return {name: made[name]() for name in names if name in made}


def log_losses_at(chance: Array) -> Array:
    """-ln p, infinite at zero."""
    with np.errstate(divide="ignore"):
        found = np.log(chance)
    np.negative(found, out=found)
    found += 0.0  # no -0.0 where p is one
    return found


def confidence(batch: Batch) -> Array:
    """The probability whose calibration is judged: of the positive class, or of the likeliest class."""
    score = score_of(batch)
    return score if score.ndim == 1 else score.max(axis=1)


def confirmed(batch: Batch) -> Array:
    """Whether what `confidence` spoke of happened."""
    score = score_of(batch)
    return batch.truth == (batch.positive if score.ndim == 1 else score.argmax(axis=1))


def hinge_losses(batch: Batch) -> Array:
    """max(0, 1 - margin): of two classes ±score, of more the true class's score less the highest other one."""
    score = score_of(batch)
    if score.ndim == 1:
        margin = np.where(batch.truth == batch.positive, score, -score)
    else:
        rows = np.arange(len(score))
        others = score.copy()
        others[rows, batch.truth] = -np.inf
        margin = score[rows, batch.truth] - others.max(axis=1)
    return np.maximum(1 - margin, 0.0)


def top_k_hits(batch: Batch, k: int) -> Array:
    """One where the true class is among the k classes of the highest scores; of equal scores the later class wins."""
    score = score_of(batch)
    if score.ndim == 1:
        return np.ones(batch.rows)
    rows = np.arange(len(score))
    own = score[rows, batch.truth][:, None]
    later = np.arange(score.shape[1]) > batch.truth[:, None]
    ahead = (score > own) | ((score == own) & later)
    return (ahead.sum(axis=1) < k).astype(float)
