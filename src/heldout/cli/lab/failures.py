"""heldout lab failures: what methods say where they are known to fail."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.asking import given, repeated_experiment
from heldout.cli.output import deliver


@click.command("failures", short_help="What methods over splits say where they are known to fail.")
@repeated_experiment
def command(form: str, output: str | None, **options: Any) -> None:
    """What methods over splits say where they are known to fail, beside the truth."""
    from heldout import __version__, lab

    found = lab.failures(**given(options))
    result = {
        "schema": "heldout.failures/1",
        "heldout": __version__,
        "seed": options["seed"],
        "results": [one.to_dict() for one in found],
    }
    deliver(result, form, output, quiet=False)
