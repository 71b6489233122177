"""heldout lab ceiling: bounds on how good anyone could be."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.bias_variance import FORMS
from heldout.cli.output import deliver
from heldout.cli.reading import PYTHON_NAMES, column, file, not_an_input, several


@click.command("ceiling", short_help="Bounds on how good anyone could be.")
@file("--data", required=True, help="Rows with features and a class.")
@column("--target", required=True, help="The class to be predicted.")
@column("--drop", multiple=True, callback=several, help="No feature, such as an id; repeatable.")
@click.option("--test-size", type=float, metavar="S", help="Share of rows that is held out; 0.5 unless given.")
@click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given.")
@click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(data: str, form: str, output: str | None, quiet: bool, **options: Any) -> None:
    """Bounds on the error of the best rule there is: from above by neighbours on rows not seen, which always holds.

    From below by Cover and Hart's inequality, which holds as rows become many, and by rows with the same features and
    different labels, which no rule can tell apart.
    """
    from heldout.lab.learning.ceiling import ceiling

    not_an_input(output, data)
    given = {PYTHON_NAMES.get(name, name): value for name, value in options.items() if value is not None}
    deliver(ceiling(data, **given).to_dict(), form, output, quiet=quiet)
