"""heldout lab split-cards: measure every interval and test over splits, and keep what was found."""

from __future__ import annotations

import json
from pathlib import Path

import click

from heldout.cli.output import write_whole
from heldout.cli.reading import file
from heldout.errors import UsageError


@click.command("split-cards", short_help="Measure every interval and test over splits, and keep the results.")
@file("--into", help="Finished blocks are kept here; what it has is not measured again.")
@file("--output", help="Write the cards here, as the package ships them.")
@click.option("--repeats", type=int, metavar="R", default=500, help="Samples of a setting; 500 unless given.")
@click.option(
    "--trees", type=int, metavar="R", default=300, help="With trees; 300 unless given, a third for intervals."
)
@click.option("--seed", type=int, metavar="S", default=0, help="0 unless given.")
@click.option("--jobs", type=int, metavar="J", default=1, help="Processes; the numbers do not depend on it.")
def command(  # noqa: PLR0917 one parameter per option
    into: str | None, output: str | None, repeats: int, trees: int, seed: int, jobs: int
) -> None:
    """Measure intervals and tests over splits with stable and unstable learners, at 100 and at 300 rows.

    It takes about half an hour, and can be stopped at any time: the same command goes on where it was.
    """
    from heldout.lab.folds.split_cards import split_cards

    if into is None:
        raise UsageError("--into is missing", fix="name a file for what is measured, such as --into split-cards.jsonl")
    cards = split_cards(repeats=repeats, trees=trees, seed=seed, jobs=jobs, into=into)
    if output is not None:
        write_whole(Path(output), _by_line(cards))
    count = len(cards["intervals"]) + len(cards["tests"])
    click.echo(f"{count} cards" + (f", written to {output}" if output else ""))


def _by_line(cards: dict[str, object]) -> str:
    """JSON with a line per card."""
    parts = []
    for name, value in cards.items():
        if isinstance(value, list):
            lines = ",\n".join(json.dumps(line) for line in value)
            parts.append(f"{json.dumps(name)}: [\n{lines}\n]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{" + ",\n".join(parts) + "}\n"
