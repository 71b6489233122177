"""heldout lab corpus-cards: measure the intervals and tests of detect, masks and text, and keep what was found."""

from __future__ import annotations

import json
from pathlib import Path

import click

from heldout.cli.output import write_whole
from heldout.cli.reading import file
from heldout.errors import UsageError


@click.command("corpus-cards", short_help="Measure the intervals of boxes, masks and texts, and keep the results.")
@file("--into", help="Finished blocks are kept here; what it has is not measured again.")
@file("--output", help="Write the cards here, as the package ships them.")
@click.option("--repeats", type=int, metavar="R", default=1000, help="Samples of a setting; 1000 unless given.")
@click.option("--seed", type=int, metavar="S", default=0, help="0 unless given.")
@click.option("--jobs", type=int, metavar="J", default=1, help="Processes; the numbers do not depend on it.")
def command(into: str | None, output: str | None, repeats: int, seed: int, jobs: int) -> None:
    """Measure the intervals and tests of detect, masks and text in worlds where mAP, mean IoU and BLEU are known.

    It takes about an hour, and can be stopped at any time: the same command goes on where it was.
    """
    from heldout.lab.corpora.corpus_cards import all_corpus_rates, corpus_cards

    if into is None:
        raise UsageError("--into is missing", fix="name a file for what is measured, such as --into corpus.jsonl")
    rates = all_corpus_rates(repeats=repeats, seed=seed, jobs=jobs, into=into)
    cards = corpus_cards(rates)
    if output is not None:
        write_whole(Path(output), json.dumps(cards, separators=(",", ":")) + "\n")
    click.echo(f"{len(rates)} cards in {len(cards['worlds'])} worlds" + (f", written to {output}" if output else ""))
