"""heldout plan: how many rows an interval, a difference or a power needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from heldout.cli.compare import named, python_names
from heldout.cli.output import deliver
from heldout.cli.reading import column, not_an_input, threshold
from heldout.errors import UsageError

Command = Callable[..., None]


class Questions(click.Group):
    """The questions; a metric where one is expected asks for the rows with which it clears a bound."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        told = any(one.split("=")[0] in ("--lower-bound", "--upper-bound") for one in args)
        return super().resolve_command(ctx, ["bound", *args] if told and args[0] not in self.commands else args)


@click.group("plan", cls=Questions, short_help="How many rows an interval, a difference or a power needs.")
def command() -> None:
    """How many rows an interval, a bound, a difference or a power needs.

    heldout plan METRIC VALUE --lower-bound B is short for heldout plan bound METRIC VALUE --lower-bound B.
    """


def between(_ctx: click.Context, _option: click.Parameter, given: str | None) -> tuple[float, float] | None:
    """Two numbers with a comma."""
    if given is None:
        return None
    try:
        low, high = map(float, given.split(","))
    except ValueError:
        fix = "give two numbers such as 0.8,0.9"
        raise UsageError(f"--range is {given!r}, which is not a range", fix=fix) from None
    return low, high


def question(verb: Command) -> Command:
    """What questions about a spread take: the metric and what is known of it."""
    for option in reversed(
        (
            click.argument("metric"),
            click.argument("value", type=float, required=False),
            click.option("--level", type=float, metavar="L", help="Of the interval or test; 0.95 unless given."),
            click.option("--sd", type=float, metavar="S", help="How far one row's value spreads, for means."),
            click.option("--prevalence", type=float, metavar="P", help="The share of positive rows."),
            click.option("--method", metavar="NAME", help="For roc_auc: binormal, or hanley_mcneil."),
            click.option("--pilot", metavar="FILE", multiple=True, help="Predictions to learn the spread from."),
            column("--truth", help="What was right, in the pilot."),
            column("--pred", help="What the model said, in the pilot."),
            column("--score", help="By which the model orders rows, in the pilot."),
            column("--group", help="Rows of the pilot that belong together."),
            click.option("--positive", metavar="LABEL", help="The positive class in the pilot."),
            click.option(
                "--threshold", metavar="T", callback=threshold, help="Scores of the pilot from here on are positive."
            ),
        )
    ):
        verb = option(verb)
    return verb


def answered(verb: Command) -> Command:
    """Where the answer goes."""
    form = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="text or json.")
    return form(click.option("--output", metavar="FILE", help="Write into a file instead of to the screen.")(verb))


def two_models(verb: Command) -> Command:
    """What questions about two models take besides."""
    likeness = click.option("--correlation", type=float, metavar="R", help="Of the models' rows (means) or scores.")
    share = click.option("--disagree", type=float, metavar="D", help="Share of rows on which one model only is right.")
    return share(likeness(verb))


@command.command("interval", short_help="Rows for an interval of a given half-width.")
@click.option("--half-width", type=float, metavar="W", required=True, help="How far the interval may reach.")
@click.option("--range", metavar="A,B", callback=between, help="Where to look for the worst case.")
@question
@answered
def interval(**options: Any) -> None:
    """How many rows give an interval of METRIC, expected to be VALUE, of this half-width."""
    answer("interval", options)


@command.command("bound", short_help="Rows for an interval to clear a bound.")
@click.argument("metric")
@click.argument("value", type=float)
@click.option("--lower-bound", type=float, metavar="B", help="The lower limit must lie above it.")
@click.option("--upper-bound", type=float, metavar="B", help="The upper limit must lie below it.")
@click.option("--power", type=float, metavar="P", help="The chance that it does; 0.8 unless given.")
@click.option("--level", type=float, metavar="L", help="Of the interval; 0.95 unless given.")
@click.option("--prevalence", type=float, metavar="P", help="The share of positive rows.")
@answered
def bound(**options: Any) -> None:
    """How many rows put the limit of METRIC, a share expected to be VALUE, beyond a bound."""
    answer("bound", options | {"pilot": ()})


@command.command("difference", short_help="Rows for a difference to be found.")
@click.option("--gain", type=float, metavar="G", required=True, help="By how much the better model is better.")
@click.option("--power", type=float, metavar="P", help="The chance to find it; 0.8 unless given.")
@two_models
@question
@answered
def difference(**options: Any) -> None:
    """How many rows show that a model is better by the gain than one whose METRIC is VALUE."""
    answer("difference", options)


@command.command("power", short_help="The chance that a difference is found.")
@click.option("--rows", type=int, metavar="N", required=True, help="How many rows there are.")
@click.option("--gain", type=float, metavar="G", help="By how much the better model is better.")
@two_models
@question
@answered
def power(**options: Any) -> None:
    """The chance to show that a model is better by the gain than one whose METRIC is VALUE."""
    answer("power", options)


def answer(asked: str, options: dict[str, Any]) -> None:
    """Ask `heldout.plan` and print what it says."""
    from heldout import plan

    form, output, pilot = options.pop("form"), options.pop("output"), options.pop("pilot")
    metric, value = options.pop("metric"), options.pop("value")
    given = python_names(options)
    not_an_input(output, *pilot)
    wanted = 1 if asked == "interval" else 2
    if pilot and len(pilot) != wanted:
        fix = "give --pilot FILE once" if wanted == 1 else "give --pilot FILE twice, the models in either order"
        raise UsageError(f"pilot files for plan {asked}: {len(pilot)}, but it takes {wanted}", fix=fix)
    if pilot:
        given["pilot"] = pilot[0] if wanted == 1 else named(pilot)
    result = getattr(plan, asked)(metric, value, **given).to_dict()
    deliver(result, form, output, quiet=False)
