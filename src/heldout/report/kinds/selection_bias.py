"""What choices cost, and methods that fail, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.kinds.bias_variance import measured
from heldout.report.kinds.error_rates import aligned
from heldout.report.plain_text import folded, visible

Facts = Mapping[str, Any]
MONTE_CARLO = "± is one standard error of the draws (Monte Carlo)."
SAID = {
    "apparent": "the winner's own",
    "tibshirani": "Tibshirani and Tibshirani",
    "nested": "chosen on other folds",
    "bootstrap_corrected": "BBC-CV",
}


def selection_bias_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """By how much estimates of the winner's accuracy are too high."""
    which = "none better than a coin" if d["null"] else "their accuracies Beta(9, 6)"
    head = (
        f"The best of {d['configurations']:,} configurations on {d['n']:,} rows, {which}: {d['repeats']:,} samples,"
        f" {d['folds']} folds; its accuracy is {d['truth']['value']:.4f} on average"
    )
    lines = [*folded(head, width), "", "estimated less true accuracy:"]
    lines += [f"  {SAID[name]:<26} {measured(bias)}{_word(bias)}" for name, bias in d["biases"].items()]
    lines += ["", f"BBC-CV's interval at {d['level']:.0%} held the truth in {_percent(d['coverage'])} of samples."]
    return "\n".join([*lines, MONTE_CARLO]) + "\n"


def threshold_bias_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """What a chosen threshold seems to cost, and what it costs."""
    head = (
        f"The cheapest threshold on {d['n']:,} rows, {d['prevalence']:.0%} of them positive and {d['apart']:g} apart;"
        f" a false alarm costs {d['fp']:g}, a miss {d['fn']:g}: {d['repeats']:,} samples"
    )
    named = {"on the rows that chose it": "apparent", "in truth": "truth", "cross-fitted": "cross_fitted"}
    lines = [*folded(head, width), "", "mean cost of a row:"]
    lines += [f"  {name:<26} {measured(d[key])}" for name, key in named.items()]
    lines += [f"  {'of the best there is':<26}  {d['best']:.4f}", ""]
    held = f"The t interval at {d['level']:.0%} of cross-fitted costs held the true cost in {_percent(d['coverage'])}"
    return "\n".join([*lines, *folded(f"{held} of samples.", width), MONTE_CARLO]) + "\n"


def failures_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """Methods by case: what each says, and what is true."""
    lines: list[str] = []
    for case in dict.fromkeys(one["case"] for one in d["results"]):
        body = [_failure_line(one) for one in d["results"] if one["case"] == case]
        lines += [*([""] if lines else []), *folded(visible(case), width), *aligned(body, names=1)]
    return "\n".join(lines) + "\n"


def _failure_line(one: Facts) -> dict[str, str]:
    return {
        "method": visible(one["method"]),
        "says": f"{one['value']:.4f}",
        "error": "exact" if one["repeats"] == 0 else f"{one['error']:.4f}",
        "truth": f"{one['truth']:.4f}",
        "": "",
    }


def _percent(share: Facts) -> str:
    return f"{share['value']:.1%} ± {share['error']:.1%}"


def _word(bias: Facts) -> str:
    """What a bias of more than three standard errors is, for an accuracy."""
    if abs(bias["value"]) <= 3 * bias["error"]:
        return "   none found"
    return "   optimistic" if bias["value"] > 0 else "   pessimistic"
