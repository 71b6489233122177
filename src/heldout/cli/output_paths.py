"""The files and folders that a command is told to write: checked together, before its work begins.

An option under the heading Output whose value is a FILE or a DIR is one of them, so a new one is checked unasked. What
is read is every other word that was typed and names a file or folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import click

from heldout.errors import UsageError
from heldout.file_writing import FIX, check_folder, check_writable, is_special

OTHER = "choose another file"
STANDARD_OUTPUT = ("-", "/dev/stdout")
"""What -o calls the standard output. A file that the shell put there must not be replaced by another."""


STORE_INDEX = "index.sqlite"
"""The file by which a folder is known as a store of runs."""
OF_A_STORE = (STORE_INDEX, f"{STORE_INDEX}-journal", "timings.jsonl")


@dataclass(frozen=True)
class Written:
    """One file or folder that will be written."""

    option: str
    path: str
    folder: bool = False

    def same_as(self, path: str) -> bool:
        """Whether it is that file; several outputs may go to one device or pipe.

        Names that differ only in case are one file on some systems.
        """
        mine, other = Path(self.path), Path(path)
        if is_special(mine):
            return False
        one, two = mine.resolve(), other.resolve()
        alike = (one.parent, one.name.casefold()) == (two.parent, two.name.casefold())
        return alike or self.is_file_of(other)

    def is_file_of(self, source: Path) -> bool:
        """Whether it is that existing file, by another name, a link or another case."""
        mine = Path(self.path)
        return not is_special(mine) and mine.exists() and source.exists() and mine.samefile(source)

    def lies_in(self, folder: Path) -> bool:
        """Whether it is a folder that is read or would be read with it; what is hidden there is not."""
        mine, place = Path(self.path).resolve(), folder.resolve()
        return mine.is_relative_to(place) and not any(
            name.startswith((".", "_")) for name in mine.relative_to(place).parts
        )


def outputs(ctx: click.Context) -> list[Written]:
    """What the options of a command name for writing; `-o -` is the standard output and no file."""
    return list(_named(ctx))


def check_outputs(ctx: click.Context) -> None:
    """Refuse outputs that cannot be written, two that are one, and those that are read; and two standard inputs."""
    seen: list[Written] = []
    for one in outputs(ctx):
        if one.folder:
            _check_folder(one)
        else:
            check_writable(one.path, option=one.option)
        for other in seen:
            if one.same_as(other.path):
                both = f"{other.option} and {one.option} are both {one.path}"
                raise UsageError(
                    both if other.option != one.option else f"{one.option} {one.path} twice", fix="choose two files"
                )
        seen.append(one)
    _check_not_inputs(ctx, seen)
    if list(_words(ctx)).count("-") > 1:
        raise UsageError("standard input (-) is named twice", fix="give - once, and name a file for the other")


def _check_not_inputs(ctx: click.Context, written: Sequence[Written]) -> None:
    """Refuse to write over what is read, or into a folder whose files are read."""
    sources = list(_sources(ctx)) if written else []
    for one in written:
        _check_store(one)
        for source in sources:
            if source == "-":
                _check_standard_input(one)
            elif Path(source).is_dir():
                if one.lies_in(Path(source)):
                    text = f"{one.option} {one.path} lies in {source}, whose files are read"
                    raise UsageError(text, fix="choose another folder")
            elif one.is_file_of(Path(source)):
                raise UsageError(f"{one.option} {one.path} is an input and would be overwritten", fix=OTHER)
            elif _is_chart(ctx, one, Path(source)):
                text = f"{one.option} {one.path} could write a chart over the input {source}"
                raise UsageError(text, fix="choose another folder")


def _sources(ctx: click.Context) -> Iterator[str]:
    """Every file and folder among the words that were typed, those of outputs and names of columns apart."""
    for text in _words(ctx):
        yield from _files_meant(text)


def _words(ctx: click.Context) -> Iterator[str]:
    """The words that were typed and may name what is read."""
    for parameter in ctx.command.get_params(ctx):
        if getattr(parameter, "may_be_read", True):
            value = ctx.params.get(parameter.name or "")
            yield from _paths(value if isinstance(value, str | tuple | list) or hasattr(value, "path") else ())


def _files_meant(text: str) -> Iterator[str]:
    """The files that a word names: itself, those of a pattern, or the module of a learner such as models.py:best."""
    if text == "-":
        yield text
        return
    module = text.partition(":")[0]
    with suppress(OSError, ValueError):  # too long, or with a zero byte: no path
        names = (text, module, f"{module.replace('.', '/')}.py") if module else (text,)
        yield from (one for one in names if Path(one).exists())
        if has_magic(text):
            yield from glob(text, recursive=True)  # noqa: PTH207 it may be absolute


def _check_standard_input(one: Written) -> None:
    """Refuse a file that the shell gives as standard input."""
    mine = Path(one.path)
    with suppress(OSError):
        if not is_special(mine) and os.path.samestat(os.fstat(0), mine.stat()):
            raise UsageError(f"{one.option} {one.path} is the standard input and would be overwritten", fix=OTHER)


def _is_chart(ctx: click.Context, one: Written, source: Path) -> bool:
    """Whether an input could be overwritten by one of the charts of --charts, whose names only the result knows."""
    ending = ctx.params.get("chart_format") or "svg"
    in_folder = one.folder and source.resolve().parent == Path(one.path).resolve()
    return one.option == "--charts" and in_folder and source.suffix.lower() == f".{ending}"


def _check_store(one: Written) -> None:
    """Refuse the files of a store of runs, which no other file may replace, and other files beside them."""
    place = Path(one.path).resolve()
    inside = place.parent.name == "pieces"
    store = place.parent.parent if inside else place.parent
    if not one.folder and (store / STORE_INDEX).is_file():
        if inside or place.name in OF_A_STORE:
            text = f"{one.option} {one.path} belongs to the runs recorded in {Path(one.path).parent}"
            raise UsageError(text, fix=OTHER)
        text = f"{one.option} {one.path} lies in a folder of recorded runs, which holds nothing else"
        raise UsageError(text, fix="choose another folder")


def check_not_outputs(ctx: click.Context, what: str, paths: Iterable[Path]) -> None:
    """Refuse files of a command's own naming that an option names too."""
    for one in outputs(ctx):
        for path in paths:
            if one.same_as(str(path)):
                raise UsageError(f"{one.option} and {what} are both {path}", fix="choose two files")


