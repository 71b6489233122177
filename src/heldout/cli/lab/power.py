"""heldout lab power: how often tests find a difference that is there."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.asking import experiment
from heldout.cli.lab.size import asked


@click.command("power", short_help="How often tests find a difference that is there.")
@click.argument("tests", nargs=-1, metavar="TEST...")
@experiment
@click.option("--alpha", type=float, metavar="A", default=0.05, help="0.05 unless given.")
def command(tests: tuple[str, ...], **options: Any) -> None:
    """How often each TEST rejects that models are equally good, where they are not (gain=0.05 in the world)."""
    asked("power", tests, options)
