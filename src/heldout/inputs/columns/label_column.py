"""Label columns: which classes there are, in order, and the class of each row as a position among them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.column_values import Column, blank, positions
from heldout.inputs.columns.number_parsing import MISSING_WORDS, NUMBER, THOUSANDS
from heldout.inputs.columns.role_columns import Origin, RoleColumns
from heldout.inputs.limits import CLASSES, LABEL
from heldout.inputs.message_text import LATIN_LOOK, escaped_if_alike, listed, quoted
from heldout.inputs.reading import Check

MOST_LABELS = 50
"""Truths with more values than this are numbers rather than labels, and need share none with the predictions."""
MOST_CLASSES = CLASSES.most
"""More distinct values than this are ids or numbers, not classes."""
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,19}")
WHOLE_FLOAT = re.compile(r"(-?(?:0|[1-9][0-9]{0,14}))\.0*")
TRUE_FALSE = {"true": True, "false": False}
MIXED_WITH_NUMBERS = {"true", "false", "yes", "no"}

LabelKind = Literal["whole", "float", "bool", "mixed", "text", "fraction"]
"""Kind of labels: whole numbers, whole numbers as 1.0, true and false, numbers among words, text, or fractions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedLabels:
    """Classes in order, and truth and prediction as positions among them."""

    labels: tuple[Label, ...]
    truth: Array
    prediction: Array | None
    checks: tuple[Check, ...] = ()
    as_sorted: tuple[Label, ...] = ()
    """The same classes in the sorted order of the values as given, which is that of scikit-learn's columns."""


class DistinctLabels(NamedTuple):
    """The distinct labels of one column, and each row's position among them."""

    name: str
    kind: LabelKind
    values: list[Any]
    codes: Array


def kind(words: Iterable[str]) -> LabelKind:
    """What the distinct texts of a column are: whole, float (1.0 for 1), bool, fraction, mixed or text.

    >>> kind(["0", "1"]), kind(["1", "2.0"]), kind(["True", "false"]), kind(["01", "1"]), kind(["1", "True"])
    ('whole', 'float', 'bool', 'text', 'mixed')
    >>> kind(["0.5", "1"]), kind(["1.10", "1.1"])
    ('fraction', 'text')
    """
    known = [word.strip() for word in words]
    whole = [bool(WHOLE.fullmatch(word)) and -(2**63) <= int(word) < 2**64 for word in known]
    if all(whole):
        return "whole"
    if all(a or bool(WHOLE_FLOAT.fullmatch(word)) for a, word in zip(whole, known, strict=True)):
        return "float"
    lower = {word.lower() for word in known}
    if lower <= TRUE_FALSE.keys():
        return "bool"
    if all(a or _is_fraction(word) for a, word in zip(whole, known, strict=True)):
        return "fraction"
    if lower & MIXED_WITH_NUMBERS and any(re.match(NUMBER, word) for word in known):
        return "mixed"
    return "text"


def _is_fraction(word: str) -> bool:
    """Whether a text is a number as programs write it; of 1.10 and 1.1, which are versions, the first is not."""
    return re.match(NUMBER, word) is not None and repr(float(word)) == word


def missing_labels(column: Column) -> Array:
    """Where a label is missing: nothing written, or nan among numbers; a text label may be called NA.

    >>> from heldout.inputs.columns.column_values import column
    >>> missing_labels(column("y", ["1", "nan"])).tolist(), missing_labels(column("y", ["a", "NA"])).tolist()
    ([False, True], [False, False])
    """
    mask = blank(column)
    if column.words is None or len(column.words) > MOST_CLASSES:
        return mask
    words = column.texts()
    present = [word for word in words if word.strip() and word.strip().lower() not in MISSING_WORDS]
    if present and len(present) < len(words) and kind(present) != "text":
        absent = np.array([word.strip().lower() in MISSING_WORDS for word in words] + [True])
        mask = mask | absent[column.values]
    return mask


