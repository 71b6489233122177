"""Bias and variance of estimators of an error, one line each."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from heldout.report.kinds.bias_variance import measured
from heldout.report.plain_text import folded, visible

Facts = Mapping[str, Any]


def estimation_bias_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """What each estimator gives on average, its bias against the truth, and its variance."""
    head = (
        f"{visible(d['learner'])} in {visible(d['world'])}: {d['repeats']:,} samples of {d['n']:,} rows, of which the"
        f" holdout keeps {d['test']:,}; the best rule errs on {d['bayes_error']:.4f}"
    )
    lines = folded(head, width)
    for one in d["estimators"]:
        lines += ["", *folded(f"{one['name']} error, for {visible(one['target'])}:", width)]
        for name, key in (("on average", "mean"), ("the truth", "truth"), ("bias", "bias"), ("variance", "variance")):
            lines.append(f"  {name:<10} {measured(one[key])}{_word(one[key]) if key == 'bias' else ''}")
    lines += _by_folds(d)
    lines += ["", "± is one standard error of the draws (Monte Carlo)."]
    for note in d["notes"]:
        lines += folded(visible(note), width, "note: ", "  ")
    return "\n".join(lines) + "\n"


def _by_folds(d: Facts) -> list[str]:
    """The choice of the number of folds in one table: bias, spread, and both together."""
    rows = sorted((one for one in d["estimators"] if one["folds"]), key=lambda one: one["folds"])
    if not rows:
        return []
    head = f"{'folds':>7} {'bias':>9} {'spread':>9} {'off by':>9}"
    body = (
        f"{one['folds']:>7} {one['bias']['value']:>9.4f} {sqrt(one['variance']['value']):>9.4f}"
        f" {sqrt(one['squared']['value']):>9.4f}"
        for one in rows
    )
    return ["", "by folds (spread: standard deviation; off by: root mean squared):", head, *body]


def _word(bias: Facts) -> str:
    """What a bias of more than three standard errors is."""
    if abs(bias["value"]) <= 3 * bias["error"]:
        return "   none found"
    return "   optimistic" if bias["value"] < 0 else "   pessimistic"
