"""`python -m tests.fuzz`: random cases for some minutes, a table of how they ended, a regression case per failure."""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.fuzz import figures, found
from tests.fuzz.cases import Case, case
from tests.fuzz.figures import Tally
from tests.fuzz.oracles import Problem
from tests.fuzz.pool import Pool
from tests.fuzz.shrinking import TRIES, shrunk


def numbered(seed: int, minutes: float, cases: int | None = None) -> Iterator[tuple[int, int]]:
    """Cases by number, until the time is over or their number is reached."""
    end = time.monotonic() + 60 * minutes
    for number in itertools.count() if cases is None else range(cases):
        if time.monotonic() > end:
            return
        yield seed, number


def run(pool: Pool, asked: Iterable[tuple[int, int]]) -> Tally:
    """Run the cases, and count how they end."""
    tally = Tally()
    start = time.perf_counter()
    for question, verdict in pool.verdicts(asked):
        tally.add(question, verdict)
    tally.seconds = time.perf_counter() - start
    return tally


def minimal(pool: Pool, failing: Case, signature: str, tries: int = TRIES) -> tuple[Case, Problem | None]:
    """A failure made small in a fresh worker; no problem where the case alone does not fail."""
    pool.fresh()

    def problem(smaller: Case) -> Problem | None:
        return next((one for one in pool.verdict(smaller).problems if one.signature == signature), None)

    first = problem(failing)
    if first is None:
        return failing, None
    small = shrunk(failing, lambda smaller: problem(smaller) is not None, tries)
    return small, problem(small) or first


def reported(pool: Pool, tally: Tally, into: Path) -> Iterator[str]:
    """Shrink the first case of every signature and write it as a regression case; each in words."""
    for signature, (asked, problem) in tally.first.items():
        small, again = minimal(pool, case(*asked), signature)
        place = found.write(small, again or problem, into)
        alone = "" if again else " (only after other cases: the case alone does not fail)"
        yield (
            f"{tally.repeated[signature]:6} × {signature}{alone}\n"
            f"         seed {asked[0]}, case {asked[1]}, smallest in {place}\n"
            f"         heldout {' '.join(small.arguments)[:300]}\n"
            f"         {(again or problem).detail[:300]}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--cases", type=int, help="stop after so many cases, whatever the time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--into", type=Path, default=found.FOUND, help="folder of the regression cases")
    parser.add_argument("--measured", type=Path, help="keep the figures in this file, as JSON")
    given = parser.parse_args()
    with Pool(given.workers) as pool:
        tally = run(pool, numbered(given.seed, given.minutes, given.cases))
        print(tally.text(), flush=True)
        if given.measured:
            figures.keep(given.measured, given.seed, tally)
        for failure in reported(pool, tally, given.into):
            print(failure, flush=True)
    return int(bool(tally.first))


if __name__ == "__main__":
    sys.exit(main())
