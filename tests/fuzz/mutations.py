"""Mutations: each kind of content is changed where its readers look: cells, columns, rows, nodes, pixels, bytes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.byte_mutations import BYTE_MUTATIONS, TEXTS
from tests.fuzz.contents import ARROW_TYPES, TABLE_FORMS, Content, Index, Lines, Pixels, Raw, Table, Tree

NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 0.5, -0.0, 1.5, 1e-300, 5e-324, 1e-9, 1e15, 2**31, 2**53 + 1, 2**63, 2**64 - 1, 2**64, 10**20, 10**40,
    1e30, 1e300, 1e308, -1e308, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
VALUES: tuple[Any, ...] = (*NUMBERS, *TEXTS, None, True, False, [], {}, [1, [2]], {"a": None}, [None])
NAMES = ("", " ", "y_true", "y_pred", "y_score", "score", "id", "group", "weight", "p_", "p_a", "a b", "é", "x" * 500)


def mutated(content: Content, rng: Random) -> Content:
    """The content with one to three changes; one in six is a change of its bytes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not isinstance(content, Raw) and rng.random() > 1 / 6:
            content = MUTATIONS[type(content)](content, rng)
        else:
            content = Raw(rng.choice(BYTE_MUTATIONS)(content.data(), rng))
    return content


# ---- tables


def mutated_table(table: Table, rng: Random) -> Table:
    if not table.columns:
        return table
    return rng.choice(TABLE_MUTATIONS)(table, rng)


def cells(table: Table, rng: Random) -> Table:
    """Other values in one to all cells of a column."""
    name = rng.choice(list(table.columns))
    values = list(table.columns[name])
    pool = rng.choice((VALUES, NUMBERS, TEXTS, values or [None]))
    value = rng.choice(pool)
    for at in rng.sample(
        range(len(values)), rng.choice([k for k in (1, 1, 2, len(values)) if k <= len(values)] or [0])
    ):
        values[at] = value if rng.random() < 0.7 else rng.choice(pool)
    return replace(table, columns={**table.columns, name: values})


def changed_rows(table: Table, rng: Random) -> Table:
    """Rows dropped, doubled, moved, or all but a few of them gone."""
    rows = table.rows
    way = rng.randrange(5)
    if way == 0:
        rows = rng.sample(rows, rng.choice((0, 1, 2, min(3, len(rows)))) if len(rows) > 2 else 0)
    elif way == 1:
        rows = [row for row in rows if rng.random() < 0.7]
    elif way == 2:
        rows = rows + rng.choices(rows, k=3) if rows else rows
    elif way == 3:
        rng.shuffle(rows)
    else:  # as where a filter kept one class
        at = rng.randrange(len(table.columns))
        kept = rng.choice(rows)[at] if rows else None
        rows = [row for row in rows if row[at] == kept]
    return replace(table, columns={name: [row[k] for row in rows] for k, name in enumerate(table.columns)})


def changed_columns(table: Table, rng: Random) -> Table:
    """A column dropped, renamed, doubled under another name, or all of them moved."""
    names = list(table.columns)
    name = rng.choice(names)
    way = rng.randrange(4)
    if way == 0:
        return replace(table, columns={one: values for one, values in table.columns.items() if one != name})
    if way == 1:
        new = rng.choice((*NAMES, *names))
        return replace(table, columns={new if one == name else one: table.columns[one] for one in names})
    if way == 2:
        return replace(table, columns={**table.columns, rng.choice(NAMES): list(table.columns[name])})
    rng.shuffle(names)
    return replace(table, columns={one: table.columns[one] for one in names})


def arrow_type(table: Table, rng: Random) -> Table:
    """A column of another Arrow type, in a file that has types."""
    kind = rng.choice([*ARROW_TYPES, "dictionary"])
    form = table.form if table.form in ("parquet", "arrow") else rng.choice(("parquet", "arrow"))
    return replace(table, form=form, types={**table.types, rng.choice(list(table.columns)): kind})


def other_form(table: Table, rng: Random) -> Table:
    return replace(table, form=rng.choice(list(TABLE_FORMS)))


def typed_change(table: Table, rng: Random) -> Table:
    """A change after which every column still has one type: missing values, fewer rows, other names of classes."""
    way = rng.randrange(5)
    if way == 0:
        return changed_rows(table, rng)
    name = rng.choice(list(table.columns))
    values = list(table.columns[name])
    if way == 1 and values:
        values[rng.randrange(len(values))] = None
    elif way == 2 and all(isinstance(value, float) for value in values):
        values = [rng.choice((value, 0.0, 1.0, 1e-300, 0.5)) for value in values]
    elif way == 3:
        values = [rng.choice(values)] * len(values) if values else values
    else:
        named = {word: rng.choice(CLASS_NAMES) + word for word in ("no", "yes", "cat", "dog", "emu", "ill", "well")}
        columns = {one: [renamed(value, named) for value in column] for one, column in table.columns.items()}
        return replace(
            table,
            columns={
                f"p_{named.get(one[2:], one[2:])}" if one.startswith("p_") else one: columns[one] for one in columns
            },
        )
    return replace(table, columns={**table.columns, name: values})


def renamed(value: Any, named: dict[str, str]) -> Any:
    return named.get(value, value) if isinstance(value, str) else value


