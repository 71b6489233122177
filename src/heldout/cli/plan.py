"""heldout plan: sample size and power."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.groups import CommandGroup
from heldout.cli.model_files import named
from heldout.cli.option_names import python_names
from heldout.cli.options import (
    ALPHA,
    COLUMNS,
    HOW,
    INPUT,
    LEVEL,
    RESULT,
    Command,
    choice,
    column,
    option,
    options,
    planned_looks,
    threshold,
    typed,
)
from heldout.cli.output import Place
from heldout.errors import UsageError


class Questions(CommandGroup):
    """The questions; a metric where one is expected asks for the rows with which it clears a bound."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        has_bound = any(text.split("=")[0] in ("--lower-bound", "--upper-bound") for text in args)
        if not has_bound and args[0] not in self.commands and _is_metric(args[0]):
            fix = f"heldout plan {' '.join(args[:2])} --lower-bound B, or name a question: {', '.join(self.commands)}"
            raise UsageError(f"--lower-bound or --upper-bound is missing for {args[0]}", fix=fix)
        return super().resolve_command(ctx, ["bound", *args] if has_bound and args[0] not in self.commands else args)


def _is_metric(name: str) -> bool:
    """Whether a metric has this name."""
    from heldout.formulas import METRICS, name_among

    return name_among(name, METRICS) in METRICS


@click.group(
    "plan",
    cls=Questions,
    short_help="Plan sample size and power: how many rows are needed.",
    examples=(
        "heldout plan interval accuracy 0.85 --half-width 0.02",
        "heldout plan difference accuracy 0.85 --gain 0.02 --disagree 0.08",
        "heldout plan power roc_auc --rows 1000 --gain 0.02 --pilot a.csv --pilot b.csv",
    ),
)
def plan() -> None:
    """How many rows a confidence interval, a bound, a difference or a power needs.

    heldout plan METRIC VALUE --lower-bound B is short for heldout plan bound METRIC VALUE --lower-bound B.
    """


