"""heldout compare: whether one model is better than another, on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

import click

from heldout.cli import across_sets, fold_scores
from heldout.cli.output import FORMATS, deliver
from heldout.cli.progress import bar
from heldout.cli.reading import PYTHON_NAMES, column, file, not_an_input, reading, several
from heldout.cli.reporting import reporting, write_page
from heldout.cli.saving import save as recorded
from heldout.cli.saving import saving
from heldout.errors import UsageError

TESTS = ("mcnemar", "exact", "asymptotic", "corrected", "kosinski", "delong", "permutation", "bootstrap", "t", "z")


def margins(_ctx: click.Context, _option: click.Parameter, given: Sequence[str]) -> float | dict[str, float] | None:
    """One number for the metric that decides, or one per metric as METRIC=VALUE."""
    if not given:
        return None
    if len(given) == 1 and "=" not in given[0]:
        return amount(given[0], given[0])
    pairs = [part.rpartition("=") for part in given]
    for part, (name, _, _) in zip(given, pairs, strict=True):
        if not name.strip():
            raise UsageError(f"--margin {part} names no metric", fix="give each margin as METRIC=VALUE")
    return {name.strip(): amount(text, part) for part, (name, _, text) in zip(given, pairs, strict=True)}


def amount(text: str, given: str) -> float:
    """A margin: a number that is not negative."""
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not 0 <= found < float("inf"):
        fix = "give a number of zero or more, such as 0.01 or roc_auc=0.01"
        raise UsageError(f"--margin is {given!r}, which is not a margin", fix=fix)
    return found


def columns(_ctx: click.Context, _option: click.Parameter, given: Sequence[str]) -> dict[str, str] | None:
    """Models by the names of their columns, each as NAME=COLUMN or COLUMN."""
    found: dict[str, str] = {}
    for part in given:
        name, _, column = part.partition("=")
        if not name.strip() or ("=" in part and not column.strip()):
            raise UsageError(f"--model {part} names no column", fix="give each model as NAME=COLUMN")
        if name.strip() in found:
            raise UsageError(f"--model names {name.strip()} twice", fix="give every model a name of its own")
        found[name.strip()] = column.strip() or name.strip()
    return found or None


def any_given(_ctx: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...] | None:
    """What was given, or None."""
    return given or None


@click.command("compare", short_help="Whether one model is better than another, on the same rows.")
@click.argument("files", nargs=-1)
@click.option("--primary", metavar="METRIC", help="The metric that decides; it is tested alone.")
@click.option("--metric", metavar="A,B", multiple=True, callback=several, help="Only these metrics.")
@click.option("--baseline", metavar="NAME", help="The model others are judged against; the first unless given.")
@click.option(
    "--margin",
    metavar="[METRIC=]D",
    multiple=True,
    callback=margins,
    help="Differences within D either way are equivalent; repeatable.",
)
@click.option(
    "--model",
    "model",
    metavar="NAME=COLUMN",
    multiple=True,
    callback=columns,
    help="FILES are one table, and this column of it is a model; repeatable.",
)
@click.option("--unpaired", is_flag=True, help="Every file is a sample of its own; rows are not matched.")
@click.option("--test", metavar="NAME", help=f"Test by name, where it suits: {', '.join(TESTS)}.")
@reading
@column("--segment", multiple=True, callback=any_given, help="The difference by the values of a column; repeatable.")
@click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given.")
@click.option(
    "--on-missing", type=click.Choice(["error", "intersect"]), help="Ids without a partner; error unless given."
)
@across_sets.options
@fold_scores.options
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@reporting
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@saving
def command(
    *,
    files: tuple[str, ...],
    form: str,
    output: str | None,
    report: str | None,
    quiet: bool,
    save: str | None,
    run: str | None,
    **options: Any,
) -> None:
    """Whether the models whose predictions are in FILES are better than the first one, on the same rows.

    Rows are matched by id where there is one, by position otherwise. Every difference has an interval and a test. A
    model may also be a folder or a pattern, and with --model a column of one table.
    """
    import heldout

    if options.pop("fold_scores"):
        told = fold_scores.run(files, named, form, output, quiet=quiet, given=options)
        write_page(told, report, quiet=quiet)
        recorded(told, save, run, quiet=quiet)
        return
    if options.pop("across_sets"):
        ranked = across_sets.run(files, form, output, quiet=quiet, given=options)
        write_page(ranked, report, quiet=quiet)
        recorded(ranked, save, run, quiet=quiet)
        return
    not_an_input(output, *files)
    not_an_input(report, *files, option="--report")
    given = python_names(across_sets.without_table(fold_scores.without_folds(options)))
    if given.pop("unpaired"):
        given["paired"] = False
    of_one_table = given.pop("model", None)
    with bar("parts", quiet=quiet) as told:
        if told is not None:
            given["progress"] = told
        if of_one_table is None:
            found = heldout.compare(named(files), **given)
        else:
            found = heldout.compare(one_table(files), of_one_table, **given)
    deliver(found.to_dict(), form, output, quiet=quiet)
    write_page(found, report, quiet=quiet)
    recorded(found, save, run, quiet=quiet)


def python_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, under their names in Python."""
    return {PYTHON_NAMES.get(name, name): value for name, value in options.items() if value is not None}


def one_table(files: Sequence[str]) -> str | list[str]:
    """The files as one table."""
    if not files:
        raise UsageError("no file was given", fix="for example heldout compare preds.parquet --model old --model new")
    return files[0] if len(files) == 1 else list(files)


def named(files: Sequence[str]) -> dict[str, str]:
    """The files by the names of their models: without folder and ending, as far as that tells them apart.

    >>> named(["runs/a.csv", "b.csv"]), named(["old/model.csv", "new/model.csv"])
    ({'a': 'runs/a.csv', 'b': 'b.csv'}, {'old/model': 'old/model.csv', 'new/model': 'new/model.csv'})
    """
    if len(files) < 2:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        fix = "for example heldout compare old.csv new.csv, or name columns of one file: --model NAME=COLUMN"
        raise UsageError(f"{count}, and a comparison needs two", fix=fix)
    paths = [_before_pattern(Path(name)) for name in files]
    for names in (
        [path.stem for path in paths],
        [path.name for path in paths],
        [path.with_suffix("").as_posix() for path in paths],
    ):
        if len(set(names)) == len(files):
            return dict(zip(names, files, strict=True))
    # the same file twice is a fair question: it must not differ from itself
    return {f"{path.stem} ({i})": name for i, (path, name) in enumerate(zip(paths, files, strict=True), 1)}


def _before_pattern(path: Path) -> Path:
    """The folder that a pattern begins with, where it is one: `runs/old/*.parquet` is the model old."""
    fixed = [part for part in path.parts if not has_magic(part)]
    return path if len(fixed) == len(path.parts) or path.exists() or not fixed else Path(*fixed)
