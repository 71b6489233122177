"""heldout gate: whether a candidate may replace the reference model, as an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.gate_reports import begin
from heldout.cli.model_files import named
from heldout.cli.option_names import python_names
from heldout.cli.options import (
    ALPHA,
    DEFINE,
    HOW,
    INPUT,
    LEVEL,
    LOOKS,
    OUTPUT,
    READING,
    RESULT,
    SEED,
    choice,
    column,
    command,
    command_line,
    defined,
    file,
    margin_number,
    option,
    options,
    resamples,
    typed,
)
from heldout.cli.output import Place, bar
from heldout.cli.standard_streams import put_error
from heldout.errors import UsageError
from heldout.file_writing import write_file

if TYPE_CHECKING:
    from heldout.verbs.gate import Gate

FAILED, INCONCLUSIVE = 1, 3


@command(
    "gate",
    short_help="Check a candidate against the reference model (exit code).",
    examples=(
        "heldout gate released.csv candidate.csv --primary roc_auc --margin 0.01",
        "heldout gate old.csv new.csv --primary accuracy --margin 0.02 --group user",
        "heldout gate old.csv new.csv --primary f1 --margin 0.01 --junit gate.xml",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="BASELINE [CANDIDATE]")
@options(
    READING,
    column("--model-column", help="BASELINE is a table of both models, and this column names the model of each row."),
    option("--baseline", metavar="NAME", heading=INPUT,
           help="With --model-column: the reference model, which must then be named."),
    option("--on-missing", type=choice("error", "intersect"), default="error", show_default=True, heading=INPUT,
           help="What to do with ids that not every model has."),
    file("--anchor", heading=INPUT, help="The released model: the candidate must not be worse than this one either."),
    option("--noise-floor", nargs=2, metavar="FILE FILE", heading=INPUT,
           help="Two runs of the same model; a margin below their difference is an error."),
    option("--primary", metavar="METRIC", required=True, help="The metric that decides."),
    DEFINE,
    option("--margin", metavar="[METRIC=]D", multiple=True, required=True,
           help="Non-inferiority margin: how much worse is still acceptable."),
    option("--test", metavar="NAME", heading=HOW, help="Test by name.  [default: the one that suits the metric]"),
    LOOKS,
    option("--looks-budget", type=click.IntRange(1), metavar="N", heading=HOW,
           help="Number of looks allowed at one test set. A look is every recorded result on its rows, of evaluate "
                "and compare too, in --run (default: .heldout); a gate beyond the budget is an error."),
    LEVEL,
    ALPHA,
    resamples(),
    SEED,
    option("--allow-inconclusive", is_flag=True, heading=OUTPUT,
           help="Exit with code 0 also if the gate is inconclusive."),
    file("--junit", heading=OUTPUT, help="Also write a JUnit file."),
    option("--github", is_flag=True, heading=OUTPUT, help="Also write annotations for GitHub to standard error."),
    RESULT,
)  # fmt: skip
def gate(**values: Any) -> None:
    """Test whether the model in CANDIDATE may replace the one in BASELINE (one-sided non-inferiority test).

    Exit code 0: it is significantly not worse by more than the margin. 1: it is significantly worse. 3: neither.
    """
    from heldout.report.kinds import gate as drawing

    junit, github, allowed = values["junit"], values["github"], values["allow_inconclusive"]
    begin(junit)
    place = Place(values)
    result = _decided(values, place)
    if junit is not None or github:
        d = result.to_dict()
        if junit is not None:
            write_file(junit, drawing.junit(d, allowed=allowed))
        if github:
            put_error(drawing.github(d, allowed=allowed))
    place.deliver(result)
    click.get_current_context().exit(exit_code(result.verdict, allowed=allowed))


def _decided(values: dict[str, Any], place: Place) -> Gate:
    """The decision on the models of the files, counted as a look where looks have a budget."""
    import heldout

    two = _two_files(values.pop("files"), values)
    kept = {name: value for name, value in typed(values).items() if name in values}
    budget = kept.pop("looks_budget", None)
    for name in ("junit", "github", "allow_inconclusive"):
        kept.pop(name, None)
    if "define" in kept:
        made = defined(kept)["metric"]
        if kept.pop("define") and kept["primary"] not in made:
            fix = f"make {made[-1]} the --primary metric, or leave out --define"
            raise UsageError(
                f"--define has no effect: {kept['primary']} decides, and the file does not define it", fix=fix
            )
    kept["margin"] = margin(kept["margin"], kept["primary"])
    models = named(two) if len(two) == 2 else two[0]
    with bar("chunks", quiet=place.quiet) as told:
        progress: dict[str, Any] = {} if told is None else {"progress": told}
        result = heldout.gate(models, **python_names(kept), **progress)
    return result if budget is None else _within_budget(result, budget, place)


def _within_budget(result: Gate, budget: int, place: Place) -> Gate:
    """The decision, recorded as one more look at its rows before anybody sees it."""
    from heldout.verbs.gate import check_budget, within_budget

    check_budget(budget, place.run, growing=result.looks is not None)
    counted, kept = within_budget(result, budget, place.run, name=place.save or None, command=command_line())
    place.say(f"recorded as {kept.id} in {place.run or '.heldout'}, look {kept.look} of {budget} at these rows")
    place.save = place.run = None  # it is recorded once
    return counted


def _two_files(files: Sequence[str], values: dict[str, Any]) -> list[str]:
    """The files of the reference model and of the candidate; with --model-column the one that has both."""
    wanted = 1 if values["model_column"] is not None else 2
    if len(files) != wanted:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        if wanted == 1:
            raise UsageError(f"{count}, and --model-column takes one table", fix="name the table that has both models")
        fix = "for example heldout gate old.csv new.csv, or one table with --model-column NAME"
        raise UsageError(f"{count}, and a gate takes two: the baseline and the candidate", fix=fix)
    if wanted == 2 and values["baseline"] is not None:
        fix = "leave it out: the first file is the reference model"
        raise UsageError("--baseline names a model of --model-column, and two files were given", fix=fix)
    return list(files)


def margin(values: Sequence[str], primary: str) -> float:
    """A number, or METRIC=NUMBER where the metric is the one that decides."""
    from heldout.formulas import METRICS, name_among

    if len(values) > 1:
        fix = f"give --margin once, for {primary}"
        raise UsageError(f"--margin was given {len(values)} times, but one metric decides", fix=fix)
    (value,) = values
    name, _, text = value.rpartition("=")
    decides = name_among(primary, METRICS)
    if name.strip() and name_among(name.strip(), METRICS) != decides:
        fix = f"give --margin for {primary}, or make {name.strip()} the --primary metric"
        raise UsageError(f"--margin is for {name.strip()}, but {primary} decides", fix=fix)
    return margin_number(text, value)


def exit_code(verdict: str, *, allowed: bool) -> int:
    """The decision as a build reads it."""
    return {"PASS": 0, "FAIL": FAILED, "INCONCLUSIVE": 0 if allowed else INCONCLUSIVE}[verdict]
