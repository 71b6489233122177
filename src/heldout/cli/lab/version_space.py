"""heldout lab version-space: the hypotheses that agree with the rows seen."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.table import FORMATS
from heldout.cli.output import deliver
from heldout.cli.reading import column, file, not_an_input, several

SPACES = ("all", "conjunctions", "rectangles", "unions")


@click.command("version-space", short_help="Hypotheses that agree with the rows seen.")
@click.argument("file")
@column("--target", required=True, help="What is to be learned: yes or no; where it is empty, a row asks.")
@click.option("--space", type=click.Choice(SPACES), required=True, help="What hypotheses can say.")
@click.option("--rectangles", type=click.IntRange(min=1), metavar="K", default=2, help="How many a union has; 2.")
@column("--attribute", multiple=True, callback=several, help="Only these attributes.")
@click.option("--positive", metavar="LABEL", help="The positive class.")
@click.option(
    "--order",
    type=click.Choice(["specific", "general"]),
    default="specific",
    help="Search from few points up, or from many down.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(file: str, form: str, output: str | None, quiet: bool, **options: Any) -> None:
    """List every hypothesis, strike out what a row of FILE contradicts, and say what the rest agree on.

    The domain is every combination of the values in FILE. Conjunctions say attribute=value and …; rectangles an
    interval of each attribute; unions several rectangles; all says anything, and so predicts nothing unseen.
    """
    from heldout.lab.concepts.concept_rows import read_concept
    from heldout.lab.concepts.hypotheses import hypothesis_space
    from heldout.lab.concepts.version_space_result import version_space_result

    not_an_input(output, file)
    named = {"target": options["target"], "attributes": options["attribute"], "positive": options["positive"]}
    read = read_concept(file, **named)
    listed = hypothesis_space(options["space"], read.domain, rectangles=options["rectangles"])
    deliver(version_space_result(read, listed, order=options["order"]), form, output, quiet=quiet)
