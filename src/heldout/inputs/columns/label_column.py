"""Label columns → classes in order, and each row's position among them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.column import Column, blank, positions
from heldout.inputs.columns.number_parsing import MISSING_WORDS, NUMBER, THOUSANDS
from heldout.inputs.reading import Check, Parts, fault, option
from heldout.inputs.wording import listed, quoted, told_apart


def look_alikes(labels: Sequence[str]) -> tuple[Check, ...]:
    """Notes on labels that differ only by case, blanks or characters one cannot see, and on those that look missing."""
    looks: dict[str, list[str]] = {}
    for label in labels:
        shown = "".join(c for c in unicodedata.normalize("NFKC", label) if unicodedata.category(c) != "Cf")
        looks.setdefault(" ".join(shown.casefold().split()), []).append(label)
    checks = [
        Check(
            code="H107",
            text=f"the labels {told_apart(words)} look alike and are counted as {len(words)} different classes",
        )
        for words in looks.values()
        if len(words) > 1
    ]
    absent = [label for label in labels if label.strip().lower() in MISSING_WORDS]
    if absent:
        checks.append(Check(code="H107", text=f"{listed(absent)}: kept as a label, not read as a missing value"))
    return tuple(checks)


MOST = 10_000
"""More classes than this are ids or numbers, not classes."""
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}")
WHOLE_FLOAT = re.compile(r"(-?(?:0|[1-9][0-9]{0,14}))\.0*")
TRUE_FALSE = {"true": True, "false": False}
MIXED_WITH_NUMBERS = {"true", "false", "yes", "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """Classes in order, and the columns as positions among them."""

    labels: tuple[Label, ...]
    truth: Array
    prediction: Array | None
    checks: tuple[Check, ...] = ()


def kind(words: Iterable[str]) -> str:
    """What the spellings of one column are: whole, float (1.0 for 1), bool, mixed or text.

    >>> kind(["0", "1"]), kind(["1", "2.0"]), kind(["True", "false"]), kind(["01", "1"]), kind(["1", "True"])
    ('whole', 'float', 'bool', 'text', 'mixed')
    """
    known = [word.strip() for word in words]
    whole = [bool(WHOLE.fullmatch(word)) and -(2**63) <= int(word) < 2**63 for word in known]
    if all(whole):
        return "whole"
    if all(a or bool(WHOLE_FLOAT.fullmatch(word)) for a, word in zip(whole, known, strict=True)):
        return "float"
    lower = {word.lower() for word in known}
    if lower <= TRUE_FALSE.keys():
        return "bool"
    if lower & MIXED_WITH_NUMBERS and any(re.match(NUMBER, word) for word in known):
        return "mixed"
    return "text"


def _told(words: Sequence[str]) -> list[str]:
    """The spellings that say something."""
    return [word for word in words if word.strip() and word.strip().lower() not in MISSING_WORDS]


def missing_labels(column: Column) -> Array:
    """Where a label is missing: nothing written, or nan among numbers; a text label may be called NA.

    >>> from heldout.inputs.columns.column import column
    >>> missing_labels(column("y", ["1", "nan"])).tolist(), missing_labels(column("y", ["a", "NA"])).tolist()
    ([False, True], [False, False])
    """
    mask = blank(column)
    if column.words is None or len(column.words) > MOST:
        return mask
    words = column.words.to_pylist()
    said = _told(words)
    if said and len(said) < len(words) and kind(said) != "text":
        absent = np.array([word.strip().lower() in MISSING_WORDS for word in words] + [True])
        mask = mask | absent[column.values]
    return mask


def _labels_of(column: Column, parts: Parts) -> tuple[str, list[Any], Array]:
    """The kind of a column, its distinct labels, and each row's position among them."""
    values, codes = positions(column)
    if len(values) > MOST:
        raise fault(
            parts,
            f"{column.name} has {len(values):,} different values: these are ids or numbers, not classes",
            code="H107",
            fix=f"name the column of labels, or say {option(parts, 'task', 'regression')}",
        )
    if column.words is not None:
        found = kind(values)
        if found == "mixed":
            raise _mixed(parts, column, values)
        _without_thousands(parts, column, values)
        return found, values, codes
    if column.values.dtype.kind == "b":
        return "bool", values, codes
    if column.values.dtype.kind == "f":
        if all(value == int(value) for value in values):
            return "whole", [int(value) for value in values], codes
        return "fraction", values, codes
    return "whole", values, codes


