"""Which of two classes is the positive one."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from heldout.batch import Label
from heldout.inputs.columns.label_column import match
from heldout.inputs.columns.role_columns import Origin
from heldout.inputs.message_text import listed, quoted
from heldout.inputs.reading import Check

YES = ("1", "1.0", "true", "t", "yes", "y", "pos", "positive", "p")
NO = ("0", "0.0", "-1", "false", "f", "no", "n", "neg", "negative")


def yes_like(label: Label) -> bool:
    """Whether a label is 1, true, yes or the like.

    >>> yes_like(1), yes_like("Yes"), yes_like(2)
    (True, True, False)
    """
    return str(label).strip().lower() in YES


def no_like(label: Label) -> bool:
    """Whether a label is 0, -1, false, no or the like."""
    return str(label).strip().lower() in NO


def two_labels(labels: tuple[Label, ...], positive: Label | None) -> tuple[Label, ...]:
    """Both classes where only one occurs: the one the caller named, or the natural opposite.

    >>> two_labels((1,), None), two_labels(("cat",), None), two_labels(("no",), "yes")
    ((0, 1), ('cat', 'not cat'), ('no', 'yes'))
    """
    if len(labels) != 1:
        return labels
    return tuple(sorted((labels[0], _opposite(labels[0], positive))))


def _opposite(only: Label, named: Label | None) -> Label:
    """The class beside the only one: the one the caller named if it has the same type, else the natural opposite."""
    if isinstance(only, bool):
        return not only
    if isinstance(only, (int, float)):
        number = _number(named)
        return number if number is not None and number != only else int(only == 0)
    return f"not {only}" if named is None or str(named) == only else str(named)


def _number(value: Label | None) -> float | None:
    try:
        number = None if value is None else float(value)
    except ValueError:
        return None
    if number is None or not isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def positive_of(labels: Sequence[Label], given: Label | None = None) -> int:
    """Position of the positive one of two classes: the one given, else the one like yes, else the second.

    >>> positive_of(["no", "yes"]), positive_of(["a", "b"], "a")
    (1, 0)
    """
    if given is not None:
        return match(given, labels, "positive")
    yes = [at for at, label in enumerate(labels) if yes_like(label)]
    return yes[0] if len(yes) == 1 else 1


def positive_class(
    origin: Origin, labels: Sequence[Label], given: Label | None, only: Label | None
) -> tuple[int, tuple[Check, ...]]:
    """Position of the positive class: the one given, else the one like yes, else the second, with a note.

    Where the data have one class, `only` is that class.
    """
    if given is not None:
        return match(given, labels, "positive"), ()
    if isinstance(only, str):
        return labels.index(only) ^ no_like(only), ()
    at = positive_of(labels)
    if yes_like(labels[at]) and (isinstance(labels[at], str) or no_like(labels[1 - at])):
        return at, ()
    second = "the second in sort order" if list(labels) == sorted(labels) else "the second in their order"
    reason = "it is the 1" if yes_like(labels[at]) else second
    text = (
        f"{quoted(labels[at])} is taken as the positive class of {listed(labels)} ({reason}); "
        f"choose it with {origin.option('positive')}"
    )
    return at, (Check(code="H111", text=text),)
