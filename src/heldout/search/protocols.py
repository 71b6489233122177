"""Which rows choose and which judge: a single test part, nested cross-validation, or one cross-validation of all.

single   D = training + validation + test: chosen on validation rows, retrained without the test rows, judged on
         them; the model to use is fitted to all of D
nested   in every outer split the same: the choice is made anew on its training part, and judged on its test part;
         one more search on all of D gives the model to use
bbc      one cross-validation of all configurations on all of D; draws of its rows choose and judge
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.learners import Dataset, Design, designed
from heldout.learners.designs import check_share
from heldout.splits import Split, nested

Method = Literal["nested", "bbc", "single"]
PROTOCOLS = ("nested", "bbc", "single")
JUDGING = ("holdout", "folds", "loo", "repeated", "random", "time")
"""Kinds of outer splits whose test parts can judge a search."""
FOLDS = 5


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The validation parts of every search, and the outer splits whose test parts judge what was chosen."""

    method: Method
    outer: Design | None
    """None for bbc."""
    inner: str
    searches: tuple[tuple[Split, ...], ...]
    """The validation parts within each outer split, then (not for single) those of the search on all rows."""
    design: Design
    """The splits on which leaks are looked for: those that judge, or for bbc the only ones."""

    @property
    def judges(self) -> tuple[Split, ...]:
        """The outer splits, none for bbc."""
        return () if self.outer is None else self.outer.splits


def known_protocol(name: str) -> None:
    """Raise if no protocol has that name."""
    if name not in PROTOCOLS:
        hint = did_you_mean(str(name), PROTOCOLS)
        raise UsageError(f"no protocol is named {name!r}{hint}", fix=f"choose {', '.join(PROTOCOLS)}")


@contextmanager
def _named_inner_cv() -> Iterator[None]:
    """Refusals of splits that name inner_cv, not cv."""
    try:
        yield
    except UsageError as error:
        message, fix = (re.sub(r"\bcv(?==| is )", "inner_cv", text) for text in (error.message, error.fix))
        raise UsageError(message, code=error.code, fix=fix) from None


def parts_of(
    name: str,
    data: Dataset,
    *,
    outer: Any = None,
    inner: Any = None,
    test_size: float = 1 / 3,
    validation_size: float = 1 / 3,
    random_state: int = 0,
    ordered: bool = False,
) -> Protocol:
    """The parts of a protocol by name; `inner` is a word for validation parts, 5 folds or, for single, one part.

    Where rows are `ordered` in time, later ones judge, and choose, what was learned from earlier ones.

    >>> import numpy as np
    >>> from heldout.learners import dataset
    >>> rows = dataset(np.zeros((90, 1)), [0, 1] * 45)
    >>> found = parts_of("single", rows)
    >>> [len(part) for part in (found.searches[0][0].train, found.searches[0][0].test, found.outer.splits[0].test)]
    [40, 20, 30]
    """
    known_protocol(name)
    for option, share in (("test_size", test_size), ("validation_size", validation_size)):
        if not 0 < share < 1:
            raise UsageError(f"{option} is {share:g}, but must lie between 0 and 1", fix="a third is 0.33")
        check_share(share, option)
    if name == "single":
        return _single(data, inner, test_size, validation_size, random_state, ordered=ordered)
    unless = f"time:{FOLDS}" if ordered and name == "nested" else FOLDS
    outer, word = (unless if given is None else given for given in (outer, inner))
    with _named_inner_cv():
        whole = designed(word, data, random_state=random_state, several=False)
    if name == "bbc":
        if ordered:
            fix = "choose protocol='nested' or 'single', or leave out time"
            raise UsageError("bbc resamples rows in any order, and these are ordered in time", fix=fix)
        if whole.kind not in ("folds", "loo"):
            fix = "take inner_cv=5 or inner_cv=10, or protocol='nested'"
            raise UsageError(
                f"bbc needs every row tested once, and inner_cv={whole.word!r} gives {whole.kind}", fix=fix
            )
        return Protocol(method="bbc", outer=None, inner=whole.word, searches=(whole.splits,), design=whole)
    design = designed(outer, data, random_state=random_state, several=False)
    if design.kind not in JUDGING:
        fix = "take cv=5, cv='5x5' or cv='shuffle:25x0.1'"
        raise UsageError(f"cv={design.word!r} gives {design.kind}, whose parts cannot evaluate a search", fix=fix)
    inside = _inside(design, data, word, random_state)
    return Protocol(
        method="nested", outer=design, inner=whole.word, searches=(*inside, whole.splits), design=design
    )  # fmt: skip


def _single(data: Dataset, inner: Any, test: float, validation: float, seed: int, *, ordered: bool) -> Protocol:
    """A test part, and within the rest a validation part, or several where `inner` says so."""
    judge = [_last(data.rows, test)] if ordered else f"holdout:{test:.6f}"
    design = designed(judge, data, random_state=seed, several=False)
    rest = len(design.splits[0].train)
    last = [_last(rest, validation)] if ordered else f"holdout:{validation:.6f}"
    word = last if inner is None else inner
    with _named_inner_cv():
        inside = _inside(design, data, word, seed)
    return Protocol(
        method="single",
        outer=replace(design, word=f"holdout:{test:.2g}"),
        inner=f"holdout:{validation:.2g}" if inner is None else str(word),
        searches=inside,
        design=design,
    )


def _last(rows: int, share: float) -> tuple[Array, Array]:
    """The earlier rows, and the last ones that are this share of all."""
    cut = rows - max(1, round(rows * share))
    return np.arange(cut), np.arange(cut, rows)


def _inside(design: Design, data: Dataset, word: Any, seed: int) -> tuple[tuple[Split, ...], ...]:
    """The validation parts within the training part of every outer split."""
    truth = data.batch.truth if data.batch.labels else data.y
    # other numbers than those of the outer splits and of the search on all rows
    made = nested(design.splits, truth, task=data.task, cv=word, groups=data.groups, random_state=seed + 1)
    return tuple(tuple(inner) for _, inner in made)
