"""What went wrong, as a message on standard error and as an exit code."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from io import StringIO

import click

from heldout.cli.process_end import INTERRUPTED, Stopped
from heldout.cli.standard_streams import let_go, say
from heldout.errors import HeldoutError, UsageError, with_options

BAD_INPUT, INTERNAL = 2, 5
DISK = (
    "the output cannot be written: {reason}",
    "free space on the disk of the output, or write to another place",
)
MEMORY = (
    "there is not enough memory: {reason}",
    "free memory, or raise its limit (ulimit -v); evaluate, compare and gate read files in chunks with --memory 500M",
)
FILES = ("too many files are open: {reason}", "raise the limit, for example with ulimit -n 1024")
THREADS = (
    "no further thread or process can be started: {reason}",
    "raise the limit of processes (ulimit -u) or of memory (ulimit -v)",
)
PIPE = ("the reader of an output has gone: {reason}", "keep the program that reads it running, or write to a file")
ACCESS = ("a file may not be used: {reason}", "check who may read and write it")
NAME = ("a name is too long for a file: {reason}", "choose a shorter name")
SHORT_OF = {
    errno.ENOSPC: DISK, errno.EFBIG: DISK, errno.EIO: DISK, getattr(errno, "EDQUOT", errno.ENOSPC): DISK,
    errno.ENOMEM: MEMORY,
    errno.EMFILE: FILES, errno.ENFILE: FILES,
    errno.EAGAIN: THREADS,
    errno.EPIPE: PIPE,
    errno.ENAMETOOLONG: NAME,
    errno.EACCES: ACCESS, errno.EPERM: ACCESS, errno.EROFS: ACCESS,
}  # fmt: skip
"""What the machine lacks or cannot do, by the number of an OSError: the message and the fix."""
IN_WORDS = {
    "failed to map segment": MEMORY,
    "annot allocate memory": MEMORY,
    "Too many open files": FILES,
    "can't start new thread": THREADS,
}
"""The same, for errors that say it in words only: those of imports and of threads."""


def exit_code_for(problem: Exception) -> int:
    """Say what went wrong on standard error; the exit code that belongs to it."""
    if isinstance(problem, click.exceptions.Exit):
        return problem.exit_code
    if isinstance(problem, click.Abort):
        return INTERRUPTED
    short = shortage(problem)
    if short is not None:
        let_go()
        say(*message_of(short).split("\n"))
        return BAD_INPUT
    if isinstance(problem, HeldoutError):
        say(*message_of(problem).split("\n"))
        return BAD_INPUT
    if isinstance(problem, click.ClickException):
        _show(problem)
        return BAD_INPUT
    return _internal(problem)


def left_by_user_code(problem: SystemExit) -> UsageError:
    """The error for code of the user that ends the program."""
    text = f"your code called sys.exit({problem.code!r}), so there is no result"
    return UsageError(text, fix="leave out sys.exit in the learner, the metric or the file")


def in_short(problem: BaseException) -> str:
    """What ended the program, in one line: without the code and the fix of an error."""
    if isinstance(problem, Stopped):
        return f"ended by {signal.Signals(problem.exit_code - 128).name}"
    if isinstance(problem, KeyboardInterrupt | click.Abort):
        return "interrupted"
    known = left_by_user_code(problem) if isinstance(problem, SystemExit) else shortage(problem) or problem
    if isinstance(known, HeldoutError):
        return with_options(known.message.strip())
    if isinstance(known, click.ClickException):
        return known.format_message().partition("\n  Fix: ")[0]
    return _internal_words(known)


def shortage(problem: BaseException) -> UsageError | None:
    """The error as a lack of disk, memory, files or threads, where that is behind it; else None."""
    # a full disk, a file that may not be used and a name that is too long are named where they are met
    behind = [one for one in _causes(problem) if _lack(one) not in (None, DISK, ACCESS, NAME)]
    cause = problem if _lack(problem) is not None or not behind else behind[0]
    known = _lack(cause)
    if known is None:
        return None
    text, fix = known
    return UsageError(text.format(reason=_reason(cause)), fix=fix)


def _reason(cause: BaseException) -> str:
    """What the system says, with the file where there is one."""
    if isinstance(cause, OSError) and cause.strerror:
        from heldout.report.plain_text import shortened

        return cause.strerror if cause.filename is None else f"{shortened(str(cause.filename), 80)}: {cause.strerror}"
    return " ".join(str(cause).split()) or type(cause).__name__


def _lack(problem: BaseException) -> tuple[str, str] | None:
    """The message and the fix for what the machine has run out of."""
    if isinstance(problem, MemoryError):
        return MEMORY
    if isinstance(problem, BlockingIOError) and hasattr(problem, "characters_written"):
        return DISK
    if isinstance(problem, OSError):
        return SHORT_OF.get(problem.errno or 0)
    if isinstance(problem, ImportError | RuntimeError):
        return next((one for words, one in IN_WORDS.items() if words in str(problem)), None)
    return None


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """The errors that led to an error, the nearest first."""
    seen: set[int] = set()
    cause: BaseException | None = problem
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
        if cause is not None:
            yield cause


def message_of(problem: HeldoutError) -> str:
    r"""What is wrong, with its code; then the fix, and the command that explains the code, in lines of their own.

    >>> print(message_of(HeldoutError("y_score has 17 nan", code="H305", fix="fix the export")))
    error[H305] y_score has 17 nan
      Fix: fix the export
      See: heldout explain H305
    """
    from heldout.report.plain_text import visible  # a label in a message must not steer the terminal

    message, fix = (visible(with_options(text.strip())) for text in (problem.message, problem.fix))
    head = f"error[{problem.code}] {message}" if problem.code else f"error: {message}"
    lines = [
        head,
        f"  Fix: {fix}" if problem.fix else "",
        f"  See: heldout explain {problem.code}" if problem.code else "",
    ]
    return "\n".join(line for line in lines if line)


def _show(problem: click.ClickException) -> None:
    """What click says of a command that it cannot parse; the words that were typed stand in it."""
    text = StringIO()
    problem.show(text)
    say(*text.getvalue().rstrip("\n").split("\n"))


def _internal(problem: Exception) -> int:
    """Say that the fault is ours, in one line; the traceback only for those who ask for it."""
    if os.environ.get("HELDOUT_DEBUG") == "1":
        traceback.print_exception(problem, file=sys.stderr)
    say(
        _internal_words(problem),
        "  This is a bug in heldout: please report it with the output of HELDOUT_DEBUG=1.",
    )
    return INTERNAL


def _internal_words(problem: BaseException) -> str:
    return f"internal error: {type(problem).__name__}: {' '.join(str(problem).split())[:300]}"
