"""`read_fold_scores`: one score per split for two learners, from text, CSV, JSON, frames or lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.column_names import plain_name
from heldout.inputs.columns.column_values import Column, blank, positions
from heldout.inputs.columns.number_parsing import numbers
from heldout.inputs.formats.compression import ending
from heldout.inputs.formats.delimited_text import decoded, read_text
from heldout.inputs.formats.files import Source, Table, read_bytes
from heldout.inputs.formats.frames import table
from heldout.inputs.formats.json_text import json_value
from heldout.inputs.message_text import listed, names_listed, quoted, rows_named, rows_where


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerScores:
    """One learner's scores, with the names of its splits."""

    learner: str
    place: str
    scores: Array
    keys: Array | None
    """Repeat and fold of each score, as texts; None where splits have no numbers."""
    sizes: Mapping[str, Array]
    metric: str


def opening(place: str) -> str:
    """The start of a message about a place, if the place has a name."""
    return f"{place}: " if place else ""


def matched(one: LearnerScores, two: LearnerScores) -> tuple[tuple[LearnerScores, LearnerScores], str]:
    """Both learners with their scores in the same order, repeat by repeat, and how they were matched."""
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


def numbered(scored: LearnerScores) -> tuple[int, int]:
    """Number of repeats, and of folds in each; (0, 0) if splits have no names, or repeats differ in length."""
    if scored.keys is None:
        return 0, 0
    _, sizes = np.unique(_repeats(scored.keys), return_counts=True)
    return (len(sizes), int(sizes[0])) if len(set(sizes.tolist())) == 1 else (0, 0)


def _repeats(keys: Array) -> Array:
    """The repeat in the name of each split; empty if only folds are named."""
    return np.array([key.rpartition(", ")[0] for key in keys.tolist()])


def _taken(scored: LearnerScores, order: Array) -> LearnerScores:
    assert scored.keys is not None
    sizes = {name: size[order] for name, size in scored.sizes.items()}
    return replace(scored, scores=scored.scores[order], keys=scored.keys[order], sizes=sizes)


def _scores(scored: LearnerScores) -> str:
    return f"{len(scored.scores)} score{'' if len(scored.scores) == 1 else 's'}"


def _complete(scored: LearnerScores, other: LearnerScores) -> None:
    """Raise if a learner has two scores of one split, or none of a split that the other has."""
    assert scored.keys is not None
    assert other.keys is not None
    names, counts = np.unique(scored.keys, return_counts=True)
    if counts.max(initial=0) > 1:
        raise DataError(
            f"{opening(scored.place)}{scored.learner} has {counts.max()} scores of {names[counts.argmax()]}",
            code="H101",
            fix="number repeats and folds so that every split has a name of its own",
        )
    lacking = [key for key in other.keys.tolist() if key not in set(names.tolist())]
    if lacking:
        more = f" ({len(lacking)} such splits)" if len(lacking) > 1 else ""
        raise DataError(
            f"{opening(scored.place)}{scored.learner} has no score of {lacking[0]}{more}, which {other.learner} has",
            code="H101",
            fix="score both learners on the same splits, or leave the split out for both and say so",
        )


FOLD = ("fold", "folds", "split", "cv", "iteration")
REPEAT = ("repeat", "repetition", "rep", "run", "seed")
LEARNER = ("learner", "model", "estimator", "algorithm", "classifier", "regressor", "method", "name")
SIZES = {
    "n_train": ("n_train", "ntrain", "train_size", "train_rows", "training_rows", "n_training"),
    "n_test": ("n_test", "ntest", "test_size", "test_rows"),
}
"""Names of the columns of a table of fold scores, in lower case."""
BESIDE = ("fit_time", "score_time", "estimator", "indices", "", "unnamed: 0", "index")
"""Columns beside the scores that are not scores."""
SHAPE = "give one score per line, or a column per learner, or columns learner, fold and score"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldScores:
    """Scores of two learners on the same splits, in the same order."""

    learners: tuple[str, str]
    scores: Array
    """A line per split, a column per learner."""
    repeats: int
    """Number of repeats; 0 if they have no numbers."""
    folds: int
    """Folds of each repeat; 0 if they have no numbers, or repeats differ."""
    n_train: float | None
    n_test: float | None
    metric: str
    """Name of the column of scores; empty if it has none."""
    by: str
    """How splits were matched: by `name` or by `position`."""
    sources: tuple[Source, ...] = ()


