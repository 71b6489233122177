"""heldout lab world: what a world is made of, and its true values."""

from __future__ import annotations

import click

from heldout.cli.output import deliver


@click.command("world", short_help="What a world is made of, and its true values.")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="text or json.")
def command(name: str | None, form: str) -> None:
    """What the world NAME (such as binormal:auc=0.9) is made of, and its true values; all worlds if none is named."""
    from heldout.lab.world_catalogue import all_worlds, one_world

    deliver(all_worlds() if name is None else one_world(name), form, None, quiet=False)
