"""`make mutants [ROOM=stats] [FILE=wilcoxon]`: which changes to the code no test notices."""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from benchmarks.mutants import line_map, results
from benchmarks.mutants.operators import Mutant, mutants_of
from benchmarks.mutants.rooms import DECIDING, ROOMS, ROOT, TESTS, files_of, own_tests
from benchmarks.mutants.trials import Trial, Verdict, WarmTrials, cold_trials

PYTEST = [
    "-q", "--assert=plain", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider",
    "-o", "tmp_path_retention_policy=none",
]  # fmt: skip


def in_fork(work: Callable[[], None]) -> None:
    """Run in a process of its own, so that the next one starts without what this one has imported."""
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what pytest prints of tests that are meant to fail
        try:
            work()
        except BaseException:  # noqa: BLE001 whatever it is, this process must not go on as if it were its parent
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("a step of the run failed, see above")


@dataclass
class Run:
    """The mutants of some files, and what became of those that were tried."""

    trees: dict[str, ast.Module]
    mutants: list[Mutant]
    lines: line_map.LineMap
    workers: int
    tests: list[str]
    journal: Path
    """A line per mutant that was tried: its number, what became of it, and the test that noticed."""

    def at_import(self, mutant: Mutant) -> bool:
        """Whether what is changed has run when tests begin, so that changing it then would come too late."""
        first, last = mutant.lines
        return not mutant.scopes or any(line in self.lines.at_import[mutant.file] for line in range(first, last + 1))

    def record(self, verdicts: Iterable[Verdict]) -> None:
        """Write verdicts down as they come."""
        number = {id(mutant): at for at, mutant in enumerate(self.mutants)}
        with self.journal.open("a", encoding="utf-8") as journal:
            for verdict in verdicts:
                line = [number[id(verdict.mutant)], verdict.outcome, verdict.test, verdict.mutant.name]
                print(json.dumps(line), file=journal, flush=True)

    def verdicts(self) -> dict[int, tuple[str, str]]:
        """Number of a mutant → what became of it, and the test."""
        text = self.journal.read_text(encoding="utf-8") if self.journal.exists() else ""
        return {at: (outcome, test) for at, outcome, test, _ in map(json.loads, text.splitlines())}

    def change_in_place(self) -> None:
        """Try what functions do when they are called."""
        trials = [
            (mutant, self.lines.of_lines(mutant.file, mutant.lines))
            for mutant in self.mutants
            if not self.at_import(mutant)
        ]
        self.record(Verdict(mutant, "untested") for mutant, tests in trials if not tests)
        tested = [trial for trial in trials if trial[1]]
        plugin = WarmTrials(ROOT, self.trees, tested, self.workers, self.lines.seconds, record=self.record)
        pytest.main([*PYTEST, *self.tests], plugins=[plugin, SameExamples()])

    def import_anew(self) -> None:
        """Try what runs at import, and what could not be changed in place."""
        known = self.verdicts()
        trials: list[Trial] = [
            (mutant, self.lines.of_file(mutant.file, own_tests(mutant.file)))
            for at, mutant in enumerate(self.mutants)
            if at not in known
        ]
        self.record(cold_trials(ROOT, self.trees, trials, self.workers, PYTEST))


class SameExamples:
    """A pytest plugin: random tests make the same examples each time, keep none and do not look for smaller ones."""

    def pytest_sessionstart(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile(
            "mutants", settings.default, database=None, derandomize=True, phases=[Phase.explicit, Phase.generate]
        )
        settings.load_profile("mutants")


def run(options: argparse.Namespace, folder: Path) -> None:
    """Map the tests, try the mutants, print and write what became of them."""
    start = time.monotonic()
    rooms = options.room or list(ROOMS)
    files = [file for room in rooms for file in files_of(room) if any(part in file for part in options.file)]
    trees, mutants = {}, []
    for file in files:
        trees[file], found = mutants_of(ROOT / file, ROOT)
        mutants += [one for one in found if file not in DECIDING or one.function.split(".")[0] in DECIDING[file]]
    if options.again:
        alive = results.alive(options.again)
        mutants = [mutant for mutant in mutants if mutant.name in alive]
    path = options.map or folder / "map.json"
    if not path.exists():
        every = [file for room in ROOMS for file in files_of(room)] if options.map else files
        in_fork(lambda: line_map.measure(ROOT, every, [*PYTEST, *options.tests], path))
    lines = line_map.LineMap.read(path)
    if lines.failed:
        raise SystemExit(f"tests fail without a mutant: {', '.join(lines.failed)}")
    mapped = time.monotonic()
    click.echo(f"{len(mutants)} mutants, {len(lines.seconds)} tests, mapped in {mapped - start:.0f} s")
    trial = Run(trees, mutants, lines, options.workers, list(options.tests), folder / "journal")
    in_fork(trial.change_in_place)
    in_fork(trial.import_anew)
    minutes = (time.monotonic() - mapped) / 60
    rooms_tried = results.report(mutants, trial.verdicts(), minutes, options.output)
    if not options.again and tuple(options.tests) == TESTS:  # whole files, all tests
        results.write(rooms_tried, files)


def main() -> None:
    """Try the mutants of a room, or of all, and print those that survive."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--room", choices=ROOMS, action="append", help="only this one (default: all)")
    parser.add_argument("--file", action="append", default=[], help="only files whose path contains this")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="other files and folders of tests")
    parser.add_argument("--map", type=Path, help="where to keep which test executes which line, or where it is kept")
    parser.add_argument("--again", type=Path, help="only what was not killed in this output of an earlier run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path, help="every mutant with what became of it, as JSON")
    options = parser.parse_args()
    options.file = options.file or [""]
    for library in ("OMP", "OPENBLAS", "MKL"):  # one process to a core, as in the tests
        os.environ[f"{library}_NUM_THREADS"] = "1"
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        run(options, Path(folder))


if __name__ == "__main__":
    main()
