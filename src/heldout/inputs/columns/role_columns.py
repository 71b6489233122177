"""The columns of a table by the role they play: truth, prediction, score, class probabilities, group, weight, id."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, Unpack

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column_names import (
    CLASS_PREFIXES,
    NAMES,
    PREDICTION_PREFIXES,
    class_columns,
    find_column,
    holds_probabilities,
    model_columns,
    named_column,
    named_columns,
    plain_name,
)
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.time_column import dated_columns, time_column
from heldout.inputs.formats.files import Table
from heldout.inputs.message_text import names_listed
from heldout.inputs.reading import ColumnOptions

ARGUMENTS = {
    "score": "y_score", "pred": "y_pred", "group": "groups", "weight": "sample_weight", "positive": "pos_label",
}  # fmt: skip
"""Option on the command line → the argument of that meaning in Python, where their names differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where columns come from, for messages: the name of the source, its row numbers, how its options are written."""

    kind: Literal["arrays", "frame", "file"]
    """Arrays and frames can only be given in Python; a file also on the command line."""
    place: str = ""
    """Name of the source in messages; empty for arrays."""
    rows: Array | None = None
    """Number of each row in the input, counted from 1, where rows were dropped."""
    first: int = 0
    """Number of rows of the input that come before."""

    def row(self, at: int) -> int:
        """Number of a row in the input, counted from 1."""
        return int(at) + 1 + self.first if self.rows is None else int(self.rows[at])

    def option(self, name: str, value: Label | None = None) -> str:
        """Write an option the way the caller can paste it.

        >>> Origin(kind="arrays").option("positive", "no"), Origin(kind="file").option("positive", "no")
        ("pos_label='no'", "--positive no (pos_label='no')")
        """
        argument = ARGUMENTS.get(name, name)
        if self.kind != "file":
            return f"{argument}={'…' if value is None else repr(value)}"
        flag = f"--{name.replace('_', '-')}"
        return f"{flag} ({argument}=)" if value is None else f"{flag} {shlex.quote(str(value))} ({argument}={value!r})"

    def error(self, message: str, *, code: str, fix: str) -> DataError:
        """An error about these columns, with the name of their source in front."""
        return DataError(f"{self.place}: {message}" if self.place else message, code=code, fix=fix)

    @contextmanager
    def naming_errors(self) -> Iterator[None]:
        """Put the name of the source in front of errors that lack it."""
        try:
            yield
        except DataError as error:
            if self.place and not error.message.startswith(self.place):
                raise self.error(error.message, code=error.code, fix=error.fix) from error
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleColumns:
    """Columns by role, before anything is decided about the meaning of their values."""

    origin: Origin
    truth: tuple[Column, ...]
    prediction: tuple[Column, ...] = ()
    score: Column | None = None
    classes: Mapping[str, Column] = field(default_factory=dict)
    """Class → its column of scores."""
    in_order: bool = False
    """Whether those columns have no names: they are in the order of the classes, and the keys are positions."""
    numbered: Literal["", "named", "default"] = ""
    """Whether names of such columns are their positions: given by the caller, or by the library that made the frame."""
    prefix: str = ""
    """Pattern of the names of those columns, such as `p_<label>`."""
    probability: bool = False
    """Whether the name of the score says that it is a probability."""
    targets: tuple[str, ...] = ()
    """Names of several truths."""
    models: tuple[str, ...] = ()
    """Columns that look like predictions of several models; not used."""
    id: Column | None = None
    group: Column | None = None
    weight: Column | None = None
    time: Column | None = None
    series: Column | None = None
    dated: tuple[str, ...] = ()
    """Columns that hold dates and have no role."""
    segments: tuple[Column, ...] = ()
    named: frozenset[str] = frozenset()
    """Roles that the caller named."""

    def complete(self) -> tuple[Column, ...]:
        """Columns that must have a value in every row."""
        beside = (self.score, self.weight, self.group, self.id, self.time, self.series)
        return (*self.truth, *self.prediction, *self.classes.values(), *(c for c in beside if c is not None))

    def take(self, keep: Array) -> RoleColumns:
        """The rows where `keep` is true."""

        def rows(column: Column | None) -> Column | None:
            return None if column is None else column.take(keep)

        return replace(
            self,
            truth=tuple(c.take(keep) for c in self.truth),
            prediction=tuple(c.take(keep) for c in self.prediction),
            score=rows(self.score),
            classes={name: c.take(keep) for name, c in self.classes.items()},
            weight=rows(self.weight),
            group=rows(self.group),
            id=rows(self.id),
            time=rows(self.time),
            series=rows(self.series),
            segments=tuple(c.take(keep) for c in self.segments),
        )

    def used(self, *, prediction: bool, score: Literal["score", "prob"] | None = None) -> dict[str, str]:
        """Role → column name of the truth and of the outputs that are used; `prob` is one score per class."""
        names = {"truth": joined_names(self.truth)}
        if prediction:
            names["pred"] = joined_names(self.prediction)
        if score == "score" and self.score is not None:
            names["score"] = self.score.name
        elif score is not None:
            names["score" if self.prefix == "y_score" else "prob"] = self.prefix
        return names


def joined_names(columns: Sequence[Column]) -> str:
    """Names with commas between; the columns of one array have the name of the array."""
    return ", ".join(dict.fromkeys(column.name.split("[:, ")[0] for column in columns))


NUMBERED = re.compile(r"(?:y|target|truth)([0-9]+)")
LABELLED = re.compile(r"(?:y_true_|y_|true_|truth_|target_)(.+)")
KNOWN = {name for names in NAMES.values() for name in names}


def role_columns(table: Table, **options: Unpack[ColumnOptions]) -> RoleColumns:
    """The columns of a table by role: those that the options name, and others by their usual names.

    >>> columns = role_columns(Table(place="preds.csv", names=("id", "y", "p"), raw=([7, 8], [0, 1], [0.2, 0.9])))
    >>> columns.truth[0].name, columns.score.name
    ('y', 'p')
    """
    names, place = table.names, table.place
    segments = options.get("segments") or ()
    segments = (segments,) if isinstance(segments, str) else segments
    given, prefix_given = options.get("score"), options.get("prob_prefix")
    truth = named_columns(names, options.get("truth"), place, "the truth")
    prediction = named_columns(names, options.get("pred"), place, "the prediction")
    if not truth:
        only = find_column(names, NAMES["truth"], place, taken=prediction)
        truth = several_truths(names, place) if only is None else (only,)
    if not truth and prediction:  # the only column that may be the truth was named as the prediction
        only = find_column(names, NAMES["truth"], place)
        truth = () if only is None else (only,)
    if not truth:
        raise _no_truth(names, place)
    score: int | None = None
    targets: tuple[str, ...] = ()
    if len(truth) > 1:
        _no_single_score(given, [names[at] for at in truth])
        prefixes = CLASS_PREFIXES if prefix_given is None else (prefix_given,)
        prediction, classes, targets = _outputs_of_several(names, place, truth, prediction, prefixes)
        prefix = f"{'p_' if prefix_given is None else prefix_given}<label>" if classes else ""
    else:
        prediction, score = _outputs_of_one(names, place, truth[0], prediction, score=given, prob_prefix=prefix_given)
        prefix, classes = ("", {}) if given is not None else class_columns(names, prefix_given, place)
    origin = Origin(kind=table.kind, place=place, first=table.first)
    _two_columns(names, origin, truth, prediction=prediction, score=score)
    taken = (*truth, *prediction, *classes.values())

    def column(at: int) -> Column:
        try:
            return table.column(at)
        except DataError as error:
            raise DataError(f"{place}: {error.message}", code=error.code, fix=error.fix) from error

    def in_time(role: Literal["time", "series"]) -> Column | None:
        name = options.get(role)
        if name is None:
            return None
        at = named_column(names, name, place, f"the {role}")
        in_memory = table.raw[at] is not None  # rows that are read in chunks are not
        return time_column(names[at], table.raw[at]) if role == "time" and in_memory else column(at)

    def beside(role: Literal["id", "group", "weight"]) -> Column | None:
        name = options.get(role)
        at = (
            find_column(names, NAMES[role], place, taken=taken)
            if name is None
            else named_column(names, name, place, f"the {role}")
        )
        return None if at is None else column(at)

    return RoleColumns(
        origin=origin,
        truth=tuple(column(at) for at in truth),
        prediction=tuple(column(at) for at in prediction),
        score=None if score is None else column(score),
        classes={label: column(at) for label, at in classes.items()},
        prefix=prefix,
        probability=score is None or holds_probabilities(names[score]),
        targets=targets,
        models=model_columns(names) if len(truth) == 1 else (),
        id=beside("id"),
        group=beside("group"),
        weight=beside("weight"),
        time=in_time("time"),
        series=in_time("series"),
        dated=() if options.get("time") is not None else dated_columns(names, table.raw, taken),
        segments=tuple(column(named_column(names, name, place, "a segment")) for name in segments),
        named=frozenset(
            role
            for role in ("pred", "score", "prob_prefix", "truth", "weight", "group")
            if options.get(role) is not None
        ),
    )


def _outputs_of_one(
    names: Sequence[str],
    place: str,
    truth: int,
    prediction: tuple[int, ...],
    *,
    score: str | None,
    prob_prefix: str | None,
) -> tuple[tuple[int, ...], int | None]:
    """Positions of the prediction and of the score that belong to one truth."""
    if score is not None and prob_prefix is not None:
        raise UsageError(
            f"the score is named twice, as {score!r} and by the prefix {prob_prefix!r}",
            code="H106",
            fix="name one of the two",
        )
    scored = None if score is None else named_column(names, score, place, "the score")
    taken = (truth, *prediction) if scored is None else (truth, *prediction, scored)
    if not prediction:
        partners = [prefix + names[truth].strip() for prefix in PREDICTION_PREFIXES[:4]]
        at = find_column(names, [*NAMES["pred"], *partners], place, taken=taken)
        prediction = () if at is None else (at,)
    if score is None and prob_prefix is None:
        scored = find_column(names, NAMES["score"], place, taken=taken)
    return prediction, scored


def _two_columns(
    names: Sequence[str], origin: Origin, truth: Sequence[int], *, prediction: Sequence[int], score: int | None
) -> None:
    """Raise if a column is named both as truth and as output: it would be right in every row."""
    for role, outputs in (("prediction", prediction), ("score", () if score is None else (score,))):
        both = [names[at] for at in outputs if at in truth]
        if both:
            option = origin.option("pred" if role == "prediction" else "score", "NAME")
            raise UsageError(
                f"{origin.place}: {both[0]!r} is named both as the truth and as the {role}",
                code="H106",
                fix=f"name the column of the model's output: {option}",
            )


def _no_truth(names: Sequence[str], place: str) -> DataError:
    like_data = any(name.strip().replace(".", "", 1).replace("-", "", 1).isdigit() for name in names)
    header = "; the first line looks like data: is the header missing?" if like_data else ""
    return DataError(
        f"{place} has no column for the truth: its columns are {names_listed(names)}; "
        f"looked for {', '.join(NAMES['truth'][:5])}{header}",
        code="H106",
        fix="name the column with --truth (truth=), or write a header line",
    )


def target_of(name: str) -> str | None:
    """The number or label in the name of one of several truths; None where it is not such a name.

    >>> target_of("y2"), target_of("y_cat"), target_of("y_pred"), target_of("yhat1")
    ('2', 'cat', None, None)
    """
    bare = name.strip()
    if plain_name(bare) in KNOWN or plain_name(bare).startswith(("y_pred", "y_prob", "y_score", "y_hat")):
        return None
    match = NUMBERED.fullmatch(bare) or LABELLED.fullmatch(bare)
    return match[1] if match else None


def _output_of(names: Sequence[str], truth: int, prefixes: Sequence[str], place: str) -> int | None:
    """Position of the output that belongs to a truth: a prefix, followed by the truth's name, label or number."""
    stems = [names[truth].strip(), target_of(names[truth])]
    wanted = [
        prefix + stem + ("]" if prefix.endswith("[") else "")
        for stem in stems
        if stem is not None
        for prefix in prefixes
    ]
    return find_column(names, wanted, place, taken=(truth,))


