"""Splits of the rows, each checked before anything is fitted; and splits within splits."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, HeldoutError, UsageError
from heldout.inputs.message_text import quoted, rows_named
from heldout.inputs.reading import Check
from heldout.splits.cv_names import splitter, strata_codes
from heldout.splits.splitters import Bootstrap, ByStrata, Halves, RepeatedGroups


def nested(
    outer: Sequence[Split], y: Any, *, task: str, cv: Any = None, groups: Any = None, random_state: int = 0
) -> list[tuple[Split, list[Split]]]:
    """Each outer split with the splits of its training part, in positions of all rows.

    Without `cv` the other folds of the same repeat serve as inner folds: leaving out folds j and k is one fit for two.

    >>> outer = splits(3, [0, 1] * 6, task="binary")
    >>> [len(inner) for _, inner in nested(outer, [0, 1] * 6, task="binary")]
    [2, 2, 2]
    """
    truth = np.asarray(y)
    if cv is not None:
        return [
            (one, _within(np.unique(one.train), truth, cv, task, groups, random_state + at))
            for at, one in enumerate(outer)
        ]
    return [(one, _reused(one, outer)) for one in outer]


def _reused(one: Split, outer: Sequence[Split]) -> list[Split]:
    others = [other for other in outer if other.repeat == one.repeat and other.fold != one.fold]
    if len(others) < 2:
        raise UsageError(
            "folds serve as inner folds where a repeat has 3 or more", fix="take cv=5, or give the inner cv"
        )
    return [replace(other, train=np.setdiff1d(other.train, one.test), fold=at) for at, other in enumerate(others)]


def _within(  # noqa: PLR0917
    part: Array, truth: Array, cv: Any, task: str, groups: Any, seed: int, stratified: bool = True
) -> list[Split]:
    units = None if groups is None else np.asarray(groups)[part]
    inner = splits(cv, truth[part], task=task, groups=units, stratified=stratified, random_state=seed)
    return [replace(one, train=part[one.train], test=part[one.test]) for one in inner]


def halved(
    y: Any, *, task: str, groups: Any = None, stratified: bool = True, halvings: int = 12, draws: int = 10,
    share: float = 0.1, random_state: int = 0,
) -> list[tuple[list[Split], list[Split]]]:  # fmt: skip
    """For each random halving of the rows, `draws` splits of either half, testing as many rows as share x n.

    >>> pairs = halved([0, 1] * 50, task="binary", halvings=2, draws=3)
    >>> len(pairs), len(pairs[0][0]), len(pairs[0][0][0].test), len(pairs[0][0][0].train)
    (2, 3, 10, 40)
    """
    if not 0 < share < 0.5:
        raise UsageError(f"share is {share}, and half of the rows must have more than it", fix="take share=0.1")
    truth = np.asarray(y)
    made = Halves(halvings, stratified and task in ("binary", "multiclass"), random_state)
    of_half = f"shuffle:{draws}x{2 * share:.6f}"
    found = splits(made, truth, task=task, groups=groups)
    return [
        (
            _within(one.train, truth, of_half, task, groups, random_state + 2 * at, stratified),
            _within(one.test, truth, of_half, task, groups, random_state + 2 * at + 1, stratified),
        )
        for at, one in enumerate(found)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Positions of the training rows and of the test rows; within a repeat a row is tested at most once."""

    train: Array
    test: Array
    repeat: int
    fold: int


LEAST = 30
"""Rows a test part should have for a value of its own."""


def split_checks(parts: Sequence[Split], y: Any, *, task: str, least: int = LEAST) -> tuple[Check, ...]:
    """Notes (H312) on test parts below `least` rows, parts without a class, and leave-one-out of equal classes.

    >>> from heldout.splits import splits
    >>> truth = [0, 1] * 20
    >>> split_checks(splits(10, truth, task="binary"), truth, task="binary")[0].text
    'the smallest of 10 test parts has 4 rows, fewer than 30: values per part are rough, pool their predictions'
    """
    truth = np.asarray(y)
    sizes = np.array([len(one.test) for one in parts])
    classes = task in ("binary", "multiclass")
    texts = []
    if len(parts) > 1 and sizes.max() == 1:
        texts += _one_left_out(truth) if classes else []
    elif sizes.min() < least:
        many = f"the smallest of {len(parts):,} test parts has" if len(parts) > 1 else "the test part has"
        advice = "values per part are rough, pool their predictions" if len(parts) > 1 else "its value is rough"
        texts.append(f"{many} {sizes.min()} row{'' if sizes.min() == 1 else 's'}, fewer than {least}: {advice}")
    if classes and sizes.max() > 1:
        texts += _missing(parts, truth)
    return tuple(Check(code="H312", text=text) for text in texts)


