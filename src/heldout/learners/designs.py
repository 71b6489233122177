"""Which splits are made, and what for: the kind of a design decides which estimates and tests it supports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.inputs.message_text import MOST, names_listed
from heldout.learners.training_data import Dataset
from heldout.optional_packages import needed
from heldout.splits import Split, halved, splits
from heldout.splits.cv_names import NAMES, WORDS

Kind = Literal["holdout", "folds", "loo", "pairs", "repeated", "random", "time", "bootstrap", "nested", "halves"]
ONE_LEARNER = "shuffle:25x0.1"
"""25 x (90%, 10%): where the corrected t held its coverage."""
SEVERAL_LEARNERS = "shuffle:30x0.33"
"""30 x (2/3, 1/3): where the corrected t has the nominal type I error, for unstable learners too."""
OWN = ("nested", "conservative")
"""Words beside those of splits."""
NESTED = (25, 5)
HALVES = (10, 12)


@dataclass(frozen=True, kw_only=True)
class Design:
    """The splits whose values are averaged, and those that are only there to tell how much such an average varies."""

    kind: Kind
    word: str
    splits: tuple[Split, ...]
    beside: tuple[Split, ...] = ()
    """nested: those that leave out two folds; halves: those within the halves."""
    repeats: int = 1
    folds: int = 0
    """Folds of a repeat; 0 where splits are no folds."""
    draws: int = 0
    """halves: how many splits each half has."""

    @property
    def every(self) -> tuple[Split, ...]:
        """All splits, in the order in which they are worked."""
        return self.splits + self.beside

    @cached_property
    def ratio(self) -> float:
        """Test rows over training rows, on average."""
        return float(np.mean([len(one.test) / len(one.train) for one in self.splits]))

    @cached_property
    def training_rows(self) -> int:
        """How many rows a model was fitted to, on average."""
        return round(float(np.mean([_distinct(one.train) for one in self.splits])))


def designed(cv: Any, data: Dataset, *, random_state: int, several: bool) -> Design:
    """The design that a word, a splitter or a list of parts means.

    Beside the words of splits there are `nested:25x5` (folds within folds, to tell how far cross-validation is off) and
    `conservative:10x12` (splits of halves of the rows). Without a word, 25 x (90%, 10%), or 30 x (2/3, 1/3) where
    learners are compared.
    """
    cv = (SEVERAL_LEARNERS if several else ONE_LEARNER) if cv is None else cv
    word = str(cv).strip().lower() if isinstance(cv, (str, int)) else type(cv).__name__
    name, _, more = word.partition(":")
    if name == "nested":
        return _nested(word, more, data, random_state)
    if name in ("conservative", "conservative-z"):
        return _halves(word, more, data, random_state)
    hint = did_you_mean(name, OWN) if isinstance(cv, str) and name not in NAMES else ""
    if hint:
        raise UsageError(f"cv={word!r} is not a way to split rows{hint}", fix=f"choose {WORDS}, nested or conservative")
    made = tuple(_splits(cv, data, random_state))
    kind = "pairs" if word == "lpo" else _kind(made, data.rows)
    repeats = len({one.repeat for one in made})
    folds = len(made) // repeats if kind in ("folds", "loo", "repeated") else 0
    return Design(kind=kind, word=word, splits=made, repeats=repeats, folds=folds)


def of_folds(folds: Array) -> Any:
    """Folds that were given, as a splitter: each is tested by a model of the others.

    Rows of -1, or of a part named train, are never tested, as in scikit-learn's PredefinedSplit.

    >>> of_folds(np.array(["train", "test", "test"])).test_fold.tolist()
    [-1, 0, 0]
    """
    values, codes = np.unique(folds, return_inverse=True)
    never = [at for at, value in enumerate(values.tolist()) if str(value) in ("-1", "-1.0", "train")]
    tested = [value for at, value in enumerate(values.tolist()) if at not in never]
    shown = names_listed([str(value) for value in values], MOST)
    if len(values) < 2 or not tested:
        fix = "give two folds or more, as heldout split --folds 5 writes them"
        raise UsageError(f"all rows are in the fold {shown}, and a model learns from other folds", fix=fix)
    if "train" in values.tolist() and len(tested) > 1:
        text = f"folds are {shown}: of parts beside train, one can be tested by models of train"
        raise UsageError(text, fix="leave out the rows of the others, or give folds")
    place = np.full(len(values), -1)
    place[[at for at in range(len(values)) if at not in never]] = np.arange(len(tested))
    return needed("sklearn.model_selection", "folds need").PredefinedSplit(place[codes])


SMALLEST_SHARE = 1e-6
"""Of rows that are held out: names of splits have six decimals."""


def check_share(share: float, place: str) -> None:
    """Refuse a share of rows that is nothing, or everything, to six decimals."""
    if not SMALLEST_SHARE <= share <= 1 - SMALLEST_SHARE:
        most = f"{SMALLEST_SHARE:f} to {1 - SMALLEST_SHARE:f}"
        raise UsageError(f"{place} is {share:g}, but must be from {most}", fix="for a third write 0.33")


def holdout_beside(share: float, data: Dataset, design: Design, random_state: int) -> Design:
    """One split that holds out a share of the rows, beside another design; the last rows where rows have an order."""
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < 1:
        raise UsageError(f"holdout is {share!r}, but must be a share between 0 and 1", fix="for a third write 0.33")
    check_share(share, "holdout")
    if design.kind == "holdout":
        raise UsageError(
            f"holdout has no effect beside cv={design.word!r}, which is one itself", fix="leave out one of them"
        )
    if data.groups is None and (design.kind == "time" or data.times is not None):
        first = data.rows - max(1, round(share * data.rows))
        made = splits([(np.arange(first), np.arange(first, data.rows))], data.y, task=data.task)
    else:
        remedy = f"hold out another share than {share:g}, such as 0.33"
        # whole groups are held out at random, whatever the folds beside them are stratified on
        drawn = data if data.groups is None else replace(data, strata=())
        made = _splits(f"holdout:{share:.6f}", drawn, random_state, remedy=remedy)
    return Design(kind="holdout", word=f"holdout:{share:g}", splits=tuple(made))


def _splits(cv: Any, data: Dataset, seed: int, *, remedy: str = "choose another cv") -> list[Split]:
    return splits(
        cv, data.y, task=data.task, X=data.X, groups=data.groups,
        strata=data.strata, stratified=data.stratified, random_state=seed, remedy=remedy,
    )  # fmt: skip


def _distinct(rows: Array) -> int:
    """How many different rows."""
    return int(np.count_nonzero(np.bincount(rows)))


def _kind(made: Sequence[Split], rows: int) -> Kind:
    """What the splits are, by what they test and learn from."""
    if len(made) == 1:
        return "holdout"
    if any(_distinct(one.train) < len(one.train) for one in made):
        return "bootstrap"
    tested = np.zeros(rows, int)
    for one in made:
        tested[one.test] += 1
    repeats = len({one.repeat for one in made})
    if tested.min() == tested.max() == repeats and repeats < len(made):
        if repeats > 1:
            return "repeated"
        return "loo" if len(made) == rows else "folds"
    in_order = all(one.train.max() < one.test.min() for one in made)
    return "time" if in_order and tested.max() == 1 else "random"


def _nested(word: str, more: str, data: Dataset, seed: int) -> Design:
    """R x K folds, and for every two folds of a repeat a split that learns from neither and tests both."""
    repeats, folds = _sizes(word, more, NESTED, "nested:25x5")
    if folds < 3:
        raise UsageError(f"cv={word!r} has {folds} folds, and folds within folds need 3", fix="take cv='nested:25x5'")
    made = _splits(f"{repeats}x{folds}" if repeats > 1 else folds, data, seed)
    beside = [
        _without_both(made[repeat * folds + one], made[repeat * folds + two])
        for repeat in range(repeats)
        for one in range(folds)
        for two in range(one + 1, folds)
    ]
    return Design(kind="nested", word=word, splits=tuple(made), beside=tuple(beside), repeats=repeats, folds=folds)


def _without_both(one: Split, two: Split) -> Split:
    train = np.intersect1d(one.train, two.train)
    return Split(train=train, test=np.concatenate([one.test, two.test]), repeat=one.repeat, fold=one.fold)


def _halves(word: str, more: str, data: Dataset, seed: int) -> Design:
    """J splits of all rows, and J of either half in M halvings, with as many test rows."""
    draws, halvings = _sizes(word, more, HALVES, "conservative:10x12")
    made = _splits(f"shuffle:{draws}x0.1", data, seed)
    pairs = halved(
        data.y, task=data.task, groups=data.groups, stratified=data.stratified, halvings=halvings, draws=draws,
        random_state=seed,
    )  # fmt: skip
    beside = [split for first, second in pairs for split in (*first, *second)]
    return Design(kind="halves", word=word, splits=tuple(made), beside=tuple(beside), repeats=halvings, draws=draws)


def _sizes(word: str, more: str, default: tuple[int, int], example: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)x(\d+)", more) if more else None
    if more and (found is None or int(found[1]) < 1 or int(found[2]) < 1):
        name = word.partition(":")[0]
        raise UsageError(
            f"cv={word!r} is not understood: {name} takes two numbers, as in {example}",
            fix=f"choose {WORDS}, nested:25x5 or conservative:10x12",
        )
    return (int(found[1]), int(found[2])) if found else default


def turns(design: Design, losses: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Of folds within folds: every loss, the held-out fold it belongs to, and whether it is an inner one.

    `losses` are those of every split of the design, in the order of its test rows.
    """
    parts: list[tuple[Array, int, bool]] = []
    folds, outer = design.folds, design.splits
    pair = len(outer)
    for repeat in range(design.repeats):
        base = repeat * folds
        parts += [(losses[base + fold], base + fold, False) for fold in range(folds)]
        for one in range(folds):
            for two in range(one + 1, folds):
                first = len(outer[base + one].test)
                # with fold one held out, fold two is judged by a model of the others; and the other way round
                parts.append((losses[pair][first:], base + one, True))
                parts.append((losses[pair][:first], base + two, True))
                pair += 1
    sizes = [len(part) for part, _, _ in parts]
    return (
        np.concatenate([part for part, _, _ in parts]),
        np.repeat([turn for _, turn, _ in parts], sizes),
        np.repeat([inner for _, _, inner in parts], sizes),
    )
