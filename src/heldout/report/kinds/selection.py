"""Which number stands where when a configuration is chosen: the winner's own score, the honest one, three models."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.notes import placed
from heldout.report.number_text import interval_text, like, percent, signed, value_text
from heldout.report.render.csv_text import safe

SCHEMA = "heldout.selection/1"
SHOWN = 8
"""Configurations that a brief page shows."""
ROLES = {
    "chosen": ("chosen on validation rows", "do not report"),
    "judged": ("judged on unseen rows", "report this"),
    "final": ("fitted to all rows", "use this model"),
}
"""The three models: what was done with each, and what to do with its number."""
Facts = Mapping[str, Any]


def page(d: Facts, *, brief: bool = True) -> Page:
    """A selection from the top down: winner, own and honest score, what is within noise, models, configurations."""
    return Page(
        name=Cell(""),
        opening=(_winner(d), f"target: {d['primary']} of {_honest(d)['target']} ({_honest(d)['method']})", _noise(d)),
        facts=_facts(d),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=(_scores(d), _models(d), _configurations(d, brief=brief)),
        remarks=_remarks(d),
    )


def _honest(d: Facts) -> Facts:
    found: Facts = d["estimates"][d["primary"]]
    return found


def _winner(d: Facts) -> str:
    found = d["search"]
    kind = f"{found['kind']} search" + (f" by {found['sampler']}" if found["sampler"] else "")
    many = found["configurations"]
    return f"winner: {d['winner']['name']}, best of {many:,} configuration{'' if many == 1 else 's'} ({kind})"


def _facts(d: Facts) -> tuple[str, ...]:
    units = (f"{d['units']:,} units",) if d["units"] != d["rows"] else ()
    return (f"{d['rows']:,} rows", *units, f"task: {d['task']}", f"{d['protocol']['fits']:,} fits")


def words(d: Facts) -> str:
    """The protocol in a few words.

    >>> words({"protocol": {"method": "nested", "outer": "5", "inner": "5"}})
    'nested, outer 5, inner 5'
    """
    found = d["protocol"]
    if found["method"] == "single":
        return "one test part"
    if found["method"] == "bbc":
        return f"bbc over {found['inner']} folds"
    return f"{found['method']}, outer {found['outer']}, inner {found['inner']}"


def _scores(d: Facts) -> Table:
    """The winner's own score, the honest one, and what lies between."""
    honest = _honest(d)
    rows = [
        ("winner's own", like(d["winner"]["apparent"], honest), "", "do not report: chosen for being high"),
        ("this search", value_text(honest), interval_text(honest), f"honest: {words(d)}"),
        ("winner's curse", signed(d["optimism"], honest), "", "by how much its own is too good"),
    ]
    for name, one in d["estimates"].items():
        if name != d["primary"]:
            rows.append((name, value_text(one), interval_text(one), f"honest: {one['method']}"))
    heads = ("score", d["primary"], f"{percent(d['level'])} interval", "what it is")
    return Table(
        name="scores",
        title=Cell(""),
        head=tuple(Cell(text) for text in heads),
        rows=tuple((Cell(name), Cell(value), Cell(ends), Cell(what, given=True)) for name, value, ends, what in rows),
        align="lrll",
    )


def _noise(d: Facts) -> str:
    found, of = d["noise"], d["search"]["configurations"]
    room = "" if d["winner"]["error"] is None else f" of {d['winner']['error']:.2g}"
    return (
        f"within noise of the winner: {len(found['within']):,} of {of:,} configurations; "
        f"simplest: {found['simplest']} ({found['rule']}, standard error{room})"
    )


def _models(d: Facts) -> Table:
    """The three models that must not be confused."""
    honest = _honest(d)
    rows = []
    for one in d["models"]:
        done, say = ROLES[one["role"]]
        names = list(dict.fromkeys(one["configurations"]))
        which = names[0] if len(names) == 1 else f"{len(names)} configurations" if names else "none is fitted again"
        score = "--" if one["value"] is None else like(one["value"], honest)
        rows.append((Cell(done), Cell(f"{one['rows']:,}"), Cell(score), Cell(say), Cell(which, given=True)))
    heads = ("model", "rows", d["primary"], "for you", "configuration")
    return Table(
        name="models", title=Cell(""), head=tuple(map(Cell, heads)), rows=tuple(rows), align="lrrll", optional=1
    )


def _configurations(d: Facts, *, brief: bool) -> Table:
    """The configurations, best first; those within noise of the winner are marked."""
    most = SHOWN if brief else len(d["configurations"])
    honest, found = _honest(d), d["configurations"]
    rows = tuple(
        (Cell(one["name"], given=True), Cell(like(one["value"], honest)), Cell("within noise" if one["within"] else ""))
        for one in found[:most]
    )
    more = len(found) - most
    foot = (Cell(f"{more:,} more: see --format md, csv or json"),) if more > 0 else ()
    head = (Cell("configuration"), Cell("own score"), Cell(""))
    return Table(name="configurations", title=Cell(""), head=head, rows=rows, align="lrl", foot=foot)


def _remarks(d: Facts) -> tuple[Remark, ...]:
    """The checks, what the choices of outer splits say, then each note once with the metric it belongs to."""
    places: dict[str, list[str]] = {}
    for metric, one in d["estimates"].items():
        for note in one["notes"]:
            places.setdefault(note, []).append(metric)
    checks = [Remark(check["code"], check["text"]) for check in d["checks"]]
    others = sum(name != d["winner"]["name"] for name in d["choices"])
    if others:
        text = f"in {others} of {len(d['choices'])} outer splits the search chose another configuration than the winner"
        checks.append(Remark("choice", f"{text}: the score is that of the search, not of one configuration"))
    return (*checks, *(placed(note, found) for note, found in places.items()))


def selection_csv(d: Facts) -> str:
    """One line per configuration, best first: its own score, whether it is within noise, and the value on each part."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = len(d["configurations"][0]["values"])
    writer.writerow(
        ["configuration", "candidate", safe(d["primary"]), "within", *(f"part_{at + 1}" for at in range(parts))]
    )
    for one in d["configurations"]:
        writer.writerow([safe(one["name"]), safe(one["candidate"]), one["value"], one["within"], *one["values"]])
    return out.getvalue()
