"""A failure made small: options, files, rows, columns, nodes and bytes are left out as long as the signature stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tests.fuzz.cases import Case
from tests.fuzz.contents import Content, Index, Lines, Pixels, Raw, Table, Tree
from tests.fuzz.mutations import changed, node, places, without

TRIES, SECONDS = 600, 60.0
"""How many smaller cases are tried, and for how long, at most."""


def shrunk(case: Case, fails: Callable[[Case], bool], tries: int = TRIES) -> Case:
    """The smallest case that still fails, found by trying smaller ones as long as one of them does."""
    end = time.monotonic() + SECONDS
    again = True
    while again:
        again = False
        for smaller in smaller_cases(case):
            if tries <= 0 or time.monotonic() > end:
                return case
            tries -= 1
            if fails(smaller):
                case, again = smaller, True
                break
    return case


def smaller_cases(case: Case) -> Iterator[Case]:
    """Cases with one thing less, the largest things first."""
    if len(case.forms) > 1:
        yield from (replace(case, forms=(form,)) for form in case.forms)
    for at in range(len(case.words)):
        yield replace(case, words=(*case.words[:at], *case.words[at + 1 :]))
    typed = {word for words in case.words for word in words}
    for name in case.files:
        if (
            name not in typed
            and name != case.stdin
            and not any(name.startswith(f"{word}/") for word in (*typed, "store"))
        ):
            yield replace(case, files={one: content for one, content in case.files.items() if one != name})
    for name, content in case.files.items():
        for smaller in smaller_contents(content):
            yield replace(case, files={**case.files, name: smaller})
    for at, words in enumerate(case.words):
        if len(words[-1]) > 40:
            yield replace(
                case, words=(*case.words[:at], (*words[:-1], words[-1][: len(words[-1]) // 2]), *case.words[at + 1 :])
            )


def pieces(count: int) -> Iterator[tuple[int, int]]:
    """Ranges to leave out: all, halves, quarters and so on down to one by one."""
    size = count
    while size:
        for first in range(0, count, size):
            yield first, min(count, first + size)
        size //= 2


def smaller_contents(content: Content) -> Iterator[Content]:
    return SMALLER[type(content)](content)


def smaller_tables(table: Table) -> Iterator[Table]:
    rows = table.rows
    for first, last in pieces(len(rows)):
        kept = [*rows[:first], *rows[last:]]
        yield replace(table, columns={name: [row[k] for row in kept] for k, name in enumerate(table.columns)})
    for name in table.columns:
        yield replace(table, columns={one: values for one, values in table.columns.items() if one != name})
    for name in table.types:
        yield replace(table, types={one: kind for one, kind in table.types.items() if one != name})
    for name, values in table.columns.items():
        plain = [len(str(value)) for value in values]
        for at, value in enumerate(values):
            for simple in (0, 1, "a"):
                if plain[at] > 1 and value is not None:
                    yield replace(table, columns={**table.columns, name: [*values[:at], simple, *values[at + 1 :]]})


def smaller_trees(tree: Tree) -> Iterator[Tree]:
    paths = sorted(places(tree.value), key=len)
    for path in paths:
        yield replace(tree, value=changed(tree.value, path, without))
    for path in paths:
        old = node(tree.value, path)
        if isinstance(old, str | int | float) and len(str(old)) > 1:
            for simple in (0, 1, "a", str(old)[: len(str(old)) // 2]):
                yield replace(tree, value=changed(tree.value, path, _setter(simple)))


def _setter(value: Any) -> Callable[[Any, Any], None]:
    def put(parent: Any, key: Any) -> None:
        parent[key] = value

    return put


def smaller_lines(lines: Lines) -> Iterator[Lines]:
    for first, last in pieces(len(lines.lines)):
        yield Lines([*lines.lines[:first], *lines.lines[last:]])
    for at, line in enumerate(lines.lines):
        if len(line) > 1:
            yield Lines([*lines.lines[:at], line[: len(line) // 2], *lines.lines[at + 1 :]])


def smaller_pixels(pixels: Pixels) -> Iterator[Pixels]:
    for axis, length in enumerate(np.shape(pixels.array)):
        if length > 1:
            for kept in (length // 2, length - 1):
                yield replace(pixels, array=np.take(pixels.array, range(kept), axis=axis))


def smaller_indexes(index: Index) -> Iterator[Index]:
    for name, lines in index.tables.items():
        for at, line in enumerate(lines):
            yield replace(index, tables={**index.tables, name: [*lines[:at], *lines[at + 1 :]]})
            for place, value in enumerate(line):
                if isinstance(value, str) and value.startswith("{") and len(value) > 2:
                    yield from (
                        replace(index, tables={**index.tables, name: [*lines[:at], new, *lines[at + 1 :]]})
                        for new in ([*line[:place], text, *line[place + 1 :]] for text in smaller_texts(value))
                    )


def smaller_texts(text: str) -> Iterator[str]:
    """JSON with a node less."""
    import json

    value = json.loads(text)
    for path in sorted(places(value), key=len)[:60]:
        yield json.dumps(changed(value, path, without))


def smaller_bytes(raw: Raw) -> Iterator[Raw]:
    lines = raw.bytes.splitlines(keepends=True)
    if 1 < len(lines) < 200:
        for first, last in pieces(len(lines)):
            yield Raw(b"".join([*lines[:first], *lines[last:]]))
    for first, last in pieces(len(raw.bytes)):
        if last - first > 1 or len(raw.bytes) < 400:
            yield Raw(raw.bytes[:first] + raw.bytes[last:])


SMALLER: dict[type, Callable[[Any], Iterator[Content]]] = {
    Table: smaller_tables,
    Tree: smaller_trees,
    Lines: smaller_lines,
    Pixels: smaller_pixels,
    Index: smaller_indexes,
    Raw: smaller_bytes,
}
