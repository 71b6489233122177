"""A gate's decision in a few lines: as text, as annotations of a build, as a JUnit file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from heldout.report.kinds.comparison_verdict import rounded
from heldout.report.number_text import percent, signed
from heldout.report.plain_text import folded, shortened, visible

Cleared = Mapping[str, Any]
"""One hurdle as a plain dictionary: against, verdict, value, low, high, bound, test and so on."""
GREEN, RED, YELLOW, PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
COLORS = {"PASS": GREEN, "FAIL": RED, "INCONCLUSIVE": YELLOW}
LEVELS = {"PASS": "notice", "FAIL": "error", "INCONCLUSIVE": "error"}
LONGEST = 600
"""Characters of a note that are shown."""


def gate_text(d: Mapping[str, Any], width: int = 80, color: bool = False) -> str:
    """The decision against each model, and the notes, as lines no wider than `width`."""
    lines: list[str] = []
    for one in d["hurdles"]:
        word = one["verdict"]
        found = folded(visible(sentence(d, one)), width, f"{word}  ", "      ")
        lines += [found[0].replace(word, f"{COLORS[word]}{word}{PLAIN}", 1), *found[1:]] if color else found
    notes = [(check["code"], check["text"]) for check in d["checks"]]
    notes += [(one["against"], note) for one in d["hurdles"] for note in one["notes"]]
    for about, text in dict.fromkeys(notes):
        lines += folded(shortened(visible(text), LONGEST), width, f"note {about}  ", "     ")
    return "\n".join(lines) + "\n"


def sentence(d: Mapping[str, Any], one: Cleared) -> str:
    """What decided against one model, in words.

    >>> d = {"primary": "roc_auc", "better": "higher", "margin": 0.01, "alpha": 0.05}
    >>> facts = {"value": 0.02, "low": 0.004, "high": 0.036, "bound": 0.004, "level": 0.9}
    >>> sentence(d, {**facts, "verdict": "PASS", "against": "baseline", "test": "DeLong, paired", "units": 2000})
    'roc_auc +0.020 against the baseline, one-sided 95% lower bound +0.004 > -0.01 (DeLong, paired, n=2000)'
    """
    head = f"{d['primary']} {signed(one['value'], one)} against the {one['against']}"
    if one["low"] is None or one["high"] is None:
        return f"{head}: no interval could be given, so nothing is shown."
    higher = d["better"] == "higher"
    limit = f"{-d['margin'] if higher else d['margin']:+g}" if d["margin"] else "0"
    interval = f"{percent(one['level'])} interval [{signed(one['low'], one)}, {signed(one['high'], one)}]"
    if one["verdict"] == "PASS":
        side, sign = ("lower", ">") if higher else ("upper", "<")
        if one["low"] == one["high"] == 0:
            return f"{head}: identical predictions ({_size(one)})"
        bound = f"one-sided {percent(1 - d['alpha'])} {side} bound {signed(one['bound'], one)} {sign} {limit}"
        return f"{head}, {bound} ({one['test']}, {_size(one)})"
    if one["verdict"] == "FAIL":
        return f"{head}, {interval}: shown to be worse ({one['test']}, {_size(one)})"
    return f"{head}, {interval} reaches {limit} ({one['test']}, {_size(one)}). {_settled_by(one)}"


def _size(one: Cleared) -> str:
    """How many rows decided, or units where rows share them."""
    return f"n={one['units']}" if one.get("rows", one["units"]) == one["units"] else f"{one['units']:,} units"


def _settled_by(one: Cleared) -> str:
    if one["rows_needed"] is None:
        return "How many rows would settle it cannot be said. Add rows, or accept it with --allow-inconclusive."
    kind = "rows" if one["rows"] == one["units"] else "units"
    needed = f"About {rounded(one['rows_needed']):,} {kind} would settle it (80% power)."
    return f"{needed} Add rows, or accept it with --allow-inconclusive."


def github(d: Mapping[str, Any], *, allowed: bool = False) -> str:
    """One annotation per model in the form that GitHub reads from the log of a build."""
    return "".join(
        f"::{_level(one, allowed=allowed)} title=heldout gate {one['verdict']}::{_command(sentence(d, one))}\n"
        for one in d["hurdles"]
    )


def _level(one: Cleared, *, allowed: bool) -> str:
    return "warning" if allowed and one["verdict"] == "INCONCLUSIVE" else LEVELS[one["verdict"]]


def _command(text: str) -> str:
    """The text so that it ends neither its line nor its command."""
    return visible(text).replace("%", "%25")


def junit(d: Mapping[str, Any], *, allowed: bool = False) -> str:
    """One test case per model: a failure where the gate is not passed, skipped where that was allowed."""
    cases = [_case(d, one, allowed=allowed) for one in d["hurdles"]]
    failures, skipped = (sum(f"<{word} " in case for case in cases) for word in ("failure", "skipped"))
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    body = "".join(cases)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="heldout gate" {counts}>\n{body}</testsuite>\n'


def _case(d: Mapping[str, Any], one: Cleared, *, allowed: bool) -> str:
    said = visible(sentence(d, one))
    name = quoteattr(f"{visible(d['primary'])} against the {one['against']}")
    start = f'  <testcase classname="heldout.gate" name={name}>'
    if one["verdict"] == "PASS":
        inside = f"<system-out>{escape(said)}</system-out>"
    elif allowed and one["verdict"] == "INCONCLUSIVE":
        inside = f"<skipped message={quoteattr(said)}/>"
    else:
        inside = f'<failure type="{one["verdict"]}" message={quoteattr(said)}/>'
    return f"{start}{inside}</testcase>\n"
