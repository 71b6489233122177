"""The command line: one file per verb, loaded when it is used. It parses, calls, draws and sets the exit code.

Exit codes: 0 fine, 1 gate failed, 2 bad input or usage, 3 gate inconclusive, 5 internal error, 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from heldout import __version__
from heldout.cli.groups import Group
from heldout.errors import HeldoutError, UsageError, with_options

VERBS = {
    "evaluate": "Evaluate one model: metrics with confidence intervals.",
    "compare": "Compare models: differences, significance tests, verdicts.",
    "validate": "Cross-validate learners: error on unseen rows, and tests.",
    "split": "Split rows into training, validation and test files, or folds.",
    "select": "Select a configuration, with a score corrected for selection.",
    "text": "Evaluate generated texts: BLEU, chrF, TER, BERTScore.",
    "detect": "Evaluate object detection: average precision and recall.",
    "masks": "Evaluate segmentation masks: IoU and Dice.",
    "gate": "Check a candidate against the reference model (exit code).",
    "test": "Run textbook tests: binomial, chi-square, proportions, ...",
    "plan": "Plan sample size and power: how many rows are needed.",
    "lab": "Simulate data with known truth; measure error rates.",
    "demo": "Show an example: two models on simulated data.",
    "runs": "List, show and compare recorded results.",
    "explain": "Explain a metric, a method, a test, an error code or a term.",
    "completion": "Print shell completion for bash, zsh or fish.",
}
"""Every verb with its line in the help; `heldout.cli.<verb>` has a command of that name."""

FIRST_CONTACT = f"""\
heldout {__version__}: evaluate predictive models with confidence intervals and
significance tests

  See example data     heldout demo
  Evaluate a model     heldout evaluate predictions.csv
  Compare two models   heldout compare old.csv new.csv --primary roc_auc
  Validate a learner   heldout validate sklearn.svm:SVC --data d.csv --target y

All commands: heldout --help. One command: heldout evaluate --help.
A metric, a method, an error code or a term: heldout explain WORD."""
"""What `heldout` alone prints."""

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 5, 130
FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Why a disk takes no more."""


class Verbs(Group):
    """The group of all verbs, which turns what goes wrong into an exit code."""

    def main(  # type: ignore[override]  # always leaves, as click's own does in its standalone mode
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        speak_utf8()
        if "_HELDOUT_COMPLETE" in os.environ:
            super().main(args, prog_name or "heldout", **extra)
        try:
            with self.make_context(prog_name or "heldout", list(sys.argv[1:] if args is None else args)) as context:
                self.invoke(context)
        except Exception as problem:  # noqa: BLE001 the last line of defence: a sentence and a code, never a traceback
            sys.exit(told(problem))
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except SystemExit as problem:  # heldout raises none in here: it is of a learner, a metric or a file of the user
            text = f"your code called sys.exit({problem.code!r}), so there is no result"
            sys.exit(told(UsageError(text, fix="leave out sys.exit in the learner, the metric or the file")))
        sys.exit(0)


def told(problem: Exception) -> int:
    """Say what went wrong on stderr; the exit code that belongs to it."""
    if isinstance(problem, click.exceptions.Exit):
        return problem.exit_code
    if isinstance(problem, BrokenPipeError):  # the reader of a pipe has gone: it has what it wanted
        let_go()
        return 0
    if isinstance(problem, OSError) and problem.errno in FULL:  # files say so themselves: this was the screen
        let_go()
        click.echo(f"error: the output cannot be written: {problem.strerror}", err=True)
        click.echo("  Fix: free space on the disk of the output, or write to another place", err=True)
        return BAD_INPUT
    if isinstance(problem, click.Abort):
        return INTERRUPTED
    if isinstance(problem, click.ClickException):
        problem.show()
        return BAD_INPUT
    if isinstance(problem, HeldoutError):
        click.echo(message_of(problem), err=True)
        return BAD_INPUT
    return told_internal(problem)


def let_go() -> None:
    """Send what is left of the output nowhere, so that closing it at the end does not complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def speak_utf8() -> None:
    """Write UTF-8 wherever the output goes; what cannot be encoded is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


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


def told_internal(problem: Exception) -> int:
    """Say that the fault is ours, in one line; the traceback only for those who ask for it."""
    if os.environ.get("HELDOUT_DEBUG") == "1":
        traceback.print_exception(problem)
    said = " ".join(str(problem).split())[:300]
    click.echo(f"internal error: {type(problem).__name__}: {said}", err=True)
    click.echo("  This is a bug in heldout: please report it with the output of HELDOUT_DEBUG=1.", err=True)
    return INTERNAL


@click.group(
    "heldout",
    cls=Verbs,
    places={verb: (f"heldout.cli.{verb}:{verb}", line) for verb, line in VERBS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    invoke_without_command=True,
)
@click.version_option(__version__, "--version", message="heldout %(version)s")
@click.pass_context
def verbs(ctx: click.Context) -> None:
    """Evaluate predictive models: metrics with confidence intervals, comparisons with significance tests.

    Reads predictions of any model (CSV, Parquet, Arrow, JSON lines, COCO, text, evaluation logs), or fits learners that
    follow scikit-learn's conventions.
    """
    if ctx.invoked_subcommand is None:
        click.echo(FIRST_CONTACT)


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what a user must know is in the notes
    verbs.main()
