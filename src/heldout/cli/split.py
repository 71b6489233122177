"""heldout split: rows into training, validation and test files, or a column of folds."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.option_names import python_names
from heldout.cli.options import (
    COLUMNS,
    OUTPUT,
    RESULT,
    SEED,
    all_given,
    column,
    command,
    option,
    options,
    typed,
)
from heldout.cli.output import Place
from heldout.cli.output_paths import check_not_outputs
from heldout.errors import UsageError


def part_sizes(_ctx: click.Context, _option: click.Parameter, value: str | None) -> dict[str, float] | None:
    """Names and relative sizes, as in train=6,validation=2,test=2."""
    if value is None:
        return None
    found: dict[str, float] = {}
    for part in value.split(","):
        name, _, size = (text.strip() for text in part.partition("="))
        try:
            number = float(size)
        except ValueError:
            fix = "write names and relative sizes, such as train=6,validation=2,test=2"
            raise UsageError(f"--parts has {part.strip()!r}, which is not NAME=SIZE", fix=fix) from None
        if name in found:
            raise UsageError(f"--parts names {name} twice", fix="give every part a name of its own")
        found[name] = number
    return found


@command(
    "split",
    short_help="Split rows into training, validation and test files, or folds.",
    examples=(
        "heldout split rows.csv --stratify y",
        "heldout split rows.csv --parts train=6,validation=2,test=2 --group patient",
        "heldout split rows.csv --folds 10 --stratify y --seed 7",
    ),
)
@click.argument("file")
@options(
    option("--parts", metavar="NAME=SIZE,...", callback=part_sizes,
           help="Parts and their relative sizes.  [default: train=2,test=1]"),
    option("--folds", type=int, metavar="K", help="Instead of parts: K folds of equal size, written as a column."),
    option("--stratify", metavar="COLUMN", multiple=True, callback=all_given, heading=COLUMNS,
           help="Stratify by this column, e.g. the target; repeatable."),
    column("--group", help="Cluster: rows of one group are all in one part."),
    column("--time", help="Earlier rows are in earlier parts."),
    option("--into", metavar="DIR", heading=OUTPUT, help="Folder of the files.  [default: that of FILE]"),
    option("--column", metavar="NAME", heading=OUTPUT,
           help="Write one file with the part of each row in this column.  [default of folds: fold]"),
    SEED,
    RESULT,
)  # fmt: skip
def split(**values: Any) -> None:
    """Split the rows of FILE into parts and write a file for each, such as rows-train.csv and rows-test.csv.

    FILE is CSV, TSV, JSON lines, Parquet or Arrow (- is standard input), and the parts have its format. A file that
    exists is never written over. The same seed gives the same parts.
    """
    import heldout

    if values["digits"] is not None:
        raise UsageError("--digits has no effect on a split: it has counts and shares", fix="leave out --digits")
    file, into, name = values.pop("file"), values.pop("into"), values.pop("column")
    given = typed(values)
    place = Place(values)
    given = {key: value for key, value in given.items() if key in values}
    result = heldout.split(file, **python_names(given))
    place.can_draw(result)  # before a file is written
    folder = "." if into is None and file == "-" else into
    check_not_outputs(click.get_current_context(), "a part", result.paths(folder, column=name))
    place.deliver(result.write(folder, column=name))
