"""heldout against numbers from outside tools.

    python tests/oracles/run.py DIR

DIR holds manifest.json, data/ and expected/. Every case whose area is known is answered through the public API; every
expected entry ends as one of ENDINGS. Prints how many did per area, and what differs; exit code 1 if anything does.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.oracles.answers import AREAS, answered
from tests.oracles.answers.asking import NotAnswered
from tests.oracles.reader import Case, cases
from tests.oracles.scope import CONVENTIONS, OUTSIDE

ENDINGS = ("agree", "convention", "differ", "not answered", "out of scope", "later")
"""convention: differs because the tool errs or counts another way; later: a later version will answer."""
ANSWERED = ("agree", "convention", "differ")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How one expected entry ended, and why."""

    case: Case
    entry: str
    ending: str
    why: str = ""


def verdicts(case: Case) -> Iterator[Verdict]:
    """How every entry of a case ended."""
    given: dict[str, Any] = {}
    for entry, want in case.entries():
        ending, why = _outside(case, entry) or _compared(case, entry, want, given)
        yield Verdict(case=case, entry=entry, ending=ending, why=why)


def _outside(case: Case, entry: str) -> tuple[str, str] | None:
    for rule in OUTSIDE:
        if rule.covers(case, entry):
            return ("later" if rule.later else "out of scope"), rule.why
    return None


def _compared(case: Case, entry: str, want: Any, given: dict[str, Any]) -> tuple[str, str]:
    """The answer against what is expected; `given` keeps the answers of the case that have several parts."""
    key = entry if entry in case.expected else next(key for key in case.expected if entry.startswith(f"{key}."))
    try:
        if key not in given:
            given[key] = answered(AREAS.get(case.area, {}), case, key)
        got = given[key] if key == entry else _named_part(given[key], entry.removeprefix(f"{key}."))
    except NotAnswered:
        return "not answered", f"{case.area} ({case.oracle}): {entry}"
    except Exception as error:  # noqa: BLE001  (whatever breaks is a finding, and the rest must still be compared)
        return "differ", f"{entry}: {type(error).__name__}: {' '.join(str(error).split())}"
    return _judged(case, entry, case.mismatches(entry, got, want))


def _named_part(answer: Any, name: str) -> Any:
    """A part of an answer; a name it does not have is not answered, unlike any KeyError that the answer itself met."""
    if name not in answer:
        raise NotAnswered(name)
    return answer[name]


def _judged(case: Case, entry: str, found: list[Any]) -> tuple[str, str]:
    reasons = []
    for mismatch in found:
        rule = next((rule for rule in CONVENTIONS if rule.covers(case, entry, mismatch)), None)
        if rule is None:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            return "differ", f"{mismatch}{more}"
        reasons.append(rule.why)
    return ("convention", reasons[0]) if reasons else ("agree", "")


def table(found: list[Verdict]) -> str:
    """A line per area: cases, and entries by their ending."""
    areas = sorted({verdict.case.area for verdict in found})
    lines = [_line("area", "cases", *ENDINGS)]
    lines += [_counted(area, [verdict for verdict in found if verdict.case.area == area]) for area in areas]
    return "\n".join([*lines, _counted("all", found)])


def told(found: Iterable[Verdict]) -> str:
    """What differs and what is not answered, one by one; then the reasons for the rest, with how often they apply."""
    found = list(found)
    lines = [f"differ: {one.case.id}: {one.why}" for one in found if one.ending == "differ"]
    for ending in ("not answered", "convention", "out of scope", "later"):
        reasons = Counter(one.why for one in found if one.ending == ending)
        lines += [f"{ending}: {count} x {why}" for why, count in reasons.items()]
    return "\n".join(lines)


def summary(found: list[Verdict]) -> str:
    total = len({one.case.id for one in found})
    ran = len({one.case.id for one in found if one.ending in ANSWERED})
    count = Counter(one.ending for one in found)
    parts = ", ".join(f"{count[ending]} {ending}" for ending in ENDINGS)
    return f"{ran} of {total} cases ran; of {len(found)} entries {parts}"


def _counted(name: str, found: list[Verdict]) -> str:
    count = Counter(verdict.ending for verdict in found)
    return _line(name, len({verdict.case.id for verdict in found}), *(count[ending] or "." for ending in ENDINGS))


def _line(name: str, *cells: Any) -> str:
    return f"{name:<26}" + "".join(f"{cell!s:>13}" for cell in cells)


def run(folder: Path) -> list[Verdict]:
    """How every entry of every case of a folder ended."""
    return [verdict for case in cases(folder) for verdict in verdicts(case)]


def main(arguments: list[str]) -> int:
    """The command line: the exit code is 1 if anything differs, 2 if there is nothing to read."""
    if len(arguments) != 1 or not (Path(arguments[0]) / "manifest.json").is_file():
        print("usage: python tests/oracles/run.py DIR, where DIR holds a manifest.json", file=sys.stderr)
        return 2
    found = run(Path(arguments[0]))
    print(table(found), told(found), summary(found), sep="\n\n")
    return 1 if any(verdict.ending == "differ" for verdict in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
