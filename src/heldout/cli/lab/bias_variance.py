"""heldout lab bias-variance: the error of a learner in its parts."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.output import deliver
from heldout.cli.reading import PYTHON_NAMES, column, file, not_an_input

FORMS = ["text", "json"]


@click.command("bias-variance", short_help="The error of a learner in its parts.")
@click.option(
    "--learner",
    metavar="WORD",
    required=True,
    help="constant, fixed-line:slope=,intercept=, poly:degree=, interpolate, knn:k= or linear.",
)
@click.option(
    "--world", metavar="WORD", help="sine, slope, square, step or flat with :noise=, or gaussian with :distance= …"
)
@file("--data", help="Rows instead of a world: training sets are bootstrap draws.")
@column("--target", help="What is to be predicted, in --data.")
@click.option("--n", type=click.IntRange(min=1), metavar="N", help="Rows of a training set; 20 unless given.")
@click.option("--design", type=click.Choice(["fixed", "random"]), help="Whether x stays the same; fixed unless given.")
@click.option("--points", type=click.IntRange(min=1), metavar="K", help="Where rules are judged, besides training x.")
@click.option("--loss", type=click.Choice(["squared", "zero-one"]), help="For --data; squared for fractions.")
@click.option("--repeats", type=int, metavar="R", help="Training sets; 1000 unless given.")
@click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(learner: str, data: str | None, form: str, output: str | None, quiet: bool, **options: Any) -> None:
    """What of a learner's error is noise, bias and variance, in a known world or over draws of a file.

    With one feature the answer is also shown point by point. Zero-one loss is split by Domingos's rules and by Kohavi
    and Wolpert's.
    """
    from heldout.lab.learning.bias_variance import bias_variance

    not_an_input(output, data)
    given = {PYTHON_NAMES.get(name, name): value for name, value in options.items() if value is not None}
    deliver(bias_variance(learner, data, **given).to_dict(), form, output, quiet=quiet)
