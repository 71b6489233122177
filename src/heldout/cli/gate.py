"""heldout gate: whether a candidate may replace the baseline, as an exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heldout.cli.compare import amount, python_names
from heldout.cli.output import deliver, write_whole
from heldout.cli.progress import bar
from heldout.cli.reading import file, not_an_input, reading
from heldout.errors import UsageError

FAILED, INCONCLUSIVE = 1, 3


@click.command("gate", short_help="Whether a candidate may replace the baseline, as an exit code.")
@click.argument("baseline")
@click.argument("candidate")
@click.option("--primary", metavar="METRIC", required=True, help="The metric that decides.")
@click.option("--margin", metavar="[METRIC=]D", required=True, help="How much worse is still acceptable.")
@click.option("--alpha", type=float, metavar="A", help="Chance to pass a candidate that is worse; 0.05 unless given.")
@file("--anchor", help="The released model: the candidate must not be worse than this one either.")
@click.option(
    "--noise-floor", nargs=2, metavar="FILE FILE", help="Two runs of one model; no margin below their distance."
)
@click.option("--allow-inconclusive", is_flag=True, help="Exit code 0 also where nothing is shown.")
@file("--junit", help="Also write a JUnit file.")
@click.option("--github", is_flag=True, help="Also write annotations for GitHub to standard error.")
@reading
@click.option(
    "--on-missing", type=click.Choice(["error", "intersect"]), help="Ids without a partner; error unless given."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(
    *,
    form: str,
    output: str | None,
    quiet: bool,
    junit: str | None,
    github: bool,
    allow_inconclusive: bool,
    **options: Any,
) -> None:
    """Whether the model in CANDIDATE may replace the one in BASELINE.

    Exit code 0: it is shown not to be worse by more than the margin. 1: it is shown to be worse. 3: neither is shown.
    """
    import heldout

    given = python_names(options)
    given["margin"] = margin(given["margin"], given["primary"])
    files = [given["baseline"], given["candidate"], given.get("anchor"), *given.get("noise_floor", ())]
    not_an_input(output, *files)
    not_an_input(junit, *files, option="--junit")
    with bar("parts", quiet=quiet) as told:
        if told is not None:
            given["progress"] = told
        result = heldout.gate(given.pop("baseline"), given.pop("candidate"), **given).to_dict()
    if junit is not None or github:
        from heldout.report.kinds import gate

        if junit is not None:
            write_whole(Path(junit), gate.junit(result, allowed=allow_inconclusive))
        if github:
            click.echo(gate.github(result, allowed=allow_inconclusive), nl=False, err=True)
    deliver(result, form, output, quiet=quiet)
    click.get_current_context().exit(exit_code(result["verdict"], allowed=allow_inconclusive))


def margin(given: str, primary: str) -> float:
    """A number, or METRIC=NUMBER where the metric is the one that decides."""
    name, _, text = given.rpartition("=")
    if name.strip() not in ("", primary):
        fix = f"give --margin for {primary}, or make {name.strip()} the --primary metric"
        raise UsageError(f"--margin is for {name.strip()}, but {primary} decides", fix=fix)
    return amount(text, given)


def exit_code(verdict: str, *, allowed: bool) -> int:
    """The decision as a build reads it."""
    return {"PASS": 0, "FAIL": FAILED, "INCONCLUSIVE": 0 if allowed else INCONCLUSIVE}[verdict]
