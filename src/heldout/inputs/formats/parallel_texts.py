"""Texts to judge and their references: lines of files, JSON lines, or lists; one segment per line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs.formats.compression import ending, stem
from heldout.inputs.formats.delimited_text import MARKS, decoded, nul_byte
from heldout.inputs.formats.files import Source, exists, read_bytes
from heldout.inputs.formats.json_lines import read_json_lines
from heldout.inputs.message_text import names_listed, quoted, rows_named
from heldout.inputs.reading import Check

REFERENCE = ("references", "reference", "refs", "ref", "targets", "target", "truth", "y_true")
HYPOTHESIS = ("hypothesis", "hyp", "prediction", "pred", "output", "translation", "y_pred", "text")
IDS = ("id", "segment_id", "key")
JSON_LINES = (".jsonl", ".ndjson", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments:
    """References and what each system wrote, segment by segment."""

    references: tuple[tuple[str, ...], ...]
    """For every segment one reference or more."""
    systems: Mapping[str, tuple[str, ...]]
    unit: Array | None = None
    """Which segments belong to one document, as positions; None: every segment is drawn by itself."""
    matched: str = "position"
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def rows(self) -> int:
        return len(self.references)

    @property
    def units(self) -> int:
        """Number of units: documents, or segments."""
        return self.rows if self.unit is None else int(self.unit.max()) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The lines of one source, before they are matched with those of the others."""

    place: str
    lines: tuple[Any, ...]
    ids: tuple[Any, ...] | None = None
    fields: Mapping[str, tuple[Any, ...]]
    sources: tuple[Source, ...] = ()
    checks: tuple[Check, ...] = ()


def read_segments(references: Any, systems: Mapping[str, Any], *, groups: Any = None) -> Segments:
    """References and the texts of every system, matched by id where all have one, and by position otherwise.

    `references` is a file, several files, or a list with a text (or a list of texts) for each segment; `systems` are
    files or lists of texts by name. `groups` is a list, a field of a JSON-lines file of references, or a file with a
    line for each segment.

    >>> segments = read_segments([["a b", "a c"], "d"], {"one": ["a b", ""]})
    >>> segments.references, segments.checks[0].text
    ((('a b', 'a c'), ('d',)), '1 of 2 texts of one is empty (segment 2); it counts as it is')
    """
    streams = _reference_streams(references)
    written = {name: _texts(given, HYPOTHESIS, str(name)) for name, given in systems.items()}
    everything = [*streams, *written.values()]
    matched = "position"
    if all(one.ids is not None for one in everything):
        matched = "id"
        everything = [everything[0], *(_reordered(one, everything[0]) for one in everything[1:])]
    for one in everything[1:]:
        _same_length(one, everything[0])
    streams, others = everything[: len(streams)], everything[len(streams) :]
    together = tuple(tuple(_several(line)) for line in streams[0].lines)
    for stream in streams[1:]:
        together = tuple((*some, *_several(more)) for some, more in zip(together, stream.lines, strict=True))
    _none_without_reference(together, streams[0])
    outputs = {name: tuple(map(str, one.lines)) for name, one in zip(written, others, strict=True)}
    return Segments(
        references=together,
        systems=outputs,
        unit=None if groups is None else _units(groups, streams[0]),
        matched=matched,
        checks=(*(check for one in everything for check in one.checks), *_blank(outputs, together)),
        sources=tuple(source for one in everything for source in one.sources),
    )


def _reference_streams(given: Any) -> list[Texts]:
    if isinstance(given, str | Path):
        return [_texts(given, REFERENCE, "the references")]
    if isinstance(given, Sequence) and given and all(isinstance(one, Path) for one in given):
        return [_texts(one, REFERENCE, "the references") for one in given]
    return [_texts(given, REFERENCE, "the references")]


def _texts(given: Any, known: Sequence[str], name: str) -> Texts:
    """The texts of a file, or of a list called `name`."""
    if isinstance(given, str | Path):
        return _file(given, known)
    if not isinstance(given, Iterable):
        text = f"{name}: an object of type {type(given).__name__} is neither a path nor a list of texts"
        raise DataError(text, code="H100", fix="give a path, or one text for each segment")
    lines = tuple(given.tolist() if isinstance(given, np.ndarray) else given)
    if not lines:
        raise DataError(f"{name}: there is no segment", code="H112", fix="give one text for each segment")
    _are_texts(lines, name, several=known is REFERENCE)
    return Texts(place=name, lines=lines, fields={})


