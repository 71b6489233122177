"""heldout lab table and version-space: finite domains, where everything is known exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from heldout.cli.options import (
    COLUMNS,
    HOW,
    INPUT,
    RESULT,
    SEED,
    choice,
    column,
    command,
    option,
    options,
    several,
    typed,
)
from heldout.cli.output import Place
from heldout.errors import UsageError

SPACES = ("all", "conjunctions", "rectangles", "unions")
POSITIVE = option("--positive", metavar="LABEL", help="The positive class: what a hypothesis predicts where it holds.")


TABLE = (
    column("--class", "target", help="The class.  [default: found by its name]"),
    column("--p", help="Probabilities or counts.  [default: each row counts one]"),
    column("--attribute", multiple=True, callback=several, help="Only these attributes; the others are summed over."),
    option("--wide", is_flag=True, heading=COLUMNS, help="One column per class, beside the attribute in the first."),
)
"""How a file is read as a joint table."""


@command(
    "table",
    short_help="A joint table: marginals, conditionals, Bayes classifier and error.",
    examples=("heldout lab table weather.csv --naive-bayes", "heldout lab table weather.csv --chart joint.svg"),
)
@click.argument("file")
@options(
    TABLE,
    column("--classifier", multiple=True, callback=several, help="Predictions of a classifier; repeatable."),
    option("--noise", metavar="E", help="Probability that a label is wrong, or a FILE: a labelled square CSV."),
    option("--naive-bayes", is_flag=True, help="Also p(x|c) with attributes taken as independent, and its error."),
    option("--smoothing", type=float, metavar="S", default=0.0, show_default=True, heading=HOW,
           help="Added to each count; 1 is Laplace's."),
    RESULT,
)  # fmt: skip
def table(file: str, **values: Any) -> None:
    """Marginals, conditionals, the Bayes classifier and its error, of the joint table in FILE.

    FILE has columns for attributes, a class and a probability or count; or one column per class; or rows to be counted.
    """
    from heldout.lab.concepts.joint_table_file import read_table
    from heldout.lab.concepts.joint_table_result import table_result

    noise, smoothing = values["noise"], values["smoothing"]
    place = Place(values)
    read = read_table(
        file,
        attributes=values["attribute"],
        target=values["target"],
        p=values["p"],
        wide=values["wide"],
        classifiers=values["classifier"] or (),
        smoothing=smoothing,
    )
    chances = None if noise is None else noise_chances(noise, read.world.classes)
    place.deliver(table_result(read, noise=chances, naive_bayes=values["naive_bayes"], smoothing=smoothing))


def noise_chances(given: str, classes: tuple[Any, ...]) -> Any:
    """A number, or the square of probabilities in the file of that name."""
    from heldout.inputs.formats.count_tables import read_costs
    from heldout.inputs.formats.files import exists

    try:
        return float(given)
    except ValueError:
        if not exists(given):
            fix = "give a probability such as 0.1, or a file with the classes in its header and first column"
            raise UsageError(f"--noise is {given!r}, which is neither a number nor a file", fix=fix) from None
    return read_costs(given, classes)


@command(
    "version-space",
    short_help="Hypotheses consistent with the rows seen.",
    examples=(
        "heldout lab version-space sport.csv --target enjoy --space conjunctions",
        "heldout lab version-space sport.csv --target enjoy --space all --charts out",
    ),
)
@click.argument("file")
@options(
    column("--target", required=True, help="Label, yes or no; rows with an empty label are predicted."),
    column("--attribute", multiple=True, callback=several, help="Only these attributes."),
    POSITIVE,
    option("--space", type=choice(*SPACES), required=True, help="The hypothesis space."),
    option("--rectangles", type=click.IntRange(min=1), metavar="K", default=2, show_default=True,
           help="Number of rectangles in a union."),
    option("--concept", metavar="A=V,B=V..W",
           help="The true concept, a value or an interval per attribute: drawn, and looked up in the version space."),
    option("--order", type=choice("specific", "general"), default="specific", show_default=True, heading=HOW,
           help="Search from specific to general, or the other way."),
    RESULT,
)  # fmt: skip
def version_space(file: str, **values: Any) -> None:
    """List every hypothesis, strike out what a row of FILE contradicts, and say what the rest agree on.

    The domain is every combination of the values in FILE. Conjunctions say attribute=value and …; rectangles an
    interval of each attribute; unions several rectangles; all says anything, and so predicts nothing unseen.
    """
    from heldout.lab.concepts.concept_rows import read_concept
    from heldout.lab.concepts.hypotheses import hypothesis_space
    from heldout.lab.concepts.version_space_result import version_space_result

    rectangles_are_used(values)
    place = Place(values)
    named = {"target": values["target"], "attributes": values["attribute"], "positive": values["positive"]}
    read = read_concept(file, **named)
    listed = hypothesis_space(values["space"], read.domain, rectangles=values["rectangles"])
    place.deliver(version_space_result(read, listed, order=values["order"], concept=values["concept"]))


def rectangles_are_used(values: dict[str, Any]) -> None:
    """Refuse a number of rectangles where no union is made of them."""
    if "rectangles" in typed(values) and values["space"] != "unions":
        fix = "leave out --rectangles, or take --space unions"
        raise UsageError(
            f"--rectangles has no effect with --space {values['space']}: only unions have several", fix=fix
        )


@command(
    "overfitting",
    short_help="Hypotheses with a low sample error and a high true error.",
    examples=(
        "heldout lab overfitting weather.csv --n 10",
        "heldout lab overfitting weather.csv --attribute wind,sun --positive y",
        "heldout lab overfitting weather.csv --space rectangles --charts pictures",
    ),
)
@click.argument("file")
@options(
    TABLE,
    option("--space", type=choice(*SPACES), default="all", show_default=True, help="The hypothesis space."),
    option("--rectangles", type=click.IntRange(min=1), metavar="K", default=2, show_default=True,
           help="Number of rectangles in a union."),
    POSITIVE,
    option("--n", type=click.IntRange(min=1), metavar="N", default=10, show_default=True, heading=INPUT,
           help="Rows of a sample."),
    option("--repeats", type=int, metavar="R", default=1000, show_default=True, heading=HOW,
           help="Number of samples; the pair is of the first that has one."),
    SEED,
    RESULT,
)  # fmt: skip
def overfitting(file: str, **values: Any) -> None:
    """Draw samples of the joint table in FILE, and search the hypotheses for a pair that shows overfitting.

    h overfits if h' has a higher error on the sample and a lower true error. Both errors are exact.
    """
    from heldout import lab
    from heldout.lab.concepts.concept_rows import order_notes
    from heldout.lab.concepts.joint_table_file import read_table

    rectangles_are_used(values)
    place = Place(values)
    read = read_table(file, attributes=values["attribute"], target=values["target"], p=values["p"], wide=values["wide"])
    found = lab.overfitting(
        read.world,
        values["space"],
        n=values["n"],
        repeats=values["repeats"],
        random_state=values["seed"],
        rectangles=values["rectangles"],
        pos_label=values["positive"],
    )
    notes = (*read.notes, *order_notes(read.world.domain, found.space.name))
    place.deliver(replace(found, columns=read.columns, notes=notes, sources=tuple(read.sources)))
