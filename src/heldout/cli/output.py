"""Where a result goes: to the screen, or whole into a file."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from heldout.errors import UsageError
from heldout.report import drawn

FORMATS = ("text", "json", "md", "latex", "csv")


def deliver(result: Mapping[str, Any], form: str, output: str | None, *, quiet: bool) -> None:
    """Draw a result and print it, or write it into a file and say so."""
    if output is not None:
        write_whole(Path(output), drawn(result, form))
        if not quiet:
            click.echo(f"wrote {output}", err=True)
    elif not quiet:
        options = {"color": wants_color()} if form == "text" else {}
        click.echo(drawn(result, form, **options), nl=False)


def wants_color() -> bool:
    """Whether the screen is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step: a reader sees the old one or the new one, never half of it."""
    temporary = ""
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            encoding="utf-8",
            errors="backslashreplace",
            newline="\n",
            dir=path.parent,
            prefix=f".{path.name[:40]}.",
            delete=False,
        ) as file:
            temporary = file.name
            file.write(text)
        _like_a_new_file(temporary)
        os.replace(temporary, path)  # noqa: PTH105 the name of the guarantee
    except OSError as problem:
        if temporary:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
        reason = problem.strerror or str(problem)
        fix = "choose a folder that exists and may be written"
        raise UsageError(f"{path} cannot be written: {reason}", fix=fix) from None


def _like_a_new_file(path: str) -> None:
    """Give a temporary file, which only its owner may read, the rights that any new file has."""
    if os.name == "posix":
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(path, 0o666 & ~mask)  # noqa: PTH101