def _mixed(parts: Parts, column: Column, values: Sequence[str]) -> DataError:
    return fault(
        parts,
        f"{column.name} mixes numbers and words for one thing: {listed(sorted(values), 8)}",
        code="H107",
        fix=f"write every value of {column.name} in one way, such as 0 and 1",
    )


def _without_thousands(parts: Parts, column: Column, values: Sequence[str]) -> None:
    """Raise where every value is a number and some are written with separators for thousands."""
    separated = [value.strip() for value in values if re.match(THOUSANDS, value.strip())]
    if separated and all(re.match(NUMBER, value.strip()) or value.strip() in separated for value in values):
        row = parts.row(_row_of(column, separated[0]))
        raise fault(
            parts,
            f"{column.name} is {quoted(separated[0])} in row {row}, which is not a number",
            code="H108",
            fix=f"write numbers without separators for thousands: {separated[0].replace(',', '')}",
        )


def _row_of(column: Column, word: str) -> int:
    words = [known.strip() for known in column.words.to_pylist()]
    return int(np.flatnonzero(column.values == words.index(word))[0])


def typed(value: Any, joint: str) -> Label:
    """A spelling or number as a label of the joint kind.

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


def coding(parts: Parts, more: Sequence[str] = (), given: Sequence[Label] | None = None) -> Coding:
    """Truth and prediction in one coding. Whole numbers and true/false become such where every value is one; else text.

    Labels are sorted: numbers by size, text by code point; `given` ones keep their order. Columns name `more` classes.
    """
    sides = [_labels_of(column, parts) for column in (*parts.truth[:1], *parts.prediction[:1])]
    joint, checks = _joined(parts, sides)
    typed_sides = [[typed(value, joint) for value in values] for _, values, _ in sides]
    named = _fitting(more, joint)
    seen = set().union(*typed_sides, named)
    labels = tuple(sorted(seen)) if given is None else _given(parts, given, seen, joint)
    place = {label: at for at, label in enumerate(labels)}
    coded = [
        _moved(codes, [place[label] for label in known])
        for known, (_, _, codes) in zip(typed_sides, sides, strict=True)
    ]
    if len(coded) > 1 and not set(typed_sides[0]) & set(typed_sides[1]):
        text = f"{parts.prediction[0].name} has none of the labels of {parts.truth[0].name}: every prediction is wrong"
        checks = (*checks, Check(code="H107", text=text))
    if joint == "text":
        checks = (*checks, *look_alikes([label for label in labels if isinstance(label, str)]))
    return Coding(labels=labels, truth=coded[0], prediction=coded[1] if len(coded) > 1 else None, checks=checks)


def _moved(codes: Array, to: Sequence[int]) -> Array:
    """Positions in one list as positions in another."""
    same = list(to) == list(range(len(to)))
    return codes if same else np.array(to, np.min_scalar_type(max(to, default=0)))[codes]


def _fitting(names: Sequence[str], joint: str) -> set[Label]:
    """Names of classes, as labels of the kind the rows have; none where one of them cannot be such."""
    if joint in ("text", "fraction"):
        return set(names) if joint == "text" else set()
    fits = ("whole", "float") if joint == "whole" else ("bool",)
    return {typed(name, joint) for name in names} if kind(names) in fits else set()


def _joined(parts: Parts, sides: Sequence[tuple[str, list[Any], Array]]) -> tuple[str, tuple[Check, ...]]:
    """The one kind truth and prediction share, and what was taken to be the same."""
    kinds = [found for found, _, _ in sides]
    names = [column.name for column in (*parts.truth[:1], *parts.prediction[:1])]
    checks: list[Check] = []
    joint = kinds[0]
    if set(kinds) <= {"whole", "float", "bool"} and set(kinds) != {"bool"}:
        joint = "whole"
        if "bool" in kinds and any(
            value not in (0, 1, "0", "1") for found, values, _ in sides if found != "bool" for value in values
        ):
            raise _strangers(parts, names, sides)
    elif kinds[0] != "fraction" and "fraction" in kinds:
        raise fractions(parts, names, sides[0][1], sides[1][1])
    elif set(kinds) <= {"whole", "fraction"}:
        joint = "fraction"
    elif len(set(kinds)) > 1:
        joint = "text"
        if not {str(value) for value in sides[0][1]} & {str(value) for value in sides[1][1]}:
            raise _strangers(parts, names, sides)
    for name, (found, values, _) in zip(names, sides, strict=True):
        if found == "float":
            word = next(value for value in values if "." in value)
            checks.append(
                Check(
                    code="H107", text=f"{name} writes whole numbers as {word}; they are read as {typed(word, 'whole')}"
                )
            )
        if found == "bool" and joint == "whole":
            checks.append(Check(code="H107", text=f"{name} holds true and false, read as 1 and 0"))
    spelled = sorted(
        {value for found, values, _ in sides if found == "bool" for value in values if isinstance(value, str)}
    )
    if len(spelled) > len({value.strip().lower() for value in spelled}):
        checks.append(Check(code="H107", text=f"{listed(spelled)} are read as true and false, whatever their case"))
    return joint, tuple(checks)


def _strangers(parts: Parts, names: Sequence[str], sides: Sequence[tuple[str, list[Any], Array]]) -> DataError:
    shown = [listed(sorted(values, key=str)) for _, values, _ in sides]
    return fault(
        parts,
        f"{names[0]} has the labels {shown[0]} and {names[1]} has {shown[1]}: they have none in common",
        code="H107",
        fix=f"write predictions with the labels of {names[0]}, or say {_score_option(parts, names[1])} for scores",
    )


def fractions(parts: Parts, names: Sequence[str], labels: Iterable[Any], values: Iterable[float]) -> UsageError:
    """What to say where the column of predicted labels holds scores."""
    some = next((value for value in values if value != round(value)), 0.5)
    place = f"{parts.place}: " if parts.place else ""
    return UsageError(
        f"{place}{names[0]} has the labels {listed(labels)}, and {names[1]} holds fractions such as {some:.6g}",
        code="H107",
        fix=f"say {_score_option(parts, names[1])} if {names[1]} holds scores or probabilities, "
        f"or {option(parts, 'task', 'regression')} if these are numbers to predict",
    )


def _score_option(parts: Parts, name: str) -> str:
    return "y_score=… or y_proba=…" if parts.door == "arrays" else f"--score {name}"


def _given(parts: Parts, given: Sequence[Label], seen: set[Label], joint: str) -> tuple[Label, ...]:
    """The caller's labels in the caller's order; every label in the data must be among them."""
    known = {str(label): label for label in seen}
    labels = tuple(dict.fromkeys(known.get(str(label), label) for label in given))
    strange = sorted((label for label in seen if label not in labels), key=str)
    if strange:
        raise fault(
            parts,
            f"{parts.truth[0].name} or its prediction has labels that are not among those given ({listed(given)}): "
            f"{listed(strange)}",
            code="H107",
            fix="add them to labels, or leave labels out",
        )
    if joint in ("text", "whole", "bool"):
        try:
            return tuple(label if label in seen else typed(label, joint) for label in labels)
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            found = listed(sorted(seen, key=str))
            raise UsageError(
                f"the labels given ({listed(given)}) are not of the type of those in the data ({found})",
                code="H107",
                fix="give the labels as the data writes them",
            ) from error
    return labels


def match(value: Label, labels: Sequence[Label], what: str) -> int:
    """The position of a label given by the caller, also where it was given as text.

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
