"""heldout lab split-size: how often tests over splits reject learners that are equally good."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.asking import given, over_splits
from heldout.cli.output import deliver


@click.command("split-size", short_help="How often tests over splits reject equally good learners.")
@click.argument("tests", nargs=-1, metavar="TEST...")
@over_splits
@click.option("--alpha", type=float, metavar="A", default=0.05, help="0.05 unless given.")
def command(tests: tuple[str, ...], form: str, output: str | None, **options: Any) -> None:
    """How often each TEST rejects that a learner does equally well on two blocks of features that are alike.

    All tests if none is named; corrected_resampled_t@10x10 is that test over ten times ten folds.
    """
    from heldout import __version__, lab

    found = lab.split_size(list(tests), **given(options))
    result = {
        "schema": "heldout.split-size/1",
        "heldout": __version__,
        "alpha": options["alpha"],
        "seed": options["seed"],
        "results": [one.to_dict() for one in found],
    }
    deliver(result, form, output, quiet=False)
