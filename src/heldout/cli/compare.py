"""heldout compare: differences between models, with tests and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.model_files import named
from heldout.cli.option_names import python_names
from heldout.cli.options import (
    ALPHA,
    BASELINE,
    DEFINE,
    HOW,
    INPUT,
    LEVEL,
    LOOKS,
    MARGIN,
    METRIC,
    PRIMARY,
    READING,
    RESULT,
    SEED,
    all_given,
    choice,
    column,
    command,
    defined,
    flag,
    only,
    option,
    options,
    resamples,
    typed,
)
from heldout.cli.output import Place, bar
from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.verbs.result import Result

TESTS = (
    "mcnemar",
    "exact",
    "asymptotic",
    "corrected",
    "delong",
    "kosinski",
    "permutation",
    "bootstrap",
    "t",
    "z",
    "diebold_mariano",
)
FOLD_TESTS = ("corrected_t", "kfold_t", "5x2cv_t", "5x2cv_f")
FOLDS = ("n_train", "n_test")
SETS = ("post_hoc",)
SCORES = (*FOLDS, *SETS, "rope", "lower_is_better")
"""Options that mean something for tables of scores only."""
OF_FOLDS = ("test", "metric", "margin", "level", "alpha", "baseline", "rope", "lower_is_better", *FOLDS)
OF_SETS = ("baseline", "id", "level", "alpha", "seed", "n_resamples", "rope", "lower_is_better", *SETS)


def model_columns(_ctx: click.Context, _option: click.Parameter, values: Sequence[str]) -> dict[str, str] | None:
    """Models by the names of their columns, each as NAME=COLUMN or COLUMN."""
    found: dict[str, str] = {}
    for part in values:
        name, _, column = part.partition("=")
        if not name.strip() or ("=" in part and not column.strip()):
            raise UsageError(f"--model {part} names no column", fix="give each model as NAME=COLUMN")
        if name.strip() in found:
            raise UsageError(f"--model names {name.strip()} twice", fix="give every model a name of its own")
        found[name.strip()] = column.strip() or name.strip()
    return found or None


@command(
    "compare",
    short_help="Compare models: differences, significance tests, verdicts.",
    examples=(
        "heldout compare old.csv new.csv --primary roc_auc --group patient_id",
        "heldout compare preds.parquet --model old=score_old --model new=score_new",
        "heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200",
    ),
)
@click.argument("files", nargs=-1)
@options(
    READING,
    option("--model", metavar="NAME=COLUMN", multiple=True, callback=model_columns, heading=INPUT,
           help="FILES are one table, and this column of it is a model; repeatable."),
    column("--model-column", help="FILES are one table, and this column names the model of each row."),
    option("--unpaired", is_flag=True, heading=INPUT, help="The files are independent samples; rows are not matched."),
    option("--on-missing", type=choice("error", "intersect"), default="error", show_default=True, heading=INPUT,
           help="What to do with ids that not every model has."),
    option("--fold-scores", is_flag=True, heading=INPUT, help="FILES contain scores of cross-validation folds."),
    option("--n-train", type=float, metavar="N", heading=INPUT, help="With --fold-scores: training rows of a fold."),
    option("--n-test", type=float, metavar="N", heading=INPUT, help="With --fold-scores: test rows of a fold."),
    option("--across-sets", is_flag=True, heading=INPUT,
           help="FILE is a table of scores: a row per data set, a column per learner."),
    option("--lower-is-better", is_flag=True, heading=INPUT,
           help="With --fold-scores or --across-sets: lower scores are better."),
    column("--segment", "--by", "segment", multiple=True, callback=all_given,
           help="Subgroups: also compare within each value of this column; repeatable."),
    METRIC,
    DEFINE,
    PRIMARY,
    BASELINE,
    MARGIN,
    option("--rope", type=float, metavar="R",
           help="With --fold-scores or --across-sets: probability that the difference is within ±R."),
    option("--test", metavar="NAME", heading=HOW,
           help=f"Test: {', '.join(TESTS)}; of fold scores {', '.join(FOLD_TESTS)}.  [default: the one that suits]"),
    option("--post-hoc", type=choice("holm", "nemenyi", "control"), default="holm", show_default=True, heading=HOW,
           help="With --across-sets: post-hoc test of pairs of learners."),
    LOOKS,
    LEVEL,
    ALPHA,
    resamples(),
    SEED,
    RESULT,
)  # fmt: skip
def compare(**values: Any) -> None:
    """Compare the models in FILES with the first one on the same rows: differences, confidence intervals, tests.

    Rows are matched by id, by position where no model has ids. A model may also be a folder or a pattern, and
    with --model a column of one table.
    """
    files: tuple[str, ...] = values.pop("files")
    given = typed(values)
    place = Place(values)
    given = {name: value for name, value in given.items() if name in values}
    modes = [name for name in ("fold_scores", "across_sets") if given.pop(name, False)]
    if len(modes) == 2:
        raise UsageError("--fold-scores and --across-sets exclude each other", fix="leave out one of them")
    if modes:
        place.deliver((_fold_scores if modes == ["fold_scores"] else _across_sets)(files, given))
        return
    for name in SCORES:
        if name in given:
            modes = ["--fold-scores"] * (name not in SETS) + ["--across-sets"] * (name not in FOLDS)
            fix = f"add {' or '.join(modes)} if the files hold scores"
            raise UsageError(f"{flag(name)} has no effect on predictions", fix=fix)
    with bar("chunks", quiet=place.quiet) as told:
        place.deliver(_predictions(files, given, {} if told is None else {"progress": told}))


def _predictions(files: Sequence[str], given: dict[str, Any], progress: dict[str, Any]) -> Result:
    """Models by their predictions, each in a file, or all in one table."""
    import heldout

    given = defined(given)
    columns = given.pop("model", None)
    unpaired = {"paired": False} if given.pop("unpaired", False) else {}
    options = {**python_names(given), **unpaired, **progress}
    if columns is not None and "model_column" in given:
        raise UsageError("--model and --model-column exclude each other", fix="leave out one of them")
    if columns is not None and len(columns) == 1 and len(files) > 1:
        fix = "leave out --model to compare the files, or name a second column of their table: --model NAME=COLUMN"
        raise UsageError(f"--model names 1 model, and makes the {len(files)} files one table", fix=fix)
    if columns is None and "model_column" not in given:
        return heldout.compare(named(files), **options)
    if not files:
        raise UsageError("no file was given", fix="for example heldout compare preds.parquet --model old --model new")
    return heldout.compare(files[0] if len(files) == 1 else list(files), columns, **options)


def _fold_scores(files: Sequence[str], given: dict[str, Any]) -> Result:
    """Two learners by their scores on the same folds, in two files or in one."""
    import heldout

    if len(files) not in (1, 2):
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        fix = "for example heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200"
        raise UsageError(f"{count}, and --fold-scores takes two, or one with both learners", fix=fix)
    only(given, OF_FOLDS, "--fold-scores", "the files hold scores, not predictions")
    if isinstance(given.get("margin"), Mapping):
        raise UsageError("--margin names a metric, and fold scores are of one", fix="give the number alone")
    from heldout.verbs.settings import metric_names

    metrics: list[Any] = metric_names(given.pop("metric", None)) or [None]
    if len(metrics) > 1:
        raise UsageError("--metric names several, and one column of scores is compared", fix="name one")
    better: dict[str, Any] = {"better": "lower"} if given.pop("lower_is_better", False) else {}
    models = named(files) if len(files) == 2 else files[0]
    return heldout.compare_fold_scores(models, metric=metrics[0], **better, **python_names(given))


def _across_sets(files: Sequence[str], given: dict[str, Any]) -> Result:
    """Learners over data sets, in one table of scores."""
    import heldout

    if len(files) != 1:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        fix = "for example heldout compare scores.csv --across-sets"
        raise UsageError(f"{count}, and --across-sets takes one table of scores", fix=fix)
    only(given, OF_SETS, "--across-sets", "the table holds scores, not predictions")
    better: dict[str, Any] = {"better": "lower"} if given.pop("lower_is_better", False) else {}
    return heldout.compare_across_sets(files[0], **better, **python_names(given, {"id": "dataset"}))
