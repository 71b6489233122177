"""Twins: two blocks of features that are alike in all but name, so that a learner does equally well on either."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.lab.name_parsing import spelled


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Two classes; in each of two blocks of `features` the second class lies `distance` away, blocks independent of
    each other given the class.

    Swapping the blocks changes nothing in the distribution, so that any learner trained on the first block has the same
    expected error as the same learner trained on the second: every rejection of that is an error of the test.
    """

    features: int
    distance: float
    prevalence: float

    @property
    def name(self) -> str:
        """The word for this world."""
        return spelled("twins", features=self.features, distance=self.distance, prevalence=self.prevalence)

    @property
    def blocks(self) -> tuple[slice, slice]:
        """The columns of either block."""
        return slice(0, self.features), slice(self.features, 2 * self.features)

    @property
    def bayes_error(self) -> float:
        """The error of the best rule that sees one block: that of two normals `distance` apart."""
        from scipy.special import ndtr

        odds = np.log((1 - self.prevalence) / self.prevalence) / self.distance
        miss, alarm = ndtr(odds - self.distance / 2), ndtr(-odds - self.distance / 2)
        return float(self.prevalence * miss + (1 - self.prevalence) * alarm)

    def sample(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Features of both blocks side by side, and classes 0 and 1."""
        y = (rng.random(rows) < self.prevalence).astype(int)
        X = rng.standard_normal((rows, 2 * self.features))
        return X + (self.distance / sqrt(self.features)) * y[:, None], y


def twins(features: int = 5, distance: float = 1.5, prevalence: float = 0.5) -> Twins:
    """Two exchangeable blocks of features.

    >>> world = twins()
    >>> X, y = world.sample(4, np.random.default_rng(0))
    >>> X[:, world.blocks[1]].shape, round(world.bayes_error, 4)
    ((4, 5), 0.2266)
    """
    if features < 1 or not distance > 0 or not 0 < prevalence < 1:
        fix = "features is 1 or more, distance above 0, prevalence between 0 and 1"
        raise UsageError(f"twins of {features} features, {distance:g} apart, cannot be drawn", fix=fix)
    return Twins(features=int(features), distance=float(distance), prevalence=float(prevalence))
