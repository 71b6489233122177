"""What the experiments of the lab have in common on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from heldout.cli.reading import file, several
from heldout.errors import UsageError

Command = Callable[..., None]
EFFORT = (
    click.option("--seed", type=int, metavar="S", default=0, help="0 unless given."),
    click.option("--jobs", type=int, metavar="J", default=1, help="Processes; the numbers do not depend on it."),
    file("--into", help="Keep finished blocks here, and go on from those that it has."),
    click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="text or json."),
    file("--output", help="Write into a file instead of to the screen."),
)
"""What whoever repeats an experiment may say about it, and where the result goes."""


def experiment(verb: Command) -> Command:
    """The options that every experiment with repetitions has."""
    for option in reversed(
        (
            click.option("--world", metavar="WORLD", help="Where: such as coin:p=0.01; see lab world."),
            click.option("--n", "rows", type=int, metavar="N", help="Rows of one repetition."),
            click.option(
                "--metric", metavar="A,B", multiple=True, callback=several, help="The world's first, if not given."
            ),
            click.option(
                "--repeats", type=int, metavar="R", help="How many repetitions; all samples are counted if few."
            ),
            click.option("--draws", type=int, metavar="B", default=999, help="Of methods that draw; 999 unless given."),
            *EFFORT,
        )
    ):
        verb = option(verb)
    return verb


def over_splits(verb: Command) -> Command:
    """The options of experiments with learners over splits."""
    for option in reversed(
        (
            click.option("--learner", metavar="A,B", multiple=True, callback=several, help="linear, knn, tree."),
            click.option("--world", metavar="WORLD", help="Where its rows come from."),
            click.option("--n", type=int, metavar="N", help="Rows of one sample."),
            click.option("--repeats", type=int, metavar="R", help="Samples; 1000 unless given."),
            *EFFORT,
        )
    ):
        verb = option(verb)
    return verb


def repeated_experiment(verb: Command) -> Command:
    """The options of experiments that only need to know how often."""
    repeats = click.option("--repeats", type=int, metavar="R", help="Samples; 1000 unless given.")
    for option in reversed((repeats, *EFFORT)):
        verb = option(verb)
    return verb


def placed(options: dict[str, Any]) -> None:
    """Refuse an experiment without a world or a number of rows."""
    for name, key, example in (("--world", "world", "--world coin:p=0.01"), ("--n", "rows", "--n 50")):
        if options[key] is None:
            raise UsageError(
                f"{name} is missing", fix=f"write, for instance, {example}; heldout lab world lists worlds"
            )


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, by their names in Python."""
    return {name: value for name, value in options.items() if value is not None and value != ()}
