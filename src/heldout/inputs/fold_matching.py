"""Scores of two learners brought into the same order: by the names of their splits, or by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One learner's scores, and how its splits are numbered."""

    learner: str
    place: str
    scores: Array
    keys: Array | None
    """Repeat and fold of each score, as texts; None where splits have no numbers."""
    sizes: Mapping[str, Array]
    metric: str


def opening(place: str) -> str:
    """How a message begins that is about a place, if it has a name."""
    return f"{place}: " if place else ""


def matched(one: Part, two: Part) -> tuple[tuple[Part, Part], str]:
    """Both with their scores in the same order, repeat by repeat, and by what they were matched."""
    if one.keys is None or two.keys is None:
        if len(one.scores) != len(two.scores):
            place = one.place if one.place == two.place else ""
            raise DataError(
                f"{opening(place)}{one.learner} has {_scores(one)} and {two.learner} has {_scores(two)}, "
                "so they are not of the same splits",
                code="H101",
                fix="score both learners on the same splits, in the same order",
            )
        return (one, two), "position"
    _complete(one, two)
    _complete(two, one)
    order = np.argsort(np.unique(_repeats(one.keys), return_inverse=True)[1], kind="stable")
    where = {key: at for at, key in enumerate(two.keys.tolist())}
    other = np.array([where[key] for key in one.keys[order].tolist()])
    return (_taken(one, order), _taken(two, other)), "name"


def numbered(part: Part) -> tuple[int, int]:
    """How many repeats there are, and folds in each; (0, 0) where they have no numbers or are not even."""
    if part.keys is None:
        return 0, 0
    _, sizes = np.unique(_repeats(part.keys), return_counts=True)
    return (len(sizes), int(sizes[0])) if len(set(sizes.tolist())) == 1 else (0, 0)


def _repeats(keys: Array) -> Array:
    """The part of each name that tells the repeat; empty where only folds are named."""
    return np.array([key.rpartition(", ")[0] for key in keys.tolist()])


def _taken(part: Part, order: Array) -> Part:
    assert part.keys is not None
    sizes = {name: size[order] for name, size in part.sizes.items()}
    return replace(part, scores=part.scores[order], keys=part.keys[order], sizes=sizes)


def _scores(part: Part) -> str:
    return f"{len(part.scores)} score{'' if len(part.scores) == 1 else 's'}"


def _complete(part: Part, other: Part) -> None:
    """Refuse a learner with two scores of one split, or none of a split that the other was scored on."""
    assert part.keys is not None
    assert other.keys is not None
    names, counts = np.unique(part.keys, return_counts=True)
    if counts.max(initial=0) > 1:
        raise DataError(
            f"{opening(part.place)}{part.learner} has {counts.max()} scores of {names[counts.argmax()]}",
            code="H101",
            fix="number repeats and folds so that every split has a name of its own",
        )
    lacking = [key for key in other.keys.tolist() if key not in set(names.tolist())]
    if lacking:
        more = f" ({len(lacking)} such splits)" if len(lacking) > 1 else ""
        raise DataError(
            f"{opening(part.place)}{part.learner} has no score of {lacking[0]}{more}, which {other.learner} has",
            code="H101",
            fix="score both learners on the same splits, or leave the split out for both and say so",
        )
