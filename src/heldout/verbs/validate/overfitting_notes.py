"""Notes (H315) on learners that do better on the rows they were fitted to than on others."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from heldout.estimates import Estimate
from heldout.inputs import Check
from heldout.verbs.evaluate.dummy_model import baseline
from heldout.verbs.validate.split_values import Learned
from heldout.verbs.validate.validation import ValidatedLearner

BLENDED = (".632", ".632+")
"""Methods whose value counts the training error too."""


def overfitting_notes(judged: Sequence[ValidatedLearner], learned: Sequence[Learned]) -> list[Check]:
    """Where the model of all rows does better on rows it has seen than any value in the interval of unseen ones."""
    found = []
    for one, told in zip(judged, learned, strict=True):
        metric, estimate = next(iter(one.estimates.items()))
        training, end = one.training[metric], estimate.low if estimate.better == "lower" else estimate.high
        if not (isfinite(training) and isfinite(end)) or estimate.better is None or _artefact(told, metric, estimate):
            continue
        if training < end if estimate.better == "lower" else training > end:
            unseen = f"{estimate} by {estimate.method}, which counts both these and rows it has not seen"
            beside = unseen if estimate.method in BLENDED else f"{estimate} on rows it has not"
            gap = "fits the rows it has seen better than others (overfitting shows as this gap)"
            text = f"{one.name} {gap}: {metric} {training:.3f} on the rows it has seen, {beside}"
            found.append(Check(code="H315", text=text))
    return found


def _artefact(told: Learned, metric: str, estimate: Estimate) -> bool:
    """Whether leave-one-out of classes makes a learner look worse than the dummy model.

    The row left out makes its own class the rarer one, so a learner that follows the class shares is wrong on that row.
    This is not overfitting; H312 explains it.
    """
    if told.design.kind != "loo" or told.inside.batch.task not in ("binary", "multiclass"):
        return False
    dummy = baseline(told.training, {metric: estimate}).values.get(metric)
    if dummy is None:
        return False
    return dummy < estimate.low if estimate.better == "lower" else dummy > estimate.high
