"""heldout compare: whether one model is better than another, on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from heldout.cli.evaluate import LOGS, PYTHON_NAMES, TASKS, column, file, not_an_input, several, threshold
from heldout.cli.output import FORMATS, deliver
from heldout.errors import UsageError


def margins(_ctx: click.Context, _option: click.Parameter, given: Sequence[str]) -> float | dict[str, float] | None:
    """One number for the metric that decides, or one per metric as METRIC=VALUE."""
    if not given:
        return None
    if len(given) == 1 and "=" not in given[0]:
        return amount(given[0], given[0])
    pairs = [part.rpartition("=") for part in given]
    for part, (name, _, _) in zip(given, pairs, strict=True):
        if not name.strip():
            raise UsageError(f"--margin {part} names no metric", fix="give each margin as METRIC=VALUE")
    return {name.strip(): amount(text, part) for part, (name, _, text) in zip(given, pairs, strict=True)}


def amount(text: str, given: str) -> float:
    """A margin: a number that is not negative."""
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not 0 <= found < float("inf"):
        fix = "give a number of zero or more, such as 0.01 or roc_auc=0.01"
        raise UsageError(f"--margin is {given!r}, which is not a margin", fix=fix)
    return found


@click.command("compare", short_help="Whether one model is better than another, on the same rows.")
@click.argument("files", nargs=-1)
@click.option("--primary", metavar="METRIC", help="The metric that decides; it is tested alone.")
@click.option("--metric", metavar="A,B", multiple=True, callback=several, help="Only these metrics.")
@click.option("--baseline", metavar="NAME", help="The model others are judged against; the first unless given.")
@click.option(
    "--margin",
    metavar="[METRIC=]D",
    multiple=True,
    callback=margins,
    help="Differences within D either way are equivalent; repeatable.",
)
@click.option("--from", "log", type=click.Choice(LOGS), help="FILES are logs of evaluations by this program.")
@column("--truth", help="What was right.")
@column("--pred", help="What the model said: labels or numbers.")
@column("--score", help="By which the model orders rows, such as a probability.")
@click.option("--prob-prefix", metavar="TEXT", help="Beginning of the columns that hold one probability per class.")
@column("--id", help="A name for each row, by which rows are matched.")
@column("--group", help="Rows that belong together, such as a patient; groups are drawn independently.")
@column("--weight", help="How much each row counts.")
@click.option("--positive", metavar="LABEL", help="The positive class.")
@click.option("--threshold", metavar="T", callback=threshold, help="Scores from here on are positive.")
@click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given.")
@click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given.")
@click.option("--draws", type=int, metavar="N", help="How many times to resample, where that is done.")
@click.option(
    "--on-missing", type=click.Choice(["error", "intersect"]), help="Ids without a partner; error unless given."
)
@click.option("--on-nan", type=click.Choice(["error", "drop"]), help="Missing values; error unless given.")
@click.option("--link", type=click.Choice(["logit"]), help="Scores are logits; turn them into probabilities.")
@click.option("--task", type=click.Choice(TASKS), help="Do not guess the task.")
@click.option("--labels", metavar="A,B", multiple=True, callback=several, help="The classes, in order.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(files: tuple[str, ...], form: str, output: str | None, quiet: bool, **options: Any) -> None:
    """Whether the models whose predictions are in FILES are better than the first one, on the same rows.

    Rows are matched by id where there is one, by position otherwise. Every difference has an interval and a test.
    """
    import heldout

    not_an_input(output, *files)
    given = python_names(options)
    deliver(heldout.compare(named(files), **given).to_dict(), form, output, quiet=quiet)


def python_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, under their names in Python."""
    return {PYTHON_NAMES.get(name, name): value for name, value in options.items() if value is not None}


def named(files: Sequence[str]) -> dict[str, str]:
    """The files by the names of their models: without folder and ending, as far as that tells them apart.

    >>> named(["runs/a.csv", "b.csv"]), named(["old/model.csv", "new/model.csv"])
    ({'a': 'runs/a.csv', 'b': 'b.csv'}, {'old/model': 'old/model.csv', 'new/model': 'new/model.csv'})
    """
    if len(files) < 2:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        raise UsageError(f"{count}, and a comparison needs two", fix="for example heldout compare old.csv new.csv")
    paths = [Path(name) for name in files]
    for names in (
        [path.stem for path in paths],
        [path.name for path in paths],
        [path.with_suffix("").as_posix() for path in paths],
    ):
        if len(set(names)) == len(files):
            return dict(zip(names, files, strict=True))
    # the same file twice is a fair question: it must not differ from itself
    return {f"{path.stem} ({i})": name for i, (path, name) in enumerate(zip(paths, files, strict=True), 1)}
