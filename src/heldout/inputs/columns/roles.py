"""Which column plays which role: found by name, exactly first, then without regard to case and blanks around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.wording import names_listed

NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "truth": ("y_true", "truth", "label", "target", "y", "labels", "references", "reference"),
    "score": ("y_score", "score", "prob", "proba", "p", "y_prob", "y_proba"),
    "pred": ("y_pred", "prediction", "pred", "yhat", "y_hat", "preds", "predictions"),
    "group": ("group",),
    "weight": ("weight", "sample_weight"),
}
"""The names each role is known by, the first one found wins."""
PROBABILITY = ("prob", "proba", "p", "y_prob", "y_proba")
"""Names that promise a probability."""
CLASS_PREFIXES = ("prob_", "p_", "p[", "proba_", "prob[", "proba[", "y_prob_", "y_proba_")
"""What stands before the name of a class in the columns of its probabilities."""
PREDICTION_PREFIXES = ("yhat_", "pred_", "y_pred_", "prediction_", "yhat", "pred", "y_pred", "prediction")
"""What stands before the name or number of a target in the column of its prediction."""
Names = str | Sequence[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Positions of columns in a table, by role."""

    truth: tuple[int, ...]
    prediction: tuple[int, ...] = ()
    score: int | None = None
    classes: Mapping[str, int] = field(default_factory=dict)
    """Columns of probabilities by the class (or label of several) they name."""
    prefix: str = ""
    """How those columns are called: `p_<label>`."""
    targets: tuple[str, ...] = ()
    """What several truths are called."""
    models: tuple[str, ...] = ()
    """Columns that look like predictions of several models, and were not used."""
    id: int | None = None
    group: int | None = None
    weight: int | None = None
    segments: tuple[int, ...] = ()


def plain(name: str) -> str:
    """A name without regard to case and blanks around it.

    >>> plain(" Y_True ")
    'y_true'
    """
    return name.strip().lower()


def found(names: Sequence[str], wanted: Sequence[str], place: str, taken: Sequence[int] = ()) -> int | None:
    """The position of the first of the `wanted` names the table has; a name that is there twice is an error.

    >>> found(["id", " Y "], ["y_true", "y"], "preds.csv")
    1
    """
    for same in (str, plain):
        for name in wanted:
            at = [i for i, known in enumerate(names) if same(known) == same(name) and i not in taken]
            if len(at) > 1:
                raise DataError(
                    f"{place} has the column {name!r} twice", code="H106", fix="rename or remove one of the two"
                )
            if at:
                return at[0]
    return None


def named(names: Sequence[str], name: str, place: str, role: str) -> int:
    """The position of a column that the caller named."""
    at = found(names, [name], place)
    if at is None:
        hint = did_you_mean(name, [known.strip() for known in names]) or ";"
        raise UsageError(
            f"{place} has no column {name!r} for {role}{hint} its columns are {names_listed(names)}",
            code="H106",
            fix="name a column that is there",
        )
    return at


def several_named(names: Sequence[str], given: Names, place: str, role: str) -> tuple[int, ...]:
    """Positions of columns named as a list, or in one text with commas between."""
    if given is None:
        return ()
    if isinstance(given, str):
        given = [given] if "," not in given or found(names, [given], place) is not None else given.split(",")
    return tuple(named(names, str(name).strip(), place, role) for name in given)


def class_columns(names: Sequence[str], prob_prefix: str | None, place: str) -> tuple[str, dict[str, int]]:
    """Columns of probabilities by the class each names, and how they are called.

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
            fix="name the text before the class, such as p_ for p_yes and p_no",
        )
    if not families[best]:
        return "", {}
    return best + ("<label>]" if best.endswith("[") else "<label>"), families[best]


def _suffixes(names: Sequence[str], prefix: str) -> dict[str, int]:
    bracket = prefix.endswith("[")
    return {
        name.strip()[len(prefix) : -1 if bracket else None]: at
        for at, name in enumerate(names)
        if plain(name).startswith(prefix.lower())
        and len(name.strip()) > len(prefix) + bracket
        and (not bracket or name.strip().endswith("]"))
    }


def model_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Columns such as `yhat_lr`, `yhat_rf`: a prediction per model rather than one."""
    return tuple(
        name.strip()
        for name in names
        if any(plain(name).startswith(prefix) and len(plain(name)) > len(prefix) for prefix in PREDICTION_PREFIXES[:4])
    )


def one_truth(
    names: Sequence[str],
    place: str,
    truth: int,
    pred: tuple[int, ...] = (),
    *,
    score: str | None = None,
    prob_prefix: str | None = None,
) -> Roles:
    """Roles around one truth: its prediction, its score, or a probability per class."""
    if score is not None and prob_prefix is not None:
        raise UsageError(
            f"the score is named twice, as {score!r} and by the prefix {prob_prefix!r}",
            code="H106",
            fix="name one of the two",
        )
    scored = None if score is None else named(names, score, place, "the score")
    taken = (truth, *pred) if scored is None else (truth, *pred, scored)
    if not pred:
        partners = [prefix + names[truth].strip() for prefix in PREDICTION_PREFIXES[:4]]
        at = found(names, [*NAMES["pred"], *partners], place, taken=taken)
        pred = () if at is None else (at,)
    if score is None and prob_prefix is None:
        scored = found(names, NAMES["score"], place, taken=taken)
    prefix, classes = ("", {}) if score is not None else class_columns(names, prob_prefix, place)
    models = model_columns(names)
    return Roles(truth=(truth,), prediction=pred, score=scored, classes=classes, prefix=prefix, models=models)


def no_truth(names: Sequence[str], place: str) -> DataError:
    """What to say where no column could be the truth."""
    header = "; the first line looks like data: is the header missing?" if _like_data(names) else ""
    return DataError(
        f"{place} has no column for the truth: its columns are {names_listed(names)}; "
        f"looked for {', '.join(NAMES['truth'][:5])}{header}",
        code="H106",
        fix="name the column with --truth (truth=), or write a header line",
    )


def _like_data(names: Sequence[str]) -> bool:
    return any(name.strip().replace(".", "", 1).replace("-", "", 1).isdigit() for name in names)
