"""Folders that heldout has written itself: recorded results, and the finished fits of a validation."""

from __future__ import annotations

import sqlite3
from contextlib import chdir, closing
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from tests.fuzz.contents import Content, Index, Raw, Table
from tests.fuzz.seeds import features, numbers, scores

TABLES = ("pieces", "records", "looks", "test_sets")
VALIDATION = ("sklearn.naive_bayes:GaussianNB", "--data", "rows.csv", "--target", "y", "--cv", "3")


@cache
def recorded() -> dict[str, Content]:
    """A store with two evaluations."""
    rng = Random(1)
    tables = {"a.csv": plain(scores(rng), 2), "b.csv": plain(numbers(rng), 2)}
    commands = [("evaluate", name, "--save", name[0], "--run", "store", "--n-resamples", "100") for name in tables]
    return written("store", tables, commands)


@cache
def finished_fits() -> dict[str, Content]:
    """The run folder of a validation, and its rows."""
    rows = {"rows.csv": plain(features(Random(4)), 2, "y")}
    return {**rows, **written("store", rows, [("validate", *VALIDATION, "--run", "store")])}


def plain(table: Table, count: int, *more: str) -> Table:
    """Its first columns, and some by name."""
    return Table({name: table.columns[name] for name in (*list(table.columns)[:count], *more)})


def written(store: str, tables: dict[str, Table], commands: list[tuple[str, ...]]) -> dict[str, Content]:
    """The files of a store after some commands; ids, times and commands are always the same."""
    from heldout.cli import verbs

    with TemporaryDirectory() as folder, chdir(folder):
        for name, table in tables.items():
            Path(name).write_bytes(table.data())
        for command in commands:
            outcome = CliRunner().invoke(verbs, list(command))
            assert outcome.exit_code == 0, outcome.output
        files = {str(path): Raw(path.read_bytes()) for path in sorted(Path(store).rglob("*.parquet"))}
        return {f"{store}/index.sqlite": index_of(Path(store, "index.sqlite")), **files}


def index_of(path: Path) -> Index:
    """An index as statements and lines."""
    with closing(sqlite3.connect(path)) as index:
        kept = "sql IS NOT NULL AND name NOT LIKE 'sqlite%'"
        statements = [line for (line,) in index.execute(f"SELECT sql FROM sqlite_master WHERE {kept} ORDER BY rowid")]
        tables = {name: [list(line) for line in index.execute(f"SELECT * FROM {name}")] for name in TABLES}
    ids = {line[1]: f"{at:x}" * 12 for at, line in enumerate(tables["records"], 10)}
    for line in tables["records"]:
        line[1:3] = [ids[line[1]], "2026-01-01T00:00:00+00:00"]
        line[5] = "heldout evaluate"
        line[-1] = None  # as version 2 wrote them: they get their hash when they are read, and changed ones are shown
    for line in tables["looks"]:
        line[2] = ids.get(line[2], line[2])
    return Index((*statements, "PRAGMA user_version = 3"), tables)