def between(_ctx: click.Context, _option: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """Two numbers with a comma."""
    if value is None:
        return None
    try:
        low, high = map(float, value.split(","))
    except ValueError:
        fix = "give two numbers such as 0.8,0.9"
        raise UsageError(f"--range is {value!r}, which is not a range", fix=fix) from None
    return low, high


POWER = option("--power", type=float, metavar="P", default=0.8, show_default=True, help="Power.")
PREVALENCE = option("--prevalence", type=float, metavar="P", help="Share of positive rows.")
NEEDED = "Needed for all metrics but shares of rows (accuracy, recall), roc_auc, and means with --sd."
PILOT = option(
    "--pilot", metavar="FILE", multiple=True, heading=INPUT,
    help="A file of predictions on some rows, such as an earlier test, as heldout evaluate reads it. VALUE, the "
         f"variance and the prevalence are found from it and are left out. {NEEDED}",
)  # fmt: skip
PILOTS = option(
    "--pilot", metavar="FILE", multiple=True, heading=INPUT,
    help="Two files, --pilot A --pilot B: the predictions of each model on the same rows, such as an earlier test, as "
         "heldout compare reads them. The variance of the difference is found from them; VALUE, --disagree, "
         f"--correlation and the prevalence are left out. {NEEDED}",
)  # fmt: skip
SPREAD = (
    column("--truth", help="True label or number, in the pilot."),
    column("--pred", help="Predicted label or number, in the pilot."),
    column("--score", help="Score, in the pilot."),
    column("--group", help="Cluster, in the pilot."),
    option("--positive", metavar="LABEL", heading=COLUMNS, help="The positive class in the pilot."),
    option("--threshold", metavar="T", callback=threshold, heading=COLUMNS,
           help="Scores of the pilot of T and more are predicted positive."),
    option("--sd", type=float, metavar="S", help="Standard deviation of the loss of a row, for means."),
    PREVALENCE,
    option("--method", type=choice("binormal", "hanley_mcneil"), default="binormal", show_default=True, heading=HOW,
           help="For roc_auc: how its variance is predicted."),
    LEVEL,
    ALPHA,
    *RESULT,
)  # fmt: skip
TWO_MODELS = (
    option("--disagree", type=float, metavar="D", help="Share of rows on which only one model is right."),
    option("--correlation", type=float, metavar="R", help="Correlation between the models' losses (means) or scores."),
)


@plan.command(
    "interval",
    cls=Command,
    short_help="Rows for a confidence interval of a given half-width.",
    examples=("heldout plan interval accuracy 0.85 --half-width 0.02",),
)
@click.argument("metric")
@click.argument("value", type=float, required=False)
@options(
    option("--half-width", type=float, metavar="W", required=True, help="Half the width of the interval."),
    option("--range", metavar="A,B", callback=between, help="Range of values for the worst case."),
    PILOT,
    SPREAD,
)
def interval(**values: Any) -> None:
    """How many rows give a confidence interval of METRIC, expected to be VALUE, of this half-width."""
    answer("interval", values)


@plan.command(
    "bound",
    cls=Command,
    short_help="Rows for a confidence limit beyond a bound.",
    examples=("heldout plan bound sensitivity 0.9 --lower-bound 0.8 --prevalence 0.15",),
)
@click.argument("metric")
@click.argument("value", type=float)
@options(
    option("--lower-bound", type=float, metavar="B", help="The lower limit must lie above it."),
    option("--upper-bound", type=float, metavar="B", help="The upper limit must lie below it."),
    POWER,
    PREVALENCE,
    LEVEL,
    ALPHA,
    RESULT,
)
def bound(**values: Any) -> None:
    """How many rows put the limit of METRIC, a share expected to be VALUE, beyond a bound."""
    answer("bound", values)


@plan.command(
    "difference",
    cls=Command,
    short_help="Rows to detect a difference.",
    examples=("heldout plan difference accuracy 0.85 --gain 0.02 --disagree 0.08",),
)
@click.argument("metric")
@click.argument("value", type=float, required=False)
@options(
    option("--gain", type=float, metavar="G", required=True, help="Difference to detect."),
    POWER,
    TWO_MODELS,
    PILOTS,
    SPREAD,
)
def difference(**values: Any) -> None:
    """How many rows show that a model is better by the gain than one whose METRIC is VALUE."""
    answer("difference", values)


@plan.command(
    "power",
    cls=Command,
    short_help="Power to detect a difference.",
    examples=("heldout plan power accuracy 0.85 --gain 0.02 --disagree 0.08 --rows 1000",),
)
@click.argument("metric")
@click.argument("value", type=float, required=False)
@options(
    option("--rows", type=int, metavar="N", required=True, heading=INPUT, help="Number of rows."),
    option("--gain", type=float, metavar="G", help="Difference to detect."),
    TWO_MODELS,
    PILOTS,
    SPREAD,
)
def power(**values: Any) -> None:
    """The power to show that a model is better by the gain than one whose METRIC is VALUE."""
    answer("power", values)


@plan.command(
    "looks",
    cls=Command,
    short_help="Boundaries of a group-sequential test.",
    examples=("heldout plan looks 5 --rows 1556", "heldout plan looks 0.25,0.5,1 --spending pocock"),
)
@click.argument("looks", callback=planned_looks, metavar="K")
@options(
    option("--spending", type=choice("obrien-fleming", "pocock"), default="obrien-fleming", show_default=True,
           heading=HOW, help="Alpha-spending function."),
    option("--rows", type=int, metavar="N", heading=INPUT, help="Rows that a single look would need."),
    POWER,
    LEVEL,
    ALPHA,
    RESULT,
)  # fmt: skip
def looks(**values: Any) -> None:
    """Boundaries for K looks after equal numbers of rows, or at given shares of all rows, and the rows they cost."""
    from heldout import plan as planned

    given = typed(values)
    place = Place(values)
    kept = {name: value for name, value in given.items() if name in values and name != "looks"}
    place.deliver(planned.looks(values["looks"], **python_names(kept)))


def answer(question: str, values: dict[str, Any]) -> None:
    """Ask `heldout.plan` and print what it says."""
    from heldout import plan as planned

    pilot = values.pop("pilot", ())
    given = typed(values)
    place = Place(values)
    given = {name: value for name, value in given.items() if name in values and name not in ("metric", "value")}
    wanted = 1 if question == "interval" else 2
    if pilot and len(pilot) != wanted:
        fix = "give --pilot FILE once" if wanted == 1 else "give --pilot FILE twice, the models in either order"
        raise UsageError(f"pilot files for plan {question}: {len(pilot)}, but it takes {wanted}", fix=fix)
    if pilot:
        given["pilot"] = pilot[0] if wanted == 1 else named(pilot)
    place.deliver(getattr(planned, question)(values["metric"], values["value"], **python_names(given)))
