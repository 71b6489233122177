"""heldout text: how good texts are against references, and which system writes better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heldout.cli.contest import contest, divided, judged
from heldout.cli.reading import several

TESTS = ("permutation", "bootstrap", "t")


@click.command("text", short_help="How good texts are against references: BLEU and its kin.")
@click.argument("files", nargs=-1, metavar="REF HYP [HYP]...")
@click.option("--ref", metavar="FILE", multiple=True, help="Another file of references; repeatable.")
@click.option(
    "--metric",
    metavar="A,B",
    multiple=True,
    callback=several,
    help="bleu, chrf, chrf++, ter, bertscore, ngrams; bleu,chrf unless given.",
)
@click.option("--test", metavar="NAME", help=f"Test by name: {', '.join(TESTS)}; permutation unless given.")
@click.option("--group", metavar="NAME", help="Documents: a field of JSON lines, or a file with a line per segment.")
@click.option("--tokenize", metavar="NAME", help="How sacrebleu cuts words; 13a unless given.")
@click.option("--lowercase", is_flag=True, help="Case does not matter.")
@click.option("--smoothing", metavar="NAME", help="exp, floor, add-k or none; exp unless given.")
@click.option("--smoothing-value", type=float, metavar="X", help="What floor or add-k adds.")
@click.option("--embedder", metavar="MODEL", help="For bertscore: a folder or name of an encoder.")
@click.option("--layer", type=int, metavar="N", help="For bertscore: the layer of the encoder; the last unless given.")
@click.option("--idf", is_flag=True, help="For bertscore: rare tokens count more.")
@click.option("--method", metavar="NAME", help="Interval by name, where it suits: t, percentile, basic, bca.")
@contest("metric", "system", decides="it is tested alone", draws="swap or draw; 2000")
def command(*, files: tuple[str, ...], ref: tuple[str, ...], group: str | None, **options: Any) -> None:
    """How good the texts in HYP are against the references in REF, one segment per line (or JSON lines).

    With several HYP, whether the later ones are better than the first. Every value has an interval over segments, or
    over documents with --group.
    """
    import heldout

    example = "heldout text references.txt system.txt"
    references, systems = divided(files, "texts need references and a system", example)
    wanted = [Path(name) for name in (references, *ref)]
    judged(heldout.text, wanted, systems, {"groups": group, **options}, *files, *ref)
