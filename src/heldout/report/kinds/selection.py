"""A selected configuration: the winner's own score, the corrected one, and the three models not to be confused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Cell, Document, Note, Table, given, table_of
from heldout.report.kinds.estimates import check_notes, ci_head, gathered
from heldout.report.number_text import interval_text, like, percent, signed, value_text

SHOWN = 8
"""Configurations in a brief document."""
ROLES = {
    "chosen": ("chosen on validation rows", "do not report"),
    "judged": ("evaluated on unseen rows", "report this"),
    "final": ("fitted to all rows", "use this model"),
}
"""The three models: what was done with each, and what to do with its number."""
Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """A selection from the top down: winner, own and corrected score, models, configurations, notes."""
    corrected = _corrected(d)
    ends = f"{ci_head(d['level'])} {interval_text(corrected)}"
    score = f"{d['primary']} of the search: {value_text(corrected)}, {ends}"
    return Document(
        title="Model selection",
        opening=(_winner(d), f"target: {d['primary']} of {corrected['target']} ({corrected['method']})", _noise(d)),
        facts=_facts(d),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=(_scores(d), _models(d), _configurations(d)),
        notes=_notes(d),
        headline=(f"{_winner(d)}.", f"{score} ({protocol_words(d)})."),
        data={
            "rows": f"{d['rows']:,}",
            "configurations": f"{d['search']['configurations']:,}",
            "fits": f"{d['protocol']['fits']:,}",
            "confidence level": percent(d["level"]),
        },
    )  # fmt: skip


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per configuration, best first: its own score, whether it is within noise, the value on each part."""
    return [
        {
            "configuration": one["name"],
            "candidate": one["candidate"],
            d["primary"]: one["value"],
            "within_noise": one["within"],
            **{f"part_{at}": value for at, value in enumerate(one["values"], 1)},
        }
        for one in d["configurations"]
    ]


def _corrected(d: Facts) -> Facts:
    estimate: Facts = d["estimates"][d["primary"]]
    return estimate


def _winner(d: Facts) -> str:
    search = d["search"]
    kind = f"{search['kind']} search" + (f" by {search['sampler']}" if search["sampler"] else "")
    many = search["configurations"]
    return f"winner: {d['winner']['name']}, best of {many:,} configuration{'' if many == 1 else 's'} ({kind})"


def _facts(d: Facts) -> tuple[str, ...]:
    clusters = (f"{d['units']:,} clusters",) if d["units"] != d["rows"] else ()
    return (f"{d['rows']:,} rows", *clusters, f"task: {d['task']}", f"{d['protocol']['fits']:,} fits")


def protocol_words(d: Facts) -> str:
    """The protocol in a few words.

    >>> protocol_words({"protocol": {"name": "nested", "outer": "5", "inner": "5"}})
    'nested, outer 5, inner 5'
    """
    protocol = d["protocol"]
    if protocol["name"] == "single":
        return "one test set"
    if protocol["name"] == "bbc":
        return f"bbc over {protocol['inner']} folds"
    return f"{protocol['name']}, outer {protocol['outer']}, inner {protocol['inner']}"


def _scores(d: Facts) -> Table:
    """The winner's own score, the corrected one, and what lies between."""
    corrected = _corrected(d)
    rows = [
        ("winner's own", like(d["winner"]["apparent"], corrected), "", "do not report: chosen for being high"),
        ("this search", value_text(corrected), interval_text(corrected), f"corrected: {protocol_words(d)}"),
        ("optimism", signed(d["optimism"], corrected), "", "how much too good the winner's own score is"),
        *(
            (name, value_text(e), interval_text(e), f"corrected: {e['method']}")
            for name, e in d["estimates"].items()
            if name != d["primary"]
        ),
    ]
    names, values, ends, words = zip(*rows, strict=True)
    return table_of(
        "scores",
        [("score", "l", names), (Cell(d["primary"], given=True), "r", values), (ci_head(d["level"]), "l", ends),
         ("what it is", "l", given(words))],
    )  # fmt: skip


def _noise(d: Facts) -> str:
    noise, of = d["noise"], d["search"]["configurations"]
    error = "" if d["winner"]["error"] is None else f" of {d['winner']['error']:.2g}"
    return (
        f"within noise of the winner: {len(noise['within']):,} of {of:,} configurations; "
        f"simplest: {noise['simplest']} ({noise['rule']}, standard error{error})"
    )


def _models(d: Facts) -> Table:
    """The three models that must not be confused."""
    corrected = _corrected(d)
    return table_of(
        "models",
        [
            ("model", "l", [ROLES[one["role"]][0] for one in d["models"]]),
            ("rows", "r", [f"{one['rows']:,}" for one in d["models"]]),
            (Cell(d["primary"], given=True), "r",
             ["--" if one["value"] is None else like(one["value"], corrected) for one in d["models"]]),
            ("for you", "l", [ROLES[one["role"]][1] for one in d["models"]]),
            ("configuration", "l", given(_which(one) for one in d["models"])),
        ],
        optional=1,
    )  # fmt: skip


def _which(one: Facts) -> str:
    names = list(dict.fromkeys(one["configurations"]))
    return names[0] if len(names) == 1 else f"{len(names)} configurations" if names else "not fitted again"


def _configurations(d: Facts) -> Table:
    """The configurations, best first; those within noise of the winner are marked."""
    configurations, corrected = d["configurations"], _corrected(d)
    return table_of(
        "configurations",
        [
            ("configuration", "l", given(one["name"] for one in configurations)),
            ("own score", "r", [like(one["value"], corrected) for one in configurations]),
            ("", "l", ["within noise" if one["within"] else "" for one in configurations]),
        ],
        section="distributions",
        brief_rows=SHOWN,
        rows_are=("configuration", "configurations"),
    )


def _notes(d: Facts) -> tuple[Note, ...]:
    """The checks, what the choices of outer splits say, then each note once with the metric it belongs to."""
    notes = list(check_notes(d))
    others = sum(name != d["winner"]["name"] for name in d["choices"])
    if others:
        text = f"in {others} of {len(d['choices'])} outer splits the search chose another configuration than the winner"
        notes.append(Note("choice", f"{text}: the score is that of the search, not of one configuration"))
    return (*notes, *gathered((metric, e["notes"]) for metric, e in d["estimates"].items()))
