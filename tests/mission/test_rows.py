"""Every ability in README.md has a test, and every test that is named for one is listed there."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
LINE = re.compile(r"^\| ([A-I]\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
NAMED = re.compile(r"^def test_((?:[A-I]\d+_)+)", re.MULTILINE)


def listed():
    """Row → the files that its line names."""
    lines = LINE.findall((HERE / "README.md").read_text(encoding="utf-8"))
    assert len({row for row, _, _ in lines}) == len(lines), "a row is listed twice"
    return {row: set(files.split(", ")) for row, _, files in lines}


def with_tests():
    """Row → the files with tests that are named for it."""
    found = defaultdict(set)
    for path in sorted(HERE.parent.rglob("test_*.py")):
        name = path.name if path.parent == HERE else path.relative_to(HERE.parent).as_posix()
        for rows in NAMED.findall(path.read_text(encoding="utf-8")):
            for row in rows.rstrip("_").split("_"):
                found[row].add(name)
    return found


def test_every_row_has_its_tests_and_every_test_its_row():
    assert listed() == with_tests()


def test_the_rows_are_numbered_without_a_gap():
    numbers = defaultdict(list)
    for row in listed():
        numbers[row[0]].append(int(row[1:]))
    assert sorted(numbers) == list("ABCDEFGHI")
    assert all(sorted(found) == list(range(1, len(found) + 1)) for found in numbers.values())


def test_every_row_has_a_sentence():
    sentences = {row: said for row, said, _ in LINE.findall((HERE / "README.md").read_text(encoding="utf-8"))}
    assert all(said.endswith(".") and len(said) > 15 for said in sentences.values())
    assert len(set(sentences.values())) == len(sentences)


PUBLIC = ("", ".charts", ".cli", ".curves", ".errors", ".lab", ".metrics", ".plan", ".stats", ".test", ".testing")
"""What a test of a row may import of heldout: what users can; `cli` to run commands in this process."""


def test_rows_are_tested_through_what_is_public():
    imported = re.compile(r"^\s*(?:from|import) heldout([\w.]*)", re.MULTILINE)
    inner = {
        (path.name, f"heldout{module}")
        for path in HERE.glob("test_*.py")
        for module in imported.findall(path.read_text(encoding="utf-8"))
        if module not in PUBLIC
    }
    assert inner == set()
