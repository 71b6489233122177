"""heldout demo: a world whose truth is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from heldout.verbs.demo import Held


@click.command("demo", short_help="Two models in a synthetic world whose truth is known.")
@click.option("--output", metavar="DIR", help="Where to write both files; a new temporary folder unless given.")
@click.option("--seed", type=int, metavar="N", help="Other files from the same world.")
@click.option(
    "--repeat", type=click.IntRange(min=1), metavar="N", help="Count how many intervals of N more files hold the truth."
)
def command(output: str | None, seed: int | None, repeat: int | None) -> None:
    """Write the predictions of two models in a synthetic clinic, evaluate one and compare both, beside the truth.

    Two thousand visits, 14.9% of them positive, of patients who come up to three times, in champion.csv and
    challenger.csv; challenger.html shows the evaluation as a page. Nothing is downloaded.
    """
    from heldout.cli.output import wants_color
    from heldout.report import drawn
    from heldout.verbs.demo import COMPARED, SEED, THRESHOLD, demo
    from heldout.verbs.html_report import write_report

    shown = demo(output, seed=SEED if seed is None else seed)
    first, second = shown.lines()
    reading = f"--group patient_id --threshold {THRESHOLD:g}"
    click.echo(f"$ heldout evaluate {shown.path} {reading}")
    click.echo(drawn(shown.evaluation.to_dict(), "text", color=wants_color()))
    click.echo(f"{first}\n")
    click.echo(f"$ heldout compare {shown.champion} {shown.path} --primary roc_auc \\")
    click.echo(f"    {reading} \\\n    --metric {','.join(COMPARED)}")
    click.echo(drawn(shown.comparison.to_dict(), "text", color=wants_color()))
    click.echo(second)
    if repeat:
        for line in counted(repeat):
            click.echo(f"       {line}")
    page = shown.path.with_suffix(".html")
    write_report(shown.evaluation, page, command=f"heldout evaluate {shown.path} {reading} --report {page}")
    click.echo(f"\nPAGE   {page}\n       open it in a browser, and move the threshold")


def counted(repeat: int) -> list[str]:
    """The lines that say how often the intervals held the truth, measured now, with a progress bar on stderr."""
    import sys

    from heldout.verbs.demo import SEED, repeated

    silent = not sys.stderr.isatty()
    with click.progressbar(range(1, repeat + 1), label="evaluating", file=sys.stderr, hidden=silent) as seeds:
        held: list[Held] = repeated(SEED + seed for seed in seeds)
    return [f"Over {repeat} more such files the intervals held the truth this often:", *(f"  {h}" for h in held)]
