"""heldout lab cards: measure every interval and test, and keep what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heldout.cli.reading import file
from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.lab.rates.card_settings import Asked


@click.command("cards", short_help="Measure every interval and test on the grid, and keep the results.")
@file("--into", help="Finished settings are kept here; what it has is not measured again.")
@file("--output", help="Write the cards here, as the package ships them.")
@click.option("--repeats", type=int, metavar="R", default=10_000, help="Of closed forms; 10,000 unless given.")
@click.option("--drawn", type=int, metavar="R", default=1_000, help="Of methods that draw; 1,000 unless given.")
@click.option("--seed", type=int, metavar="S", default=0, help="0 unless given.")
@click.option("--jobs", type=int, metavar="J", default=1, help="Processes; the numbers do not depend on it.")
@click.option("--world", metavar="TEXT", help="Only worlds whose name holds this.")
@click.option("--upto", type=int, metavar="N", help="Only settings of up to so many rows.")
@click.option("--defaults", is_flag=True, help="Only the default of each metric.")
def command(  # noqa: PLR0917 one parameter per option
    into: str | None,
    output: str | None,
    repeats: int,
    drawn: int,
    seed: int,
    jobs: int,
    world: str | None,
    upto: int | None,
    defaults: bool,
) -> None:
    """Measure the coverage of every interval and the size of every test, in worlds whose truth is known.

    The whole grid takes hours. It can be stopped at any time: the same command goes on where it was.
    """
    from heldout.lab.rates.card_measurement import Effort, measured_cards

    if into is None:
        raise UsageError("--into is missing", fix="name a file for what is measured, such as --into cards.jsonl")

    def chosen(asked: Asked) -> bool:
        named = world is None or world in asked.world
        return named and (upto is None or asked.n <= upto) and (not defaults or "auto" in asked.methods)

    effort = Effort(closed=repeats, drawn=drawn, seed=seed)
    cards = measured_cards(into, effort=effort, jobs=jobs, chosen=chosen)
    if output is not None:
        Path(output).write_text(json.dumps(cards, separators=(",", ":")) + "\n", encoding="utf-8")
    count = sum(len(lines) for kind in ("intervals", "tests") for lines in _lines(cards[kind]))
    click.echo(f"{count:,} cards in {len(cards['worlds'])} worlds" + (f", written to {output}" if output else ""))


def _lines(stored: dict[str, dict[str, dict[str, list[list[object]]]]]) -> list[list[list[object]]]:
    return [lines for metrics in stored.values() for methods in metrics.values() for lines in methods.values()]
