"""A textbook test in a few lines: the decision, the effect with its interval, and only beside them the p-value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.number_text import interval_text, like, percent
from heldout.report.plain_text import folded, visible

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
INDENT = 10


def decision_text(d: Mapping[str, Any], width: int = 80, color: bool = False) -> str:
    """The answer as lines no wider than `width`."""
    effect = d["effect"]
    interval = f"{percent(effect['level'])} interval {interval_text(effect)}"
    lines = {
        "decision": f"{d['decision']} that {d['null']}, against: {d['alternative']} (alpha {d['alpha']:g})",
        "effect": f"{effect['name']} {like(effect['value'], effect)}, {interval}",
        "p": f"{p_value(d['p'], d['alpha'])} ({d['method']}, {statistic(d)})",
    }
    if d["power"] is not None:
        lines["power"] = f"{d['power']:.3f}, beta {d['beta']:.3f}, if {d['power_at']}"
    if d["log_ratio"] is not None:
        lines["log ratio"] = f"{d['log_ratio']:.4g}; critical sum of squares {d['critical']:.4g}"
    shown = [line for key, text in lines.items() for line in _under(key, text, width)]
    if color:
        shown[0] = shown[0].replace(d["decision"], f"{BOLD}{d['decision']}{PLAIN}", 1)
    notes = [line for note in d["notes"] for line in _under("note", note, width)]
    return "\n".join([*shown, *notes]) + "\n"


def _under(key: str, text: str, width: int) -> list[str]:
    return folded(visible(text), width, f"{key:<{INDENT}} ", " " * (INDENT + 1))


def p_value(p: float, alpha: float) -> str:
    """Three digits, or as many as show on which side of alpha it lies.

    >>> p_value(0.020695, 0.01), p_value(0.0500004, 0.05), p_value(0.0, 0.05)
    ('0.0207', '0.0500004', '<1e-300')
    """
    if p < 1e-300:
        return "<1e-300"
    texts = (f"{p:#.{digits}g}" for digits in range(3, 18))
    return next(text for text in texts if (float(text) <= alpha) == (p <= alpha))


def statistic(d: Mapping[str, Any]) -> str:
    """The statistic by its name, and its degrees of freedom where it has some.

    >>> statistic({"symbol": "chi2", "statistic": 6.54717, "df": 3})
    'chi2 6.547, df 3'
    """
    value = float(d["statistic"])
    text = f"{value:.3f}" if abs(value) < 1e6 and not value.is_integer() else f"{value:.7g}"
    return f"{d['symbol']} {text}" if d["df"] is None else f"{d['symbol']} {text}, df {d['df']:g}"
