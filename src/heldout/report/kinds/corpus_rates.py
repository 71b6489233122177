"""Measured error rates of pictures and texts as text: a table per world and number of units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.kinds.error_rates import aligned, share
from heldout.report.plain_text import folded, visible

Facts = Mapping[str, Any]


def corpus_rates_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """How often intervals held the truth and tests rejected it, one table per world and number of units."""
    lines: list[str] = []
    for world, n in dict.fromkeys((one["world"], one["n"]) for one in d["results"]):
        rows = [one for one in d["results"] if (one["world"], one["n"]) == (world, n)]
        head = f"{world}, n = {n:,}; level {d['level']:g}, {rows[0]['repeats']:,} samples, seed {d['seed']}"
        lines += [*([""] if lines else []), *folded(visible(head), width, "", "  ")]
        for kind, word in (("interval", "held"), ("classes", "all held"), ("test", "rejected")):
            of_kind = [_line(one, word) for one in rows if one["kind"] == kind]
            lines += ["", *aligned(of_kind)] if of_kind else []
    return "\n".join(lines) + "\n"


def _line(one: Facts, word: str) -> dict[str, str]:
    name = {"held": "interval", "all held": "classes", "rejected": "test"}[word]
    known = {} if word != "held" else {"truth": f"{one['truth']:.4g}", "bias": f"{one['bias'] or 0:+.3g}"}
    return {
        name: visible(one["metric"]),
        "method": visible(one["method"]),
        **known,
        word: share(one["rate"]),
        "error": share(one["error"]),
        "width": "--" if one["width"] is None else f"{one['width']:.3g}",
        "": one["word"] if not one["undefined"] else f"{one['word']}, {one['undefined']:.1%} undefined",
    }
