"""Intervals for a share of independent rows."""

from __future__ import annotations

from typing import Any

import heldout
from tests.oracles.answers.asking import Answers, ends
from tests.oracles.reader import Case

METHODS = {
    "clopper_pearson": "clopper_pearson",
    "exact": "clopper_pearson",
    "beta": "clopper_pearson",
    "cp": "clopper_pearson",
    "wilson": "wilson",
    "wilson_cc": "wilson_cc",
    "normal": "normal",
    "agresti_coull": "agresti_coull",
    "jeffreys": "jeffreys",
    "logit": "logit",
    "lrt": "likelihood_ratio",
    "midp": "midp",
    "blaker": "blaker",
}
"""What the tools call an interval → what we call it."""
UNCUT = {"asymptotic": heldout.stats.normal, "agresti-coull": heldout.stats.agresti_coull}
"""The intervals that one tool lets leave [0, 1], as the bare formula does."""


def share(case: Case, method: str, **options: Any) -> list[float]:
    """The interval of the share of errors among n rows, x of them wrong."""
    asked = {"confidence_level": case.params.get("level", 0.95), "method": METHODS[method], **options}
    return ends(heldout.evaluate_counts(wrong=case.params["x"], of=case.params["n"], **asked)["error_rate"])


def one_sided(case: Case, method: str, side: str, percent: str) -> list[float]:
    return share(case, method, side=side, confidence_level=float(percent) / 100)


def uncut(case: Case, method: str) -> tuple[float, float]:
    return UNCUT[method](case.params["x"], case.params["n"], case.params["level"])


def goodman(case: Case) -> list[list[float]]:
    """Wilson's interval for the share of each class, at a level that holds for all together: Goodman's."""
    counts, level = case.params["counts"], case.params["level"]
    each = {"method": "wilson", "confidence_level": 1 - (1 - level) / len(counts)}
    return [ends(heldout.evaluate_counts(wrong=x, of=sum(counts), **each)["error_rate"]) for x in counts]


PROPORTION: Answers = {
    f"({'|'.join(METHODS)})": share,
    f"({'|'.join(UNCUT)})": uncut,
    r"(cp|wilson)_(lower|upper)(\d+)": one_sided,
}
MULTINOMIAL: Answers = {"goodman": goodman}