def several_truths(names: Sequence[str], place: str) -> tuple[int, ...]:
    """Positions of several truths, each with its own prediction or probability: y1 with yhat1, y_cat with p_cat.

    >>> several_truths(["Weight", "Waist", "pred_Weight", "pred_Waist"], "preds.csv")
    (0, 1)
    """
    numbered = [at for at, name in enumerate(names) if target_of(name) is not None]
    stems = {
        plain_name(name)[len(prefix) :]
        for name in names
        for prefix in PREDICTION_PREFIXES
        if plain_name(name).startswith(prefix)
    }
    if any(_output_of(names, at, (*PREDICTION_PREFIXES, *CLASS_PREFIXES), place) is not None for at in numbered):
        return tuple(numbered)
    return tuple(
        at
        for at, name in enumerate(names)
        if name.strip()
        and plain_name(name) in stems
        and _output_of(names, at, PREDICTION_PREFIXES[:4], place) is not None
    )


def _no_single_score(score: str | None, truths: Sequence[str]) -> None:
    """Raise if one column of scores is named for several truths."""
    if score is not None:
        raise UsageError(
            f"--score (y_score=) names one column, {score!r}, and there are {len(truths)} truths: "
            f"{names_listed(truths)}",
            code="H106",
            fix="name one probability per label after it, such as p_<label>, and leave out --score (y_score=)",
        )


