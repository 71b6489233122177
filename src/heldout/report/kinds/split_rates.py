"""Measured error rates over splits as text: a table per learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.kinds.error_rates import aligned, share
from heldout.report.plain_text import folded, visible

Facts = Mapping[str, Any]


def split_size_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """How often each test rejected, one table per learner."""
    return _tables(d, width, f"alpha {d['alpha']:g}", _size_line)


def split_coverage_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """How often each interval held which error, one table per learner."""
    text = _tables(d, width, f"level {d['level']:g}", _coverage_line)
    about = (
        "learner, model, target: in how many of 100 samples the interval held the error of the learner, of the model of"
        " all rows, of what it is for."
    )
    return "\n".join([text, *folded(about, width)]) + "\n"


def _tables(d: Facts, width: int, goal: str, line: Any) -> str:
    lines: list[str] = []
    for place in dict.fromkeys((one["learner"], one["world"], one["n"]) for one in d["results"]):
        rows = [one for one in d["results"] if (one["learner"], one["world"], one["n"]) == place]
        learner, world, n = place
        known = f", whose error is {rows[0]['truth']:.4f}" if "truth" in rows[0] else ""
        head = f"{learner} in {world}, n = {n:,}{known}; {goal}, {rows[0]['repeats']:,} samples, seed {d['seed']}"
        lines += [*([""] if lines else []), *folded(visible(head), width, "", "  "), ""]
        lines += aligned([line(one) for one in rows])
    return "\n".join(lines) + "\n"


def _size_line(one: Facts) -> dict[str, str]:
    return {
        "test": visible(one["test"]),
        "splits": visible(one["splits"]),
        "rejected": share(one["rejected"]),
        "error": f"{one['error']:.2%}",
        "refused": share(one["refused"]),
        "": one["word"],
    }


def _coverage_line(one: Facts) -> dict[str, str]:
    return {
        "interval": visible(one["method"]),
        "splits": visible(one["splits"]),
        "mean": _number(one["mean"]),
        "+-": _number(one["half_width"]),
        "learner": _percent(one["covers_learner"]),
        "model": _percent(one["covers_model"]),
        "target": _percent(one["covers_target"]),
        "": one["word"].removeprefix("too "),
    }


def _percent(value: float | None) -> str:
    return "--" if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return "--" if value is None else f"{value:.3f}"