def _one_left_out(truth: Any) -> list[str]:
    counts = np.sort(np.unique(truth, return_counts=True)[1])[::-1]
    if len(counts) < 2 or counts[0] - counts[1] > 1:
        return []
    classes = f"leave-one-out with classes of {counts[0]} and {counts[1]} rows"
    return [
        f"{classes}: a learner that says the commonest class errs on every row left out; take stratified folds (cv=10)"
    ]


def _missing(parts: Sequence[Split], truth: Any) -> list[str]:
    """Which class is missing from how many parts."""
    values, codes = np.unique(truth, return_inverse=True)
    texts = []
    for side, why in (("train", "it cannot be learned there"), ("test", "its recall is undefined there")):
        present = np.stack([np.bincount(codes[getattr(one, side)], minlength=len(values)) > 0 for one in parts])
        absent = (~present).sum(axis=0)
        name = "training" if side == "train" else "test"
        texts += [
            f"class {quoted(values[at].item())} is missing from {absent[at]:,} of {len(parts):,} {name} parts: {why}"
            for at in np.flatnonzero(absent)
        ]
    return texts


MOST = 100_000
"""Splits that are listed; every one is a fit."""


def splits(
    cv: Any,
    y: Any,
    *,
    task: str,
    X: Any = None,
    groups: Any = None,
    strata: Sequence[Any] = (),
    stratified: bool = True,
    random_state: int = 0,
    remedy: str = "choose another cv",
) -> list[Split]:
    """All splits of the rows: which are learned from, which are tested, in which repeat and fold.

    The same seed gives the same splits. `strata` are columns to stratify on, beside the class where the task has one;
    without `stratified` the shares of classes are left to chance. `remedy` is what a caller can do where rows cannot be
    split.

    >>> [len(one.test) for one in splits("3", [0, 1] * 6, task="binary")]
    [4, 4, 4]
    """
    truth = np.asarray(y)
    rows = len(truth)
    layers = [*([truth] if task in ("binary", "multiclass") else []), *strata]
    for name, column in (("groups", groups), *(("a column of strata", one) for one in strata)):
        if column is not None and len(column) != rows:
            raise DataError(
                f"{name} has {len(column):,} values, and there are {rows:,} rows",
                code="H112",
                fix="give one value per row",
            )
    codes = strata_codes(layers) if strata else None
    made = splitter(cv, task=task, groups=groups, strata=codes, stratified=stratified, random_state=random_state)
    where = "" if not isinstance(cv, (str, int)) else f" (cv={str(cv)!r})"
    _enough(made, truth if codes is None else codes, rows, groups, where, named=codes is None)
    shown = np.zeros((rows, 1)) if X is None else X
    try:
        count = made.get_n_splits(shown, truth, groups) if hasattr(made, "get_n_splits") else 0
        if count > MOST:
            raise UsageError(
                f"{count:,} splits were asked for{where}, each a fit, and at most {MOST:,} are made",
                fix="take cv='10x10'",
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they warn of is told by `split_checks`
            parts = list(made.split(shown, truth, groups))
    except HeldoutError:
        raise
    except (ValueError, TypeError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0].rstrip(".")
        raise DataError(f"the {rows:,} rows cannot be split{where}: {reason}", code="H311", fix=remedy) from error
    if not parts:
        raise DataError(f"the {rows:,} rows give no split{where}", code="H311", fix=remedy)
    return _numbered([_checked(part, at, rows) for at, part in enumerate(parts, 1)], rows, drawn=_drawn(made))


def _enough(made: Any, kinds: Array, rows: int, groups: Any, where: str, *, named: bool) -> None:
    """Whether rows, classes and groups are as many as the folds that are to be made of them."""
    inner = made.of if isinstance(made, ByStrata) else made
    folds, stratified, shuffled = _shape(inner)
    things = rows
    if groups is not None and (isinstance(inner, RepeatedGroups) or "Group" in type(inner).__name__):
        things = len(np.unique(np.asarray(groups)))
        if things < max(folds, 2):
            raise DataError(
                f"{things:,} groups are fewer than {max(folds, 2)} folds{where}",
                code="H311",
                fix="take fewer folds, or other groups",
            )
    elif things < folds:
        raise DataError(f"{rows:,} rows are fewer than {folds} folds{where}", code="H311", fix="take fewer folds")
    if not stratified or groups is not None:
        return
    values, counts = np.unique(kinds, return_counts=True)
    least, need = int(counts.min()), 2 if shuffled else folds
    if least >= need:
        return
    noun = f"class {quoted(values[counts.argmin() :][:1].tolist()[0])}" if named else "a combination of the strata"
    held = f"{noun} has {least} row{'' if least == 1 else 's'}"
    fix = f"take at most {least} folds, or merge classes" if least >= 2 else "merge it with another or leave it out"
    need_words = "and both parts need one" if shuffled else f"fewer than {folds} folds"
    raise DataError(f"{held}, {need_words}{where}", code="H311", fix=fix)


def _shape(made: Any) -> tuple[int, bool, bool]:
    """Folds of a repeat (0 where there are none), whether classes are stratified, whether parts are drawn at random."""
    name = type(made).__name__
    if isinstance(made, RepeatedGroups):
        return made.folds, made.stratified, False
    if not type(made).__module__.startswith("sklearn"):
        return 0, False, False
    shuffled = "Shuffle" in name
    folds = getattr(made, "cvargs", {}).get("n_splits", getattr(made, "n_splits", 0))
    return (
        (0 if shuffled else folds),
        name in ("StratifiedKFold", "RepeatedStratifiedKFold", "StratifiedShuffleSplit"),
        shuffled,
    )


def _drawn(made: Any) -> bool:
    inner = made.of if isinstance(made, ByStrata) else made
    return isinstance(inner, (Bootstrap, Halves)) or _shape(inner)[2]


def _checked(part: Any, at: int, rows: int) -> tuple[Array, Array]:
    """Both parts as positions; refused where they are empty, out of range, share rows or test a row twice."""
    try:
        train, test = (_positions(side, at, rows) for side in part)
    except (TypeError, ValueError) as error:
        if isinstance(error, HeldoutError):
            raise
        raise DataError(
            f"split {at} is not a pair (train, test)", code="H311", fix="give (train, test) for every split"
        ) from error
    for name, side in (("training", train), ("test", test)):
        if not len(side):
            raise DataError(
                f"split {at} has no {name} rows", code="H311", fix="leave the split out, or choose another cv"
            )
    tested = np.bincount(test, minlength=rows)
    if tested.max() > 1:
        raise DataError(
            f"split {at} tests {rows_named(np.flatnonzero(tested > 1) + 1)} twice",
            code="H311",
            fix="test every row once",
        )
    shared = np.flatnonzero((tested > 0) & (np.bincount(train, minlength=rows) > 0))
    if len(shared):
        raise DataError(
            f"split {at} has {len(shared):,} of {len(test):,} test rows also in its training part: "
            f"{rows_named(shared + 1)}",
            code="H201", fix="train on other rows than are tested",
        )  # fmt: skip
    return train, test


def _positions(side: Any, at: int, rows: int) -> Array:
    found = np.asarray(side)
    if found.dtype == bool and found.shape == (rows,):
        return np.flatnonzero(found)
    if found.ndim != 1 or (len(found) and found.dtype.kind not in "iu"):
        raise DataError(
            f"split {at} holds {found.dtype} values of shape {found.shape}, not positions of rows",
            code="H311",
            fix="give whole numbers from 0 on",
        )
    if len(found) and not 0 <= found.min() <= found.max() < rows:
        wrong = int(found.min() if found.min() < 0 else found.max())
        raise DataError(
            f"split {at} names row {wrong}, and positions go from 0 to {rows - 1}",
            code="H311",
            fix="give positions in the rows, counted from 0",
        )
    return found.astype(np.int32 if rows < 2**31 else np.int64)


def _numbered(parts: list[tuple[Array, Array]], rows: int, *, drawn: bool) -> list[Split]:
    """Repeats and folds: a new repeat begins where every row was tested; splits that overlap otherwise stand alone."""
    labels, seen, repeat, fold = [], np.zeros(rows, bool), 0, 0
    for _, test in parts:
        if drawn or seen[test].any():
            break
        labels.append((repeat, fold))
        seen[test] = True
        fold += 1
        if seen.all():
            seen[:], repeat, fold = False, repeat + 1, 0
    if len(labels) < len(parts):
        labels = [(at, 0) for at in range(len(parts))]
    return [
        Split(train=train, test=test, repeat=repeat, fold=fold)
        for (train, test), (repeat, fold) in zip(parts, labels, strict=True)
    ]
