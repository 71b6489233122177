"""`python -m benchmarks.large`: files larger than memory, beside what a scan of them costs.

Parquet files of (label, score) are written once, and read by one process at a time: by DuckDB and Polars, which count
the confusion matrix and nothing else, and by `evaluate`, which gives metrics with their intervals.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import click
import numpy as np

from benchmarks.machine import machine
from benchmarks.memory import forget_peak, peak_bytes
from benchmarks.pages import ROOT, refreshed
from benchmarks.results import plain, read, write
from benchmarks.table import Rows, conditions, count, markdown, ratio, seconds, text, yes_or_no

PATH = Path(__file__).with_name("large.json")
PAGE = ROOT / "docs" / "performance.md"
ROWS = 10**8
FILES = 10
AT_ONCE = 10**6
"""Rows of a row group."""
ROUNDS = 3
FEW = 1000
"""Rows of the call that only loads what a call imports."""
MEMORY = 2**30
"""What a call may take at its highest."""
PACKAGES = ("heldout", "numpy", "pyarrow", "duckdb", "polars")
LABEL_METRICS = (
    *("accuracy", "error_rate", "balanced_accuracy", "mcc", "kappa", "precision", "recall", "specificity", "npv"),
    *("fpr", "fnr", "f1", "jaccard", "youden_j", "lr_positive", "lr_negative", "diagnostic_odds_ratio", "prevalence"),
)

Answer = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A way of reading all rows."""

    title: str
    call: Callable[[Path], Answer]
    bar: float | None = None
    """How many times as long as the faster scan it may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What a case took: the least of several times, the highest of several peaks."""

    case: str
    title: str
    seconds: float
    processor_s: float
    """Time of all its threads together, the least of several."""
    peak_bytes: int
    ratio: float | None
    """Its time divided by that of the faster scan; None: it is a scan itself."""
    bar: float | None
    met: bool | None
    """Both the bar and the bound on memory, at the number of rows they are about."""


def duckdb_scan(folder: Path) -> Answer:
    """Confusion counts by DuckDB."""
    import duckdb

    said = "(score >= 0.5)::INT"
    query = f"SELECT count(*), sum(label), sum({said}), sum(label * {said}) FROM read_parquet('{folder}/*.parquet')"  # noqa: S608
    rows, actual, called, both = duckdb.sql(query).fetchall()[0]
    return _counts(rows, actual, called, both)


def polars_scan(folder: Path) -> Answer:
    """Confusion counts by Polars."""
    import polars as pl

    said, label = pl.col("score") >= 0.5, pl.col("label")
    sums = [pl.len().alias("rows"), label.sum(), said.sum().alias("said"), (said & (label == 1)).sum().alias("both")]
    found = pl.scan_parquet(folder / "*.parquet").select(sums).collect(engine="streaming")
    return _counts(*found.row(0))


def _counts(rows: int, actual: int, called: int, both: int) -> Answer:
    return {"rows": int(rows), "accuracy": (int(both) + int(rows) - int(actual) - int(called) + int(both)) / int(rows)}


def of_labels(folder: Path) -> Answer:
    """Every label metric with its interval."""
    return _evaluated(folder, LABEL_METRICS)


def of_area(folder: Path) -> Answer:
    """The area under the ROC curve with its interval, beside the label metrics."""
    return _evaluated(folder, (*LABEL_METRICS, "roc_auc"))


def of_everything(folder: Path) -> Answer:
    """Every metric that a walk tells."""
    return _evaluated(folder, None)


def _evaluated(folder: Path, metrics: tuple[str, ...] | None) -> Answer:
    import heldout

    names = None if metrics is None else list(metrics)
    found = heldout.evaluate(str(folder), truth="label", y_score="score", metrics=names, engine="local")
    return {"rows": found["accuracy"].units, "accuracy": found["accuracy"].value}


CASES = {
    "duckdb": Case(title="the scan alone: DuckDB, confusion counts", call=duckdb_scan),
    "polars": Case(title="the scan alone: Polars, confusion counts", call=polars_scan),
    "labels": Case(title=f"`evaluate`: {len(LABEL_METRICS)} label metrics with intervals", call=of_labels, bar=2.0),
    "area": Case(title="the same and the area under the curve with its interval", call=of_area, bar=4.0),
    "everything": Case(title="every metric that one walk tells, with intervals", call=of_everything),
}
SCANS = ("duckdb", "polars")


