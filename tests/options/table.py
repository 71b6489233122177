"""The table of what every option does in every mode: measured, written to a file, and read again."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from tests.options.effects import Bench, Effect, effect, flag
from tests.options.files import write_files
from tests.options.modes import MODES, Mode

PLACE = Path(__file__).parent / "effects.json"
Table = dict[str, dict[str, dict[str, str]]]
"""Verb → mode → option → what it does, and how it was tried."""


def read_table() -> Table:
    return json.loads(PLACE.read_text(encoding="utf-8"))


def measured(bench: Bench, mode: Mode) -> Iterator[tuple[str, Effect]]:
    """What every option of a mode does."""
    for option in mode.options:
        yield flag(option), effect(bench, mode, option)


def write_table(chosen: str = "") -> None:
    """Measure the modes whose name contains a text, all of them by default, and write the table."""
    table: Table = read_table() if chosen else {}
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name))
        bench = Bench(Path(name))
        for mode in MODES:
            if chosen not in str(mode):
                continue
            found = dict(measured(bench, mode))
            table.setdefault(mode.verb, {})[mode.name] = {option: str(one) for option, one in found.items()}
            sys.stderr.write(f"{mode}: {len(found)} options\n")
            for option, one in found.items():
                if one.kind in ("ignored", "crashes", "refused without a fix"):
                    sys.stderr.write(f"  {option} {one} {one.message}\n")
    order = {mode.verb: [other.name for other in MODES if other.verb == mode.verb] for mode in MODES}
    whole = {verb: {mode: table[verb][mode] for mode in modes if mode in table[verb]} for verb, modes in order.items()}
    PLACE.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
