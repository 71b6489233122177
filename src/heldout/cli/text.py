"""heldout text: how good texts are against references, and which system writes better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from heldout.cli.compare import margins, named, python_names
from heldout.cli.output import FORMATS, deliver
from heldout.cli.reading import file, not_an_input, several
from heldout.cli.reporting import reporting, write_page
from heldout.cli.saving import save as recorded
from heldout.cli.saving import saving
from heldout.errors import UsageError

TESTS = ("permutation", "bootstrap", "t")
PYTHON_NAMES = {"group": "groups"}


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
@click.option("--primary", metavar="METRIC", help="The metric that decides; it is tested alone.")
@click.option("--baseline", metavar="NAME", help="The system others are judged against; the first unless given.")
@click.option(
    "--margin",
    metavar="[METRIC=]D",
    multiple=True,
    callback=margins,
    help="Differences within D either way are equivalent; repeatable.",
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
@click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given.")
@click.option("--method", metavar="NAME", help="Interval by name, where it suits: t, percentile, basic, bca.")
@click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given.")
@click.option("--draws", type=int, metavar="N", help="How many times to swap or draw; 2000 unless given.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@reporting
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@saving
def command(
    *,
    files: tuple[str, ...],
    ref: tuple[str, ...],
    form: str,
    output: str | None,
    report: str | None,
    quiet: bool,
    save: str | None,
    run: str | None,
    **options: Any,
) -> None:
    """How good the texts in HYP are against the references in REF, one segment per line (or JSON lines).

    With several HYP, whether the later ones are better than the first. Every value has an interval over segments, or
    over documents with --group.
    """
    import heldout

    not_an_input(output, *files, *ref)
    not_an_input(report, *files, *ref, option="--report")
    references, systems = _divided(files)
    given = {PYTHON_NAMES.get(name, name): value for name, value in python_names(options).items()}
    found = heldout.text([Path(name) for name in (references, *ref)], systems, **given)
    deliver(found.to_dict(), form, output, quiet=quiet)
    write_page(found, report, quiet=quiet)
    recorded(found, save, run, quiet=quiet)


def _divided(files: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The file of references, and those of the systems by name."""
    if len(files) < 2:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        fix = "for example heldout text references.txt system.txt"
        raise UsageError(f"{count}, and texts need references and a system", fix=fix)
    if len(files) == 2:
        return files[0], {Path(files[1].removesuffix(".gz")).stem: files[1]}
    return files[0], named(files[1:])
