"""heldout evaluate: one model's metrics with confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.option_names import python_names
from heldout.cli.options import (
    ALPHA,
    DEFINE,
    HOW,
    INPUT,
    LEVEL,
    METRIC,
    READING,
    RESULT,
    SEED,
    all_given,
    choice,
    column,
    command,
    costs,
    defined,
    file,
    only,
    option,
    options,
    resamples,
    typed,
)
from heldout.cli.output import Place, bar
from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.verbs.evaluate.evaluation import Evaluation

FOR_COUNTS = ("level", "alpha", "method", "metric", "side", "n_resamples", "seed")
"""Options that also mean something where there are counts instead of rows."""


def side(_ctx: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """`two` is short for what Python calls two-sided."""
    return "two-sided" if value == "two" else value


@command(
    "evaluate",
    short_help="Evaluate one model: metrics with confidence intervals.",
    examples=(
        "heldout evaluate predictions.csv --group patient_id",
        "heldout evaluate preds.parquet -m roc_auc,f1 --by sex --report report.html",
        "heldout evaluate --wrong 12 --of 40",
        "heldout evaluate --class-counts counts.csv -m f1_micro,f1_macro",
    ),
)
@click.argument("file", nargs=-1)
@options(
    READING,
    column("--segment", "--by", "segment", multiple=True, callback=all_given,
           help="Subgroups: also evaluate each value of this column; repeatable."),
    column("--model-column", help="Name of the model; it must be the same in all rows (compare takes several)."),
    column("--fold", help="With --choose-threshold: fold of each row.  [default: 10 random folds]"),
    file("--confusion", heading=INPUT, help="Counts instead of rows: a labelled square CSV, one line per truth."),
    file("--class-counts", heading=INPUT, help="Counts instead of rows: a CSV with class, tp, fp, fn[, tn]."),
    option("--wrong", type=int, metavar="K", heading=INPUT,
           help="Counts instead of rows: number of wrong predictions; needs --of."),
    option("--of", type=int, metavar="N", heading=INPUT, help="Number of all predictions; needs --wrong."),
    file("--train", heading=INPUT,
         help="Training data: check for shared rows, ids and groups (leakage) and for distribution shift."),
    file("--reference", heading=INPUT, help="An earlier test set: check for distribution shift."),
    option("--allow-overlap", is_flag=True, heading=INPUT,
           help="Continue although all test rows, or groups or times, are in --train too, or these rows chose "
                "--threshold-from."),
    METRIC,
    DEFINE,
    file("--cost", help="Cost of each truth and prediction: a labelled square CSV."),
    option("--max-fpr", type=float, metavar="A",
           help="Choose a threshold with a certified false positive rate of at most A."),
    option("--choose-threshold", metavar="FP:FN", callback=costs,
           help="Choose the threshold with the lowest cost for these costs of errors; its cost is cross-validated."),
    file("--threshold-from",
         help="Use a threshold saved from an HTML report (JSON); an error on the rows that chose it."),
    LEVEL,
    ALPHA,
    option("--method", metavar="NAME", heading=HOW,
           help="Interval method; see heldout explain.  [default: the one that suits the metric]"),
    option("--side", type=choice("two", "lower", "upper"), callback=side, default="two", show_default=True, heading=HOW,
           help="Two-sided interval, or a one-sided bound."),
    resamples(),
    SEED,
    RESULT,
)  # fmt: skip
def evaluate(**values: Any) -> None:
    """Evaluate the predictions in FILE: metrics with confidence intervals.

    FILE is CSV, TSV, JSON lines (one object per row), Parquet or Arrow, compressed (.gz, .bz2, .xz, .zst) or not; - is
    standard input. Several files, a folder or a pattern are one table. Columns are found by their names (y_true,
    y_score, y_pred, group, weight and the like) and echoed.
    """
    given = typed(values)
    place = Place(values)
    with bar("chunks", quiet=place.quiet) as told:
        progress: dict[str, Any] = {} if told is None or not values["file"] else {"progress": told}
        result = evaluated({name: value for name, value in given.items() if name in values}, progress)
    place.deliver(result)


def evaluated(given: dict[str, Any], progress: dict[str, Any]) -> Evaluation:
    """The evaluation of a file, of a confusion matrix, of counts per class or of two counts, whichever was given."""
    import heldout

    counted = "wrong" in given or "of" in given
    sources = {
        "FILE": bool(given.get("file")),
        "--confusion": "confusion" in given,
        "--class-counts": "class_counts" in given,
        "--wrong" if "wrong" in given else "--of": counted,
    }
    found = [name for name, there in sources.items() if there]
    if len(found) != 1:
        raise UsageError(
            f"{' and '.join(found)} exclude each other" if found else "nothing to evaluate was given",
            fix="give a FILE of predictions, or --confusion FILE, --class-counts FILE, or --wrong K --of N",
        )
    if counted:
        if "wrong" not in given or "of" not in given:
            raise UsageError("--wrong and --of need each other", fix="for example --wrong 12 --of 40")
        only(given, {"wrong", "of", *FOR_COUNTS}, "--wrong and --of", "it needs rows")
        return heldout.evaluate_counts(**python_names(given))
    if "confusion" in given:
        only(given, {"confusion", "positive", "cost", *FOR_COUNTS}, "--confusion", "it needs rows")
        return heldout.evaluate_confusion(given.pop("confusion"), **python_names(given))
    if "class_counts" in given:
        only(given, {"class_counts", *FOR_COUNTS}, "--class-counts", "it needs rows")
        return heldout.evaluate_class_counts(given.pop("class_counts"), **python_names(given))
    given = defined(given)
    files = given.pop("file")
    return heldout.evaluate(files[0] if len(files) == 1 else paths(files), **python_names(given), **progress)


def paths(files: Sequence[str]) -> list[str | Path]:
    """Several files; a word that is none is a path all the same, and not a label."""
    from heldout.inputs.formats.files import exists

    if all(name.isdecimal() and not exists(name) for name in files):
        counts = "--wrong {} --of {}".format(*files) if len(files) == 2 else "--wrong K --of N"
        fix = f"for counts instead of rows write heldout evaluate {counts}"
        raise UsageError(f"{' and '.join(files)} are numbers, and no files have these names", fix=fix)
    return [name if Path(name).suffix or exists(name) else Path(name) for name in files]
