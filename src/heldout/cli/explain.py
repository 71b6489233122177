"""heldout explain: what a name means."""

from __future__ import annotations

import click


@click.command("explain", short_help="What a metric, a method, a test, an error code or a word means.")
@click.argument("name", required=False, nargs=-1)
def command(name: tuple[str, ...]) -> None:
    """What NAME means: a metric, an interval method, a test, an error code such as H305, or a word.

    Without a NAME all names are listed.
    """
    from heldout.verbs.explain import explain, known_names

    click.echo(explain(" ".join(name)) if name else known_names())
