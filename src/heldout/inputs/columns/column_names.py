"""Find columns by name: the exact name first, then the same name in another case or with blanks around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from heldout.batch import Label
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.message_text import names_listed, quoted

NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "truth": ("y_true", "truth", "label", "target", "y", "labels", "references", "reference"),
    "score": ("y_score", "score", "prob", "proba", "p", "y_prob", "y_proba"),
    "pred": ("y_pred", "prediction", "pred", "yhat", "y_hat", "preds", "predictions"),
    "group": ("group",),
    "weight": ("weight", "sample_weight"),
}
"""Role → the names it is known by; the first name that the table has wins."""
PROBABILITY = ("prob", "proba", "p", "y_prob", "y_proba")
"""Names of score columns that hold probabilities."""
CLASS_PREFIXES = ("prob_", "p_", "p[", "proba_", "prob[", "proba[", "y_prob_", "y_proba_")
"""What comes before the class in the name of a column of its probabilities."""
PREDICTION_PREFIXES = ("yhat_", "pred_", "y_pred_", "prediction_", "yhat", "pred", "y_pred", "prediction")
"""What comes before the name or number of a target in the name of its prediction."""


def plain_name(name: str) -> str:
    """Lower-case the name and strip blanks, for comparing.

    >>> plain_name(" Y_True ")
    'y_true'
    """
    return name.strip().lower()


def first_twice(names: Sequence[str]) -> str | None:
    """The first name that occurs more than once.

    >>> first_twice(["a", "b", "c", "b"]), first_twice(["a"])
    ('b', None)
    """
    times = Counter(names)
    return next((name for name in names if times[name] > 1), None)


def holds_probabilities(name: str) -> bool:
    """Whether a score column of this name must hold probabilities.

    >>> holds_probabilities("p_lr"), holds_probabilities("y_score")
    (True, False)
    """
    return plain_name(name) in PROBABILITY or plain_name(name).startswith(("p_", "p[", "prob", "y_prob"))


def find_column(names: Sequence[str], wanted: Sequence[str], place: str, taken: Sequence[int] = ()) -> int | None:
    """Position of the first of the `wanted` names that the table has; a name that occurs twice is an error.

    >>> find_column(["id", " Y "], ["y_true", "y"], "preds.csv")
    1
    """
    for form in (str, plain_name):
        for name in wanted:
            at = [i for i, known in enumerate(names) if form(known) == form(name) and i not in taken]
            if len(at) > 1:
                raise DataError(
                    f"{place} has the column {name!r} twice", code="H106", fix="rename or remove one of the two"
                )
            if at:
                return at[0]
    return None


def named_column(names: Sequence[str], name: str, place: str, role: str) -> int:
    """Position of a column that the caller named."""
    at = find_column(names, [name], place)
    if at is None:
        hint = did_you_mean(name, [known.strip() for known in names]) or ";"
        raise UsageError(
            f"{place} has no column {name!r} for {role}{hint} its columns are {names_listed(names)}",
            code="H106",
            fix="name one of these columns",
        )
    return at


def names_given(argument: str, given: Any) -> tuple[str, ...]:
    """Names of columns as an argument has them: one name, or a list, an array or an index of them.

    >>> names_given("drop", "a"), names_given("drop", ["a", 3]), names_given("drop", None)
    (('a',), ('a', '3'), ())
    """
    if given is None or isinstance(given, str):
        return () if given is None else (given,)
    several = isinstance(given, Iterable) and not isinstance(given, bytes | Mapping)
    names = given.tolist() if hasattr(given, "tolist") else list(given) if several else [None]
    if not isinstance(names, list) or not all(isinstance(name, str | int) for name in names):
        fix = f"write {argument}=['column']"
        raise UsageError(f"{argument} is {quoted(given)}, but must be a list of names of columns", fix=fix)
    return tuple(str(name) for name in names)  # names of tables are texts, numbers of a frame too


def named_columns(names: Sequence[str], given: str | Sequence[str] | None, place: str, role: str) -> tuple[int, ...]:
    """Positions of columns given as a list, or as one text with commas between the names."""
    if given is None:
        return ()
    if isinstance(given, str):
        given = [given] if "," not in given or find_column(names, [given], place) is not None else given.split(",")
    return tuple(named_column(names, str(name).strip(), place, role) for name in given)


def class_columns(names: Sequence[str], prob_prefix: str | None, place: str) -> tuple[str, dict[str, int]]:
    """The pattern of the columns of class probabilities, and class → position.

    >>> class_columns(["y", "p[a]", "p[b]"], None, "preds.csv")
    ('p[<label>]', {'a': 1, 'b': 2})
    """
    prefixes = CLASS_PREFIXES if prob_prefix is None else (prob_prefix,)
    families = {prefix: _suffixes(names, prefix) for prefix in prefixes}
    best = max(families, key=lambda prefix: len(families[prefix]))
    if prob_prefix is not None and not families[best]:
        raise UsageError(
            f"{place} has no column that starts with {prob_prefix!r}; its columns are {names_listed(names)}",
            code="H106",
            fix="give the text before the class, such as p_ for p_yes and p_no",
        )
    if not families[best]:
        return "", {}
    return best + ("<label>]" if best.endswith("[") else "<label>"), families[best]


def _suffixes(names: Sequence[str], prefix: str) -> dict[str, int]:
    bracket = prefix.endswith("[")
    return {
        name.strip()[len(prefix) : -1 if bracket else None]: at
        for at, name in enumerate(names)
        if plain_name(name).startswith(prefix.lower())
        and len(name.strip()) > len(prefix) + bracket
        and (not bracket or name.strip().endswith("]"))
    }


def meaningful_names(names: Sequence[str]) -> bool:
    """Whether the columns of a frame were named, rather than numbered by the library that made it.

    >>> meaningful_names(["no", "yes"]), meaningful_names(["0", "1"]), meaningful_names(["column_0", "column_1"])
    (True, False, False)
    """
    return any(name not in (str(at), f"column_{at}") for at, name in enumerate(names))


def named_after(names: Sequence[str], labels: Sequence[Label]) -> dict[str, str]:
    """Name → the class it names: all of it, or what follows one text that all names start with.

    A name that fits the pattern without being one of the labels names a class that no row has. Empty if no name fits.

    >>> named_after(["p_yes", "p_no"], ["no", "yes"]), named_after(["1.0", "0.0"], [0, 1])
    ({'p_yes': 'yes', 'p_no': 'no'}, {'1.0': '1', '0.0': '0'})
    >>> named_after(["a", "b"], ["no", "yes"])
    {}
    """
    plain = {name: _as_label(name, labels) for name in names}
    texts = {str(label) for label in labels if str(label)}
    if texts & set(plain.values()):
        return plain
    for name in names:
        for label in sorted(texts, key=len, reverse=True):
            for end in ("", "]", ")"):
                prefix = name.removesuffix(label + end)
                if name.endswith(label + end) and all(
                    other.startswith(prefix) and other.endswith(end) and len(other) > len(prefix + end)
                    for other in names
                ):
                    return {other: other[len(prefix) : len(other) - len(end)] for other in names}
    return {}


def _as_label(name: str, labels: Sequence[Label]) -> str:
    """A name as the label it stands for is written: 1.0 for 1, true for True."""
    bare = name.strip()
    if all(isinstance(label, bool) for label in labels):
        return bare.capitalize()
    if not any(isinstance(label, str) for label in labels) and bare.endswith(".0"):
        return bare[:-2]
    return bare


def model_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Columns such as `yhat_lr` and `yhat_rf`, which look like the predictions of several models."""
    prefixes = PREDICTION_PREFIXES[:4]
    return tuple(
        name.strip()
        for name in names
        if any(plain_name(name).startswith(prefix) and len(plain_name(name)) > len(prefix) for prefix in prefixes)
    )
