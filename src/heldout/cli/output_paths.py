"""The files and folders that a command is told to write: checked together, before its work begins.

An option under the heading Output whose value is a FILE or a DIR is one of them, so a new one is checked unasked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from heldout.errors import UsageError
from heldout.file_writing import FIX, check_writable, is_special

STANDARD_OUTPUT = ("-", "/dev/stdout")
"""What -o calls the standard output. A file that the shell put there must not be replaced by another."""


@dataclass(frozen=True)
class Written:
    """One file or folder that will be written."""

    option: str
    path: str
    folder: bool = False

    def same_as(self, path: str) -> bool:
        """Whether it is that file; several outputs may go to one device or pipe."""
        mine, other = Path(self.path), Path(path)
        if is_special(mine):
            return False
        return mine.resolve() == other.resolve() or (mine.exists() and other.exists() and mine.samefile(other))


def outputs(ctx: click.Context) -> list[Written]:
    """What the options of a command name for writing; `-o -` is the standard output and no file."""
    return list(_named(ctx))


def check_outputs(ctx: click.Context) -> None:
    """Refuse outputs that cannot be written, and two that are one."""
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


def check_not_inputs(ctx: click.Context, inputs: Iterable[str | None]) -> None:
    """Refuse to write over a file that is being read."""
    sources = [source for source in inputs if source]
    for one in outputs(ctx):
        if any(one.same_as(source) for source in sources if Path(source).exists()):
            raise UsageError(f"{one.option} {one.path} is an input and would be overwritten", fix="choose another file")


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
    several = value if isinstance(value, tuple) else (value,)
    return [str(getattr(one, "path", one)) for one in several]


def _check_folder(one: Written) -> None:
    place = Path(one.path)
    if place.exists() and not place.is_dir():
        raise UsageError(f"{one.option} {one.path} is a file, and a folder is needed", fix="name a folder")
    if one.option == "--charts" and not place.absolute().parent.is_dir():
        raise UsageError(f"{one.option} {one.path} cannot be made: there is no folder {place.parent}", fix=FIX)