CLASS_NAMES = ("", "a,b ", 'a"b', "a;b", "é", "日", "A", "-", "#", "=", "'", "a\\b", "\u200b", "<b>", "%", "x" * 200)
"""Beginnings of names of classes that a format must not change."""

TABLE_MUTATIONS: tuple[Callable[[Table, Random], Table], ...] = (
    *(cells, cells, cells),
    *(changed_rows, changed_columns, arrow_type, other_form),
)


# ---- trees


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every node below the root."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, part in inside for path in [(*at, key), *places(part, (*at, key))]]


def node(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def changed(value: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A copy of a tree in which `change(parent, key)` has changed the node at a path."""
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        change(copy, path[0])
    else:
        copy[path[0]] = changed(copy[path[0]], path[1:], change)
    return copy


def without(parent: Any, key: Any) -> None:
    del parent[key]


def mutated_tree(tree: Tree, rng: Random) -> Tree:
    """A node replaced by a value, by another node, or inside a list; dropped, doubled, or renamed."""
    paths = places(tree.value)
    if not paths:
        return replace(tree, value=rng.choice(VALUES))
    path = rng.choice(paths)
    old = node(tree.value, path)
    way = rng.randrange(7)

    def change(parent: Any, key: Any) -> None:
        if way == 0:
            del parent[key]
        elif way == 1:
            parent[key] = node(tree.value, rng.choice(paths))
        elif way == 2:
            parent[key] = [old]
        elif way == 3 and isinstance(parent, list):
            parent.insert(key, old)
        elif way == 3:
            parent[rng.choice((*NAMES, *parent))] = parent.pop(key)
        elif way == 4 and isinstance(old, int | float):
            parent[key] = rng.choice((-old, old + 1, old * 1.5, str(old)))
        else:
            parent[key] = rng.choice(VALUES)

    return replace(tree, value=changed(tree.value, path, change))


# ---- texts, pictures, stores


def mutated_lines(lines: Lines, rng: Random) -> Lines:
    new = list(lines.lines)
    at = rng.randrange(len(new) + 1)
    way = rng.randrange(4)
    if way == 0 or not new:
        new.insert(at, rng.choice(TEXTS))
    elif way == 1:
        del new[at % len(new)]
    elif way == 2:
        new[at % len(new)] = rng.choice((*TEXTS, *map(str, NUMBERS)))
    else:
        new += rng.choices(new, k=2)
    return Lines(new)


DTYPES = ("u1", "i1", "u2", ">u2", "i8", "u8", "f2", "f4", "f8", "?", "c8", "U3", "S2", "M8[s]")


def mutated_pixels(pixels: Pixels, rng: Random) -> Pixels:
    """Other pixels, another shape, type or format."""
    with warnings.catch_warnings():  # a cast may overflow or lose a part of a number: the better
        warnings.simplefilter("ignore")
        return other_pixels(pixels, rng)


def other_pixels(pixels: Pixels, rng: Random) -> Pixels:
    array = np.array(pixels.array)
    way = rng.randrange(4)
    if way == 0 and array.size:
        with suppress(OverflowError, TypeError, ValueError):
            value = np.array(rng.choice((0, 1, 2, 7, 255, 254.5, -1, 1e9)))
            array.flat[rng.randrange(array.size)] = value.astype(array.dtype)
    elif way == 1:
        shapes = (
            (),
            (0,),
            (0, 0),
            (1, 1),
            (3, 3),
            (*array.shape, 1),
            (*array.shape, 3),
            (2, *array.shape),
            (array.size,),
        )
        array = np.resize(array, rng.choice(shapes))
    elif way == 2:
        with suppress(OverflowError, RuntimeError, TypeError, ValueError):  # such as text that is no number
            array = array.astype(rng.choice(DTYPES))
    else:
        return Pixels(array, rng.choice(("npy", "png", "tiff")))
    return replace(pixels, array=array)


def mutated_index(index: Index, rng: Random) -> Index:
    """Another value in a line of a table, a line less, or a statement less."""
    filled = [name for name, lines in index.tables.items() if lines]
    if not filled or rng.random() < 0.1:
        at = rng.randrange(len(index.statements))
        return replace(index, statements=tuple(s for k, s in enumerate(index.statements) if k != at))
    name = rng.choice(filled)
    lines = [list(line) for line in index.tables[name]]
    line = rng.randrange(len(lines))
    if rng.random() < 0.15:
        del lines[line]
    else:
        at = rng.randrange(len(lines[line]))
        lines[line][at] = other_cell(lines[line][at], rng)
    return replace(index, tables={**index.tables, name: lines})


def other_cell(value: Any, rng: Random) -> Any:
    """Another value in SQLite; JSON in it stays JSON, most of the time."""
    if isinstance(value, str) and value.startswith("{") and rng.random() < 0.8:
        return json.dumps(mutated_tree(Tree(json.loads(value)), rng).value, default=str)
    pool = (
        None,
        "",
        "{}",
        "[]",
        "null",
        "x",
        0,
        -1,
        3,
        2**62,
        0.5,
        b"\xff",
        "../../x",
        "2024",
        json.dumps(value, default=str),
    )
    return rng.choice(pool)


MUTATIONS: dict[type, Callable[[Any, Random], Content]] = {
    Table: mutated_table,
    Tree: mutated_tree,
    Lines: mutated_lines,
    Pixels: mutated_pixels,
    Index: mutated_index,
}
