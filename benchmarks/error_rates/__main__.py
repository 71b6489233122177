"""`python -m benchmarks.error_rates`: measure everything, and write docs/measured/peers.json."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from benchmarks.error_rates import areas, labels, rejections, rivals, shares
from benchmarks.error_rates.line import ALPHA, BY_HAND, LEVEL, SEED, Line
from benchmarks.machine import versions

PATH = Path(__file__).parents[2] / "docs" / "measured" / "peers.json"
PARTS: dict[str, Callable[[], list[Line]]] = {
    "shares": shares.lines,
    "rejections": rejections.lines,
    "rivals": rivals.lines,
    "areas": areas.lines,
    "labels": labels.lines,
}


def main() -> None:
    warnings.simplefilter("ignore")  # peers warn about every small sample
    lines = []
    for name, part in PARTS.items():
        started = time.perf_counter()
        lines += part()
        sys.stderr.write(f"{name}: {time.perf_counter() - started:.0f} s\n")
    PATH.parent.mkdir(exist_ok=True)
    beside = PATH.with_suffix(".new")
    beside.write_text(written(lines, versions(), datetime.now(tz=UTC).date()), encoding="utf-8")
    beside.replace(PATH)
    sys.stderr.write(f"Wrote {PATH.relative_to(PATH.parents[2])}.\n")


def written(lines: Iterable[Line], installed: Mapping[str, str], day: date) -> str:
    """The file: what was measured with what and when, and a line for each number."""
    kept = [{name: _cut(value) for name, value in asdict(line).items()} for line in lines]
    packages = {line["package"] for line in kept} - {BY_HAND}
    head = {
        "date": day.isoformat(),
        "versions": {name: installed[name] for name in sorted(packages, key=str.lower)},
        "level": LEVEL,
        "alpha": ALPHA,
        "seed": SEED,
    }
    body = ",\n".join(f"  {json.dumps(line, ensure_ascii=False)}" for line in kept)
    return json.dumps(head, indent=1)[:-2] + f',\n "lines": [\n{body}\n ]\n}}\n'


def _cut(value: Any) -> Any:
    """Numbers to six digits, which is more than any of them is good for.

    >>> _cut(0.123456789), _cut(float("nan")), _cut("x")
    (0.123457, None, 'x')
    """
    if not isinstance(value, float):
        return value
    cut = round(value, 6) + 0.0
    return cut if cut == cut else None  # noqa: PLR0124  # JSON has no nan


if __name__ == "__main__":
    main()
