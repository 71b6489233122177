"""heldout lab estimation-bias: what training, holdout and resampled errors are worth as estimates."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.bias_variance import FORMS
from heldout.cli.output import deliver
from heldout.cli.reading import PYTHON_NAMES, file, several


@click.command("estimation-bias", short_help="Bias and variance of estimates of an error.")
@click.option("--learner", metavar="WORD", default="linear", help="constant, knn:k=, linear (unless given) or tree.")
@click.option("--world", metavar="WORD", help="Gaussian classes; gaussian:distance=2 unless given.")
@click.option("--n", type=click.IntRange(min=2), metavar="N", help="Rows of a sample; 60 unless given.")
@click.option("--test-size", type=float, metavar="S", help="Share of them that is held out; a third unless given.")
@click.option("--folds", metavar="K,K", multiple=True, callback=several, help="Also cross-validation: 2,5,10,loo.")
@click.option("--draws", type=int, metavar="B", help="Also e0, .632 and .632+ from so many bootstrap samples.")
@click.option("--repeats", type=int, metavar="R", help="Samples; 1000 unless given.")
@click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given.")
@click.option("--jobs", type=int, metavar="J", help="Processes; the numbers do not depend on it.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(learner: str, form: str, output: str | None, quiet: bool, **options: Any) -> None:
    """How far training error, holdout error and others are from the truth on average, and how much they vary."""
    from heldout.lab.learning.estimation_bias import estimation_bias

    given = {PYTHON_NAMES.get(name, name): value for name, value in options.items() if value not in (None, ())}
    deliver(estimation_bias(learner, **given).to_dict(), form, output, quiet=quiet)
