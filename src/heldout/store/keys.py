"""What names a piece of work: the data, the learner, the split and the seed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from heldout.store.hashes import fingerprint


@dataclass(frozen=True)
class Key:
    """Hashes of what a piece of work depends on; equal keys are the same work."""

    data: str
    learner: str
    split: str
    seed: str

    @cached_property
    def digest(self) -> str:
        """One hash of the four: the piece's name in the store."""
        return hashlib.sha256(f"{self.data}\n{self.learner}\n{self.split}\n{self.seed}".encode()).hexdigest()


def work(*, data: Any, learner: Any, split: Any, seed: Any) -> Key:
    """The key of a piece of work: a hash of each thing that it depends on.

    What is large and shared by many pieces is best hashed once: give `fingerprint(X)` as the data of each.

    >>> a = work(data=[1.0, 2.0], learner="mean", split=0, seed=7)
    >>> a == work(data=[1.0, 2.0], learner="mean", split=0, seed=7), a == work(
    ...     data=[1.0, 2.0], learner="mean", split=1, seed=7)
    (True, False)
    """
    return Key(data=fingerprint(data), learner=fingerprint(learner), split=fingerprint(split), seed=fingerprint(seed))
