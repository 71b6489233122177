"""Line and branch coverage of the tests, a line per room: docs/measured/coverage.json, written by `make coverage`."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import click

from benchmarks.mutants.rooms import ROOMS, files_of
from benchmarks.table import Rows, text

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "measured" / "coverage.json"
COUNTS = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def measured(files: dict[str, Any]) -> dict[str, Any]:
    """Counts per package of heldout, and per room of the mutants with the branches that no test takes there."""
    packages: dict[str, Counter[str]] = {}
    for file, report in files.items():
        package = Path(file).relative_to("src/heldout").parts[0].removesuffix(".py")
        packages.setdefault(package, Counter()).update({name: report["summary"][name] for name in COUNTS})
    rooms = {}
    for room in ROOMS:
        counts: Counter[str] = Counter()
        missing = []
        for file in files_of(room):
            counts.update({name: files[file]["summary"][name] for name in COUNTS})
            missing += [f"{file}: {start} -> {end}" for start, end in files[file]["missing_branches"]]
        rooms[room] = {**counts, "missing_branches": missing}
    return {"packages": {name: dict(packages[name]) for name in sorted(packages)}, "rooms": rooms}


def rows(found: dict[str, Any], part: str) -> Rows:
    """A line per package or room: statements and branches, and the share of them that the tests execute."""
    lines: Rows = [(part.removesuffix("s"), "statements", "executed", "branches", "taken")]
    for name, counts in found[part].items():
        statements, lines_run, branches, taken = (counts[key] for key in COUNTS)
        lines.append((name, str(statements), _share(lines_run, statements), str(branches), _share(taken, branches)))
    return lines


def _share(some: int, of: int) -> str:
    return f"{100 * some / of:.1f}%" if of else "-"


def main() -> None:
    """Read what `coverage run` has left, print the tables and write the file."""
    from coverage import Coverage

    data = Coverage()
    data.load()
    with tempfile.TemporaryDirectory() as folder:
        data.json_report(outfile=f"{folder}/coverage.json")
        report = json.loads(Path(folder, "coverage.json").read_text(encoding="utf-8"))
    found = measured(report["files"])
    click.echo(f"{text(rows(found, 'packages'))}\n\n{text(rows(found, 'rooms'))}")
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
