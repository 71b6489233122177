"""What a reader must know, once each: checks on the data, and notes on the estimates that are shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from heldout.report.document import Remark
from heldout.report.kinds.evaluation_breakdowns import class_metrics, segment_metrics
from heldout.report.number_text import Estimated

NAMED = 3
"""How many places one remark names before it counts the rest."""


def remarks(d: Mapping[str, Any], *, brief: bool = True) -> tuple[Remark, ...]:
    """The checks, then the notes on metrics, then one remark for each sort of note on classes and segments."""
    checks = tuple(Remark(check["code"], check["text"]) for check in d["checks"])
    whole = _gathered((name, e) for name, e in d["estimates"].items() if e.get("printed", True))
    new = {note: places for note, places in whole.items() if not any(note in check.text for check in checks)}
    known = {_sort(note) for note in whole}
    sorts: dict[str, list[tuple[str, str]]] = {}
    for note, places in _gathered(_parts(d, brief=brief)).items():
        if _sort(note) not in known:
            sorts.setdefault(_sort(note), []).extend((place, note) for place in places)
    return (*checks, *(placed(note, places) for note, places in new.items()), *map(_first_of, sorts.values()))


def _gathered(estimates: Iterable[tuple[str, Estimated]]) -> dict[str, list[str]]:
    """Every note with the places where it is made."""
    places: dict[str, list[str]] = {}
    for place, e in estimates:
        for note in e["notes"]:
            places.setdefault(note, []).append(place)
    return places


def _parts(d: Mapping[str, Any], *, brief: bool) -> Iterator[tuple[str, Estimated]]:
    """The estimates shown per class and per segment, each with the words for where it stands."""
    of_class = class_metrics(d, brief=brief)
    for label, estimates in d["classes"].items():
        yield from ((f'{name} of "{label}"', estimates[name]) for name in of_class if name in estimates)
    for column, segments in d["segments"].items():
        names = segment_metrics(segments, brief=brief)
        for key, part in segments["shown"].items():
            found = part["estimates"]
            yield from ((f'{name} where {column} is "{key}"', found[name]) for name in names if name in found)


def _sort(note: str) -> str:
    """The note without its numbers: what differs only in them is said once."""
    return re.sub(r"[0-9]+(\.[0-9]+)?", "#", note)


def placed(note: str, places: list[str]) -> Remark:
    """One place stands before the note; several stand behind it."""
    if len(places) == 1:
        return Remark(places[0], note)
    more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
    return Remark("", f"{note} ({', '.join(places[:NAMED])}{more})")


def _first_of(alike: list[tuple[str, str]]) -> Remark:
    place, note = alike[0]
    return Remark(place, f"{note}; {len(alike) - 1} more like this, all in the JSON" if len(alike) > 1 else note)
