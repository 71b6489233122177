"""heldout explain: what a name means."""

from __future__ import annotations

import click

from heldout.cli.options import command
from heldout.cli.standard_streams import put


@command(
    "explain",
    short_help="Explain a metric, a method, a test, an error code or a term.",
    examples=("heldout explain roc_auc", "heldout explain wilson", "heldout explain H305"),
)
@click.argument("name", required=False, nargs=-1)
def explain(name: tuple[str, ...]) -> None:
    """Explain NAME: a metric, an interval method, a test, an error code such as H305, or a term.

    Without a NAME all names are listed.
    """
    from heldout.verbs.explain import explain as explained, known_names

    put((explained(" ".join(name)) if name else known_names()) + "\n")