def _distinct(column: Column, origin: Origin) -> DistinctLabels:
    """The distinct labels of a column; raise if there are too many, or they are written in several ways."""
    values, codes = positions(column)
    if len(values) > MOST_CLASSES:
        raise origin.error(
            f"{column.name} has {len(values):,} different values, and {MOST_CLASSES:,} classes are the most: these are "
            "ids or numbers, not classes",
            code="H107",
            fix=f"name the column of labels, or pass {origin.option('task', 'regression')}",
        )
    label_kind: LabelKind = "whole"
    if column.words is not None:
        LABEL.check(max(map(len, values), default=0), f"a class of {column.name}")
        label_kind = kind(values)
        if label_kind == "mixed":
            raise origin.error(
                f"{column.name} mixes numbers and words: {listed(sorted(values), 8)}",
                code="H107",
                fix=f"write every value of {column.name} in one way, such as 0 and 1",
            )
        _without_thousands(origin, column, values)
    elif column.values.dtype.kind == "b":
        label_kind = "bool"
    elif column.values.dtype.kind == "f":
        if all(value == int(value) for value in values):
            values = [int(value) for value in values]
        else:
            label_kind = "fraction"
    return DistinctLabels(column.name, label_kind, values, codes)


def _without_thousands(origin: Origin, column: Column, values: Sequence[str]) -> None:
    """Raise if every value is a number and some are written with thousands separators."""
    separated = [value.strip() for value in values if re.match(THOUSANDS, value.strip())]
    if separated and all(re.match(NUMBER, value.strip()) or value.strip() in separated for value in values):
        words = [known.strip() for known in column.texts()]
        first = int(np.flatnonzero(column.values == words.index(separated[0]))[0])
        raise origin.error(
            f"{column.name} is {quoted(separated[0])} in row {origin.row(first)}, which is not a number",
            code="H108",
            fix=f"write numbers without thousands separators: {separated[0].replace(',', '')}",
        )


def typed(value: Any, joint: str) -> Label:
    """A text or number as a label of this kind.

    >>> typed("1.0", "whole"), typed("true", "bool"), typed(1, "text")
    (1, True, '1')
    """
    if isinstance(value, str) and joint in ("whole", "bool"):
        value = TRUE_FALSE.get(value.strip().lower(), value.strip().split(".")[0])
    if joint == "whole":
        return int(value)
    if joint == "bool":
        return bool(int(value))
    if joint == "fraction":
        return float(value)
    return value if isinstance(value, str) else str(value)


def coded_labels(
    columns: RoleColumns, more: Sequence[str] = (), given: Sequence[Label] | None = None, *, doubts: bool = True
) -> CodedLabels:
    """Truth and prediction in one coding.

    Labels are whole numbers, or true and false, where every value of both columns is one; else they are text. They are
    in the order of an ordered categorical column, else sorted: numbers by size, text by code point; `given` labels keep
    their order. `more` classes are added. With `doubts`, it is an error if no label is shared.
    """
    sides = [_distinct(column, columns.origin) for column in (*columns.truth[:1], *columns.prediction[:1])]
    joint, checks = _joint_kind(columns, sides)
    typed_sides = [[typed(value, joint) for value in side.values] for side in sides]
    seen = set().union(*typed_sides, _typed_names(more, joint))
    labels = _in_class_order(columns, seen, joint) if given is None else _given_labels(columns, given, seen, joint)
    position = {label: at for at, label in enumerate(labels)}
    coded = [
        _recoded(side.codes, [position[label] for label in known])
        for known, side in zip(typed_sides, sides, strict=True)
    ]
    if len(coded) > 1 and not set(typed_sides[0]) & set(typed_sides[1]):
        # 0 and 1 mean the same in both columns, and so do labels that the caller or columns of probabilities list
        known = given is not None or columns.classes or set(labels) <= {0, 1}
        if doubts and not known and len(typed_sides[0]) <= MOST_LABELS:
            raise _nothing_shared(columns.origin, sides)
        text = f"{sides[1].name} has none of the labels of {sides[0].name}: every prediction is wrong"
        checks = (*checks, Check(code="H107", text=text))
    if joint == "text":
        checks = (*checks, *_look_alikes([label for label in labels if isinstance(label, str)]))
    return CodedLabels(
        labels=labels,
        truth=coded[0],
        prediction=coded[1] if len(coded) > 1 else None,
        checks=checks,
        as_sorted=_sorted_as_given(columns.truth[0], sides[0].values, labels, joint),
    )


