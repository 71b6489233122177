"""What became of the mutants: counted by room, survivors with the reason why no test can or need notice them."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import click

from benchmarks.mutants.operators import Mutant, mutants_of
from benchmarks.mutants.rooms import DECIDING, ROOMS, ROOT, files_of
from benchmarks.table import Rows, markdown

TARGET = ROOT / "docs" / "measured" / "mutants.json"
REASONS = Path(__file__).parent / "reasons.toml"
KILLED = ("killed", "clock")
UNEXPLAINED = "no reason given"


def alive(path: Path) -> set[str]:
    """Names of the mutants that an earlier run did not kill."""
    return {line["name"] for line in json.loads(path.read_text(encoding="utf-8")) if line["outcome"] not in KILLED}


def reason_of(name: str, reasons: list[dict[str, Any]]) -> str:
    """The first reason with a pattern that the name of a survivor contains.

    >>> reason_of("a.py f: x < 1 -> x <= 1", [{"name": "rounding", "mutants": ["x < 1 ->"]}])
    'rounding'
    """
    for reason in reasons:
        if any(re.search(pattern, name) for pattern in reason["mutants"]):
            return str(reason["name"])
    return UNEXPLAINED


def report(
    mutants: list[Mutant], verdicts: dict[int, tuple[str, str]], minutes: float, output: Path | None
) -> dict[str, Any]:
    """Print a line per room and every survivor; all mutants as JSON where that is asked for."""
    room_of = {file: room for room in ROOMS for file in files_of(room)}
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))["reason"]
    counts: dict[str, Counter[str]] = {}
    survivors: dict[str, dict[str, list[str]]] = {}
    lines = []
    for at, mutant in enumerate(mutants):
        outcome, test = verdicts[at]
        room = room_of[mutant.file]
        counts.setdefault(room, Counter())[outcome] += 1
        place = {"name": mutant.name, "line": mutant.line, "operator": mutant.operator}
        lines.append({**place, "outcome": outcome, "test": test})
        if outcome not in KILLED:
            why = reason_of(mutant.name, reasons)
            survivors.setdefault(room, {}).setdefault(why, []).append(mutant.name)
    for room, count in counts.items():
        killed = sum(count[outcome] for outcome in KILLED)
        click.echo(f"{room}: {100 * killed / count.total():.1f}% of {count.total()} killed: {dict(count)}")
    for name in (name for by_reason in survivors.values() for name in by_reason.get(UNEXPLAINED, [])):
        click.echo(f"  survived: {name}")
    click.echo(f"{minutes:.1f} minutes, {len(mutants) / minutes:.0f} mutants a minute")
    if output:
        output.write_text(json.dumps(lines, indent=0), encoding="utf-8")
    return {
        room: {
            "mutants": count.total(),
            "killed": sum(count[outcome] for outcome in KILLED),
            "minutes": round(minutes * count.total() / len(mutants), 1),
            "survivors": {why: sorted(names) for why, names in sorted(survivors.get(room, {}).items())},
        }
        for room, count in counts.items()
    }


def write(rooms: dict[str, Any], files: list[str]) -> None:
    """Put what was tried into the file of what was measured; other files of a room keep their survivors."""
    known = json.loads(TARGET.read_text(encoding="utf-8"))["rooms"] if TARGET.exists() else {}
    merged = {
        room: joined(rooms[room], known.get(room), set(files_of(room)), set(files)) if room in rooms else known[room]
        for room in ROOMS
        if room in rooms or room in known
    }
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))["reason"]
    content = {"rooms": merged, "reasons": {one["name"]: one["why"] for one in reasons}}
    TARGET.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def joined(tried: dict[str, Any], known: dict[str, Any] | None, room: set[str], files: set[str]) -> dict[str, Any]:
    """What is known of a room of which only some files were tried again; they replace what was known of them."""
    if known is None or files >= room:
        return tried
    survivors = {
        why: sorted(
            [name for name in known["survivors"].get(why, []) if name.split()[0] not in files]
            + tried["survivors"].get(why, [])
        )
        for why in sorted({*known["survivors"], *tried["survivors"]})
    }
    survivors = {why: names for why, names in survivors.items() if names}
    mutants = tried["mutants"] + sum(map(count_of, room - files))
    killed = mutants - sum(map(len, survivors.values()))
    return {"mutants": mutants, "killed": killed, "minutes": known["minutes"], "survivors": survivors}


def count_of(file: str) -> int:
    """How many mutants a file has, of the functions that decide if it has others too."""
    found = mutants_of(ROOT / file, ROOT)[1]
    return sum(file not in DECIDING or one.function.split(".")[0] in DECIDING[file] for one in found)


def room_table(found: dict[str, Any]) -> str:
    """A line per room: mutants, and the share that a test noticed."""
    rows: Rows = [("room", "mutants", "killed", "share", "survivors")]
    for room, one in found["rooms"].items():
        share = f"{100 * one['killed'] / one['mutants']:.1f}%"
        alive = one["mutants"] - one["killed"]
        rows.append((f"`{room}`", f"{one['mutants']:,}", f"{one['killed']:,}", share, f"{alive:,}"))
    return markdown(rows)


def reason_table(found: dict[str, Any]) -> str:
    """A line per reason: how many survivors have it, in all rooms."""
    counts: Counter[str] = Counter()
    for one in found["rooms"].values():
        counts.update({why: len(names) for why, names in one["survivors"].items()})
    rows: Rows = [("survivors", "reason")]
    rows += [(f"{count:,}", f"{why}: {found['reasons'].get(why, '')}") for why, count in counts.most_common()]
    return markdown(rows)