def _named(ctx: click.Context) -> Iterator[Written]:
    for parameter in ctx.command.get_params(ctx):
        kind = (parameter.metavar or "") if getattr(parameter, "is_output", False) else ""
        value = ctx.params.get(parameter.name or "")
        if value is None or not kind or kind == "[NAME]":
            continue
        option = max(parameter.opts, key=len)
        if value == "":
            raise UsageError(f"{option} is empty", fix=f"name it, or leave out {option}")
        if "FILE" not in kind and "DIR" not in kind:
            continue
        for path in _paths(value):
            if path in STANDARD_OUTPUT and "-o" in parameter.opts and "FILE" in kind:
                continue
            if path == "-":
                raise UsageError(
                    f"{option} - is not a file: only -o writes to standard output", fix="name a file or a folder"
                )
            yield Written(option, path, folder="DIR" in kind)


def _paths(value: Any) -> list[str]:
    """The paths in the value of an option; a chart knows its file."""
    several = value if isinstance(value, tuple | list) else (value,)
    return [str(getattr(one, "path", one)) for one in several]


def _check_folder(one: Written) -> None:
    check_folder(one.path, option=one.option)
    place = Path(one.path)
    if one.option == "--charts" and not place.absolute().parent.is_dir():
        raise UsageError(f"{one.option} {one.path} cannot be made: there is no folder {place.parent}", fix=FIX)
