"""What detect, masks and text share: what decides and against whom, how to draw, and where the result goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from heldout.cli.compare import margins, named, python_names
from heldout.cli.output import FORMATS, deliver
from heldout.cli.reading import file, not_an_input
from heldout.cli.reporting import reporting, write_page
from heldout.cli.saving import save as recorded
from heldout.cli.saving import saving
from heldout.errors import UsageError

Command = Callable[..., Any]
PLACES = ("form", "output", "report", "quiet", "save", "run")
"""Options that say where the result goes."""


def contest(what: str, whom: str, *, decides: str, draws: str = "") -> Callable[[Command], Command]:
    """The options by which models are judged against one of them; `draws` says what is drawn, where anything is."""
    first = f"The {whom} others are judged against; the first unless given."
    drawing = click.option("--draws", type=int, metavar="N", help=f"How many times to {draws} unless given.")
    options: tuple[Callable[[Command], Command], ...] = (
        click.option("--primary", metavar=what.upper(), help=f"The {what} that decides; {decides}."),
        click.option("--baseline", metavar="NAME", help=first),
        click.option(
            "--margin",
            metavar=f"[{what.upper()}=]D",
            multiple=True,
            callback=margins,
            help="Differences within D either way are equivalent; repeatable.",
        ),
        click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given."),
        *([drawing] if draws else []),
        click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given."),
        click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given."),
        file("--output", help="Write into a file instead of to the screen."),
        reporting,
        click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors."),
        saving,
    )

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def judged(
    verb: Callable[..., Any], truth: Any, models: Mapping[str, str], options: dict[str, Any], *inputs: str
) -> None:
    """Call the verb with the options under their names in Python, and put what it finds where it is wanted."""
    place = {name: options.pop(name) for name in PLACES}
    not_an_input(place["output"], *inputs)
    not_an_input(place["report"], *inputs, option="--report")
    found = verb(truth, models, **python_names(options))
    deliver(found.to_dict(), place["form"], place["output"], quiet=place["quiet"])
    write_page(found, place["report"], quiet=place["quiet"])
    recorded(found, place["save"], place["run"], quiet=place["quiet"])


def divided(files: tuple[str, ...], needed: str, example: str) -> tuple[str, dict[str, str]]:
    """The truth, and the others by the names of their models.

    >>> divided(("gt.json", "yolo.json"), "a truth and detections are needed", "")
    ('gt.json', {'yolo': 'yolo.json'})
    """
    if len(files) < 2:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        raise UsageError(f"{count}, and {needed}", fix=f"for example {example}")
    truth, *others = files
    if len(others) == 1:
        (name,) = list(named([truth, others[0].removesuffix(".gz")]))[1:]
        return truth, {name: others[0]}
    return truth, named(others)
