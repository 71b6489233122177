"""heldout select: which configuration to use, and what its error really is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heldout.cli.learner_options import DATA, EFFORT
from heldout.cli.option_names import python_names
from heldout.cli.options import (
    CLIP,
    DEFINE,
    HOW,
    OUTPUT,
    RESULT,
    choice,
    command,
    defined,
    file,
    option,
    options,
    typed,
)
from heldout.cli.output import Place, progress
from heldout.cli.standard_streams import output_to_error


@command(
    "select",
    short_help="Select a configuration, with a score corrected for selection.",
    examples=(
        "heldout select models.toml --data train.csv --target y",
        "heldout select models.toml --data d.csv --target y --search guided",
        "heldout select models.py --data d.csv --target y --model best.joblib",
    ),
)
@click.argument("candidates")
@options(
    DATA,
    CLIP,
    DEFINE,
    option("--search", type=choice("grid", "random", "guided"), default="grid", show_default=True,
           help="Which configurations are tried."),
    option("--n-trials", type=int, metavar="N", default=50, show_default=True,
           help="Configurations of a random or guided search."),
    option("--sampler", metavar="NAME",
           help="For --search guided: tpe, nsgaii, cmaes, annealing, random.  [default: tpe]"),
    option("--protocol", type=choice("nested", "bbc", "single"), default="nested", show_default=True, heading=HOW,
           help="How the search is evaluated."),
    option("--cv", metavar="NAME", heading=HOW, help="Outer splits, for evaluation.  [default: 5]"),
    option("--inner-cv", metavar="NAME", heading=HOW, help="Inner splits, for selection.  [default: 5; 1 for single]"),
    option("--test-size", type=float, metavar="S", heading=HOW,
           help="For --protocol single: share of test rows.  [default: 1/3]"),
    option("--validation-size", type=float, metavar="S", heading=HOW,
           help="For --protocol single: share of the rest.  [default: 1/3]"),
    EFFORT,
    file("--model", heading=OUTPUT, help="Write the final model, fitted to all rows, for joblib.load."),
    RESULT,
)  # fmt: skip
def select(**values: Any) -> None:
    """Select a configuration of CANDIDATES (candidates.toml or candidates.py), with a score corrected for selection.

    The winner's own score is optimistic, because it was chosen for being high. The corrected score comes from rows that
    had no part in the choice. The model to use is fitted to all rows. With --run DIR finished fits are kept, and the
    same command resumes where it stopped.
    """
    import heldout

    candidates, data, target, model = (values[name] for name in ("candidates", "data", "target", "model"))
    given = typed(values)
    place = Place(values)
    names = set(values) - {"candidates", "data", "target", "model"}
    given = {name: value for name, value in given.items() if name in names}
    if "define" in given:  # the first metric decides: one of the file, unless --metric names others
        given = {**defined(given), "metric": given.get("metric") or defined(given)["metric"][1:]}
    checks: dict[str, Any] = {"checks": False} if given.pop("no_checks", False) else {}
    with progress(quiet=place.quiet, run=place.run) as told:
        found = heldout.select(candidates, data, target, run=place.run, progress=told, **checks, **python_names(given))
    if model is not None:
        from heldout.learners.fitted_model_file import write_model

        with output_to_error():
            write_model(found.fitted(), Path(model))
    place.deliver(found)
