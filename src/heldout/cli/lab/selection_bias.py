"""heldout lab selection-bias: how optimistic the winner of many configurations is about itself."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.asking import given, repeated_experiment
from heldout.cli.output import deliver


@click.command("selection-bias", short_help="How optimistic the winner of many configurations is.")
@click.option("--n", type=int, metavar="N", help="Rows; 100 unless given.")
@click.option("--configurations", type=int, metavar="C", help="How many are chosen from; 50 unless given.")
@click.option("--null", is_flag=True, default=None, help="None is better than a coin; else accuracies are Beta(9, 6).")
@click.option("--draws", type=int, metavar="B", help="Bootstrap draws of BBC-CV; 500 unless given.")
@repeated_experiment
def command(form: str, output: str | None, **options: Any) -> None:
    """How far the winner's own accuracy, and honest estimates of it, are from the truth on average."""
    from heldout import lab

    deliver(lab.selection_bias(**given(options)).to_dict(), form, output, quiet=False)
