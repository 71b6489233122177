"""heldout text: generated texts against references, BLEU and its kin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heldout.cli.model_files import truth_and_models
from heldout.cli.option_names import python_names
from heldout.cli.options import (
    ALPHA,
    BASELINE,
    HOW,
    INPUT,
    LEVEL,
    MARGIN,
    PRIMARY,
    RESULT,
    SEED,
    all_given,
    choice,
    command,
    file,
    option,
    options,
    resamples,
    several,
    typed,
)
from heldout.cli.output import Place


@command(
    "text",
    short_help="Evaluate generated texts: BLEU, chrF, TER, BERTScore.",
    examples=(
        "heldout text references.txt system.txt",
        "heldout text references.txt old.txt new.txt --primary bleu",
        "heldout text references.txt system.txt -m bleu,chrf --group documents.txt",
    ),
)
@click.argument("files", nargs=-1, metavar="REFERENCES TEXTS [TEXTS]...")
@options(
    file("--ref", multiple=True, callback=all_given, heading=INPUT, help="Another file of references; repeatable."),
    option("--group", metavar="NAME", heading=INPUT,
           help="Documents: a field of JSON lines, or a file with a line per segment."),
    option("-m", "--metric", "--metrics", "metric", metavar="A,B", multiple=True, callback=several,
           help="bleu, chrf, chrf++, ter, bertscore, ngrams, ngrams_unclipped.  [default: bleu,chrf]"),
    PRIMARY,
    BASELINE,
    MARGIN,
    option("--tokenize", metavar="NAME", heading=HOW, help="Tokenizer of sacrebleu.  [default: 13a]"),
    option("--lowercase", is_flag=True, heading=HOW, help="Ignore case."),
    option("--smoothing", type=choice("exp", "floor", "add-k", "none"), default="exp", show_default=True, heading=HOW,
           help="Smoothing of BLEU."),
    option("--smoothing-value", type=float, metavar="X", heading=HOW, help="What floor or add-k adds."),
    option("--embedder", metavar="MODEL", heading=HOW, help="For bertscore: a folder or name of an encoder."),
    option("--layer", type=int, metavar="N", heading=HOW, help="For bertscore: layer of the encoder.  [default: last]"),
    option("--idf", is_flag=True, heading=HOW, help="For bertscore: weight tokens by inverse document frequency."),
    option("--test", type=choice("permutation", "bootstrap", "t"), default="permutation", show_default=True,
           heading=HOW, help="Test of the difference."),
    option("--method", metavar="NAME", heading=HOW,
           help="Interval method: t, percentile, basic, bca.  [default: the one that suits the metric]"),
    LEVEL,
    ALPHA,
    resamples(),
    SEED,
    RESULT,
)  # fmt: skip
def text(**values: Any) -> None:
    """Evaluate TEXTS against REFERENCES, one segment per line or JSON lines: BLEU, chrF, TER, BERTScore.

    With several files of texts, the later ones are compared with the first. Intervals are over segments, or over
    documents with --group.
    """
    import heldout

    files = values.pop("files")
    given = typed(values)
    place = Place(values)
    given = {name: value for name, value in given.items() if name in values}
    more = given.pop("ref", ())
    references, models = truth_and_models(
        files, "texts need references and a system", "heldout text references.txt system.txt"
    )
    wanted = [Path(name) for name in (references, *more)]
    place.deliver(heldout.text(wanted, models, **python_names(given)))
