"""Which tests execute which line, and how long each test takes: measured once, so that a mutant needs few tests."""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import pytest

BUDGET = 20.0
"""Processor seconds of tests that a mutant is given: what only slower tests notice counts as not noticed."""


@dataclass
class LineMap:
    """What the tests execute."""

    tests: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    """File → line → tests that execute it."""
    at_import: dict[str, set[int]] = field(default_factory=dict)
    """File → lines that are executed when tests are collected."""
    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def of_lines(self, file: str, lines: tuple[int, int]) -> list[str]:
        """The tests that execute one of the lines, fastest first."""
        by_line = self.tests.get(file, {})
        chosen = {test for line in range(lines[0], lines[1] + 1) for test in by_line.get(line, ())}
        ordered = sorted(chosen, key=lambda test: self.seconds[test])
        return _within_budget({test: self.seconds[test] for test in ordered})

    def of_file(self, file: str, own: tuple[str, ...]) -> list[str]:
        """The tests of its folder, and those that execute anything in the file: its own first, then the fastest.

        Without parameters, whose names may come from what is changed: all that a test function has are run.
        """
        chosen = {test for tests in self.tests.get(file, {}).values() for test in tests}
        chosen |= {test for test in self.seconds if test.startswith((*own, f"{Path(own[-1]).parent}/"))}
        functions = {test.partition("[")[0] for test in chosen}
        seconds = dict.fromkeys(functions, 0.0)
        for test, spent in self.seconds.items():
            if (function := test.partition("[")[0]) in functions:
                seconds[function] += spent
        ordered = sorted(functions, key=lambda one: (not one.startswith(own), round(seconds[one], 1), one))
        return _within_budget({function: seconds[function] for function in ordered})

    def write(self, path: Path) -> None:
        """As JSON, for the process that asked."""
        lines = {file: sorted(lines) for file, lines in self.at_import.items()}
        path.write_text(
            json.dumps({"tests": self.tests, "import": lines, "seconds": self.seconds, "failed": self.failed}),
            encoding="utf-8",
        )

    @classmethod
    def read(cls, path: Path) -> LineMap:
        """What another process wrote."""
        given = json.loads(path.read_text(encoding="utf-8"))
        tests = {file: {int(line): names for line, names in by.items()} for file, by in given["tests"].items()}
        lines = {file: set(lines) for file, lines in given["import"].items()}
        return cls(tests, lines, given["seconds"], given["failed"])


def _within_budget(seconds: dict[str, float]) -> list[str]:
    spent, chosen = 0.0, []
    for test, own in seconds.items():
        spent += own
        if spent <= BUDGET:
            chosen.append(test)
    return chosen


class _Contexts:
    """A pytest plugin that names the running test to coverage.py."""

    def __init__(self, coverage: Any, measured: LineMap) -> None:
        self.coverage, self.measured = coverage, measured
        self.caches: list[Any] = []
        self.modules = 0

    def empty_caches(self) -> None:
        """What an earlier test has left in a cache would not be executed again, and seem not to be tested."""
        if len(sys.modules) != self.modules:
            self.modules = len(sys.modules)
            wrappers = [thing for thing in gc.get_objects() if isinstance(thing, _lru_cache_wrapper)]
            self.caches = [one for one in wrappers if str(one.__module__).startswith("heldout")]
        for cache in self.caches:
            cache.cache_clear()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.empty_caches()
        self.coverage.switch_context(item.nodeid)
        start = time.process_time()
        result = yield
        self.measured.seconds[item.nodeid] = time.process_time() - start
        self.coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.measured.failed.append(report.nodeid)


def measure(root: Path, files: list[str], arguments: list[str], target: Path) -> None:
    """Run the tests in this process and write the map. heldout must not have been imported before."""
    import coverage

    measured = LineMap()
    tracer = coverage.Coverage(include=[str(root / file) for file in files], data_file=None, config_file=False)
    tracer.start()
    pytest.main(arguments, plugins=[_Contexts(tracer, measured)])
    tracer.stop()
    data = tracer.get_data()
    for file in files:
        contexts = data.contexts_by_lineno(str(root / file))
        measured.tests[file] = {line: [name for name in names if name] for line, names in contexts.items()}
        measured.at_import[file] = {line for line, names in contexts.items() if "" in names}
    measured.write(target)