def _file(path: str | Path, known: Sequence[str]) -> Texts:
    source, place, data = read_bytes(path)
    if ending(place) in JSON_LINES:
        return _json(data, place, source, known)
    text = _decoded(data, place)
    lines = tuple(line.removesuffix("\r") for line in text.removesuffix("\n").split("\n"))
    return Texts(place=place, lines=lines, fields={}, sources=(source,))


def _decoded(data: bytes, place: str) -> str:
    """The text of a file: UTF-8, unless its byte order mark names another encoding."""
    mark, encoding = next(((mark, name) for mark, name in MARKS if data.startswith(mark)), (b"", "utf-8"))
    text = decoded(data[len(mark) :] if encoding == "utf-8" else data, encoding, place)
    if "\0" in text:
        raise nul_byte(text.encode(), place, fix="export the texts again in UTF-8 encoding")
    return text


def _json(data: bytes, place: str, source: Source, known: Sequence[str]) -> Texts:
    """Objects with a text under one of the known names, or under the only name there is."""
    names, columns = read_json_lines(_decoded(data, place).encode("utf-8"), place)
    if not names:
        raise DataError(f"{place} is empty: it has no object", code="H100", fix="write one object per line")
    fields = {
        name: tuple(column.to_pylist() if hasattr(column, "to_pylist") else column)
        for name, column in zip(names, columns, strict=True)
    }
    lower = {name.lower(): name for name in reversed(names)}
    chosen = next((lower[name] for name in known if name in lower), names[0] if len(names) == 1 else None)
    if chosen is None:
        what = "references" if known is REFERENCE else "predicted texts"
        wanted = f"call the field of {what} {known[0]}, or one of {', '.join(known[1:])}"
        raise DataError(
            f"{place} has no field of {what}: its fields are {names_listed(names)}", code="H106", fix=wanted
        )
    _are_texts(fields[chosen], f"{chosen} of {place}", several=known is REFERENCE)
    id = next((lower[name] for name in IDS if name in lower), None)
    return Texts(
        place=place,
        lines=fields[chosen],
        ids=None if id is None else _unique(fields[id], f"{id} of {place}"),
        fields=fields,
        sources=(source,),
        checks=_field_read(chosen, [name for name in names if name.lower() in known], place),
    )


def _field_read(chosen: str, candidates: Sequence[str], place: str) -> tuple[Check, ...]:
    """A note on which field was read, where several have a name of such texts."""
    if len(candidates) < 2:
        return ()
    read = names_listed((chosen,))
    text = f"{place} has the fields {names_listed(candidates)}: {read} is read; rename it if it does not hold the texts"
    return (Check(code="H111", text=text),)


def _are_texts(lines: Sequence[Any], place: str, *, several: bool) -> None:
    for at, line in enumerate(lines, start=1):
        good = all(isinstance(one, str) for one in line) if several and isinstance(line, list | tuple) else False
        if not (good or isinstance(line, str)):
            what = "missing" if line is None else f"{quoted(line)}, which is not text"
            raise DataError(f"{place}: segment {at} is {what}", code="H305", fix="give a text, '' where it is empty")


def _unique(ids: tuple[Any, ...], place: str) -> tuple[Any, ...]:
    first: dict[Any, int] = {}
    for at, id in enumerate(ids, start=1):
        if isinstance(id, list | dict):
            text = f"{place}: the id of segment {at} is {quoted(id)}, which is neither text nor a number"
            raise DataError(text, code="H107", fix="give every segment an id of one value")
        if id is None:
            raise DataError(f"{place}: segment {at} has no id", code="H305", fix="give every segment an id, or none")
        if id in first:
            where = f"segments {first[id]} and {at}"
            fix = "give every segment an id of its own"
            raise DataError(f"{place}: the id {quoted(id)} occurs twice, in {where}", code="H105", fix=fix)
        first[id] = at
    return ids


