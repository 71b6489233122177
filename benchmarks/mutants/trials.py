"""Tries mutants: each in a fork of a process that has everything imported, against its tests, until one fails."""

from __future__ import annotations

import ast
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from benchmarks.mutants.line_map import BUDGET
from benchmarks.mutants.operators import Mutant

SLOWEST = 6.0
"""Seconds of processor time that a test may take longer than without the mutant, before it counts as failed."""
MEMORY = 16 * 2**30
OUTCOMES = ("survived", "killed", "error")
Key = tuple[str, int]
Trial = tuple[Mutant, list[str]]


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: killed by a test, killed by the clock, or survived."""

    mutant: Mutant
    outcome: str
    test: str = ""


def codes(code: CodeType) -> dict[Key, list[CodeType]]:
    """The code objects of all functions, by name and first line, in the order of the source."""
    by_key: dict[Key, list[CodeType]] = defaultdict(list)
    waiting = [code]
    while waiting:
        current = waiting.pop(0)
        by_key[current.co_name, current.co_firstlineno].append(current)
        waiting = [const for const in current.co_consts if isinstance(const, CodeType)] + waiting
    return by_key


def key_of(scope: ast.AST) -> Key:
    """Under which name and line a function's code is found."""
    if isinstance(scope, ast.Lambda):
        return "<lambda>", scope.lineno
    assert isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)
    return scope.name, min([scope.lineno, *(decorator.lineno for decorator in scope.decorator_list)])


class LiveFunctions:
    """All functions of the files under test that exist in this process, wherever they are held."""

    def __init__(self, root: Path, trees: dict[str, ast.Module]) -> None:
        self.trees = trees
        self.root = root
        self.original = {file: codes(self.compiled(file)) for file in trees}
        paths = {str(root / file): file for file in trees}
        self.functions: dict[tuple[str, Key], list[FunctionType]] = defaultdict(list)
        for thing in gc.get_objects():
            if type(thing) is FunctionType and thing.__code__.co_filename in paths:
                code = thing.__code__
                self.functions[paths[code.co_filename], (code.co_name, code.co_firstlineno)].append(thing)

    def compiled(self, file: str) -> CodeType:
        """The tree as it is now."""
        return compile(self.trees[file], str(self.root / file), "exec", dont_inherit=True)

    def can_change(self, mutant: Mutant) -> bool:
        """Whether a function around the change exists, and would close over the same variables."""
        undo = mutant.apply()
        pairs = list(self._changes(mutant))
        undo()
        return bool(pairs) and all(function.__code__.co_freevars == code.co_freevars for function, code in pairs)

    def change(self, mutant: Mutant) -> None:
        """Give every function around the change its changed code."""
        mutant.apply()
        for function, code in self._changes(mutant):
            function.__code__ = code

    def _changes(self, mutant: Mutant) -> Iterator[tuple[FunctionType, CodeType]]:
        changed = codes(self.compiled(mutant.file))
        for scope in mutant.scopes:
            key = key_of(scope)
            for function in self.functions[mutant.file, key]:
                yield function, changed[key][self.original[mutant.file][key].index(function.__code__)]


class WarmTrials:
    """A pytest plugin that, instead of running the tests it has collected, tries mutants with them."""

    def __init__(
        self, root: Path, trees: dict[str, ast.Module], trials: list[Trial], workers: int, seconds: dict[str, float],
        *, record: Callable[[Iterable[Verdict]], None],
    ) -> None:  # fmt: skip
        self.root, self.trees, self.trials, self.workers, self.seconds = root, trees, trials, workers, seconds
        self.record = record
        self.failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        live = LiveFunctions(self.root, self.trees)
        # one for all forks, which would each remove it
        session.config._tmp_path_factory.getbasetemp()  # noqa: SLF001 pytest has no public name for it
        gc.collect()
        gc.freeze()

        def work(trial: Trial, tell: Callable[[str], None]) -> bool:
            mutant, names = trial
            live.change(mutant)
            for name in names:
                tell(name)
                signal.setitimer(signal.ITIMER_PROF, SLOWEST + 3 * self.seconds[name])
                items[name].config.hook.pytest_runtest_protocol(item=items[name], nextitem=None)
                if self.failed:
                    return True
            return False

        reached = [trial for trial in self.trials if live.can_change(trial[0])]
        self.record(forked(reached, work, self.workers))
        return True


class _Changed(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports one module with changed code."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self.code = code

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:  # noqa: ARG002 a finder's signature
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 a loader's signature
        return self.code


def cold_trials(
    root: Path, trees: dict[str, ast.Module], trials: list[Trial], workers: int, arguments: list[str]
) -> Iterator[Verdict]:
    """Try mutants of what runs at import: forks that import the package anew. heldout must not be imported yet."""
    for name in ("numpy", "pandas", "polars", "pyarrow", "scipy.stats", "sklearn.metrics"):
        importlib.import_module(name)

    def work(trial: Trial, tell: Callable[[str], None]) -> bool:
        mutant, names = trial
        mutant.apply()
        path = root / mutant.file
        module = ".".join(path.relative_to(root / "src").with_suffix("").parts)
        sys.meta_path.insert(0, _Changed(module, str(path), compile(trees[mutant.file], str(path), "exec")))
        tell("import")
        signal.setitimer(signal.ITIMER_PROF, SLOWEST + 5 * BUDGET)
        return pytest.main(["-x", *arguments, *names], plugins=[Named(tell)]) != 0

    return forked(trials, work, workers)


class Named:
    """A pytest plugin that says which test runs."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tell(nodeid)


def forked(
    trials: Iterable[Trial], work: Callable[[Trial, Callable[[str], None]], bool], workers: int
) -> Iterator[Verdict]:
    """Each trial in a fork, a few at a time; what the child told last names the test that failed."""
    waiting = list(trials)[::-1]
    running: dict[int, tuple[int, Trial, float]] = {}
    while waiting or running:
        while waiting and len(running) < workers:
            trial = waiting.pop()
            reading, writing = os.pipe()
            pid = os.fork()
            if not pid:
                _in_child(trial, work, writing)
            os.close(writing)
            running[reading] = (pid, trial, time.monotonic() + 600)
        ready, _, _ = select.select(list(running), [], [], 1.0)
        late = [reading for reading, (_, _, until) in running.items() if time.monotonic() > until]
        for reading in late:
            os.kill(running[reading][0], signal.SIGKILL)
        for reading in ready:
            pid, trial, _ = running[reading]
            if text := os.read(reading, 65536):
                _LAST[reading] = text.decode().rstrip("\n").rpartition("\n")[2]
                continue
            os.close(reading)
            del running[reading]
            _, status = os.waitpid(pid, 0)
            outcome = "clock" if os.WIFSIGNALED(status) else OUTCOMES[os.WEXITSTATUS(status)]
            yield Verdict(trial[0], outcome, _LAST.pop(reading, ""))


_LAST: dict[int, str] = {}


def _in_child(trial: Trial, work: Callable[[Trial, Callable[[str], None]], bool], writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        killed = work(trial, lambda name: os.write(writing, f"{name}\n".encode()) and None)
        os._exit(int(killed))
    except BaseException:  # noqa: BLE001 whatever it is, this process must not go on as if it were its parent
        os.write(writing, traceback.format_exc().replace("\n", " | ").encode())
        os._exit(OUTCOMES.index("error"))
