"""A gate's decision: as a document, as annotations of a build, as a JUnit file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from heldout.errors import with_options
from heldout.report.document import TONES, Cell, Document, Note, given, table_of
from heldout.report.kinds.differences import interval, looks_notes, rounded_up
from heldout.report.kinds.estimates import check_notes, ci_head, gathered, time_columns, time_record
from heldout.report.number_text import percent, signed
from heldout.report.plain_text import visible

Facts = Mapping[str, Any]
Hurdle = Mapping[str, Any]
"""One hurdle as a plain dictionary: against, verdict, value, low, high, bound, test and so on."""
ADVICE = "Add rows, or accept it with --allow-inconclusive."
"""What the command line says of a decision that is open."""
LEVELS = {"PASS": "notice", "FAIL": "error", "INCONCLUSIVE": "error"}


def document(d: Facts) -> Document:
    """The decision against each model in a sentence, then notes; whole documents have a table too."""
    hurdles = d["hurdles"]
    several = len(hurdles) > 1
    table = table_of(
        "hurdles",
        [
            ("against", "l", given(one["against"] for one in hurdles)),
            ("verdict", "l", [one["verdict"] for one in hurdles]),
            (Cell(d["primary"], given=True), "r", [signed(one["value"], one) for one in hurdles]),
            (ci_head(hurdles[0]["level"]), "l", [interval(one) for one in hurdles]),
            ("test", "l", given(one["test"] for one in hurdles)),
            (f"{d['unit']}s", "r", [f"{one['units']:,}" for one in hurdles]),
            *time_columns(hurdles),
        ],
        in_brief=False,
        section="differences",
    )
    return Document(
        title="Gate",
        tables=(table,),
        verdict_label=d["verdict"],
        verdict=tuple(f"{one['verdict']}: {sentence(d, one)}" if several else sentence(d, one) for one in hurdles),
        notes=(
            *looks_notes(d, hurdles),
            *_budget(d),
            *check_notes(d),
            *gathered((one["against"], _not_in(sentence(d, one), one["notes"])) for one in hurdles),
        ),
        word=d["verdict"],
        tone=TONES.get(d["verdict"], "open"),
        advice=ADVICE if any(map(_is_open, hurdles)) else "",
        data={"primary metric": d["primary"], "margin": f"{d['margin']:g}", "alpha": f"{d['alpha']:g}"},
    )


def _not_in(sentence: str, notes: Iterable[str]) -> list[str]:
    """The notes that the sentence does not contain already."""
    return [note for note in notes if note not in sentence]


def _budget(d: Facts) -> tuple[Note, ...]:
    """Which look at these rows it was, where looks are counted."""
    budget = d.get("budget")
    if not budget:
        return ()
    return (Note("looks", f"look {budget['look']} of {budget['of']} at these rows, counted in {budget['store']}"),)


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per model that the candidate must not be worse than."""
    names = ("value", "low", "high", "level", "bound", "test", "rows", "units", "rows_needed")
    return [
        {
            "against": one["against"],
            "verdict": one["verdict"],
            "metric": d["primary"],
            **{name: one[name] for name in names},
            **time_record(one),
            "margin": d["margin"],
            "alpha": d["alpha"],
            "notes": "; ".join(one["notes"]),
        }
        for one in d["hurdles"]
    ]


def sentence(d: Facts, one: Hurdle) -> str:
    """What decided against one model, in words.

    >>> d = {"primary": "roc_auc", "better": "higher", "margin": 0.01, "alpha": 0.05}
    >>> facts = {"value": 0.02, "low": 0.004, "high": 0.036, "bound": 0.004, "level": 0.9}
    >>> sentence(d, {**facts, "verdict": "PASS", "against": "baseline", "test": "DeLong, paired", "units": 2000})
    'roc_auc +0.020 against the baseline, one-sided 95% lower bound +0.004 > -0.01 (DeLong, paired, n=2,000)'
    """
    head = f"{d['primary']} {signed(one['value'], one)} against the {one['against']}"
    if one["low"] is None or one["high"] is None:
        why = one["notes"][0] if one.get("notes") else "no interval could be computed"
        so = "which is worse by any margin" if one["verdict"] == "FAIL" else "so nothing is shown"
        return f"{head}: {why}, {so}."
    higher = d["better"] == "higher"
    limit = f"{-d['margin'] if higher else d['margin']:+g}" if d["margin"] else "0"
    shown = f"{ci_head(one['level'])} {interval(one)}"
    if one["verdict"] == "PASS":
        side, sign = ("lower", ">") if higher else ("upper", "<")
        if one["low"] == one["high"] == 0:
            return f"{head}: identical predictions ({_size(one)})"
        bound = f"one-sided {percent(1 - d['alpha'])} {side} bound {signed(one['bound'], one)} {sign} {limit}"
        return f"{head}, {bound} ({_test(one)}, {_size(one)})"
    if one["verdict"] == "FAIL":
        return f"{head}, {shown}: significantly worse ({one['test']}, {_size(one)})"
    return f"{head}, {shown} reaches {limit} ({_test(one)}, {_size(one)}). {_settled_by(one)}"


