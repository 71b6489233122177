"""heldout lab threshold-bias: what a chosen threshold seems to cost, and what it does cost."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.asking import given, repeated_experiment
from heldout.cli.output import deliver


@click.command("threshold-bias", short_help="What a chosen threshold seems to cost, and what it does cost.")
@click.option("--n", type=int, metavar="N", help="Rows; 200 unless given.")
@click.option("--apart", type=float, metavar="D", help="Distance of the two normal scores; 1.5 unless given.")
@click.option("--prevalence", type=float, metavar="P", help="0.1 unless given.")
@click.option("--fp", type=float, metavar="C", help="Cost of a false alarm; 1 unless given.")
@click.option("--fn", type=float, metavar="C", help="Cost of a miss; 10 unless given.")
@repeated_experiment
def command(form: str, output: str | None, **options: Any) -> None:
    """The least cost on the rows that chose the threshold, its true cost, and what cross-fitting says of it."""
    from heldout import lab

    deliver(lab.threshold_bias(**given(options)).to_dict(), form, output, quiet=False)
