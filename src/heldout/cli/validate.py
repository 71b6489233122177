"""heldout validate: the error of a learner on unseen rows, and which learner is better."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.learner_options import DATA, EFFORT
from heldout.cli.option_names import python_names
from heldout.cli.options import (
    CLIP,
    DEFINE,
    HOW,
    OUTPUT,
    PRIMARY,
    RESULT,
    column,
    command,
    costs,
    defined,
    file,
    only,
    option,
    options,
    typed,
)
from heldout.cli.output import Place, progress
from heldout.cli.standard_streams import output_to_error
from heldout.errors import UsageError
from heldout.file_writing import write_file

SHARED = (
    *("metric", "group", "stratify", "weight", "drop", "task", "positive", "cost"),
    *("level", "alpha", "seed", "n_jobs", "engine", "engine_address"),
)
"""Options that mean something for a learning curve and for the choice of folds too."""


@command(
    "validate",
    short_help="Cross-validate learners: error on unseen rows, and tests.",
    examples=(
        "heldout validate sklearn.linear_model:Ridge --data train.csv --target y",
        "heldout validate sklearn.svm:SVC sklearn.svm:NuSVC --data train.csv --target y",
        "heldout validate sklearn.naive_bayes:GaussianNB --data d.csv --target y --cv 5",
    ),
)
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@options(
    DATA,
    CLIP,
    DEFINE,
    PRIMARY,
    option("--margin", type=float, metavar="D", help="Equivalence margin: differences within ±D are EQUIVALENT."),
    option("--rope", type=float, metavar="R", help="Also the probability that the difference is within ±R."),
    option("--choose-threshold", metavar="FP:FN", callback=costs,
           help="Choose the threshold with the lowest cost, cross-validated."),
    option("--learning-curve", is_flag=True, help="Instead: learning curve, the error by number of training rows."),
    option("--choose-folds", is_flag=True, help="Instead: bias and standard deviation by number of folds."),
    option("--cv", metavar="NAME", heading=HOW,
           help="Splits: 10, 10x10, 5x2, loo, lpo (leave pair out), lpo:2 (leave 2 out), holdout, boot, .632+, "
           "group, time, nested.  "
           "[default: 25 random splits; 30 for several models]"),
    column("--fold", help="Fold of each row, as heldout split writes it; instead of --cv."),
    option("--holdout", type=float, metavar="SHARE",
           help="Also evaluate one holdout of this share, beside training rows and splits."),
    option("--no-stratify", is_flag=True, heading=HOW, help="Do not stratify the splits by class."),
    option("--min-fold", type=click.IntRange(1), metavar="N", default=30, show_default=True, heading=HOW,
           help="Add a note if a test part has fewer rows."),
    option("--method", metavar="NAME", heading=HOW,
           help="Interval method.  [default: the one that suits the splits]"),
    option("--test", metavar="NAME", heading=HOW, help="Test of learners.  [default: the one that suits the splits]"),
    EFFORT,
    file("--keep-predictions", heading=OUTPUT, help="Write the out-of-fold predictions as Parquet."),
    file("--model", heading=OUTPUT, help="Write the model to use, fitted to all rows, for joblib.load."),
    file("--timings", heading=OUTPUT, help="Write the seconds of every fit as CSV."),
    RESULT,
)  # fmt: skip
def validate(**values: Any) -> None:
    """Cross-validate learners and test which is better: MODEL is an import path such as sklearn.svm:SVC(C=10).

    A fresh copy is fitted in every split, pipelines included. Several models are fitted on the same splits and compared
    with the first. With --run DIR finished fits are kept, and the same command resumes where it stopped.
    """
    import heldout

    data, target, models = values["data"], values["target"], list(values["models"])
    keep, timings, model = values["keep_predictions"], values["timings"], values["model"]
    curve, folds = values["learning_curve"], values["choose_folds"]
    given = typed(values)
    place = Place(values)
    if model is not None and len(models) > 1:
        fix = "validate the one that you choose alone"
        raise UsageError(f"--model writes one model, and {len(models)} were given", fix=fix)
    files = {"keep_predictions": keep, "timings": timings, "model": model}
    names = set(values) - {"models", "data", "target", "learning_curve", "choose_folds", *files}
    given = {name: value for name, value in given.items() if name in names}
    checks: dict[str, Any] = {"checks": False} if given.pop("no_checks", False) else {}
    given = defined(given)
    if curve and folds:
        raise UsageError("--learning-curve and --choose-folds exclude each other", fix="give one of them")
    if curve or folds:
        mode = "--learning-curve" if curve else "--choose-folds"
        written = {name: True for name, path in files.items() if path}
        only({**given, **checks, **written}, SHARED, mode, "it makes its own splits")
        with progress(quiet=place.quiet, run=place.run) as told:
            call = heldout.learning_curve if curve else heldout.choose_folds
            result = call(models, data, target, run=place.run, progress=told, **python_names(given))
        place.deliver(result)
        return
    if given.pop("no_stratify", False):
        given["stratified"] = False
    with progress(quiet=place.quiet, run=place.run) as told:
        found = heldout.validate(models, data, target, run=place.run, progress=told, **checks, **python_names(given))
    if keep is not None:
        found.save_predictions(keep)
    if timings is not None:
        from heldout.report.render.data_formats import records_csv

        seconds = found.timings("pyarrow").to_pylist()
        write_file(timings, records_csv(seconds, escape_formulas=place.escape_formulas))
    if model is not None:
        with output_to_error():
            found = found.save_model(model)
    place.deliver(found)