def _test(one: Hurdle) -> str:
    if one["test"] != "identical":
        return str(one["test"])
    return str(one["notes"][0]) if one.get("notes") else "identical predictions"


def _size(one: Hurdle) -> str:
    """How many rows decided, or clusters where rows share them."""
    if one.get("rows", one["units"]) == one["units"]:
        return f"n={one['units']:,}"
    return f"{one['units']:,} {'times' if one.get('time') else 'clusters'}"


def _is_open(one: Hurdle) -> bool:
    return bool(one["verdict"] == "INCONCLUSIVE" and one["low"] is not None and one["high"] is not None)


def _in_a_build(d: Facts, one: Hurdle) -> str:
    """The sentence, and what the command line offers where the decision is open."""
    return with_options(f"{sentence(d, one)} {ADVICE}" if _is_open(one) else sentence(d, one))


def _settled_by(one: Hurdle) -> str:
    if one["rows_needed"] is None:
        return "How many rows would settle it cannot be said."
    kind = "rows" if one["rows"] == one["units"] else "times" if one.get("time") else "clusters"
    return f"About {rounded_up(one['rows_needed']):,} {kind} would settle it (80% power)."


def github(d: Facts, *, allowed: bool = False) -> str:
    """One annotation per model in the form that GitHub reads from the log of a build."""
    return "".join(
        f"::{_level(one, allowed=allowed)} title=heldout gate {one['verdict']}::{_command(_in_a_build(d, one))}\n"
        for one in d["hurdles"]
    )


def github_error(message: str) -> str:
    """The same of a gate that could not be decided."""
    return f"::error title=heldout gate ERROR::{_command(message)}\n"


def _level(one: Hurdle, *, allowed: bool) -> str:
    return "warning" if allowed and one["verdict"] == "INCONCLUSIVE" else LEVELS[one["verdict"]]


def _command(text: str) -> str:
    """The text so that it ends neither its line nor its command."""
    return visible(text).replace("%", "%25")


def junit(d: Facts, *, allowed: bool = False) -> str:
    """One test case per model: a failure where the gate is not passed, skipped where that was allowed."""
    cases = [_case(d, one, allowed=allowed) for one in d["hurdles"]]
    failures, skipped = (sum(f"<{word} " in case for case in cases) for word in ("failure", "skipped"))
    return _suite("".join(cases), f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"')


def junit_error(message: str) -> str:
    """The same of a gate that could not be decided: a file of an earlier run would show its result instead."""
    inside = f'<error type="error" message={quoteattr(visible(message))}/>'
    case = f'  <testcase classname="heldout.gate" name="gate">{inside}</testcase>\n'
    return _suite(case, 'tests="1" failures="0" errors="1" skipped="0"')


def _suite(cases: str, counts: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="heldout gate" {counts}>\n{cases}</testsuite>\n'


def _case(d: Facts, one: Hurdle, *, allowed: bool) -> str:
    said = visible(_in_a_build(d, one))
    name = quoteattr(f"{visible(d['primary'])} against the {one['against']}")
    start = f'  <testcase classname="heldout.gate" name={name}>'
    # rows that were not compared are part of the decision
    out = [visible(check["text"]) for check in d.get("checks", ()) if check["code"] == "H101"]
    inside = ""
    if one["verdict"] == "PASS":
        out = [said, *out]
    elif allowed and one["verdict"] == "INCONCLUSIVE":
        inside = f"<skipped message={quoteattr(said)}/>"
    else:
        inside = f'<failure type="{one["verdict"]}" message={quoteattr(said)}/>'
    if out:
        inside += f"<system-out>{escape(chr(10).join(out))}</system-out>"
    return f"{start}{inside}</testcase>\n"
