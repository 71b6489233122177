"""Several truths side by side: y1, y2 with yhat1, yhat2; y_cat, y_dog with p_cat, p_dog; Weight with pred_Weight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from heldout.errors import DataError
from heldout.inputs.columns.roles import (
    CLASS_PREFIXES,
    NAMES,
    PREDICTION_PREFIXES,
    Names,
    Roles,
    found,
    named,
    no_truth,
    one_truth,
    plain,
    several_named,
)
from heldout.inputs.wording import names_listed

NUMBERED = re.compile(r"(?:y|target|truth)([0-9]+)")
LABELLED = re.compile(r"(?:y_true_|y_|true_|truth_|target_)(.+)")
KNOWN = {name for names in NAMES.values() for name in names}


def suffix(name: str) -> str | None:
    """The number or label in the name of one truth of several, None where it is not such a name.

    >>> suffix("y2"), suffix("y_cat"), suffix("y_pred"), suffix("yhat1")
    ('2', 'cat', None, None)
    """
    bare = name.strip()
    if plain(bare) in KNOWN or plain(bare).startswith(("y_pred", "y_prob", "y_score", "y_hat")):
        return None
    match = NUMBERED.fullmatch(bare) or LABELLED.fullmatch(bare)
    return match[1] if match else None


def partner(names: Sequence[str], at: int, prefixes: Sequence[str], place: str) -> int | None:
    """The column that belongs to the truth at `at`: one of the prefixes, then its name, label or number."""
    stems = [names[at].strip(), suffix(names[at])]
    wanted = [
        prefix + stem + ("]" if prefix.endswith("[") else "")
        for stem in stems
        if stem is not None
        for prefix in prefixes
    ]
    return found(names, wanted, place, taken=(at,))


def truths(names: Sequence[str], place: str) -> tuple[int, ...]:
    """Columns that have a prediction or a probability of their own, and those named alike.

    >>> truths(["Weight", "Waist", "pred_Weight", "pred_Waist"], "preds.csv")
    (0, 1)
    """
    numbered = [at for at, name in enumerate(names) if suffix(name) is not None]
    stems = {
        plain(name)[len(prefix) :] for name in names for prefix in PREDICTION_PREFIXES if plain(name).startswith(prefix)
    }
    if any(partner(names, at, (*PREDICTION_PREFIXES, *CLASS_PREFIXES), place) is not None for at in numbered):
        return tuple(numbered)
    return tuple(
        at
        for at, name in enumerate(names)
        if name.strip() and plain(name) in stems and partner(names, at, PREDICTION_PREFIXES[:4], place) is not None
    )


def many_truths(names: Sequence[str], place: str, truth: tuple[int, ...], pred: tuple[int, ...]) -> Roles:
    """Roles around several truths: each has its prediction, or its probability, or both."""
    if pred and len(pred) != len(truth):
        raise DataError(
            f"{place}: {len(truth)} truths ({names_listed([names[at] for at in truth])}) and "
            f"{len(pred)} predictions ({names_listed([names[at] for at in pred])}) were named",
            code="H106",
            fix="name one prediction per truth, in the same order",
        )
    predictions: tuple[int | None, ...] = pred or tuple(partner(names, at, PREDICTION_PREFIXES, place) for at in truth)
    scores = tuple(partner(names, at, CLASS_PREFIXES, place) for at in truth)
    complete = None not in scores
    for at, prediction in zip(truth, predictions, strict=True):
        if prediction is None and not complete:
            name = names[at].strip()
            stem = suffix(name) or name
            raise DataError(
                f"{place}: {name} has no predictions; looked for yhat{stem}, yhat_{stem}, pred_{stem}, p_{stem}",
                code="H106",
                fix=f"add the predictions of {name}, or name the truth with --truth (truth=)",
            )
    labelled = tuple(
        (None if NUMBERED.fullmatch(names[at].strip()) else suffix(names[at])) or names[at].strip() for at in truth
    )
    return Roles(
        truth=truth,
        prediction=tuple(at for at in predictions if at is not None) if None not in predictions else (),
        classes={label: at for label, at in zip(labelled, scores, strict=True) if at is not None} if complete else {},
        prefix="p_<label>" if complete else "",
        targets=labelled,
    )


def roles(
    names: Sequence[str],
    place: str,
    *,
    truth: Names = None,
    pred: Names = None,
    score: str | None = None,
    prob_prefix: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    id: str | None = None,
    segments: Sequence[str] = (),
) -> Roles:
    """The role of every column that has one; names given win over names found.

    >>> roles(["id", "y", "p"], "preds.csv").score
    2
    """
    chosen = several_named(names, truth, place, "the truth")
    predictions = several_named(names, pred, place, "the prediction")
    if not chosen:
        only = found(names, NAMES["truth"], place, taken=predictions)
        chosen = truths(names, place) if only is None else (only,)
    if not chosen:
        raise no_truth(names, place)
    if len(chosen) > 1:
        around = many_truths(names, place, chosen, predictions)
    else:
        around = one_truth(names, place, chosen[0], predictions, score=score, prob_prefix=prob_prefix)
    taken = (*around.truth, *around.prediction, *around.classes.values())

    def beside(role: str, given: str | None) -> int | None:
        return (
            found(names, NAMES[role], place, taken=taken)
            if given is None
            else named(names, given, place, f"the {role}")
        )

    return replace(
        around,
        id=beside("id", id),
        group=beside("group", group),
        weight=beside("weight", weight),
        segments=tuple(named(names, name, place, "a segment") for name in segments),
    )
