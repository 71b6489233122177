"""How rows to learn from are named: the options that validate and select share."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import click

from heldout.cli.reading import ENGINES, TASKS, column, file, several

Command = Callable[..., Any]

PYTHON_NAMES = {
    "group": "groups",
    "stratify": "strata",
    "weight": "sample_weight",
    "positive": "pos_label",
    "metric": "scoring",
    "level": "confidence_level",
    "seed": "random_state",
}
"""Where an option has another name in Python, which keeps to the names of its ecosystem."""

OPTIONS = (
    file("--data", required=True, help="The rows: CSV, TSV, JSON lines, Parquet or Arrow."),
    column("--target", required=True, help="The column to learn; all others are features."),
    column("--group", help="Rows that belong together: never on both sides of a split."),
    column("--stratify", multiple=True, help="Keep shares of this column too in every part; repeatable."),
    column("--weight", help="How much each row counts when it is judged."),
    column("--drop", multiple=True, help="A column that is no feature; repeatable."),
    click.option("--task", type=click.Choice(TASKS), help="Found by the target unless given."),
    click.option("--positive", metavar="LABEL", help="The positive class."),
    click.option(
        "--metric", metavar="A,B", multiple=True, callback=several, help="Metrics; the first is the primary one."
    ),
    file("--cost", help="Cost of each truth and prediction: a labelled square CSV."),
    click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given."),
    click.option("--seed", type=int, metavar="N", help="0 unless given; the same seed gives the same numbers."),
    click.option("--n-jobs", type=int, metavar="N", help="Fits side by side; -1 for every core."),
    click.option("--engine", type=click.Choice(ENGINES), help="Where fits are made; local unless given."),
    click.option("--engine-address", metavar="ADDRESS", help="Where the engine runs, such as a scheduler's address."),
)


def learning(command: Command) -> Command:
    """The command with the options that name rows, roles and effort."""
    return reduce(lambda made, option: option(made), reversed(OPTIONS), command)


def python_names(given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, under their names in Python."""
    there = {name: value for name, value in given.items() if value is not None and value is not False and value != ()}
    return {PYTHON_NAMES.get(name, name): value for name, value in there.items()}
