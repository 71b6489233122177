"""heldout lab coverage: how often intervals hold the truth."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.asking import experiment, given, placed
from heldout.cli.output import deliver


@click.command("coverage", short_help="How often intervals hold the truth.")
@click.argument("methods", nargs=-1, metavar="METHOD...")
@experiment
@click.option("--level", type=float, metavar="L", default=0.95, help="0.95 unless given.")
@click.option("--window", type=float, metavar="W", help="Mean and minimum over true values so much apart, such as 0.2.")
def command(methods: tuple[str, ...], form: str, output: str | None, **options: Any) -> None:
    """How often the intervals of each METHOD hold the truth on rows of a world; the default method if none is named."""
    from heldout import __version__, lab

    placed(options)
    world, rows = options.pop("world"), options.pop("rows")
    found = lab.coverage(list(methods or ("auto",)), world, rows, **given(options))
    result = {
        "schema": "heldout.coverage/1",
        "heldout": __version__,
        "world": world,
        "n": rows,
        "level": options["level"],
        "window": options["window"],
        "seed": options["seed"],
        "results": [one.to_dict() for one in found],
    }
    deliver(result, form, output, quiet=False)