def _sorted_as_given(truth: Column, values: Sequence[Any], labels: Sequence[Label], joint: str) -> tuple[Label, ...]:
    """The labels sorted as the values of the truth are: numbers by size, text by code point, "10" before "8"."""
    if truth.words is not None and not truth.written:
        text: dict[str, str] = {}
        for value in sorted(values):
            text.setdefault(str(typed(value, joint)), value)
        return tuple(sorted(labels, key=lambda label: text.get(str(label), str(label))))
    if joint != "text":
        return tuple(sorted(labels, key=lambda label: (isinstance(label, str), label)))
    place = {str(value): at for at, value in enumerate(sorted(values))}
    return tuple(sorted(labels, key=lambda label: (place.get(str(label), len(place)), str(label))))


def _in_class_order(columns: RoleColumns, seen: set[Label], joint: str) -> tuple[Label, ...]:
    """The labels in the order of the categories of an ordered column, those it lacks after them; else sorted."""
    ordered = next((column.order for column in (*columns.truth, *columns.prediction) if column.order), ())
    place = {str(typed(value, joint)): at for at, value in enumerate(ordered)}
    return tuple(sorted(seen, key=lambda label: (place.get(str(label), len(place)), label)))


def _recoded(codes: Array, to: Sequence[int]) -> Array:
    """Positions in one list as positions in another."""
    same = list(to) == list(range(len(to)))
    return codes if same else np.array(to, np.min_scalar_type(max(to, default=0)))[codes]


def _typed_names(names: Sequence[str], joint: str) -> set[Label]:
    """Names of classes as labels of the joint kind; none if one of them cannot be such a label."""
    if joint in ("text", "fraction"):
        return set(names) if joint == "text" else set()
    fits = ("whole", "float") if joint == "whole" else ("bool",)
    return {typed(name, joint) for name in names} if kind(names) in fits else set()


def _joint_kind(columns: RoleColumns, sides: Sequence[DistinctLabels]) -> tuple[str, tuple[Check, ...]]:
    """The one kind that truth and prediction share, with notes on values that were taken as equal."""
    kinds = [side.kind for side in sides]
    joint: str = kinds[0]
    if len(sides) > 1 and kinds[1] == "text" and _fractions(sides[1].values) and not _fractions(sides[0].values):
        # a column of scores in a text file, where every value is text
        predicted = [float(value) for value in sides[1].values]
        raise fractions_error(columns.origin, [side.name for side in sides], sides[0].values, predicted)
    if set(kinds) <= {"whole", "float", "bool"} and set(kinds) != {"bool"}:
        joint = "whole"
        others = [value for side in sides if side.kind != "bool" for value in side.values]
        if "bool" in kinds and any(typed(value, "whole") not in (0, 1) for value in others):
            raise _nothing_shared(columns.origin, sides)
    elif kinds[0] != "fraction" and "fraction" in kinds:
        predicted = [float(value) for value in sides[1].values]
        raise fractions_error(columns.origin, [side.name for side in sides], sides[0].values, predicted)
    elif set(kinds) <= {"whole", "float", "fraction"}:
        joint = "fraction"
    elif len(set(kinds)) > 1:
        joint = "text"
        if not {str(value) for value in sides[0].values} & {str(value) for value in sides[1].values}:
            raise _nothing_shared(columns.origin, sides)
    return joint, _taken_as_equal(sides, joint)


def _fractions(values: Sequence[Any]) -> bool:
    """Whether all values are numbers, written as text or not, and some have a fraction."""
    numbers = [float(value) for value in values if not isinstance(value, str) or re.match(NUMBER, value.strip())]
    return len(numbers) == len(values) and not all(number.is_integer() for number in numbers)


def _taken_as_equal(sides: Sequence[DistinctLabels], joint: str) -> tuple[Check, ...]:
    """Notes on values that are written differently and count as one label: 1.0 and 1, true and 1, true and True."""
    checks: list[Check] = []
    for side in sides:
        if side.kind == "float" and not all("." in value for value in side.values):
            word = next(value for value in side.values if "." in value)
            text = f"{side.name} writes whole numbers as {word}; they are read as {typed(word, 'whole')}"
            checks.append(Check(code="H107", text=text))
        if side.kind == "bool" and joint == "whole":
            checks.append(Check(code="H107", text=f"{side.name} holds true and false, read as 1 and 0"))
    booleans = sorted(
        {value for side in sides if side.kind == "bool" for value in side.values if isinstance(value, str)}
    )
    if len(booleans) > len({value.strip().lower() for value in booleans}):
        checks.append(Check(code="H107", text=f"{listed(booleans)} are read as true and false, whatever their case"))
    return tuple(checks)


