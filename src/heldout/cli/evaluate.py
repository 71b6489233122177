"""heldout evaluate: how good a model is, from its predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.output import FORMATS, deliver
from heldout.cli.progress import bar
from heldout.cli.reading import PYTHON_NAMES, column, costs, file, not_an_input, reading, several
from heldout.cli.reporting import reporting, write_page
from heldout.cli.saving import save as recorded
from heldout.cli.saving import saving
from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.verbs.evaluate.evaluation import Evaluation

FOR_COUNTS = ("level", "method", "metric", "side", "draws", "seed")
"""Options that also mean something where there are counts instead of rows."""


def side(_ctx: click.Context, _option: click.Parameter, given: str | None) -> str | None:
    """`two` is short for what Python calls two-sided."""
    return "two-sided" if given == "two" else given


@click.command("evaluate", short_help="How good a model is, from its predictions, with intervals.")
@click.argument("file", nargs=-1)
@reading
@column("--segment", multiple=True, help="Also by the values of a column; repeatable.")
@click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given.")
@click.option("--method", metavar="NAME", help="Interval method instead of the default; see heldout explain.")
@click.option("--metric", metavar="A,B", multiple=True, callback=several, help="Only these metrics.")
@file("--define", help="A Python file that defines metrics of your own with heldout.define.")
@click.option("--side", type=click.Choice(["two", "lower", "upper"]), callback=side, help="An interval or one bound.")
@file("--cost", help="Cost of each truth and prediction: a labelled square CSV.")
@click.option("--max-fpr", type=float, metavar="A", help="Certify a threshold with at most this false positive rate.")
@click.option(
    "--choose-threshold", metavar="FP:FN", callback=costs, help="The threshold of least cost, and its honest cost."
)
@column("--fold", help="Choose it across the folds of this column; 10 random ones unless given.")
@file("--threshold-from", help="A threshold frozen on a page; refused on the rows it was chosen on.")
@file("--train", help="Training data: rows, ids and groups it shares with the test are named.")
@click.option("--allow-overlap", is_flag=True, help="Go on although rows are shared with --train or --threshold-from.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@reporting
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@saving
@file("--confusion", help="Counts instead of rows: a labelled square CSV, one line per truth.")
@click.option("--wrong", type=int, metavar="K", help="Counts instead of rows: K wrong ...")
@click.option("--of", type=int, metavar="N", help="... of N.")
def command(
    *,
    form: str,
    output: str | None,
    report: str | None,
    quiet: bool,
    save: str | None,
    run: str | None,
    **options: Any,
) -> None:
    """How good a model is, from its predictions in FILE (CSV, TSV, JSON lines, Parquet, Arrow; - is standard input).

    Several files, a folder or a pattern are one table in parts. What does not fit into --memory is read part by part.
    Columns are found by their names (y_true, y_score, y_pred, group, weight and the like) and echoed; every one can be
    named instead. Every number has an interval.
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False and value != ()}
    inputs = [*given.get("file", ()), *(given.get(name) for name in ("confusion", "train", "cost", "threshold_from"))]
    not_an_input(output, *inputs)
    not_an_input(report, *inputs, option="--report")
    with bar("parts", quiet=quiet) as told:
        found = evaluated(given if told is None or "file" not in given else {**given, "progress": told})
    deliver(found.to_dict(), form, output, quiet=quiet)
    write_page(found, report, quiet=quiet)
    recorded(found, save, run, quiet=quiet)


def evaluated(given: dict[str, Any]) -> Evaluation:
    """The evaluation of a file, of a confusion matrix or of two counts, whichever was given."""
    import heldout

    counted = "wrong" in given or "of" in given
    sources = {"FILE": "file" in given, "--confusion": "confusion" in given, "--wrong": counted}
    found = [name for name, there in sources.items() if there]
    if len(found) != 1:
        raise UsageError(
            f"{' and '.join(found)} exclude each other" if found else "nothing to evaluate was given",
            fix="give a FILE of predictions, or --confusion FILE, or --wrong K --of N",
        )
    if counted:
        if "wrong" not in given or "of" not in given:
            raise UsageError("--wrong and --of need each other", fix="for example --wrong 12 --of 40")
        return heldout.evaluate_counts(**python_names(given, found[0], {"wrong", "of", *FOR_COUNTS}))
    if "confusion" in given:
        table = given.pop("confusion")
        return heldout.evaluate_confusion(table, **python_names(given, found[0], {"positive", "cost", *FOR_COUNTS}))
    if "define" in given:
        from heldout.verbs.own_metric import definitions_in

        made = definitions_in(given.pop("define"))
        given.setdefault("metric", ["all", *made])
    files = given.pop("file")
    return heldout.evaluate(files[0] if len(files) == 1 else list(files), **python_names(given, "FILE", set(given)))


def python_names(given: dict[str, Any], source: str, allowed: set[str]) -> dict[str, Any]:
    """The options under their names in Python; one that needs rows is refused where there are only counts."""
    for name in given:
        if name not in allowed:
            option = "--from" if name == "log" else f"--{name.replace('_', '-')}"
            fix = f"give a FILE of predictions, or leave out {option}"
            raise UsageError(f"{option} needs rows, but {source} gives counts", fix=fix)
    return {PYTHON_NAMES.get(name, name): value for name, value in given.items()}
