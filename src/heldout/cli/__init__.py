"""The command line: one file per verb, loaded when it is used. It parses, calls, draws and sets the exit code.

Exit codes: 0 fine, 1 gate failed, 2 bad input or usage, 3 gate inconclusive, 5 internal error, 130 interrupted, 143
terminated (SIGTERM), 129 hung up (SIGHUP).
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, NoReturn

import click

from heldout import __version__
from heldout.cli.address_space import check_address_space
from heldout.cli.groups import Group
from heldout.cli.problem_messages import exit_code_for, left_by_user_code
from heldout.cli.process_end import INTERRUPTED, leave, stop_on_signals, work_is_done
from heldout.cli.standard_streams import open_streams, put

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


class Verbs(Group):
    """The group of all verbs, which turns what goes wrong into an exit code."""

    def main(  # type: ignore[override]  # always leaves, as click's own does in its standalone mode
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        open_streams()
        if "_HELDOUT_COMPLETE" in os.environ:
            super().main(args, prog_name or "heldout", **extra)
        words = list(sys.argv[1:] if args is None else args)
        try:
            with _reports(words), self.make_context(prog_name or "heldout", list(words)) as context:
                self.invoke(context)
        except Exception as problem:  # noqa: BLE001 the last line of defence: a sentence and a code, never a traceback
            sys.exit(exit_code_for(problem))
        except KeyboardInterrupt as problem:
            sys.exit(getattr(problem, "exit_code", INTERRUPTED))
        except SystemExit as problem:  # heldout raises none in here: it is of a learner, a metric or a file of the user
            sys.exit(exit_code_for(left_by_user_code(problem)))
        sys.exit(0)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        check_address_space()  # before a verb loads libraries that would hang or exit without it
        return super().get_command(ctx, cmd_name)


def _reports(words: list[str]) -> AbstractContextManager[None]:
    """What a build reads instead of a verdict, where the command is a gate."""
    if words[:1] != ["gate"]:
        return nullcontext()
    from heldout.cli.gate_reports import errors_reported

    return errors_reported(words)


def _version(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        put(f"heldout {__version__}\n")
        ctx.exit()


@click.group(
    "heldout",
    cls=Verbs,
    places={verb: (f"heldout.cli.{verb}:{verb}", line) for verb, line in VERBS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    invoke_without_command=True,
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, help="Show the version and exit.", callback=_version
)
@click.pass_context
def verbs(ctx: click.Context) -> None:
    """Evaluate predictive models: metrics with confidence intervals, comparisons with significance tests.

    Reads predictions of any model (CSV, Parquet, Arrow, JSON lines, COCO, text, evaluation logs), or fits learners that
    follow scikit-learn's conventions.
    """
    if ctx.invoked_subcommand is None:
        put(FIRST_CONTACT + "\n")


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what a user must know is in the notes
    code: str | int | None = None
    with suppress(KeyboardInterrupt):  # one that comes when all but this is done: `leave` knows of it
        try:
            stop_on_signals()
            verbs.main()
        except SystemExit as end:
            code = end.code
        except KeyboardInterrupt as problem:  # while an earlier error was being reported
            code = getattr(problem, "exit_code", INTERRUPTED)
        work_is_done()
    leave(code if isinstance(code, int) else 0)
