"""Standard input, output and error: always there, always UTF-8, never a reason to lose a result or its exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

import click


def open_streams() -> None:
    """Open a stream that the caller has closed, on nothing, and write UTF-8 wherever the output goes.

    A file opened later would otherwise take the number of the closed stream, and would be written to.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            with suppress(OSError):
                nothing = os.open(os.devnull, os.O_RDONLY if mode == "r" else os.O_WRONLY)
                if nothing != number:  # a file has taken the number already
                    os.close(nothing)
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 open to the end
    for name in ("stdout", "stderr"):
        stream = _whole(getattr(sys, name))
        setattr(sys, name, stream)
        if hasattr(stream, "reconfigure"):  # what cannot be encoded is written as an escape
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _whole(stream: Any) -> Any:
    """The stream, so that a write writes everything or fails.

    Without a buffer, as with PYTHONUNBUFFERED, Python writes once and drops what a full disk did not take; and to a
    pipe that does not block, as those of some parent processes, it writes what fits.
    """
    raw = getattr(stream, "buffer", None)
    with suppress(OSError, ValueError, AttributeError):  # streams of tests and notebooks are not files
        if not os.get_blocking(stream.fileno()):
            os.set_blocking(stream.fileno(), True)
    if not isinstance(raw, io.RawIOBase):
        return stream
    again = open(stream.fileno(), "wb", closefd=False)  # noqa: SIM115 open to the end
    return io.TextIOWrapper(again, encoding="utf-8", write_through=True)


def put(text: str, *, coloured: bool = False) -> None:
    """Write to the screen what `-o` would write to a file, byte for byte; on a terminal no label steers it.

    click would take escape sequences out of what is not for a terminal, labels included. A reader that has gone, as
    `head` does, has what it wanted: files are still written, and the exit code is that of the result.
    """
    if not coloured and sys.stdout.isatty():
        from heldout.report.plain_text import escaped

        text = "\n".join(escaped(line) for line in text.split("\n"))
    try:
        click.echo(text, nl=False, color=True)
    except BrokenPipeError:
        let_go()


def put_error(text: str) -> None:
    """Write text to standard error as it is; the program goes on where it cannot be written."""
    with suppress(OSError, ValueError):
        click.echo(text, nl=False, err=True)


def say(*lines: str) -> None:
    """Lines of a message on standard error; the program goes on where they cannot be written."""
    from heldout.report.plain_text import escaped, without_commands

    put_error("".join(without_commands(escaped(line)) + "\n" for line in lines))


@contextmanager
def output_to_error() -> Iterator[None]:
    """What a learner prints goes to standard error, in this process and in those that it starts: output is results."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)  # also what libraries in C print
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def let_go() -> None:
    """Send what is left of the output nowhere, so that closing it at the end does not complain."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
