"""heldout lab table: a joint table p(x, c), and everything that follows from it."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.output import deliver
from heldout.cli.reading import column, file, not_an_input, several
from heldout.errors import UsageError

FORMATS = ("text", "json", "md", "latex", "csv", "html")


@click.command("table", short_help="A joint table: marginals, conditionals, Bayes classifier and error.")
@click.argument("file")
@column("--class", "target", help="The class; found by its name unless given.")
@column("--p", help="Probabilities or counts; without one, each row counts one.")
@column("--attribute", multiple=True, callback=several, help="Only these attributes, the others summed over.")
@click.option("--wide", is_flag=True, help="One column per class, beside the attribute in the first.")
@column("--classifier", multiple=True, callback=several, help="What a classifier says of each point; repeatable.")
@click.option("--noise", metavar="E", help="Chance that a label is wrong, or a FILE: a labelled square CSV of chances.")
@click.option("--naive-bayes", is_flag=True, help="Also p(x|c) with attributes taken as independent, and its error.")
@click.option("--smoothing", type=float, metavar="S", default=0.0, help="Rows added to each count; 1 is Laplace's.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(file: str, form: str, output: str | None, quiet: bool, **options: Any) -> None:
    """Marginals, conditionals, the Bayes classifier and its error, of the joint table in FILE.

    FILE has columns for attributes, a class and a probability or count; or one column per class; or rows to be counted.
    """
    from heldout.lab.concepts.joint_table_file import read_table
    from heldout.lab.concepts.joint_table_result import table_result

    noise = options["noise"]
    not_an_input(output, file, noise)
    smoothing = options["smoothing"]
    read = read_table(
        file,
        attributes=options["attribute"],
        target=options["target"],
        p=options["p"],
        wide=options["wide"],
        classifiers=options["classifier"] or (),
        smoothing=smoothing,
    )
    chances = None if noise is None else chances_in(noise, read.world.classes)
    found = table_result(read, noise=chances, naive_bayes=options["naive_bayes"], smoothing=smoothing)
    deliver(found, form, output, quiet=quiet)


def chances_in(given: str, classes: tuple[Any, ...]) -> Any:
    """A number, or the square of chances in the file of that name."""
    from pathlib import Path

    from heldout.inputs.formats.count_tables import read_costs

    try:
        return float(given)
    except ValueError:
        if not Path(given).exists():
            fix = "give a chance such as 0.1, or a file with the classes in its header and first column"
            raise UsageError(f"--noise is {given!r}, which is neither a number nor a file", fix=fix) from None
    return read_costs(given, classes)
