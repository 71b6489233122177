"""The files of a source: one file, a folder with its subfolders, a pattern, or a list."""

from __future__ import annotations

import glob
import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote

from heldout.errors import DataError, UsageError
from heldout.inputs.formats.compression import ending
from heldout.inputs.formats.files import is_file, is_folder, no_file, refuse_empty_path
from heldout.inputs.formats.frames import is_pattern, names_several_files
from heldout.inputs.message_text import names_listed

NOTHING = "__HIVE_DEFAULT_PARTITION__"
"""The folder name for a missing value of its column, as Hive writes it."""
SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".csv": "CSV",
    ".tsv": "CSV",
    ".tab": "CSV",
    ".txt": "CSV",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".json": "JSON lines",
}
"""Suffix → format."""
TABLES = {".parquet", ".pq", ".arrow", ".arrows", ".ipc", ".feather", ".csv", ".tsv", ".tab", ".jsonl", ".ndjson"}
"""Suffixes of files that are tables wherever they lie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a source."""

    path: Path
    place: str
    """Name of the file in messages."""
    folder: tuple[tuple[str, str | None], ...] = ()
    """Columns whose value the folder names, as in `country=de/`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files of a source, in order of their names."""

    place: str
    files: tuple[File, ...]


def list_files(source: str | Path | Sequence[str | Path]) -> Files:
    """The files that a path, a folder, a pattern or a list of paths names."""
    if isinstance(source, (list, tuple)):
        if not names_several_files(source):
            raise UsageError(
                "the list of files is empty or holds something that is not a path",
                code="H100",
                fix="give the paths of the files",
            )
        paths = [Path(path) for path in source]
        place = f"{len(source)} files" if len(source) > 1 else paths[0].name
        return _named(place, paths, Path(os.path.commonpath([path.absolute().parent for path in paths])))
    assert isinstance(source, (str, Path))
    if is_pattern(source):
        paths = _matching(str(source))
        if not paths:
            raise DataError(
                f"no file matches {source}", code="H100", fix="check the pattern and the folder it starts from"
            )
        fixed = itertools.takewhile(lambda name: not glob.has_magic(name), Path(source).parts)
        return _named(str(source), paths, Path(*fixed))
    refuse_empty_path(source)
    path = Path(source)
    return _in_folder(path) if is_folder(path) else _named(path.name, [path], path.parent)


def _matching(pattern: str) -> list[Path]:
    """The files that match a pattern; an error where rows would be left out in silence."""
    parts = Path(pattern).parts
    for end in range(1, len(parts)):  # glob passes over folders that it cannot list
        for folder in _globbed(str(Path(*parts[:end], ""))):
            if is_folder(folder) and not os.access(folder, os.R_OK | os.X_OK):
                raise DataError(f"{folder} cannot be read: Permission denied", code="H100", fix="check who may read it")
    paths = [path for path in _globbed(pattern) if not is_folder(path) and not path.name.startswith(("_", "."))]
    for path in paths:
        if not is_file(path):
            raise _not_a_file(path)
    return paths


def _globbed(pattern: str) -> list[Path]:
    return sorted(Path(path) for path in glob.glob(pattern, recursive=True))  # noqa: PTH207 - it may be absolute


def _not_a_file(path: Path, *, to_folder: bool = False) -> DataError:
    """The error for a link to nothing or to a folder, a pipe, a socket or a device."""
    what = f"a link to {path.readlink()}" if path.is_symlink() else "neither a file nor a folder"
    why = ", which is a folder" if to_folder else ", which is not there" if path.is_symlink() else ""
    fix = "move it away, or name the files by a pattern or a list"
    return DataError(f"{path} is {what}{why}: its rows cannot be read", code="H100", fix=fix)


def _named(place: str, paths: Sequence[Path], base: Path) -> Files:
    for path in paths:
        if not is_file(path):
            raise no_file(path)
    names = [path.name for path in paths]
    shown = names if len(set(names)) == len(names) else [str(path) for path in paths]
    files = [File(path=path, place=name, folder=_keys(path, base)) for path, name in zip(paths, shown, strict=True)]
    return _alike(Files(place=place, files=tuple(files)))


def _in_folder(folder: Path) -> Files:
    place = folder.name or str(folder)
    paths = _every_file(folder)
    stray = [path for path in paths if ending(path) not in TABLES]
    if stray and len(stray) < len(paths):
        names = names_listed([path.relative_to(folder).as_posix() for path in stray], 5)
        raise DataError(
            f"{place} holds files that are not tables: {names}",
            code="H100",
            fix=f"move them away, or name the files by a pattern such as {place}/*{ending(_first(paths))}",
        )
    if stray or not paths:
        what = f"no table, only {names_listed([path.name for path in stray], 5)}" if stray else "no files"
        raise DataError(
            f"the folder {place} holds {what}",
            code="H100",
            fix="check the path; Parquet, CSV and Arrow files can be read",
        )
    files = [File(path=path, place=path.relative_to(folder).as_posix(), folder=_keys(path, folder)) for path in paths]
    return _alike(Files(place=place, files=tuple(files)))


def _every_file(folder: Path) -> list[Path]:
    """The files in a folder and its folders; an error where rows would be left out in silence."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_unreadable):
        for path in (Path(place, name) for name in [*folders, *names]):
            of_folder = path.name in folders
            if not _counts(path.relative_to(folder)) or (of_folder and not path.is_symlink()):
                continue
            if of_folder or not is_file(path):
                raise _not_a_file(path, to_folder=of_folder)
            found.append(path)
    return sorted(found)


def _unreadable(problem: OSError) -> NoReturn:
    """Refuse a folder that cannot be listed."""
    reason = problem.strerror or str(problem)
    raise DataError(f"{problem.filename} cannot be read: {reason}", code="H100", fix="check who may read it") from None


def _first(paths: Sequence[Path]) -> Path:
    return next(path for path in paths if ending(path) in TABLES)


def _counts(path: Path) -> bool:
    """Whether neither a file nor one of its folders is hidden, as `_SUCCESS` and `.crc` files are."""
    return not any(name.startswith(("_", ".")) for name in path.parts)


def _keys(path: Path, base: Path) -> tuple[tuple[str, str | None], ...]:
    """Columns from the folders between `base` and a file: `country=de` is the column country with the value de.

    >>> _keys(Path("preds/country=de/day=2/a.parquet"), Path("preds"))
    (('country', 'de'), ('day', '2'))
    """
    between = path.absolute().parent.relative_to(base.absolute())
    pairs = [name.split("=", 1) for name in between.parts if "=" in name and not name.startswith("=")]
    return tuple((unquote(key), None if value == NOTHING else unquote(value)) for key, value in pairs)


def _alike(listing: Files) -> Files:
    """The files; raise unless all have one format and lie in folders that name the same columns."""
    first = listing.files[0]
    for file in listing.files:
        forms = [SUFFIXES.get(ending(each.path), "CSV") for each in (first, file)]
        if forms[0] != forms[1]:
            raise DataError(
                f"{listing.place} holds files of two formats: {first.place} ({forms[0]}) and {file.place} ({forms[1]})",
                code="H100",
                fix="name those of one format by a pattern, such as *.parquet",
            )
        keys = [[key for key, _ in each.folder] for each in (first, file)]
        if keys[0] != keys[1]:
            raise DataError(
                f"the folders of {file.place} name the columns {names_listed(keys[1]) or 'none'}, "
                f"and those of {first.place} {names_listed(keys[0]) or 'none'}",
                code="H106",
                fix="put all files into folders named alike, such as country=de/",
            )
    return listing
