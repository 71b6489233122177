"""A bar on stderr while fits are made or parts are read, with the time left; what to say when it is interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

Progress = Callable[[int, int], None]


@contextmanager
def progress(*, quiet: bool, run: str | None) -> Iterator[Progress | None]:
    """What fits report to; None where nobody looks. An interrupted run says how to go on."""
    try:
        with bar("fits", quiet=quiet) as told:
            yield told
    except KeyboardInterrupt:
        kept = f"finished fits are kept in {run}: the same command goes on" if run else "with --run DIR a run can go on"
        click.echo(f"\ninterrupted; {kept}", err=True)
        raise


@contextmanager
def bar(label: str, *, quiet: bool) -> Iterator[Progress | None]:
    """What is told how much is done, and of how much; None where nobody looks. Once all is done it may begin anew."""
    shown: list[Any] = []

    def told(done: int, total: int) -> None:
        if shown and (shown[0].length != total or done < shown[0].pos):
            shown.pop().__exit__(None, None, None)
        if not shown:
            shown.append(click.progressbar(length=total, label=label, file=sys.stderr, show_pos=True))
            shown[0].__enter__()
        shown[0].update(done - shown[0].pos)

    try:
        yield told if sys.stderr.isatty() and not quiet else None
    finally:
        if shown:
            shown[0].__exit__(None, None, None)