def write_rows(folder: Path, rows: int, *, narrow: bool = False) -> None:
    """Seeded Parquet files of a label and a score, its fair probability; never more than a row group is in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    each = -(-rows // FILES)
    for number in range(FILES):
        rng = np.random.default_rng([20, number])
        size = min(each, rows - number * each)
        writer = None
        for first in range(0, size, AT_ONCE):
            some = min(AT_ONCE, size - first)
            score = 1 / (1 + np.exp(1 - 2 * rng.standard_normal(some)))
            label = rng.random(some) < score
            table = pa.table(
                {
                    "label": label.astype(np.int8 if narrow else np.int64),
                    "score": score.astype(np.float32 if narrow else np.float64),
                }
            )
            writer = writer or pq.ParquetWriter(folder / f"part-{number:02}.parquet", table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def run_once(case: str, folder: Path) -> dict[str, Any]:
    """Time, peak memory and answer of a case, in a process that has done nothing else."""
    command = [sys.executable, "-m", "benchmarks.large", "--case", case, "--folder", str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603
    if ended.returncode:
        raise click.ClickException(f"{case} failed:\n{ended.stderr}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def timed(case: str, folder: Path) -> dict[str, Any]:
    """The same in this process; what a call imports is imported before the clock runs, by a call on few rows."""
    with TemporaryDirectory() as few:
        write_rows(Path(few), FEW)
        CASES[case].call(Path(few))
    forget_peak()
    start, busy = perf_counter(), process_time()
    answer = CASES[case].call(folder)
    taken, worked = perf_counter() - start, process_time() - busy
    return {"seconds": taken, "processor_s": worked, "peak_bytes": peak_bytes(), "answer": answer}


def lines(runs: dict[str, list[dict[str, Any]]], rows: int) -> list[Line]:
    """A line per case; an error where two do not count the same rows alike.

    >>> run = {"seconds": 2.0, "processor_s": 4.0, "peak_bytes": 10, "answer": {"rows": 4, "accuracy": 0.5}}
    >>> found = lines({"duckdb": [run], "labels": [run | {"seconds": 5.0}, run | {"seconds": 3.0}]}, 10**8)
    >>> [(line.case, line.seconds, line.ratio, line.met) for line in found]
    [('duckdb', 2.0, None, None), ('labels', 3.0, 1.5, True)]
    """
    answers = {(run["answer"]["rows"], run["answer"]["accuracy"]) for some in runs.values() for run in some}
    if len(answers) > 1:
        raise click.ClickException(f"the cases do not count alike: {sorted(answers)}")
    least = {case: min(run["seconds"] for run in some) for case, some in runs.items()}
    scan = min(least[case] for case in SCANS if case in least)
    found = []
    for case, some in runs.items():
        peak, bar = max(run["peak_bytes"] for run in some), CASES[case].bar
        times = None if case in SCANS else least[case] / scan
        met = None if bar is None or times is None or rows < ROWS else times <= bar and peak <= MEMORY
        found.append(
            Line(
                case=case,
                title=CASES[case].title,
                seconds=least[case],
                processor_s=min(run["processor_s"] for run in some),
                peak_bytes=peak,
                ratio=times,
                bar=bar,
                met=met,
            )
        )
    return found


def rows_of(found: dict[str, Any]) -> Rows:
    """The lines as a table."""
    return [
        (
            "what is read from Parquet",
            "rows",
            "time",
            "processors' time",
            "peak memory",
            "times the scan",
            "bar",
            "met",
        ),
        *(
            (
                line["title"],
                count(found["rows"]),
                seconds(line["seconds"]),
                seconds(line["processor_s"]),
                f"{line['peak_bytes'] / 2**20:,.0f} MiB",
                ratio(line["ratio"]),
                ratio(line["bar"]),
                yes_or_no(line["met"]),
            )
            for line in found["lines"]
        ),
    ]


def page_parts(found: dict[str, Any]) -> dict[str, str]:
    """What the page on performance shows between its marks."""
    times = "one time each" if found["rounds"] == 1 else f"the least of {found['rounds']} times"
    return {"large conditions": f"{conditions(found)} It is {times}.", "large table": markdown(rows_of(found))}


@click.command()
@click.option("--rows", default=float(ROWS), show_default=True, help="Fewer than the default: nothing is written.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="How often each case is run.")
@click.option("--narrow", is_flag=True, help="8-bit labels and 32-bit scores instead of 64 bits each.")
@click.option("--only", help="Cases with commas between them; nothing is written then.")
@click.option("--case", "case", type=click.Choice(list(CASES)), hidden=True)
@click.option("--folder", type=click.Path(path_type=Path), hidden=True)
@click.option("--write-docs", is_flag=True, help="Only write the table into the page, from large.json.")
def main(
    *,
    rows: float,
    rounds: int,
    narrow: bool,
    only: str | None,
    case: str | None,
    folder: Path | None,
    write_docs: bool,
) -> None:
    """Time `evaluate` on Parquet files beside the scan alone, and write benchmarks/large.json."""
    if case is not None and folder is not None:
        click.echo(json.dumps(timed(case, folder)))
        return
    if write_docs:
        _write_page(read(PATH))
        return
    chosen = list(CASES) if only is None else [name.strip() for name in only.split(",")]
    found = measured(int(rows), rounds, chosen, narrow=narrow)
    click.echo(text(rows_of(found)))
    if int(rows) < ROWS or only is not None or narrow:
        click.echo("Not all cases, or fewer or narrower rows than they are about: nothing is written.")
        return
    write(found, PATH)
    _write_page(found)
    click.echo(f"Wrote {PATH.name} and {PAGE.name}.")


def measured(rows: int, rounds: int, chosen: list[str], *, narrow: bool = False) -> dict[str, Any]:
    """All cases in turn, several times, on the same files."""
    runs: dict[str, list[dict[str, Any]]] = {case: [] for case in chosen}
    with TemporaryDirectory(prefix="heldout-large-") as name:
        click.echo(f"writing {rows:,} rows …", err=True)
        write_rows(Path(name), rows, narrow=narrow)
        for number in range(rounds):
            for case, some in runs.items():
                click.echo(f"{case}, {number + 1} of {rounds} …", err=True)
                some.append(run_once(case, Path(name)))
    return {
        "rows": rows,
        "rounds": rounds,
        "lines": [plain(asdict(line)) for line in lines(runs, rows)],
        "machine": machine(),
        "versions": {package: version(package) for package in PACKAGES},
    }


def _write_page(found: dict[str, Any]) -> None:
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8"), page_parts(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
