"""heldout demo: two models on simulated data whose truth is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from heldout.cli.options import HOW, OUTPUT, command, option, options

if TYPE_CHECKING:
    from heldout.verbs.demo import Held


@command(
    "demo",
    short_help="Show an example: two models on simulated data.",
    examples=("heldout demo", "heldout demo --output clinic", "heldout demo --repeat 200"),
)
@options(
    option("--seed", type=click.IntRange(0, 2**32 - 1), metavar="N", heading=HOW,
           help="Another data set of the same simulation."),
    option("--repeat", type=click.IntRange(min=1), metavar="N", heading=HOW,
           help="Simulate N more data sets, and count how many intervals contain the truth."),
    option("-o", "--output", metavar="DIR", heading=OUTPUT,
           help="Where to write the files.  [default: a new temporary folder]"),
)  # fmt: skip
def demo(output: str | None, seed: int | None, repeat: int | None) -> None:
    """Write the predictions of two models in a simulated clinic, evaluate one and compare both, beside the truth.

    Two thousand visits, 14.9% of them positive, of patients who come up to three times, in champion.csv and
    challenger.csv; challenger.html is the HTML report. Nothing is downloaded, and no other file is written over.
    """
    from pathlib import Path

    from heldout.cli.output import wants_color
    from heldout.report import rendered
    from heldout.verbs.demo import (
        COMPARED,
        SEED,
        THRESHOLD,
        demo as simulated,
        demo_files,
        refuse_other_files,
        removed_if_interrupted,
    )  # fmt: skip

    seed = SEED if seed is None else seed
    if output is not None:
        refuse_other_files(demo_files(Path(output), random_state=seed), Path(output) / "challenger.html")
    shown = simulated(output, random_state=seed)
    with removed_if_interrupted(shown.path.parent if output is None else None):
        first, second = shown.lines()
        reading = f"--group patient_id --threshold {THRESHOLD:g}"
        line(f"$ heldout evaluate {shown.path} {reading}")
        line(rendered(shown.evaluation.to_dict(), "text", color=wants_color(), on_command_line=True))
        line(f"{first}\n")
        line(f"$ heldout compare {shown.champion} {shown.path} --primary roc_auc \\")
        line(f"    {reading} \\\n    --metric {','.join(COMPARED)}")
        line(rendered(shown.comparison.to_dict(), "text", color=wants_color(), on_command_line=True))
        line(second)
        if repeat:
            for text in counted(repeat):
                line(f"       {text}")
        report = shown.path.with_suffix(".html")
        shown.evaluation.report(report, command=f"heldout evaluate {shown.path} {reading} --report {report}")
        line(f"\nREPORT  {report}\n        open it in a browser, and move the threshold")


def line(text: str) -> None:
    """Write a text and the end of its line; where the reader has gone, files are still written."""
    from heldout.cli.standard_streams import put

    put(f"{text}\n", coloured=True)


def counted(repeat: int) -> list[str]:
    """The lines that say how often the intervals contain the truth, counted now, with a progress bar on stderr."""
    import sys

    from heldout.verbs.demo import SEED, repeated

    silent = not sys.stderr.isatty()
    with click.progressbar(range(1, repeat + 1), label="evaluating", file=sys.stderr, hidden=silent) as seeds:
        held: list[Held] = repeated(SEED + seed for seed in seeds)
    return [
        f"In {repeat} more simulated data sets, how often the intervals contain the truth:",
        *(f"  {h}" for h in held),
    ]
