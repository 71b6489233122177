"""What runs of the fuzzer have seen: counted by verb and by kind of input, and kept by seed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.oracles import Problem
from tests.fuzz.verdicts import Verdict

ENDINGS = ("ok", "refused", "findings")


@dataclass
class Tally:
    """What one run has seen."""

    ended: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Verb or kind, and how cases ended → cases."""
    seconds: float = 0.0
    first: dict[str, tuple[Any, Problem]] = field(default_factory=dict)
    """Signature → the first case that has it."""
    repeated: Counter[str] = field(default_factory=Counter)
    """Signature → cases."""

    def add(self, asked: Any, verdict: Verdict) -> None:
        ended = "findings" if verdict.problems else "refused" if verdict.code == 2 else "ok"
        verb = verdict.command.split()[0]
        self.ended.update([(f"verb {verb}", ended), (f"kind {verdict.kind}", ended), ("all", ended)])
        for problem in verdict.problems:
            self.first.setdefault(problem.signature, (asked, problem))
            self.repeated[problem.signature] += 1

    @property
    def cases(self) -> int:
        return sum(self.ended["all", ended] for ended in ENDINGS)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A line per verb and per kind of input."""
        for name in sorted({name for name, _ in self.ended}):
            counts = {ended: self.ended[name, ended] for ended in ENDINGS}
            yield {"what": name, "cases": sum(counts.values()), **counts}

    def text(self) -> str:
        """The lines as a table."""
        heads = ("cases", *ENDINGS)
        lines = [" " * 20 + "".join(f"{head:>10}" for head in heads)]
        lines += [f"{row['what']:20}" + "".join(f"{row[head]:10,}" for head in heads) for row in self.rows()]
        speed = self.cases / max(self.seconds, 1e-9)
        return "\n".join([*lines, f"{self.cases:,} cases in {self.seconds:,.0f} seconds: {speed:.0f} a second"])


def keep(path: Path, seed: int, tally: Tally) -> None:
    """Write the figures of a run beside those of other seeds; another run of the same seed replaces its figures."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"seeds": {}}
    figures = {"cases": tally.cases, "seconds": round(tally.seconds), "rows": list(tally.rows())}
    kept["seeds"] = {**kept["seeds"], str(seed): figures}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