def _reordered(one: Texts, first: Texts) -> Texts:
    """The lines in the order of the first source's ids."""
    assert one.ids is not None
    assert first.ids is not None
    place = {id: at for at, id in enumerate(one.ids)}
    missing = [id for id in first.ids if id not in place]
    more = set(place) - set(first.ids)
    if missing or more:
        count, has, lacks = (len(missing), first, one) if missing else (len(more), one, first)
        example = quoted(missing[0] if missing else next(id for id in one.ids if id in more))
        ids = "1 id" if count == 1 else f"{count:,} ids"
        raise DataError(
            f"{ids} of {has.place} {'is' if count == 1 else 'are'} not in {lacks.place} (first: {example})",
            code="H101",
            fix="give every file the same segments",
        )
    order = [place[id] for id in first.ids]
    return Texts(
        place=one.place,
        lines=tuple(one.lines[at] for at in order),
        ids=first.ids,
        fields={},
        sources=one.sources,
        checks=one.checks,
    )


def _same_length(one: Texts, first: Texts) -> None:
    if len(one.lines) != len(first.lines):
        count = f"{len(one.lines):,} segment{'' if len(one.lines) == 1 else 's'}"
        raise DataError(
            f"{count} in {one.place}, but {len(first.lines):,} in {first.place}",
            code="H112",
            fix="write one line for each segment, an empty one where there is no text",
        )


def _several(line: Any) -> Sequence[str]:
    return [line] if isinstance(line, str) else line


def _none_without_reference(references: Sequence[Sequence[str]], first: Texts) -> None:
    for at, several in enumerate(references, start=1):
        if not several:
            fix = "give it one, or leave the segment out"
            raise DataError(f"{first.place}: segment {at} has no reference", code="H305", fix=fix)


def _units(groups: Any, references: Texts) -> Array:
    """Which document each segment belongs to, numbered."""
    if isinstance(groups, str | Path):
        if str(groups) in references.fields:
            names: Sequence[Any] = references.fields[str(groups)]
        elif references.fields and not exists(groups):
            known = names_listed(tuple(references.fields))
            raise DataError(
                f"{references.place} has no field {str(groups)!r}: it has {known}",
                code="H106",
                fix="name one of these fields with --group (groups=)",
            )
        else:
            names = _file(groups, HYPOTHESIS).lines
    else:
        names = list(groups)
    if len(names) != len(references.lines):
        raise DataError(
            f"there are {len(names):,} groups, but {len(references.lines):,} segments",
            code="H112",
            fix="give one name for each segment",
        )
    for at, name in enumerate(names, start=1):
        if name is None or (isinstance(name, float) and isnan(name)):
            raise DataError(f"segment {at} has no group", code="H305", fix="give every segment a group")
    return np.unique(np.array([str(name) for name in names]), return_inverse=True)[1]


def _blank(outputs: Mapping[str, Sequence[str]], references: Sequence[Sequence[str]]) -> list[Check]:
    """A note on empty texts, which are evaluated as they are."""
    blank = {f"texts of {name}": [not line.strip() for line in lines] for name, lines in outputs.items()}
    blank["references"] = [not any(one.strip() for one in several) for several in references]
    return [
        Check(
            code="H305",
            text=f"{sum(where)} of {len(where):,} {name} {'is' if sum(where) == 1 else 'are'} empty "
            f"({_segments_named(np.flatnonzero(where) + 1)}); {'it counts' if sum(where) == 1 else 'they count'} "
            f"as {'it is' if sum(where) == 1 else 'they are'}",
        )
        for name, where in blank.items()
        if any(where)
    ]


def _segments_named(numbers: Array) -> str:
    return rows_named(numbers).replace("row", "segment")


def one_system(given: Any) -> dict[str, Any]:
    """Systems by name; a file is called by its stem, a list of texts `hypothesis`."""
    if isinstance(given, Mapping):
        if not given:
            raise UsageError("there is no system to evaluate", fix="give its texts, or a file of them")
        return {str(name): texts for name, texts in given.items()}
    if isinstance(given, str | Path):
        return {stem(given): given}
    return {"hypothesis": given}