def _look_alikes(labels: Sequence[str]) -> tuple[Check, ...]:
    """Notes on labels that differ only by case, blanks, invisible characters or script, and on labels such as NA."""
    looks: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for label in labels:
        visible = "".join(c for c in unicodedata.normalize("NFKC", label) if unicodedata.category(c) != "Cf")
        shown = " ".join(visible.split())
        shown = first.setdefault(shown.casefold(), shown)  # of a letter only the capital may look Latin
        looks.setdefault(shown.translate(LATIN_LOOK).casefold(), []).append(label)
    checks = [
        Check(
            code="H107",
            text=f"the labels {escaped_if_alike(words)} look alike and are counted as {len(words)} different classes",
        )
        for words in looks.values()
        if len(words) > 1
    ]
    absent = [label for label in labels if label.strip().lower() in MISSING_WORDS]
    if absent:
        text = f"{listed(absent)}: kept as a label, not read as a missing value; if missing, leave it empty"
        checks.append(Check(code="H107", text=text))
    return tuple(checks)


def _nothing_shared(origin: Origin, sides: Sequence[DistinctLabels]) -> DataError:
    shown = [listed(sorted(side.values, key=str)) for side in sides]
    truth, prediction = (side.name for side in sides)
    return origin.error(
        f"{truth} has the labels {shown[0]} and {prediction} has {shown[1]}: they have none in common",
        code="H107",
        fix=f"write predictions with the labels of {truth}, or pass {_score_option(origin, prediction)} for scores",
    )


def fractions_error(origin: Origin, names: Sequence[str], labels: Iterable[Any], values: Iterable[float]) -> UsageError:
    """The error for a column of predicted labels that holds scores: truth and prediction are called `names`."""
    fraction = next((value for value in values if isfinite(value) and value != round(value)), 0.5)
    place = f"{origin.place}: " if origin.place else ""
    return UsageError(
        f"{place}{names[0]} has the labels {listed(labels)}, and {names[1]} holds fractions such as {fraction:.6g}",
        code="H107",
        fix=f"pass {_score_option(origin, names[1])} if {names[1]} holds scores or probabilities, "
        f"or {origin.option('task', 'regression')} if these are numbers to predict",
    )


def _score_option(origin: Origin, name: str) -> str:
    return "y_score=… or y_proba=…" if origin.kind == "arrays" else origin.option("score", name)


def _given_labels(columns: RoleColumns, given: Sequence[Label], seen: set[Label], joint: str) -> tuple[Label, ...]:
    """The caller's labels in the caller's order; every label in the data must be among them."""
    known = {str(label): label for label in seen}
    labels = tuple(dict.fromkeys(known.get(str(label), label) for label in given))
    strange = sorted((label for label in seen if label not in labels), key=str)
    if strange:
        raise columns.origin.error(
            f"{columns.truth[0].name} or its prediction has labels that are not among those given ({listed(given)}): "
            f"{listed(strange)}",
            code="H107",
            fix="add them to labels, or leave labels out",
        )
    if joint in ("text", "whole", "bool"):
        try:
            return tuple(label if label in seen else typed(label, joint) for label in labels)
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise UsageError(
                f"the labels given ({listed(given)}) are not of the type of those in the data "
                f"({listed(sorted(seen, key=str))})",
                code="H107",
                fix="give the labels as the data writes them",
            ) from error
    return labels


def match(value: Label, labels: Sequence[Label], what: str) -> int:
    """Position of a label that the caller gave; the text "1" matches the number 1.

    >>> match("1", (0, 1), "positive")
    1
    """
    for at, label in enumerate(labels):
        if type(label) is type(value) and label == value:
            return at
    for at, label in enumerate(labels):
        if (
            label == value
            or str(label) == str(value)
            or (isinstance(label, bool) and str(label).lower() == str(value).lower())
        ):
            return at
    hint = did_you_mean(str(value), [str(label) for label in labels])
    raise UsageError(
        f"the {what} class {quoted(value)} is not among the labels {listed(labels)}{hint}",
        code="H107",
        fix="name one of the labels",
    )
