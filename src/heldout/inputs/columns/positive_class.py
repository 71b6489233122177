"""Which of two classes is the positive one."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from heldout.batch import Label
from heldout.inputs.columns.label_column import match
from heldout.inputs.reading import Check, Parts, fault, option
from heldout.inputs.wording import listed, quoted

YES = ("1", "1.0", "true", "t", "yes", "y", "pos", "positive", "p")
NO = ("0", "0.0", "-1", "false", "f", "no", "n", "neg", "negative")


def yes_like(label: Label) -> bool:
    """Whether a label says yes by itself.

    >>> yes_like(1), yes_like("Yes"), yes_like(2)
    (True, True, False)
    """
    return str(label).strip().lower() in YES


def no_like(label: Label) -> bool:
    return str(label).strip().lower() in NO


def two_labels(labels: tuple[Label, ...], positive: Label | None) -> tuple[Label, ...]:
    """Both classes where only one occurs: the one that was named, or the natural opposite.

    >>> two_labels((1,), None), two_labels(("cat",), None), two_labels(("no",), "yes")
    ((0, 1), ('cat', 'not cat'), ('no', 'yes'))
    """
    if len(labels) != 1:
        return labels
    return tuple(sorted((labels[0], _opposite(labels[0], positive))))


def _opposite(only: Label, named: Label | None) -> Label:
    """The class beside the only one: what the caller named, if it is of the same type, else what is natural."""
    if isinstance(only, bool):
        return not only
    if isinstance(only, (int, float)):
        found = _number(named)
        return found if found is not None and found != only else int(only == 0)
    return f"not {only}" if named is None or str(named) == only else str(named)


def _number(value: Label | None) -> float | None:
    try:
        found = None if value is None else float(value)
    except ValueError:
        return None
    if found is None or not isfinite(found):
        return None
    return int(found) if found.is_integer() else found


def positive_of(labels: Sequence[Label], given: Label | None = None) -> int:
    """The position of the positive one of two classes: the one given, else the one that says yes, else the second.

    >>> positive_of(["no", "yes"]), positive_of(["a", "b"], "a")
    (1, 0)
    """
    if given is not None:
        return match(given, labels, "positive")
    yes = [at for at, label in enumerate(labels) if yes_like(label)]
    return yes[0] if len(yes) == 1 else 1


def positive_class(
    parts: Parts, labels: Sequence[Label], given: Label | None, only: Label | None
) -> tuple[int, tuple[Check, ...]]:
    """The position of the positive class: the one given, else the one that says yes, else the second, with a note.

    `only` one of the labels may occur in the data; the other was made up.
    """
    if given is not None:
        return match(given, labels, "positive"), ()
    if isinstance(only, str):
        return labels.index(only) ^ no_like(only), ()
    at = positive_of(labels)
    if yes_like(labels[at]) and (isinstance(labels[at], str) or no_like(labels[1 - at])):
        return at, ()
    reason = "it is the 1" if yes_like(labels[at]) else "the second in sort order"
    chosen = f"{quoted(labels[at])} is taken as the positive class of {listed(labels)} ({reason})"
    text = f"{chosen}; {option(parts, 'positive')} decides"
    return at, (Check(code="H111", text=text),)


def at_most_two(parts: Parts, labels: Sequence[Label], why: str) -> None:
    """Raise where a question about two classes meets more of them."""
    if len(labels) > 2:
        raise fault(
            parts,
            f"{why} needs two classes, and {parts.truth[0].name} has {len(labels)}: {listed(labels)}",
            code="H107",
            fix="give one column of probabilities per class (p_<class>), or predicted labels",
        )
