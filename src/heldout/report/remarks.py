"""What a reader must know, once each: checks on the data, and notes on estimates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from heldout.report.cells import Remark
from heldout.report.digits import Estimated

NAMED = 3
"""How many places one remark names before it counts the rest."""


def remarks(d: Mapping[str, Any]) -> tuple[Remark, ...]:
    """The checks, then the notes of every estimate a reader is shown; everything is said once, with its places."""
    said = [check["text"] for check in d["checks"]]
    places: dict[str, list[str]] = {}
    for place, e in _shown(d):
        for note in e["notes"]:
            if not any(note in text for text in said):
                places.setdefault(note, []).append(place)
    checks = tuple(Remark(check["code"], check["text"]) for check in d["checks"])
    return checks + tuple(_remark(note, where) for note, where in places.items())


def _shown(d: Mapping[str, Any]) -> Iterator[tuple[str, Estimated]]:
    for name, e in d["estimates"].items():
        if e.get("printed", True):
            yield name, e
    for label, estimates in d["classes"].items():
        for name, e in estimates.items():
            if e.get("printed", True):
                yield f'{name} of "{label}"', e
    for column, segments in d["segments"].items():
        for key, part in segments["shown"].items():
            for name, e in part["estimates"].items():
                if e.get("printed", True):
                    yield f'{name} where {column} is "{key}"', e


def _remark(note: str, places: list[str]) -> Remark:
    """One place stands before the note; several stand behind it."""
    if len(places) == 1:
        return Remark(places[0], note)
    more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
    return Remark("", f"{note} ({', '.join(places[:NAMED])}{more})")
