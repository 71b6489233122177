"""`results.json`: what the last full run found, which the README and the documentation show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.growth import Growth
from benchmarks.machine import machine, versions
from benchmarks.memory import Memory
from benchmarks.ratios import Line

PATH = Path(__file__).with_name("results.json")

Results = dict[str, Any]


def results(lines: Iterable[Line], growths: Iterable[Growth], memories: Iterable[Memory]) -> Results:
    """Everything that was found in this run, as plain values."""
    return {
        "results": [plain(asdict(line)) for line in lines],
        "growth": [plain(asdict(growth)) for growth in growths],
        "memory": [plain(asdict(memory)) for memory in memories],
        "machine": machine(),
        "versions": versions(),
    }


def merged(old: Results, new: Results) -> Results:
    """The old results with the tasks that were run again replaced, each part in the order of the old ones.

    >>> old = {"results": [{"task": "a", "x": 1}, {"task": "b", "x": 1}], "growth": [], "memory": [], "machine": {}}
    >>> new = {"results": [{"task": "b", "x": 2}], "growth": [], "memory": [], "machine": {}}
    >>> merged(old, new)["results"]
    [{'task': 'a', 'x': 1}, {'task': 'b', 'x': 2}]
    """
    return {**new, **{part: _replaced(old[part], new[part]) for part in ("results", "growth", "memory")}}


def _replaced(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    order = list(dict.fromkeys(line["task"] for line in [*old, *new]))
    again = {line["task"] for line in new}
    return [line for name in order for line in (new if name in again else old) if line["task"] == name]


def same_conditions(old: Results, new: Results) -> bool:
    """Whether both come from one kind of machine with the same packages, so that their lines may stand in one table."""
    conditions = ("processor", "cores", "memory_gib", "system", "python")
    return old["versions"] == new["versions"] and all(old["machine"][one] == new["machine"][one] for one in conditions)


def read(path: Path) -> Results:
    found: Results = json.loads(path.read_text(encoding="utf-8"))
    return found


def write(found: Results, path: Path) -> None:
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)


def plain(line: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with times cut to four digits, which is more than two runs agree on.

    >>> plain({"task": "auc", "ours_s": 0.123456, "seconds": (1.00004, 2.5), "met": None})
    {'task': 'auc', 'ours_s': 0.1235, 'seconds': [1.0, 2.5], 'met': None}
    """
    return {name: _cut(value) for name, value in line.items()}


def _cut(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_cut(one) for one in value]
    if isinstance(value, float):
        cut = float(f"{value:.4g}")
        return cut if cut == cut else None  # noqa: PLR0124  # JSON has no nan
    return value
