"""--save and --run: the options by which a result is recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def saving(command: Command) -> Command:
    """The command with the options that record its result."""
    save = click.option(
        "--save", metavar="[NAME]", is_flag=False, flag_value="", help="Record the result; see heldout runs."
    )
    return save(click.option("--run", metavar="DIR", help="Record it in this folder; .heldout unless given.")(command))


def save(result: Any, name: str | None, folder: str | None, *, quiet: bool) -> None:
    """Record the result where that was asked for, and say which look at its rows it was."""
    if name is None and folder is None:
        return
    from heldout.verbs.runs import FOLDER, record

    kept = record(result, folder or FOLDER, name=name or None, command=" ".join(["heldout", *sys.argv[1:]]))
    if not quiet:
        look = "" if kept.look is None else f", look {kept.look} at these rows"
        click.echo(f"recorded as {kept.id} in {folder or FOLDER}{look}", err=True)
