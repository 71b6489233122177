"""A word such as "10x10" or "holdout:0.25" → a splitter; scikit-learn's own where it has one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.optional_packages import needed, require
from heldout.splits.splitters import Bootstrap, ByStrata, Given, Halves, LeavePairOut, RepeatedGroups

NAMES = ("loo", "lpo", "holdout", "boot", ".632", ".632+", "group", "time", "shuffle", "halves")
WORDS = "10, 10x10, 5x2, loo, lpo, holdout, holdout:0.25, boot:200, .632+, group:5, time:5, shuffle:30x0.33 or halves"
UNSTRATIFIED = ("loo", "lpo", "boot", ".632", ".632+", "time")
"""Words whose splits follow from the rows, or draw them one by one."""
DRAWS = 200
FOLDS = 5
HOLDOUT = 1 / 3
SHUFFLES = 30
NEED = "splits of rows need"


def splitter(
    cv: Any, *, task: str, groups: Any = None, strata: Any = None, stratified: bool = True, random_state: int = 0
) -> Any:
    """The splitter that a word, a number of folds, a splitter or an iterable of (train, test) means.

    Words: a number of folds, repeats x folds, loo, lpo, holdout, boot, .632, .632+, group, time, shuffle, halves; after
    a colon a number or a share. Classes are stratified unless `stratified` is False, groups are kept together. `strata`
    are columns to stratify on beside the class. A splitter without a seed of its own gets this one.

    >>> splitter("5x2", task="binary").get_n_splits()
    10
    """
    if (
        isinstance(random_state, bool)
        or not isinstance(random_state, (int, np.integer))
        or not 0 <= random_state < 2**32
    ):
        raise UsageError(f"the seed is {random_state!r}, but must be a whole number from 0 to 4294967295", fix="take 0")
    if isinstance(cv, (str, int, np.integer)) and not isinstance(cv, bool):
        require("sklearn", NEED)
        if strata is not None:
            _stratifies(str(cv).strip().lower(), grouped=groups is not None)
        by_class = (stratified and task in ("binary", "multiclass")) or strata is not None
        made = _from_word(str(cv).strip().lower(), task, groups is not None, by_class, int(random_state))
        return made if strata is None else ByStrata(made, np.asarray(strata))
    if strata is not None:
        raise UsageError(
            "strata go with a word such as cv=10, not with a splitter", fix="leave out strata, or give a word"
        )
    if hasattr(cv, "split"):
        return _seeded(cv, int(random_state))
    if isinstance(cv, Iterable):
        return Given(tuple(cv))
    raise UsageError(
        f"cv is of type {type(cv).__name__}, which is not a way to split rows",
        fix=f"give a word ({WORDS}), a splitter of scikit-learn, or a list of (train, test)",
    )


def _stratifies(word: str, *, grouped: bool) -> None:
    """Refuse strata beside a word whose splits would be the same without them."""
    name = word.partition(":")[0]
    whole_groups = grouped and name in ("holdout", "shuffle", "halves")
    if name in UNSTRATIFIED or whole_groups:
        why = "splits of whole groups drawn at random" if whole_groups else "its splits"
        raise UsageError(
            f"--stratify COLUMN (strata=) has no effect with --cv {word} (cv={word!r}): {why} do not stratify",
            fix="leave it out, or take folds, which do: "
            + ("--cv group:5 (cv='group:5')" if grouped else "--cv 10 (cv=10)"),
        )


def _seeded(cv: Any, seed: int) -> Any:
    if getattr(cv, "random_state", 0) is not None or getattr(cv, "shuffle", True) is False:
        return cv
    made = copy(cv)
    made.random_state = seed
    return made


def _from_word(word: str, task: str, grouped: bool, stratified: bool, seed: int) -> Any:
    folds = re.fullmatch(r"(?:(\d+)x)?(\d+)", word)
    if folds:
        return _folds(word, int(folds[2]), int(folds[1] or 1), grouped, stratified, seed)
    name, _, more = word.partition(":")
    if name not in NAMES:
        raise UsageError(f"cv={word!r} is not a way to split rows{did_you_mean(name, NAMES)}", fix=f"choose {WORDS}")
    if name in ("holdout", "shuffle"):
        return _shuffled(word, name, more, grouped, stratified, seed)
    if name == "group":
        if not grouped:
            raise UsageError(
                f"cv={word!r} keeps groups together, and there are none", fix="pass groups=… (--group COLUMN)"
            )
        found = re.fullmatch(r"(?:(\d+)x)?(\d+)", more or str(FOLDS))
        if not found:
            raise _unread(word, "a number of folds, as in group:5 or group:10x5")
        return _folds(word, int(found[2]), int(found[1] or 1), grouped, stratified, seed)
    return _counted(word, name, more, task, grouped, stratified, seed)


def _counted(word: str, name: str, more: str, task: str, grouped: bool, stratified: bool, seed: int) -> Any:  # noqa: PLR0917
    """Words that take a whole number, or nothing."""
    splitters = needed("sklearn.model_selection", NEED)
    if more and (not more.isdecimal() or int(more) < 1 or name == "loo"):
        raise _unread(word, "nothing" if name == "loo" else f"a whole number, as in {name}:5")
    if name == "loo":
        return splitters.LeaveOneGroupOut() if grouped else splitters.LeaveOneOut()
    if name in ("boot", ".632", ".632+"):
        return Bootstrap(int(more or DRAWS), seed)
    if name == "halves":
        return Halves(int(more or 10), stratified, seed)
    if name == "time":
        if grouped:
            raise UsageError(
                "cv='time' keeps rows in order and cannot keep groups together",
                fix="leave out groups, or take cv='group'",
            )
        return splitters.TimeSeriesSplit(_two_or_more(word, int(more or FOLDS)))
    if more:
        if grouped:
            raise UsageError(
                f"cv={word!r} cannot keep groups together",
                fix="take cv='loo', which leaves out one group after the other",
            )
        return splitters.LeavePOut(int(more))
    if task != "binary":
        raise UsageError(
            f"cv='lpo' leaves out a row of each of two classes, and the task is {task}",
            fix="take cv='lpo:2' or cv='loo'",
        )
    return LeavePairOut()


def _folds(word: str, folds: int, repeats: int, grouped: bool, stratified: bool, seed: int) -> Any:  # noqa: PLR0917
    splitters = needed("sklearn.model_selection", NEED)
    _two_or_more(word, folds)
    if repeats < 1:
        raise UsageError(
            f"cv={word!r} asks for {repeats} repeats, and at least 1 is needed", fix=f"write cv={folds} (--cv {folds})"
        )
    if grouped:
        return RepeatedGroups(folds, repeats, stratified, seed)
    if repeats == 1:
        return (splitters.StratifiedKFold if stratified else splitters.KFold)(folds, shuffle=True, random_state=seed)
    kind = splitters.RepeatedStratifiedKFold if stratified else splitters.RepeatedKFold
    return kind(n_splits=folds, n_repeats=repeats, random_state=seed)


def _two_or_more(word: str, folds: int) -> int:
    if folds < 2:
        raise UsageError(
            f"cv={word!r} asks for {folds} fold{'' if folds == 1 else 's'}, and at least 2 are needed",
            fix=f"choose {WORDS}",
        )
    return folds


def _shuffled(word: str, name: str, more: str, grouped: bool, stratified: bool, seed: int) -> Any:  # noqa: PLR0917
    splitters = needed("sklearn.model_selection", NEED)
    pattern = r"()(0?\.\d+)" if name == "holdout" else r"(?:(\d+)x)?(0?\.\d+)"
    found = re.fullmatch(pattern, more) if more else None
    if more and (found is None or float(found[2]) == 0):
        raise _unread(
            word, "a share of test rows, as in " + ("holdout:0.25" if name == "holdout" else "shuffle:30x0.33")
        )
    share = float(found[2]) if found else HOLDOUT
    times = 1 if name == "holdout" else int((found and found[1]) or SHUFFLES)
    classes = splitters.StratifiedShuffleSplit if stratified else splitters.ShuffleSplit
    return (splitters.GroupShuffleSplit if grouped else classes)(times, test_size=share, random_state=seed)


def _unread(word: str, wanted: str) -> UsageError:
    return UsageError(f"cv={word!r} is not understood: {word.partition(':')[0]} takes {wanted}", fix=f"choose {WORDS}")


def strata_codes(columns: Iterable[Any]) -> Array:
    """Which rows agree in all columns, as whole numbers: what to stratify on where several columns count.

    >>> strata_codes([["a", "a", "b"], [1, 2, 1]]).tolist()
    [0, 1, 2]
    """
    joint: Array | None = None
    for column in columns:
        codes = np.unique(np.asarray(column), return_inverse=True)[1]
        joint = codes if joint is None else np.unique(joint * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    assert joint is not None
    return joint
