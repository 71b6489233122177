"""heldout lab split-coverage: how often intervals over splits hold an error that is known."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.asking import given, over_splits
from heldout.cli.output import deliver


@click.command("split-coverage", short_help="How often intervals over splits hold an error that is known.")
@click.argument("methods", nargs=-1, metavar="METHOD...")
@over_splits
@click.option("--level", type=float, metavar="L", default=0.95, help="0.95 unless given.")
def command(methods: tuple[str, ...], form: str, output: str | None, **options: Any) -> None:
    """How often the interval of each METHOD holds the error of the learner, of the final model, and of its target.

    Least squares on noise unless told otherwise, where the error is known exactly; for other learners give a world of
    classes, such as gaussian:distance=1.5,dimensions=5. All intervals if none is named.
    """
    from heldout import __version__, lab

    found = lab.split_coverage(list(methods), **given(options))
    result = {
        "schema": "heldout.split-coverage/1",
        "heldout": __version__,
        "level": options["level"],
        "seed": options["seed"],
        "results": [one.to_dict() for one in found],
    }
    deliver(result, form, output, quiet=False)
