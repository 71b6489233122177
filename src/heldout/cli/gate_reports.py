"""What a build reads of a gate that ends without a verdict: its JUnit file, and annotations for GitHub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from heldout.cli.problem_messages import in_short
from heldout.cli.standard_streams import put_error
from heldout.errors import HeldoutError
from heldout.file_writing import is_special, write_file

UNFINISHED = "the gate has not finished: it is running, or it was killed"


def begin(junit: str | None) -> None:
    """Replace the JUnit file of an earlier gate: nothing can be written once the process is killed."""
    from heldout.report.kinds import gate as drawing

    if junit is not None and not is_special(Path(junit)):
        write_file(junit, drawing.junit_error(UNFINISHED))


@contextmanager
def errors_reported(words: Sequence[str]) -> Iterator[None]:
    """Write whatever ends the gate of a command line, other than a verdict or its help, to the files of its build.

    The words are read as they were typed: the command line may be what is wrong.
    """
    try:
        yield
    except click.exceptions.Exit:
        raise
    except BaseException as problem:
        from heldout.report.kinds import gate as drawing

        message = in_short(problem)
        for path in _junit_files(words):
            with suppress(HeldoutError, OSError):  # the error itself is what must be said
                write_file(path, drawing.junit_error(message))
        if "--github" in words:
            put_error(drawing.github_error(message))
        raise


def _junit_files(words: Sequence[str]) -> Iterator[str]:
    for word, following in zip(words, [*words[1:], ""], strict=True):
        option, equals, value = word.partition("=")
        path = value if equals else following
        if option == "--junit" and path and not path.startswith("-") and _is_for_reports(Path(path)):
            yield path


def _is_for_reports(path: Path) -> bool:
    """Whether there is no such file, or a JUnit file: the outputs may not have been checked, and could be inputs."""
    if is_special(path) or not path.exists():
        return True
    with suppress(OSError), path.open("rb") as file:
        return b"<testsuite" in file.read(200)
    return False
