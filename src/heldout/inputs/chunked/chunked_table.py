"""Input in parts: files too large to be read at once, or many of them, as pieces that are read one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heldout.errors import DataError
from heldout.inputs.wording import names_listed

PIECE = 1 << 17
"""A piece has no more rows than this."""
PART = 1 << 21
"""About so many rows make a part, where a file says how many it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one worker reads at a time: some row groups of a file, and what the names of its folders say."""

    path: str
    groups: tuple[int, ...] | None = None
    """Which row groups (Parquet) or record batches (Arrow); None: the whole file."""
    first: int = 0
    """How many rows of the file come before."""
    rows: int | None = None
    """How many rows it has, where that is known without reading it."""
    folder: tuple[tuple[str, str | None], ...] = ()
    """Columns whose value the folder names, as in `country=de/`."""
    form: str = "parquet"
    """How the file is written: parquet, arrow (a file), stream (of Arrow) or delimited (CSV)."""
    place: str = ""
    """How messages call the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What the foot or the head of a file says about its columns."""

    place: str
    columns: tuple[tuple[str, str], ...]
    """Name and Arrow type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """A table in parts: files of one schema."""

    place: str
    """How messages call the source."""
    names: tuple[str, ...]
    """Columns, those of folder names included."""
    parts: tuple[Part, ...]
    rows: int | None
    """How many rows all parts have together, where that is known without reading them."""
    size: int
    """Bytes that all columns take in memory, roughly; `size_of` tells it for some."""
    paths: tuple[str, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Column → bytes it takes in memory, roughly."""
    outlines: tuple[Outline, ...] = ()
    """The different schemas the files have, each with the first file that has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Consecutive rows of a part, as Arrow columns."""

    batch: Any
    """A `pyarrow.RecordBatch` with the columns asked for."""
    place: str
    """The file it comes from, as messages call it."""
    first: int
    """How many rows of that file come before."""
    decimal_comma: bool = False
    """Whether numbers may have been written with a comma (files separated by semicolons)."""


def parted(source: Any) -> Parted:
    """The parts of a file, a folder (with `key=value` folders in it), a glob pattern or a list of files.

    Only feet and heads of files are read: a file that is cut off, missing or of another format is named at once, one
    that lacks a column or has another kind of it when the columns are known (`fitting`).
    """
    from concurrent.futures import ThreadPoolExecutor

    from heldout.inputs.chunked.file_listing import found_files

    found = found_files(source)
    with ThreadPoolExecutor(max_workers=8) as pool:
        opened = list(pool.map(_opened, found.files))
    parts = tuple(part for file in opened for part in file.parts)
    rows = [part.rows for part in parts]
    sizes: dict[str, int] = {}
    for file in opened:
        for name, size in file.sizes.items():
            sizes[name] = sizes.get(name, 0) + size
    known = None if None in rows else sum(row for row in rows if row is not None)
    if known == 0:
        raise DataError(f"{found.place} has no rows", code="H112", fix="export the predictions again")
    outlines = {file.outline.columns: file.outline for file in reversed(opened)}
    return Parted(
        place=found.place,
        names=_names(found.place, [file.outline for file in opened]),
        parts=parts,
        rows=known,
        size=sum(sizes.values()),
        paths=tuple(str(file.path) for file in found.files),
        sizes=sizes,
        outlines=tuple(reversed(outlines.values())),
    )


def _opened(file: Any) -> Any:
    from heldout.inputs.chunked.file_opening import opened

    return opened(file)


def _names(place: str, outlines: Sequence[Outline]) -> tuple[str, ...]:
    """Every column any file has; a name that one file has twice stays twice, so that asking for it is an error."""
    names: list[str] = []
    for columns in dict.fromkeys(outline.columns for outline in outlines):
        own = [name for name, _ in columns]
        names += [name for at, name in enumerate(own) if names.count(name) < own[: at + 1].count(name)]
    if not names:
        raise DataError(f"{place} has no columns", code="H106", fix="export the predictions again")
    return tuple(names)


def pieces(part: Part, columns: Sequence[str], rows: int = PIECE) -> Iterator[Piece]:
    """The rows of a part, at most so many at a time, in the order of the file."""
    from heldout.inputs.chunked.file_opening import READERS

    yield from READERS[part.form](part, columns, rows)


def size_of(source: Parted, columns: Sequence[str]) -> int:
    """Bytes that some columns take in memory, roughly."""
    return sum(source.sizes.get(name, 0) for name in dict.fromkeys(columns))


def fitting(source: Parted, columns: Sequence[str], exact: Sequence[str] = ()) -> None:
    """Raise where a file lacks one of the columns, or holds another kind of value there.

    Whole numbers and fractions may take turns, unless the column must be `exact`: it holds names, such as groups.
    """
    for name in columns:
        having = [(outline.place, dict(outline.columns).get(name)) for outline in source.outlines]
        first, known = next(((place, kind) for place, kind in having if kind is not None), (source.place, None))
        for place, kind in having:
            if kind is None:
                own = next(outline for outline in source.outlines if outline.place == place)
                raise DataError(
                    f"{place} has no column {name!r}, which {first} has; its columns are "
                    f"{names_listed([known for known, _ in own.columns])}",
                    code="H106",
                    fix="export that file again, or leave it out",
                )
            if known is not None and _family(kind, exact=name in exact) != _family(known, exact=name in exact):
                raise DataError(
                    f"{place} holds {name!r} as {kind}, and {first} as {known}",
                    code="H107",
                    fix=f"export that file again with {name} as {known}, or leave it out",
                )


def alike(source: Parted, name: str) -> bool:
    """Whether every file has the column once, with one kind of value."""
    kinds = [[kind for known, kind in outline.columns if known == name] for outline in source.outlines]
    return all(len(found) == 1 for found in kinds) and len({_family(found[0], exact=False) for found in kinds}) == 1


def _family(kind: str, *, exact: bool) -> str:
    """The kind of value an Arrow type holds: widths and encodings make no difference.

    >>> _family("int32", exact=True) == _family("uint8", exact=True), _family("int64", exact=True)
    (True, 'whole')
    """
    if kind.startswith("dictionary<values="):
        kind = kind.removeprefix("dictionary<values=").split(",")[0]
    if kind.startswith(("int", "uint")):
        return "whole" if exact else "number"
    if kind.startswith(("float", "double", "halffloat", "decimal")):
        return "fraction" if exact else "number"
    if kind.startswith(("string", "large_string", "utf8")):
        return "text"
    return "time" if kind.startswith(("timestamp", "date", "time")) else kind
