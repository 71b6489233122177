"""Regression cases: a folder per failure that was found and mended, with its files and what was typed."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Case
from tests.fuzz.contents import Content, Raw, Table
from tests.fuzz.oracles import Problem

FOUND = Path(__file__).parent / "found"
NAME = "case.json"


def folder_name(signature: str) -> str:
    """A signature as the name of a folder.

    >>> folder_name("exit 5: KeyError in inputs/formats/coco.py category_names")
    'exit-5-keyerror-in-inputs-formats-coco-py-category-names'
    """
    return re.sub(r"[^a-z0-9]+", "-", signature.lower()).strip("-")[:80]


def write(case: Case, problem: Problem, into: Path) -> Path:
    """Write a failure as a folder: `case.json` and the files, of which tables in several forms stay tables."""
    first = into / folder_name(problem.signature)
    # the same signature may come back with another cause: what was mended before stays tested
    folder = next(
        one for number in count(1) if not (one := first if number == 1 else Path(f"{first}-{number}")).exists()
    )
    folder.mkdir(parents=True)
    facts: dict[str, Any] = {
        "problem": problem.signature,
        "command": list(case.command),
        "words": [list(words) for words in case.words],
    }
    if case.stdin:
        facts["stdin"] = case.stdin
    if case.forms:
        facts["forms"] = list(case.forms)
        facts["tables"] = {name: content.columns for name, content in case.files.items() if isinstance(content, Table)}
    else:
        for name, content in case.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content.data())
    (folder / NAME).write_text(json.dumps(facts, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")
    return folder


def read(folder: Path) -> Case:
    """The case in a folder."""
    facts = json.loads((folder / NAME).read_text(encoding="utf-8"))
    files: dict[str, Content] = {
        path.relative_to(folder).as_posix(): Raw(path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != NAME
    }
    files |= {name: Table(columns) for name, columns in facts.get("tables", {}).items()}
    words = tuple(tuple(words) for words in facts["words"])
    return Case(tuple(facts["command"]), words, files, "found", tuple(facts.get("forms", ())), facts.get("stdin"))


def folders(into: Path = FOUND) -> list[Path]:
    """All regression cases."""
    return sorted(path.parent for path in into.glob(f"*/{NAME}"))
