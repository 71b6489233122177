"""heldout lab corpus-rates: how often intervals and tests of boxes, masks and texts are right."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab.asking import given, repeated_experiment
from heldout.cli.output import deliver
from heldout.errors import UsageError


@click.command("corpus-rates", short_help="How often intervals and tests of boxes, masks and texts are right.")
@click.option("--world", metavar="WORLD", help="boxes, pixels or segments, such as segments:quality=0.8; all if none.")
@click.option("--n", type=int, metavar="N", help="Images, segments or documents of a sample.")
@click.option("--draws", type=int, metavar="B", default=300, help="Of each bootstrap; 300 unless given.")
@repeated_experiment
def command(world: str | None, n: int | None, form: str, output: str | None, **options: Any) -> None:
    """How often the intervals of detect, masks and text hold the truth, and their tests reject what is true.

    In the worlds segments and pixels, BLEU, chrF, TER and mean IoU are known exactly; in boxes, mAP and its kin are
    those of 400,000 images. Without a world, all those of the cards are gone through, which takes an hour.
    """
    from heldout import __version__, lab

    if (world is None) != (n is None):
        said = "--n is missing" if n is None else "--world is missing"
        raise UsageError(said, fix="write, for instance, --world segments:quality=0.8 --n 50")
    if world is None or n is None:
        from heldout.lab.corpora.corpus_cards import all_corpus_rates

        found = all_corpus_rates(**given(options))
    else:
        found = lab.corpus_rates(world, n, **given(options))
    result = {
        "schema": "heldout.corpus-rates/1",
        "heldout": __version__,
        "level": found[0].level,
        "draws": options["draws"],
        "seed": options["seed"],
        "results": [one.to_dict() for one in found],
    }
    deliver(result, form, output, quiet=False)
