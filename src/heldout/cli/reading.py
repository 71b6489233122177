"""How predictions are read: the options that evaluate, compare and gate share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from heldout.errors import UsageError

column = partial(click.option, metavar="COLUMN")
file = partial(click.option, metavar="FILE")
Command = Callable[..., Any]
LOGS = ["lm-eval", "inspect"]
TASKS = ["binary", "multiclass", "multilabel", "regression"]
ENGINES = ["local", "dask", "ray", "spark"]
PYTHON_NAMES = {
    "positive": "pos_label",
    "level": "confidence_level",
    "seed": "random_state",
    "metric": "metrics",
    "segment": "segments",
}
"""Where an option has another name in Python, which keeps to the names of its ecosystem."""


def several(_ctx: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> list[str] | None:
    """Names given one by one or in one list with commas."""
    names = [name.strip() for part in given for name in part.split(",")]
    return [name for name in names if name] or None


def costs(_ctx: click.Context, _option: click.Parameter, given: str | None) -> tuple[float, float] | None:
    """The costs of a false alarm and of a miss, as in 1:10."""
    if given is None:
        return None
    parts = given.split(":")
    try:
        fp, fn = (float(part) for part in parts)
    except ValueError:
        fix = "for a miss that costs ten false alarms write 1:10"
        raise UsageError(f"--choose-threshold is {given!r}, which is not FP:FN", fix=fix) from None
    return fp, fn


def threshold(_ctx: click.Context, _option: click.Parameter, given: str | None) -> float | None:
    """A number; `best` would pick the threshold on the rows it is judged on."""
    if given is None:
        return None
    if given == "best":
        raise UsageError(
            "--threshold best picks the threshold on the rows it is judged on",
            code="H302",
            fix="give a number that was chosen before, on other rows; "
            "heldout evaluate --choose-threshold FP:FN tells what choosing costs",
        )
    try:
        return float(given)
    except ValueError:
        raise UsageError(f"--threshold is {given!r}, which is not a number", fix="give a number such as 0.5") from None


OPTIONS = (
    click.option("--from", "log", type=click.Choice(LOGS), help="The input is a log of an evaluation by this program."),
    column("--truth", help="What was right."),
    column("--pred", help="What the model said: labels or numbers."),
    column("--score", help="By which the model orders rows, such as a probability."),
    click.option("--prob-prefix", metavar="TEXT", help="Beginning of the columns that hold one probability per class."),
    column("--id", help="A name for each row, by which the rows of several files are matched."),
    column("--group", help="Rows that belong together, such as a patient; groups are drawn independently."),
    column("--weight", help="How much each row counts."),
    click.option("--positive", metavar="LABEL", help="The positive class."),
    click.option("--threshold", metavar="T", callback=threshold, help="Scores from here on are positive."),
    click.option("--on-nan", type=click.Choice(["error", "drop"]), help="Missing values; error unless given."),
    click.option("--link", type=click.Choice(["logit"]), help="Scores are logits; turn them into probabilities."),
    click.option("--task", type=click.Choice(TASKS), help="Do not guess the task."),
    click.option("--labels", metavar="A,B", multiple=True, callback=several, help="The classes, in order."),
    click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given."),
    click.option("--draws", type=int, metavar="N", help="How many times to resample, where that is done."),
    click.option("--engine", type=click.Choice(ENGINES), help="Who reads files in parts; this process unless given."),
    click.option("--engine-address", metavar="ADDRESS", help="Where the engine runs, such as a scheduler's address."),
    click.option("--memory", metavar="SIZE", help="What rows may take, as 4G; more is read in parts. 2G unless given."),
)


def reading(command: Command) -> Command:
    """The command with the options that say which column is what, what its values mean, and how to draw."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def not_an_input(output: str | None, *inputs: str | None, option: str = "--output") -> None:
    """Refuse to write over a file that is being read."""
    for source in inputs:
        if output and source and Path(source).exists() and Path(output).exists() and Path(source).samefile(output):
            raise UsageError(f"{option} {output} is also an input", fix="choose another name for the output")
