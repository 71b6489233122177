"""The tables that are written from the code: metrics, interval methods, error codes, commands."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Sequence
from math import inf

import click

import heldout.cli
import heldout.intervals
from heldout.errors import CODES
from heldout.estimates.choice import KINDS
from heldout.formulas import METRICS, Metric
from heldout.intervals.shares import SHARES


def pages() -> dict[str, str]:
    """File name (without suffix) to Markdown."""
    return {"metrics": metrics(), "intervals": intervals(), "errors": errors(), "commands": commands()}


def metrics() -> str:
    """One line per metric: what it is, its range, which way is better, the sums it needs, its interval."""
    head = ("name", "definition", "range", "better", "needs", "default interval")
    return table(
        head,
        (
            (
                f"`{name}`",
                metric.definition,
                between(*metric.range),
                metric.better or "–",
                ", ".join(f"`{need}`" for need in metric.needs),
                default_interval(metric),
            )
            for name, metric in METRICS.items()
        ),
    )


def default_interval(metric: Metric) -> str:
    """What the one place that chooses would choose, in its own words; for shares, in those of Wilson."""
    if metric.via is not None:
        return f"that of `{metric.via[0]}`, carried over"
    return first_line(KINDS[metric.interval]["auto"]) or first_line(SHARES["wilson"])


def intervals() -> str:
    """One line per function in the room of intervals, room by room."""
    modules = [
        importlib.import_module(f"heldout.intervals.{found.name}")
        for found in pkgutil.iter_modules(heldout.intervals.__path__)
    ]
    return table(
        ("file", "function", "what it is"),
        (
            (f"`{module.__name__.rpartition('.')[2]}`", f"`{name}`", first_line(function))
            for module in modules
            for name, function in inspect.getmembers(module, inspect.isfunction)
            if function.__module__ == module.__name__ and not name.startswith("_")
        ),
    )


def errors() -> str:
    """One line per code."""
    return table(("code", "what it means"), ((f"`{code}`", text) for code, text in CODES.items()))


def commands() -> str:
    """What `--help` prints, for heldout and each of its verbs."""
    (group,) = {thing for thing in vars(heldout.cli).values() if isinstance(thing, click.Group)}
    top = click.Context(group, info_name="heldout", terminal_width=80)
    verbs = {name: group.get_command(top, name) for name in group.list_commands(top)}
    screens = {"heldout": group.get_help(top)} | {
        f"heldout {name}": verb.get_help(click.Context(verb, parent=top, info_name=name, terminal_width=80))
        for name, verb in verbs.items()
        if verb is not None
    }
    return "\n".join(f"## `{name}`\n\n```text\n{screen}\n```\n" for name, screen in screens.items())


def first_line(function: object) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def between(low: float, high: float) -> str:
    """The range as a reader writes it: closed ends in square brackets, open infinite ones in round."""
    left = "(−∞" if low == -inf else f"[{low:g}"
    right = "∞)" if high == inf else f"{high:g}]"
    return f"{left}, {right}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; what would end a cell or start markup is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines) + "\n"


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("\n", " ")
