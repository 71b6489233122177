"""A textbook test: the decision, the effect with its interval, and only beside them the p-value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Document, Note, table_of
from heldout.report.kinds.estimates import ci_head
from heldout.report.number_text import interval_text, like

Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """The effect with its interval and p-value, the decision, the power, notes."""
    effect = d["effect"]
    table = table_of(
        "effect",
        [
            ("effect", "l", [effect["name"]]),
            ("value", "r", [like(effect["value"], effect)]),
            (ci_head(effect["level"]), "l", [interval_text(effect)]),
            ("p", "l", [p_value(d["pvalue"], d["alpha"])]),
            ("test", "l", [f"{d['method']}, {statistic(d)}"]),
        ],
        fold_last=True,
    )
    return Document(
        title=f"Test: {d['method']}",
        tables=(table,),
        verdict_label="DECISION",
        verdict=(f"{d['decision']} that {d['null']}, against: {d['alternative']} (alpha {d['alpha']:g})",),
        notes=(*_power(d), *(Note("", text) for text in d["notes"])),
        data={"alpha": f"{d['alpha']:g}"},
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """The test in one record."""
    effect = d["effect"]
    return [
        {
            "test": d["method"],
            "statistic": d["statistic"],
            "df": d["df"],
            "pvalue": d["pvalue"],
            "alpha": d["alpha"],
            "decision": d["decision"],
            "effect": effect["name"],
            **{name: effect[name] for name in ("value", "low", "high", "level")},
            "power": d["power"],
            "beta": d["beta"],
        }
    ]


def _power(d: Facts) -> list[Note]:
    notes = []
    if d["power"] is not None:
        notes.append(Note("power", f"{d['power']:.3f}, beta {d['beta']:.3f}, if {d['power_at']}"))
    if d["log_ratio"] is not None:
        side = "the alternative" if d["log_ratio"] > 0 else "the null hypothesis"
        ratio = f"{d['log_ratio']:.4g}, alternative over null hypothesis: the data are likelier under {side}"
        notes.append(Note("log likelihood ratio", f"{ratio}; critical sum of squares {d['critical']:.4g}"))
    return notes


def p_value(p: float, alpha: float) -> str:
    """Three digits, or as many as show on which side of alpha it lies.

    >>> p_value(0.020695, 0.01), p_value(0.0500004, 0.05), p_value(0.0, 0.05)
    ('0.0207', '0.0500004', '<1e-300')
    """
    if p < 1e-300:
        return "<1e-300"
    texts = (f"{p:#.{digits}g}" for digits in range(3, 18))
    return next(text for text in texts if (float(text) <= alpha) == (p <= alpha))


def statistic(d: Facts) -> str:
    """The statistic by its name, and its degrees of freedom where it has some.

    >>> statistic({"symbol": "chi2", "statistic": 6.54717, "df": 3})
    'chi2 6.547, df 3'
    """
    value = float(d["statistic"])
    text = f"{value:.3f}" if abs(value) < 1e6 and not value.is_integer() else f"{value:.7g}"
    return f"{d['symbol']} {text}" if d["df"] is None else f"{d['symbol']} {text}, df {d['df']:g}"
