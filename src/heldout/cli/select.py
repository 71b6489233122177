"""heldout select: which learner with which parameters to ship, and what it will really do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heldout.cli.learning import learning, python_names
from heldout.cli.output import FORMATS, deliver
from heldout.cli.progress import progress
from heldout.cli.reading import column, file, not_an_input
from heldout.cli.reporting import reporting, write_page
from heldout.cli.saving import save as recorded
from heldout.cli.saving import saving
from heldout.errors import UsageError


@click.command("select", short_help="Which configuration to ship, and what it will really do.")
@click.argument("candidates")
@learning
@click.option(
    "--protocol", type=click.Choice(["nested", "bbc", "single"]), help="How it is judged; nested unless given."
)
@click.option("--outer", metavar="WORD", help="Splits that judge: 5 unless given, or shuffle:25x0.1, group, time …")
@click.option("--inner", metavar="WORD", help="Validation parts that choose: 5 unless given; one for single.")
@click.option("--test-share", type=float, metavar="S", help="For single: share of test rows; a third unless given.")
@click.option(
    "--validation-share", type=float, metavar="S", help="For single: share of the rest; a third unless given."
)
@click.option("--search", type=click.Choice(["grid", "random", "guided"]), help="What is tried; grid unless given.")
@click.option("--trials", type=int, metavar="N", help="Configurations of a random or guided search; 50 unless given.")
@click.option("--sampler", metavar="NAME", help="For guided: tpe (unless given), nsgaii, cmaes, annealing, random.")
@column("--time", help="Rows in the order of this column; later rows choose and judge.")
@file("--model", help="Write the final model, fitted to all rows, for joblib.load.")
@click.option("--no-checks", is_flag=True, help="Do not look for leaks and shifts.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@reporting
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@saving
def command(  # noqa: PLR0917 click names them
    candidates: str,
    data: str,
    target: str,
    protocol: str | None,
    model: str | None,
    form: str,
    output: str | None,
    report: str | None,
    quiet: bool,
    save: str | None,
    run: str | None,
    no_checks: bool,
    **options: Any,
) -> None:
    """Which configuration of CANDIDATES (candidates.toml or candidates.py) to ship, and what it will really do.

    The winner's own score is optimistic, because it was chosen for being high. The honest score comes from rows that
    had no part in the choice. The model to use is fitted to all rows. With --run DIR finished fits are kept, and the
    same command goes on where it was stopped.
    """
    import heldout

    for option, path in (("--output", output), ("--report", report), ("--model", model)):
        not_an_input(path, data, candidates, option=option)
    given = python_names({**options, "method": protocol})
    with progress(quiet=quiet, run=run) as told:
        found = heldout.select(candidates, data, target, run=run, checks=not no_checks, progress=told, **given)
    if model is not None:
        write_model(found.fitted(), Path(model))
    deliver(found.to_dict(), form, output, quiet=quiet)
    write_page(found, report, quiet=quiet)
    recorded(found, save, run, quiet=quiet)


def write_model(model: Any, path: Path) -> None:
    """Write a fitted model in one step, for `joblib.load`."""
    import joblib

    part = path.with_name(f".{path.name}.part")
    try:
        joblib.dump(model, part)
        part.replace(path)
    except OSError as problem:
        part.unlink(missing_ok=True)
        reason = problem.strerror or str(problem)
        raise UsageError(f"{path} cannot be written: {reason}", fix="choose a folder that may be written") from None
