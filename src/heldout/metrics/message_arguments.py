"""Errors of reading arrays, worded for functions that have fewer arguments than `heldout.evaluate`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from heldout.errors import HeldoutError

REWORDED: tuple[tuple[str, str], ...] = (
    (r"drop these rows with on_nan='drop'", "drop these rows from all arrays"),
    (r"pass task='regression' if these are numbers", "call a function of numbers (mean_squared_error)"),
    (
        r"pass y_score=… or y_proba=… if .*|(?:write predictions .*, or )?pass .*y_score=… or y_proba=….*",
        (
            "pass predicted labels as {predicted}, or call a function of scores (roc_auc_score, log_loss) or of "
            "numbers (mean_squared_error)"
        ),
    ),
    (
        r"(?:pass probabilities|export one probability for every class), or (?:pass )?link='logit' if these are logits",
        (
            "pass probabilities; of logits, scipy.special.expit({predicted}), or of several columns "
            "scipy.special.softmax of each row"
        ),
    ),
)
"""Fixes that name arguments of `heldout.evaluate`, as patterns, and what these functions say instead."""


@contextmanager
def naming_own_arguments(truth: str, predicted: str) -> Iterator[None]:
    """Reword errors for a function whose arguments for truth and prediction are called so."""
    try:
        yield
    except HeldoutError as error:
        message, fix = (_renamed(text, truth, predicted) for text in (error.message, error.fix))
        if (message, fix) == (error.message, error.fix):
            raise
        raise type(error)(message, code=error.code, fix=fix) from error


def _renamed(text: str, truth: str, predicted: str) -> str:
    for pattern, instead in REWORDED:
        text = re.sub(pattern, instead.replace("{predicted}", predicted), text)
    text = re.sub(r"\by_true\b", truth, text)
    return re.sub(r"\by_(?:pred|score|proba)\b", predicted, text)
