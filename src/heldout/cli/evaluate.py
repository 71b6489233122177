"""heldout evaluate: how good a model is, from its predictions."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.output import FORMATS, deliver
from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.verbs.results import Evaluation

column = partial(click.option, metavar="COLUMN")
file = partial(click.option, metavar="FILE")
PYTHON_NAMES = {
    "positive": "pos_label",
    "level": "confidence_level",
    "seed": "random_state",
    "metric": "metrics",
    "segment": "segments",
}
"""Where an option has another name in Python, which keeps to the names of its ecosystem."""
FOR_COUNTS = ("level", "method", "metric", "side", "draws", "seed")
"""Options that also mean something where there are counts instead of rows."""
LOGS = ["lm-eval", "inspect"]
TASKS = ["binary", "multiclass", "multilabel", "regression"]


def several(_ctx: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> list[str] | None:
    """Names given one by one or in one list with commas."""
    names = [name.strip() for part in given for name in part.split(",")]
    return [name for name in names if name] or None


def threshold(_ctx: click.Context, _option: click.Parameter, given: str | None) -> float | None:
    """A number; `best` would pick the threshold on the rows it is judged on."""
    if given is None:
        return None
    if given == "best":
        raise UsageError(
            "--threshold best picks the threshold on the rows it is judged on",
            code="H302",
            fix="give a number that was chosen before, on other rows",
        )
    try:
        return float(given)
    except ValueError:
        raise UsageError(f"--threshold is {given!r}, which is not a number", fix="give a number such as 0.5") from None


def side(_ctx: click.Context, _option: click.Parameter, given: str | None) -> str | None:
    """`two` is short for what Python calls two-sided."""
    return "two-sided" if given == "two" else given


@click.command("evaluate", short_help="How good a model is, from its predictions, with intervals.")
@click.argument("file", required=False)
@click.option("--from", "log", type=click.Choice(LOGS), help="FILE is the log of an evaluation by this program.")
@column("--truth", help="What was right.")
@column("--pred", help="What the model said: labels or numbers.")
@column("--score", help="By which the model orders rows, such as a probability.")
@click.option("--prob-prefix", metavar="TEXT", help="Beginning of the columns that hold one probability per class.")
@column("--id", help="A name for each row.")
@column("--group", help="Rows that belong together, such as a patient; groups are drawn independently.")
@column("--weight", help="How much each row counts.")
@column("--segment", multiple=True, help="Also by the values of a column; repeatable.")
@click.option("--positive", metavar="LABEL", help="The positive class.")
@click.option("--threshold", metavar="T", callback=threshold, help="Scores from here on are positive.")
@click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given.")
@click.option("--method", metavar="NAME", help="Interval method instead of the default; see heldout explain.")
@click.option("--metric", metavar="A,B", multiple=True, callback=several, help="Only these metrics.")
@file("--define", help="A Python file that defines metrics of your own with heldout.define.")
@click.option("--side", type=click.Choice(["two", "lower", "upper"]), callback=side, help="An interval or one bound.")
@file("--cost", help="Cost of each truth and prediction: a labelled square CSV.")
@click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given.")
@click.option("--draws", type=int, metavar="N", help="How many times to resample, where that is done.")
@file("--train", help="Training data: rows, ids and groups it shares with the test are named.")
@click.option("--allow-overlap", is_flag=True, help="Go on although training and test share rows.")
@click.option("--on-nan", type=click.Choice(["error", "drop"]), help="Missing values; error unless given.")
@click.option("--link", type=click.Choice(["logit"]), help="Scores are logits; turn them into probabilities.")
@click.option("--task", type=click.Choice(TASKS), help="Do not guess the task.")
@click.option("--labels", metavar="A,B", multiple=True, callback=several, help="The classes, in order.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@file("--confusion", help="Counts instead of rows: a labelled square CSV, one line per truth.")
@click.option("--wrong", type=int, metavar="K", help="Counts instead of rows: K wrong ...")
@click.option("--of", type=int, metavar="N", help="... of N.")
def command(form: str, output: str | None, quiet: bool, **options: Any) -> None:
    """How good a model is, from its predictions in FILE (CSV, TSV, JSON lines, Parquet, Arrow; - is standard input).

    Columns are found by their names (y_true, y_score, y_pred, group, weight and the like) and echoed; every one can be
    named instead. Every number has an interval.
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False and value != ()}
    not_an_input(output, *(given.get(name) for name in ("file", "confusion", "train", "cost")))
    deliver(evaluated(given).to_dict(), form, output, quiet=quiet)


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
        from heldout.verbs.definition import definitions_in

        made = definitions_in(given.pop("define"))
        given.setdefault("metric", ["all", *made])
    return heldout.evaluate(given.pop("file"), **python_names(given, "FILE", set(given)))


def python_names(given: dict[str, Any], source: str, allowed: set[str]) -> dict[str, Any]:
    """The options under their names in Python; one that needs rows is refused where there are only counts."""
    for name in given:
        if name not in allowed:
            option = "--from" if name == "log" else f"--{name.replace('_', '-')}"
            fix = f"give a FILE of predictions, or leave out {option}"
            raise UsageError(f"{option} needs rows, but {source} gives counts", fix=fix)
    return {PYTHON_NAMES.get(name, name): value for name, value in given.items()}


def not_an_input(output: str | None, *inputs: str | None, option: str = "--output") -> None:
    """Refuse to write over a file that is being read."""
    for source in inputs:
        if output and source and Path(source).exists() and Path(output).exists() and Path(source).samefile(output):
            raise UsageError(f"{option} {output} is also an input", fix="choose another name for the output")
