"""Worlds of several labels per row: each is set or not, and right or wrong, and the answers of one row are alike."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from heldout.batch import Array
from heldout.lab.worlds.recipe import Recipe, between


def marks(*, right: float = 0.9, labels: float = 4, share: float = 0.3, alike: float = 0.3) -> Recipe:
    """Each label is set on this share of the rows and right this often; normals behind a row's answers correlate."""
    between(0, 1, right=right, share=share)
    between(1, 100, labels=labels)
    between(-1e-12, 1, alike=alike)
    count = int(labels)

    def truth(shared: Array) -> Array:
        from scipy.special import ndtri

        return (ndtri(share) > shared.T).astype(int)

    def said(shared: Array, own: Array) -> dict[str, Array]:
        from scipy.special import ndtri

        behind = sqrt(alike) * own[0] + sqrt(1 - alike) * own[1:]
        wrong = (behind >= ndtri(right)).astype(int)
        return {"prediction": truth(shared) ^ wrong.T}

    return Recipe(
        about=f"{count} labels a row, each set on {share:g} of the rows and right with chance {right:g}; "
        f"normals behind the answers of a row correlate by {alike:g}",
        task="multilabel",
        shared=count,
        own=count + 1,
        truth=truth,
        said=said,
        values=lambda: mark_values(right, count, alike),
        accuracy=1e-9,
        facts={"labels": tuple(range(count))},
    )


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