def _outputs_of_several(
    names: Sequence[str],
    place: str,
    truth: tuple[int, ...],
    prediction: tuple[int, ...],
    prefixes: Sequence[str],
) -> tuple[tuple[int, ...], dict[str, int], tuple[str, ...]]:
    """Positions of the predictions, label → position of its probability, and the names of several truths."""
    if prediction and len(prediction) != len(truth):
        raise DataError(
            f"{place}: {len(truth)} truths ({names_listed([names[at] for at in truth])}) and "
            f"{len(prediction)} predictions ({names_listed([names[at] for at in prediction])}) were named",
            code="H106",
            fix="name one prediction per truth, in the same order",
        )
    predictions: tuple[int | None, ...] = prediction or tuple(
        _output_of(names, at, PREDICTION_PREFIXES, place) for at in truth
    )
    scores = tuple(_output_of(names, at, prefixes, place) for at in truth)
    complete = None not in scores
    if prefixes != CLASS_PREFIXES and not complete:
        name = names[truth[scores.index(None)]].strip()
        raise UsageError(
            f"{place} has no column {prefixes[0]}{target_of(name) or name}, the probability of {name}",
            code="H106",
            fix="name one probability per label after it, or leave out --prob-prefix (prob_prefix=)",
        )
    for at, output in zip(truth, predictions, strict=True):
        if output is None and not complete:
            name = names[at].strip()
            stem = target_of(name) or name
            raise DataError(
                f"{place}: {name} has no predictions; looked for yhat{stem}, yhat_{stem}, pred_{stem}, p_{stem}",
                code="H106",
                fix=f"add the predictions of {name}, or name the truth with --truth (truth=)",
            )
    labels = tuple(
        (None if NUMBERED.fullmatch(names[at].strip()) else target_of(names[at])) or names[at].strip() for at in truth
    )
    return (
        tuple(at for at in predictions if at is not None) if None not in predictions else (),
        {label: at for label, at in zip(labels, scores, strict=True) if at is not None} if complete else {},
        labels,
    )