def read_fold_scores(
    first: Any, second: Any = None, *, learners: Sequence[str] | None = None, metric: str | None = None
) -> FoldScores:
    """The scores of two learners: one source each, or one table of both.

    Splits are matched by the columns repeat and fold where both have them, else by position.

    >>> result = read_fold_scores([0.91, 0.88, 0.90], [0.89, 0.88, 0.87])
    >>> result.learners, result.by, result.scores.shape
    (('a', 'b'), 'position', (3, 2))
    """
    tables = [_table(first), *([] if second is None else [_table(second)])]
    if second is None:
        learners_scores = _two_learners(tables[0], metric)
    else:
        names = learners or ("a", "b")
        learners_scores = [_alone(rows, name, metric) for rows, name in zip(tables, names, strict=True)]
    if learners is not None and second is None:
        learners_scores = [_named(learners_scores, name, tables[0].place) for name in learners]
    pair, by = matched(learners_scores[0], learners_scores[1])
    repeats, folds = numbered(pair[0])
    sizes = {
        name: next((float(scored.sizes[name].mean()) for scored in pair if name in scored.sizes), None)
        for name in SIZES
    }
    return FoldScores(
        learners=(pair[0].learner, pair[1].learner),
        scores=np.column_stack([scored.scores for scored in pair]), repeats=repeats, folds=folds, by=by,
        metric=pair[0].metric, sources=tuple(source for rows in tables for source in rows.sources), **sizes,
    )  # fmt: skip


def _table(source: Any) -> Table:
    """The named columns; a list of numbers is one column without a name, and so is a file without a header."""
    if isinstance(source, (str, Path)) and ending(source) == ".json":
        return _json(source)
    if isinstance(source, (list, tuple)) or (isinstance(source, np.ndarray) and not source.dtype.names):
        try:
            array = np.asarray(source)
        except ValueError:
            fix = "give one score per split"
            raise UsageError("the rows of the list of scores differ in length", code="H112", fix=fix) from None
        if array.ndim != 1:
            raise UsageError(
                f"the scores have {array.ndim} dimensions, not one", code="H112", fix="give one score per split"
            )
        return Table(place="", names=("",), raw=(array,))
    rows = table(source)
    if rows.names and all(_is_number(name) for name in rows.names):  # no header: its names are scores
        raw = [[name, *_texts(rows.column(at))] for at, name in enumerate(rows.names)]
        names = ("",) if len(raw) == 1 else tuple(f"column {at + 1}" for at in range(len(raw)))
        return replace(rows, names=names, raw=tuple(raw))
    return rows


def _json(path: str | Path) -> Table:
    """A list of numbers, an object of such lists, or a list of objects."""
    source, place, data = read_bytes(path)
    try:
        content = json_value(decoded(read_text(data, place), "utf-8", place), place)
    except DataError as problem:
        if problem.code != "H100":
            raise
        return table(path)  # one object per line, or something that its reader names
    if isinstance(content, list) and content and all(isinstance(one, dict) for one in content):
        names = tuple(dict.fromkeys(name for one in content for name in one))
        return Table(
            place=place, names=names, raw=tuple([one.get(name) for one in content] for name in names), sources=(source,)
        )
    columns = content if isinstance(content, dict) else {"": content}
    wrong = [
        name for name, one in columns.items() if not isinstance(one, list) or any(isinstance(x, list) for x in one)
    ]
    if wrong or not columns:
        raise DataError(
            f"{place} holds no list of scores{f' in {wrong[0]!r}' if wrong and wrong[0] else ''}",
            code="H100",
            fix='write [0.91, 0.88, …] or {"a": [0.91, …], "b": [0.89, …]}',
        )
    return Table(place=place, names=tuple(columns), raw=tuple(columns.values()), sources=(source,))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _texts(one: Column) -> list[str]:
    values, codes = positions(one)
    return [str(values[code]) for code in codes.tolist()]


def _place_of(rows: Table, names: Sequence[str]) -> int | None:
    return next((at for at, name in enumerate(rows.names) if plain_name(name) in names), None)


def _scores_at(rows: Table, metric: str | None) -> list[int]:
    """Positions of the columns of scores; scores without a head have no name, so that a metric names them."""
    if metric is not None and any(name.strip() for name in rows.names):
        known = [at for at, name in enumerate(rows.names) if name.strip() in (metric, f"test_{metric}")]
        if not known:
            raise DataError(
                f"{rows.place} has no column {metric!r}{did_you_mean(metric, rows.names)}",
                code="H106",
                fix=f"the columns are {names_listed(rows.names)}",
            )
        return known
    roles = {_place_of(rows, names) for names in (FOLD, REPEAT, LEARNER, *SIZES.values())}
    return [
        at
        for at, name in enumerate(rows.names)
        if at not in roles
        and (plain_name(name) not in BESIDE or len(rows.names) == 1)
        and not plain_name(name).startswith("train_")
    ]


