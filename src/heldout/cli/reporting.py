"""--report: the option by which a result becomes a page."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def reporting(command: Command) -> Command:
    """The command with the option that writes a page."""
    help = "Also write a page: one HTML file with charts that needs no network."
    return click.option("--report", metavar="FILE.html", help=help)(command)


def write_page(result: Any, path: str | None, *, quiet: bool) -> None:
    """Write the page of a result where that was asked for, and say where it is."""
    if path is None:
        return
    from heldout.verbs.html_report import write_report

    write_report(result, path, command=" ".join(["heldout", *sys.argv[1:]]))
    if not quiet:
        click.echo(f"wrote {path}", err=True)
