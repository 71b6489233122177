"""The options that validate and select share: rows to learn from, their columns, effort."""

from __future__ import annotations

from heldout.cli.options import (
    ALPHA,
    COLUMNS,
    ENGINES,
    HOW,
    INPUT,
    JOBS,
    LEVEL,
    METRIC,
    SEED,
    TASKS,
    all_given,
    choice,
    column,
    file,
    option,
)

DATA = (
    file("--data", required=True, heading=INPUT, help="The rows: CSV, TSV, JSON lines, Parquet or Arrow."),
    option("--no-checks", is_flag=True, heading=INPUT, help="Do not look for leakage and distribution shift."),
    column("--target", required=True, help="The column to learn; all others are features."),
    column("--group", help="Cluster: rows of one group are never on both sides of a split."),
    column("--time", help="Order of the rows; later rows are tested."),
    option("--stratify", metavar="COLUMN", multiple=True, callback=all_given, heading=COLUMNS,
           help="Stratify the splits by this column; repeatable."),
    column("--weight", help="Row weight in the evaluation."),
    option("--drop", metavar="COLUMN", multiple=True, callback=all_given, heading=COLUMNS,
           help="A column that is not a feature; repeatable."),
    METRIC,
    option("--task", type=choice(*TASKS), help="The task.  [default: guessed from the target]"),
    option("--positive", metavar="LABEL", help="The positive class."),
    file("--cost", help="Cost of each truth and prediction: a labelled square CSV."),
)  # fmt: skip
EFFORT = (
    LEVEL,
    ALPHA,
    SEED,
    JOBS,
    option("--engine", type=choice(*ENGINES), heading=HOW, help="Engine that runs the fits.  [default: local]"),
    option("--engine-address", metavar="ADDRESS", heading=HOW, help="Where the engine runs: a scheduler's address."),
)
