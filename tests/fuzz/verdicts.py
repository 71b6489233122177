"""How a case ends: run, and looked at by every oracle."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz.cases import Case
from tests.fuzz.forms import differences
from tests.fuzz.oracles import Problem, problems
from tests.fuzz.running import outcome


@dataclass(frozen=True)
class Verdict:
    """How a case ended."""

    command: str
    kind: str
    code: int
    """The exit code; what killed the worker as a negative number."""
    problems: tuple[Problem, ...]
    seconds: float = 0.0


def judged(one: Case) -> Verdict:
    """Run a case and look at everything that must hold of it."""
    ended = outcome(one)
    found = [*problems(one, ended), *differences(one, ended)]
    return Verdict(" ".join(one.command), one.kind, ended.code, tuple(dict.fromkeys(found)), ended.seconds)
