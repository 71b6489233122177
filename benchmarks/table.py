"""Tables of the results, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Rows = list[tuple[str, ...]]
NONE = "–"
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


SUMMARY = {
    "auc": "AUC with its confidence interval (DeLong)",
    "auc_bootstrap": "bootstrap of the AUC, 1,000 resamples",
    "evaluate": "`evaluate`: every binary metric with its interval, four curves",
    "coco_drawn": "the twelve COCO figures, with intervals from 1,000 resamples of images",
}
"""The tasks that the README shows, each against its first peer."""


def summary_rows(found: dict[str, Any]) -> Rows:
    """The README's table: four tasks in few columns."""
    head = ("task", "rows", "peer", "peer's time", "ours, with interval", "ratio")
    first = {line["task"]: line for line in reversed(found["results"])}
    return [
        head,
        *(
            (
                title,
                count(line["rows"]),
                line["peer"],
                seconds(line["peer_s"]),
                seconds(line["ours_s"]) if line["ours_s"] is not None else "not yet",
                ratio(line["ratio"]),
            )
            for task, title in SUMMARY.items()
            if (line := first.get(task))
        ),
    ]


def ratio_rows(found: dict[str, Any]) -> Rows:
    """Every peer of every task, with bar, limit and how far the numbers lie apart."""
    head = ("task", "rows", "peer", "peer's time", "ours", "ratio", "bar", "met", "limit", "numbers differ by", "note")
    return [
        head,
        *(
            (
                line["title"],
                count(line["rows"]),
                line["peer"],
                seconds(line["peer_s"]),
                seconds(line["ours_s"]) if line["ours_s"] is not None else "not yet",
                ratio(line["ratio"]),
                ratio(line["bar"]),
                yes_or_no(line["met"]),
                seconds(line["limit_s"]),
                NONE if line["gap"] is None else f"{line['gap']:.0e}" if line["gap"] else "0",
                line["note"] or NONE,
            )
            for line in found["results"]
        ),
    ]


def limit_rows(found: dict[str, Any]) -> Rows:
    """What the hardware needs for the one unavoidable step, beside our time."""
    tasks = {line["task"]: line for line in found["results"] if line["limit"]}
    return [
        ("task", "rows", "unavoidable step", "its time", "ours", "ours / limit"),
        *(
            (
                line["title"],
                count(line["rows"]),
                line["limit"],
                seconds(line["limit_s"]),
                seconds(line["ours_s"]) if line["ours_s"] is not None else "not yet",
                ratio(line["ours_s"] / line["limit_s"] if line["ours_s"] and line["limit_s"] else None),
            )
            for line in tasks.values()
        ),
    ]


def growth_rows(found: dict[str, Any]) -> Rows:
    """Our time at each size, and the exponents."""
    sizes = sorted({size for line in found["growth"] for size in [*line["rows"], *line["left_out"]]})
    rows: Rows = [("task", *map(count, sizes), "exponent", "exponent, last step")]
    for line in found["growth"]:
        at = dict(zip(line["rows"], line["seconds"], strict=True))
        times = ("left out" if size in line["left_out"] else seconds(at.get(size)) for size in sizes)
        rows.append((line["title"], *times, number(line["exponent"]), number(line["last_exponent"])))
    return rows


def memory_rows(found: dict[str, Any]) -> Rows:
    """Input, what was taken beside it at the highest, and what may be."""
    return [
        ("call", "rows", "input", "taken beside it", "bound: 3 columns", "met"),
        *(
            (
                line["title"],
                count(line["rows"]),
                *(megabytes(line[name]) for name in ("input_bytes", "extra_bytes", "bound_bytes")),
                yes_or_no(line["met"]),
            )
            for line in found["memory"]
        ),
    ]


def conditions(found: dict[str, Any]) -> str:
    """One sentence: machine, Python, versions."""
    facts = found["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return (
        f"Taken on {facts['processor']}, {facts['cores']} cores, {facts['memory_gib']} GiB, {facts['system']}, "
        f"Python {facts['python']}, with {packages}."
    )


def markdown(rows: Sequence[Sequence[str]]) -> str:
    r"""A Markdown table; what would end a cell is escaped.

    >>> print(markdown([("a", "b"), ("1", "x|y")]))
    | a | b |
    | --- | --- |
    | 1 | x\|y |
    """
    head, *body = rows
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in [head, ["---"] * len(head), *body])


def text(rows: Sequence[Sequence[str]]) -> str:
    """The same with aligned columns, for a terminal.

    >>> print(text([("a", "b"), ("long", "1")]))
    a     b
    ----  -
    long  1
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *body = rows
    lines = [head, ["-" * width for width in widths], *body]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def count(rows: int) -> str:
    """Powers of ten as such.

    >>> count(10**7), count(1000), count(2500)
    ('10⁷', '10³', '2,500')
    """
    power = len(str(rows)) - 1
    return "10" + str(power).translate(SUPERSCRIPTS) if power > 1 and rows == 10**power else f"{rows:,}"


def seconds(time: float | None) -> str:
    """Three digits, in seconds or milliseconds.

    >>> seconds(12.345), seconds(0.0347), seconds(0.00062), seconds(None)
    ('12.3 s', '34.7 ms', '0.62 ms', '–')
    """
    if time is None:
        return NONE
    return f"{_three(time)} s" if time >= 1 else f"{_three(time * 1000)} ms"


def ratio(times: float | None) -> str:
    """How many times.

    >>> ratio(12.34), ratio(1234.5), ratio(2.0), ratio(None)
    ('12.3×', '1,230×', '2×', '–')
    """
    return NONE if times is None else f"{_three(times)}×"


def number(value: float | None) -> str:
    """Two places, or nothing."""
    return NONE if value is None else f"{value:.2f}"


def megabytes(size: int) -> str:
    """Millions of bytes.

    >>> megabytes(160_000_000)
    '160 MB'
    """
    return f"{size / 1e6:,.0f} MB"


def yes_or_no(met: bool | None) -> str:
    return NONE if met is None else "yes" if met else "no"


def _three(value: float) -> str:
    """Three digits, without trailing zeros."""
    digits = float(f"{value:.3g}")
    return f"{digits:,.0f}" if digits >= 100 else f"{digits:g}"