def _two_learners(rows: Table, metric: str | None) -> list[LearnerScores]:
    """Two learners in one table: by a column that names them, or a column each."""
    at = _place_of(rows, LEARNER)
    scores = _scores_at(rows, metric)
    if at is None:
        if len(scores) != 2:
            raise DataError(
                f"{rows.place} has {_counted(len(scores), 'column')} of scores, and a comparison takes two learners",
                code="H106",
                fix=f"{SHAPE}; or give a file for each learner",
            )
        return [_learner_scores(rows, place, rows.names[place].strip(), "") for place in scores]
    if len(scores) != 1:
        raise DataError(
            f"{rows.place} has {_columns(rows, scores)}",
            code="H106",
            fix="name the one that counts with --metric (metric=)",
        )
    names = _texts(rows.column(at))
    known = list(dict.fromkeys(names))
    if len(known) != 2:
        raise DataError(
            f"{rows.place} has {_counted(len(known), 'learner')} ({listed(known)}), and two are compared",
            code="H106",
            fix="leave out the others; for many learners use heldout validate",
        )
    where = np.array(names)
    return [_learner_scores(rows, scores[0], one, rows.names[scores[0]].strip(), where == one) for one in known]


def _alone(rows: Table, learner: str, metric: str | None) -> LearnerScores:
    """One learner's table."""
    scores = _scores_at(rows, metric)
    if len(scores) != 1:
        raise DataError(
            f"{rows.place} has {_columns(rows, scores)}",
            code="H106",
            fix="name the one that counts with --metric (metric=), or give one score per line",
        )
    return _learner_scores(rows, scores[0], learner, rows.names[scores[0]].strip() or metric or "")


def _columns(rows: Table, scores: Sequence[int]) -> str:
    names = names_listed([rows.names[at] for at in scores])
    return f"{_counted(len(scores), 'column')} of scores{f' ({names})' if scores else ''}"


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def _learner_scores(rows: Table, at: int, learner: str, metric: str, keep: Array | None = None) -> LearnerScores:
    """The scores of one learner, all of them numbers."""
    kept = np.ones(len(rows.column(at)), bool) if keep is None else keep
    scores = _numbers(rows, at)
    bad = rows_where(kept & ~np.isfinite(scores))
    if len(bad):
        what = f"the score of {quoted(learner)}"
        raise DataError(
            f"{opening(rows.place)}{what} is missing or infinite in {rows_named(bad)}",
            code="H305",
            fix="score the learner on that split too, or leave the split out for both and say so",
        )
    keys = _keys(rows, at)
    sizes = {name: _size(rows, name, kept) for name, names in SIZES.items() if _place_of(rows, names) is not None}
    return LearnerScores(
        learner=learner,
        place=rows.place,
        scores=scores[kept],
        keys=None if keys is None else keys[kept],
        sizes=sizes,
        metric=metric,
    )


def _keys(rows: Table, at: int) -> Array | None:
    """The repeat and the fold of every line as text; None if there is no such column."""
    places = [place for place in (_place_of(rows, REPEAT), _place_of(rows, FOLD)) if place is not None and place != at]
    for place in places:
        one = rows.column(place)
        gaps = rows_where(blank(one))
        if len(gaps):
            raise DataError(
                f"{opening(rows.place)}{one.name!r} is missing in {rows_named(gaps)}",
                code="H305",
                fix="number every split",
            )
    if not places:
        return None
    texts = [[f"{plain_name(rows.names[place])} {text}" for text in _texts(rows.column(place))] for place in places]
    return np.array(["".join(f"{key}, " for key in keys[:-1]) + keys[-1] for keys in zip(*texts, strict=True)])


def _numbers(rows: Table, at: int) -> Array:
    one = rows.column(at, rows.names[at].strip() or "score")
    try:
        return numbers(one)
    except DataError as error:
        raise DataError(f"{opening(rows.place)}{error.message}", code=error.code, fix=error.fix) from error


def _size(rows: Table, name: str, kept: Array) -> Array:
    """Number of training rows, or of test rows, of each split."""
    at = _place_of(rows, SIZES[name])
    assert at is not None
    counts = _numbers(rows, at)
    bad = rows_where(kept & ~(np.isfinite(counts) & (counts > 0)))
    if len(bad):
        value = counts[bad[0] - 1]
        raise DataError(
            f"{opening(rows.place)}{name} is {value:g} in {rows_named(bad)}, but every split has rows on both sides",
            code="H112",
            fix=f"give the number of rows, or leave the column out and pass --{name.replace('_', '-')}",
        )
    return counts[kept]


def _named(learners_scores: Sequence[LearnerScores], name: str, place: str) -> LearnerScores:
    for scored in learners_scores:
        if scored.learner == name:
            return scored
    known = [scored.learner for scored in learners_scores]
    raise DataError(
        f"{place} has no learner {name!r}{did_you_mean(name, known)}", code="H106", fix=f"it has {' and '.join(known)}"
    )
