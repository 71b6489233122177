"""Every module of some size is named by a test, and tests lie where the modules lie that they test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE, TESTS = ROOT / "src" / "heldout", ROOT / "tests"
LINES = 60
"""A module that is longer has a test of its own."""
MIRRORED = (
    *("boxes", "cards", "charts", "curves", "estimates", "formulas", "inputs", "intervals", "lab", "language"),
    *("learners", "search", "splits", "stats", "tallies"),
)
"""Rooms whose tests are named for the module they are about."""
EXCEPTIONS = {
    "heldout.report.": "tests/report draws whole results in every format, whatever module draws which part",
    "heldout.cli.": "tests/cli runs commands, whatever module reads which option",
    "heldout.charts.drawing.": "tests/charts/test_drawing.py draws every figure through one table",
    "heldout.engines.on_": "tests/engines/clusters runs Dask, Ray and Spark by their names, where they are installed",
    "heldout.verbs.chunked.": "tests/laws compare every number with that of rows in memory",
}
"""How names of modules begin that nothing names, and why."""


def modules():
    """Modules by their dotted names."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imported():
    """Whatever a test imports of the package, or names in a string such as those of monkeypatch."""
    found = set()
    for path in set(TESTS.rglob("*.py")) - {Path(__file__)}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Constant) and str(node.value).startswith("heldout."):
                words = str(node.value).split(".")
                found |= {".".join(words[:count]) for count in range(1, len(words) + 1)}
    return found


def names_of_files():
    """The files of tests, as words: folders, and what follows `test_`."""
    return {
        "_".join((*path.relative_to(TESTS).parts[:-1], path.stem.removeprefix("test_")))
        for path in TESTS.rglob("test_*.py")
    }


def has_file(module, files):
    """Whether a file of tests has the module's name: tests/cli/test_lab_table.py that of heldout.cli.lab.table."""
    name = module.removeprefix("heldout.").replace(".", "_")
    return any(file == name or file.startswith(f"{name}_") for file in files)


def untested():
    named, files = imported(), names_of_files()
    return {
        name
        for name, path in modules().items()
        if len(path.read_text(encoding="utf-8").splitlines()) > LINES
        and name not in named
        and ">>>" not in path.read_text(encoding="utf-8")
        and not has_file(name, files)
    }


def test_every_module_is_tested_by_name():
    found = untested()
    assert [name for name in sorted(found) if not name.startswith(tuple(EXCEPTIONS))] == []
    idle = [start for start in EXCEPTIONS if not any(name.startswith(start) for name in found)]
    assert idle == [], "these exceptions are no longer needed"


@pytest.mark.parametrize("room", MIRRORED)
def test_files_of_tests_are_named_for_modules(room):
    """tests/<folder>/test_<module>.py, or with words behind the name where one module has several."""
    astray = []
    for path in sorted((TESTS / room).rglob("test_*.py")):
        folder = SOURCE / path.parent.relative_to(TESTS)
        known = [one.stem for one in folder.glob("*.py")] + [one.name for one in folder.glob("*/")]
        name = path.stem.removeprefix("test_")
        if not any(name == module or name.startswith(f"{module}_") for module in known):
            astray.append(path.relative_to(TESTS).as_posix())
    assert (TESTS / room).is_dir()
    assert astray == []
