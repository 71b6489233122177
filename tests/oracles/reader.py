"""Cases of an oracle folder, and how an answer is compared with what the outside tool said.

DIR/manifest.json lists data files and cases. A case names its area, parameters, tool, expected entries and tolerance: a
number agrees where |got - want| <= abs + rel |want|; "NaN", "Infinity" and "-Infinity" stand for themselves.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

COUNTS = {"tp", "fp", "fn", "tn"}
WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """One number (or word) of an entry that is not as expected."""

    path: str
    got: Any
    want: Any

    def __str__(self) -> str:
        apart = f", off by {abs(self.got - self.want):.3g}" if _finite(self.got) and _finite(self.want) else ""
        return f"{self.path}: got {_shown(self.got)}, want {_shown(self.want)}{apart}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One question put to one outside tool on one input."""

    id: str
    area: str
    oracle: str
    params: dict[str, Any]
    expected: dict[str, Any]
    files: dict[str, tuple[Path, ...]]
    """Data sets by name."""
    tolerance: dict[str, float]
    tolerances: dict[str, dict[str, float]] = field(default_factory=dict)
    """Of entries that have their own."""

    @property
    def file(self) -> Path | None:
        """The first data set; None where the inputs are in the parameters."""
        return next(iter(self.files.values()))[0] if self.files else None

    def entries(self) -> Iterator[tuple[str, Any]]:
        """Every expected entry; one that holds named parts is taken apart, so that each part can be judged."""
        for key, want in self.expected.items():
            if isinstance(want, dict):
                yield from ((f"{key}.{part}", value) for part, value in want.items())
            else:
                yield key, want

    def mismatches(self, entry: str, got: Any, want: Any) -> list[Mismatch]:
        """Where an answer to an entry differs from what is expected."""
        within = self.tolerances.get(entry.partition(".")[0], self.tolerance)
        return list(_mismatches(got, want, within, entry))


def cases(folder: Path) -> Iterator[Case]:
    """The cases of a folder."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    counted = {_columns_named(made): made["params"] for made in manifest["cases"] if set(made["params"]) >= COUNTS}
    for made in manifest["cases"]:
        expected = made.get("expected")
        if "expected_file" in made:
            expected = json.loads((folder / made["expected_file"]).read_text("utf-8"))
        yield Case(
            id=made["id"],
            area=made["area"],
            oracle=made["oracle"],
            # rows that are neither in a file nor counted here are counted where another tool was asked about them
            params=made["params"] if made["data"] else {**counted.get(_columns_named(made), {}), **made["params"]},
            expected=expected,
            files={name: _files(folder, manifest["data"][name]["file"]) for name in made["data"]},
            tolerance=made["tol"],
            tolerances=made.get("tol_keys", {}),
        )


@lru_cache(maxsize=32)
def columns(file: Path) -> dict[str, list[str]]:
    """The columns of a CSV file with a header, as text."""
    head, *rows = lines(file)
    return {name: [row[at] for row in rows] for at, name in enumerate(head)}


def lines(file: Path) -> list[list[str]]:
    """The lines of a CSV file, gzipped or not."""
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as stream:
        return list(csv.reader(stream))


def numbers(column: list[str]) -> np.ndarray:
    return np.array(column, dtype=float)


def _columns_named(made: dict[str, Any]) -> tuple[str, ...]:
    """What identifies the rows of a case: its data and the columns it reads."""
    named = (made["data"], *(made["params"].get(name) for name in ("truth", "predicted", "labels", "positive")))
    return tuple(str(part) for part in named)


def _files(folder: Path, named: str | list[str]) -> tuple[Path, ...]:
    return tuple(folder / name for name in ([named] if isinstance(named, str) else named))


def _mismatches(got: Any, want: Any, within: dict[str, float], path: str) -> Iterator[Mismatch]:
    if isinstance(want, dict):
        for part, value in want.items():
            if part in got:
                yield from _mismatches(got[part], value, within, f"{path}.{part}")
            else:
                yield Mismatch(path=f"{path}.{part}", got="nothing", want=value)
    elif isinstance(want, list):
        if not hasattr(got, "__len__") or len(got) != len(want):
            yield Mismatch(path=path, got=f"{_size(got)} values", want=f"{len(want)} values")
            return
        for at, (one, value) in enumerate(zip(got, want, strict=True)):
            yield from _mismatches(one, value, within, f"{path}[{at}]")
    elif not _agrees(got, WORDS.get(want, want) if isinstance(want, str) else want, within):
        yield Mismatch(path=path, got=got, want=WORDS.get(want, want) if isinstance(want, str) else want)


def _agrees(got: Any, want: Any, within: dict[str, float]) -> bool:
    if want is None or isinstance(want, str | bool):
        return bool(got == want)
    if isinstance(got, str):
        return False
    number = float(got)
    if math.isnan(want) or math.isinf(want):
        return math.isnan(number) if math.isnan(want) else number == want
    return abs(number - want) <= within["abs"] + within["rel"] * abs(want)


def _size(got: Any) -> str:
    return str(len(got)) if hasattr(got, "__len__") else "no"


def _finite(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)


def _shown(number: Any) -> str:
    return f"{float(number)!r}" if isinstance(number, float) else f"{number!r}"
