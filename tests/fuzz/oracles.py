"""What must hold of every outcome, whatever the case: exit codes, messages, JSON, files, nothing left behind."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from tests.fuzz.cases import Case
from tests.fuzz.running import Outcome

DECIDES = {"gate": (0, 1, 2, 3), "lab held-out": (0, 1, 2), "lab outside": (0, 1, 2)}
"""Commands whose exit code is a decision → their codes; all others end with 0 or 2."""
REFUSAL = re.compile(r"error(\[H\d+\] |: )\S.*\n  Fix: \S.*\n(  See: heldout explain H\d+\n)?")
USAGE = re.compile(
    r"(Usage: heldout.*\n(Try .*\n)?\nError: \S.*\n?|error: heldout.* was given nothing to work on\n.*)", re.DOTALL
)
SAID = re.compile(r"^(?:wrote|recorded as|deleted|::(?:error|warning|notice)) ?.*\n", re.MULTILINE)
"""What is said on standard error beside a refusal."""
CHANGES_ITS_FOLDER = ("runs", "validate", "select")
"""Commands that write to the store that they read."""
P_VALUES = ("p", "pvalue", "pvalue_adjusted")
SLACK = 1e-9
INTERNAL = 5


@dataclass(frozen=True)
class Problem:
    """What is wrong: a signature that all cases with the same cause share, and the details of this one."""

    signature: str
    detail: str = ""


def problems(case: Case, outcome: Outcome) -> Iterator[Problem]:
    """Everything that is wrong with an outcome."""
    command = " ".join(case.command).replace("runs store", "runs")
    if outcome.code not in DECIDES.get(command, (0, 2)):
        yield (
            internal(outcome)
            if "Traceback" in outcome.err
            else Problem(f"exit {outcome.code} of {command}", outcome.err)
        )
        return
    if outcome.code == 2:
        yield from wrong_refusal(case, outcome)
    else:
        yield from wrong_output(case, outcome)
    for name in outcome.changed:
        if not (case.command[0] in CHANGES_ITS_FOLDER and name.startswith("store/")):
            yield Problem(f"input changed by {command}", name)
    for one in outcome.left:
        yield Problem(f"left behind by {command}: {one.split()[0]}", one)
    for name in outcome.written:
        if name.endswith((".part", ".tmp")) or (
            name.rpartition("/")[2].startswith(".") and not name.startswith(".heldout")
        ):
            yield Problem(f"left behind by {command}: a hidden file", name)


FRAME = re.compile(r'File "[^"]*/heldout/([^"]+)", line (\d+), in (\S+)')


def internal(outcome: Outcome) -> Problem:
    """An internal error, by its type and the last function of heldout that it passed."""
    frames = FRAME.findall(outcome.err)
    file, line, function = frames[-1] if frames else ("?", "?", "?")
    kind = re.findall(r"^(?:[a-z_]+\.)*([A-Z]\w+)(?::|$)", outcome.err, re.MULTILINE)
    last = outcome.err.strip().splitlines()[-2:]
    return Problem(
        f"exit {outcome.code}: {kind[-1] if kind else '?'} in {file} {function}", f"line {line}: {' '.join(last)[:400]}"
    )


def wrong_refusal(case: Case, outcome: Outcome) -> Iterator[Problem]:
    """A refusal is one sentence and a fix, or a usage line; before it, only the result may be printed of which a chart
    cannot be drawn or that cannot be recorded: the work is not lost."""
    message = SAID.sub("", outcome.err)
    if not (REFUSAL.fullmatch(message) or USAGE.fullmatch(message)):
        yield Problem(f"refusal without a fix: {outcome.raised}", message[:600])
    if outcome.out and option_value(case, "--chart", "--charts", "--run", "--save") is None:
        yield Problem("output before a refusal", outcome.out[:100] + " | " + message[:300])


def option_value(case: Case, *options: str) -> str | None:
    """The value of an option in a case; "" of a flag."""
    for words in case.words:
        if words[0] in options:
            return words[1] if len(words) > 1 else ""
    return None


def wrong_output(case: Case, outcome: Outcome) -> Iterator[Problem]:
    """The output is whole: JSON that its schema allows, CSV of one width, HTML and XML that end."""
    form = option_value(case, "--format") or ("json" if option_value(case, "--json") is not None else "text")
    place = option_value(case, "--output")
    text = outcome.written.get(place, b"").decode("utf-8", "replace") if place and place != "-" else outcome.out
    quiet = option_value(case, "--quiet") is not None and not place
    if case.command == ("demo",) or quiet or (place is not None and place not in outcome.written):
        text, form = "-", "text"
    silent = case.command == ("runs", "store", "delete")
    if "Traceback" in outcome.err or not (text.strip() or silent):
        yield Problem(f"no output of {case.command[0]}", outcome.err[:300])
    elif form == "json":
        yield from wrong_json(text)
    elif form == "csv":
        widths = {len(row) for row in csv.reader(io.StringIO(text, newline=""))}
        if len(widths - {0}) > 1:
            yield Problem("CSV of several widths", f"{widths}: {text[:300]}")
    for name, data in outcome.written.items():
        yield from wrong_file(name, data)


def wrong_file(name: str, data: bytes) -> Iterator[Problem]:
    if name == "page.html" and not data.rstrip().endswith(b"</html>"):
        yield Problem("HTML report that does not end", name)
    if name in ("junit.xml", "x.svg"):
        try:
            ET.fromstring(data)
        except ET.ParseError as problem:
            yield Problem(f"{name} is not XML", str(problem))


def no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


@cache
def validator(name: str) -> Draft202012Validator:
    from heldout.report.schema import schema

    return Draft202012Validator(schema(name))


def wrong_json(text: str) -> Iterator[Problem]:
    """JSON without NaN that its schema allows; intervals in order, p-values between 0 and 1."""
    try:
        d = json.loads(text, parse_constant=no_constant)
    except ValueError as problem:
        yield Problem("output is not JSON", f"{problem}: {text[:200]}")
        return
    if isinstance(d, dict) and "schema" in d:
        for error in validator(d["schema"]).iter_errors(d):
            path = "/".join("…" if isinstance(part, int) else str(part) for part in error.absolute_path)
            yield Problem(
                f"{d['schema']} does not allow {path}: {error.validator}", f"{error.json_path}: {error.message[:300]}"
            )
        yield from wrong_numbers(d)


def wrong_numbers(value: Any, path: str = "") -> Iterator[Problem]:
    if isinstance(value, list):
        for part in value:
            yield from wrong_numbers(part, path)
        return
    if not isinstance(value, dict):
        return
    low, middle, high = (number(value.get(name)) for name in ("low", "value", "high"))
    name = value.get("name", value.get("metric", path.rpartition("/")[2]))
    where = f"{name} ({value.get('method', value.get('test', ''))})"
    if not ordered(low, high):
        yield Problem(f"interval upside down: {where}", f"{path}: {low} > {high}")
    elif not (ordered(low, middle) and ordered(middle, high)):
        yield Problem(f"value outside its interval: {where}", f"{path}: {low} {middle} {high}")
    for name in P_VALUES:
        p = number(value.get(name))
        if p is not None and not 0 <= p <= 1 and "method" not in value:
            yield Problem(f"p-value outside 0 to 1: {where}", f"{path}: {p}")
    for name, part in value.items():
        yield from wrong_numbers(part, f"{path}/{name}")


def number(value: Any) -> float | None:
    return None if isinstance(value, bool) or not isinstance(value, int | float) else value


def ordered(low: float | None, high: float | None) -> bool:
    return low is None or high is None or low <= high + SLACK * max(1, abs(low), abs(high))
