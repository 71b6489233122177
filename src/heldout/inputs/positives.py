"""Which of two classes is the positive one."""

from __future__ import annotations

from collections.abc import Sequence

from heldout.batch import Label
from heldout.inputs.labels import match
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
    only = labels[0]
    if positive is not None and str(positive) != str(only):
        other: Label = positive
    elif isinstance(only, bool):
        other = not only
    elif isinstance(only, (int, float)):
        other = 0 if only != 0 else 1
    else:
        other = f"not {only}"
    return (only, other) if no_like(only) or isinstance(only, str) else tuple(sorted((only, other), key=_order))


def _order(label: Label) -> float:
    return float(label)


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
    parts: Parts, labels: Sequence[Label], given: Label | None, occurring: int
) -> tuple[int, tuple[Check, ...]]:
    """The position of the positive class: the one given, else the one that says yes, else the second, with a note.

    `occurring` of the two labels occur in the data; the other was made up.
    """
    if given is not None:
        return match(given, labels, "positive"), ()
    if occurring == 1 and isinstance(labels[0], str):
        return (1 if no_like(labels[0]) else 0), ()
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
