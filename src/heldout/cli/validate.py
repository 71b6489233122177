"""heldout validate: what error a learner has on data like these, and whether another is better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heldout.cli.learning import learning, python_names
from heldout.cli.output import FORMATS, deliver, write_whole
from heldout.cli.progress import progress
from heldout.cli.reading import column, costs, file, not_an_input
from heldout.cli.reporting import reporting, write_page
from heldout.cli.saving import save as recorded
from heldout.cli.saving import saving
from heldout.errors import UsageError


@click.command("validate", short_help="How good a learner is on rows it has not seen, and which is better.")
@click.argument("learners", nargs=-1, required=True, metavar="LEARNER...")
@learning
@click.option("--cv", metavar="WORD", help="10, 10x10, 5x2, loo, lpo, holdout, boot, .632+, group, time, nested …")
@column("--time", help="Rows in the order of this column; later rows are tested.")
@click.option("--method", metavar="NAME", help="Interval instead of the one that suits the splits.")
@click.option("--test", metavar="NAME", help="Test of learners instead of the one that suits the splits.")
@click.option("--margin", type=float, metavar="M", help="Differences within this are EQUIVALENT.")
@click.option("--rope", type=float, metavar="R", help="Also the chance that learners are within R of each other.")
@click.option("--choose-threshold", metavar="FP:FN", callback=costs, help="The threshold of least cost across folds.")
@click.option("--learning-curve", is_flag=True, help="Instead: the error against the number of training rows.")
@click.option("--choose-folds", is_flag=True, help="Instead: bias and spread against the number of folds.")
@file("--keep-predictions", help="Write the out-of-fold predictions as Parquet.")
@file("--timings", help="Write the seconds of every fit as CSV.")
@click.option("--no-checks", is_flag=True, help="Do not look for leaks and shifts.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@reporting
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@saving
def command(  # noqa: PLR0917 click names them
    learners: tuple[str, ...],
    data: str,
    target: str,
    form: str,
    output: str | None,
    report: str | None,
    quiet: bool,
    save: str | None,
    run: str | None,
    keep_predictions: str | None,
    timings: str | None,
    no_checks: bool,
    learning_curve: bool,
    choose_folds: bool,
    **options: Any,
) -> None:
    """How good a learner is on rows it has not seen: LEARNER is an import path such as sklearn.svm:SVC(C=10).

    A fresh copy is fitted in every split, pipelines whole. Several learners are fitted in the same splits and held
    against the first. With --run DIR finished fits are kept, and the same command goes on where it was stopped.
    """
    import heldout

    for option, path in (
        ("--output", output),
        ("--report", report),
        ("--keep-predictions", keep_predictions),
        ("--timings", timings),
    ):
        not_an_input(path, data, option=option)
    given = python_names(options)
    if learning_curve or choose_folds:
        instead = heldout.learning_curve if learning_curve else heldout.choose_folds
        _only(given, "--learning-curve" if learning_curve else "--choose-folds")
        with progress(quiet=quiet, run=run) as told:
            drawn = instead(list(learners), data, target, run=run, progress=told, **given)
        deliver(drawn.to_dict(), form, output, quiet=quiet)
        write_page(drawn, report, quiet=quiet)
        return
    with progress(quiet=quiet, run=run) as told:
        found = heldout.validate(list(learners), data, target, run=run, checks=not no_checks, progress=told, **given)
    if keep_predictions is not None:
        found.save_predictions(keep_predictions)
    if timings is not None:
        write_whole(Path(timings), found.timings("pyarrow").to_pandas().to_csv(index=False))
    deliver(found.to_dict(), form, output, quiet=quiet)
    write_page(found, report, quiet=quiet)
    recorded(found, save, run, quiet=quiet)


def _only(given: dict[str, Any], flag: str) -> None:
    """Refuse what says nothing about a curve."""
    for name in ("cv", "method", "test", "margin", "rope", "choose_threshold"):
        if name in given:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} does not go with {flag}, which makes its own splits", fix=f"leave out {option}")
