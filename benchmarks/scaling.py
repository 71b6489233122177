"""`python -m benchmarks.scaling`: `evaluate` on engines with one worker and with two, at rising numbers of rows.

Each engine runs in a fresh process with its workers on this machine. Three things are timed: the start of the engine
with the first call, a call on few rows once it runs, and calls on many rows. benchmarks/scaling.json keeps what was
found; the pages on engines show it, with an estimate of what no machine here can hold.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import click

from benchmarks.large import write_rows
from benchmarks.machine import machine
from benchmarks.pages import ROOT, refreshed
from benchmarks.results import plain, read, write
from benchmarks.table import Rows, conditions, count, markdown, ratio, seconds, text

PATH = Path(__file__).with_name("scaling.json")
PAGES = ROOT / "docs" / "engines"
ENGINES = {"local": "heldout", "dask": "distributed", "ray": "ray", "spark": "pyspark"}
"""Name → the package whose version counts."""
WORKERS = (1, 2)
ROWS = (10**6, 10**7, 10**8)
FEW = 1000
"""Rows of a job whose time is all overhead."""
ROUNDS = 2
METRICS = ["accuracy", "precision", "recall", "f1", "mcc", "roc_auc"]

Found = dict[str, Any]


@contextmanager
def running(engine: str, workers: int) -> Iterator[dict[str, str]]:
    """An engine with so many workers of one core each, as `evaluate` takes it."""
    if engine == "local":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:workers])
        yield {"engine": "local"}
    elif engine == "dask":
        from distributed import LocalCluster

        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
            yield {"engine": "dask", "engine_address": cluster.scheduler_address}
    elif engine == "ray":
        import ray

        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        yield {"engine": "ray"}
        ray.shutdown()
    else:
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.master(f"local[{workers},4]").config("spark.ui.enabled", "false")
        session = builder.config("spark.log.level", "ERROR").getOrCreate()
        yield {"engine": "spark"}
        session.stop()


def timed(engine: str, workers: int, folders: list[Path]) -> Found:
    """Seconds of the start with a first call on few rows, of another one, and of each folder, the least of two."""
    import heldout

    def call(folder: Path, **where: str) -> float:
        began = perf_counter()
        heldout.evaluate(str(folder), truth="label", y_score="score", metrics=METRICS, **where)
        return perf_counter() - began

    with TemporaryDirectory() as few:
        write_rows(Path(few), FEW)
        call(Path(few), engine="local")  # what the call itself imports is not the engine's
        began = perf_counter()
        with running(engine, workers) as where:
            call(Path(few), **where)
            start = perf_counter() - began
            again = min(call(Path(few), **where) for _ in range(ROUNDS))
            taken = [min(call(folder, **where) for _ in range(ROUNDS)) for folder in folders]
    return {"start_s": start, "few_s": again, "seconds": taken}


def run_once(engine: str, workers: int, folders: list[Path]) -> Found:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scaling", "--case", f"{engine}:{workers}", *map(str, folders)]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603
    if ended.returncode:
        raise click.ClickException(f"{engine} with {workers} failed:\n{ended.stderr}")
    found: Found = json.loads(ended.stdout.splitlines()[-1])
    return found


def sizes(folder: Path) -> Found:
    """Bytes of a row on disk, and of a total that a worker hands on, both as they are at many rows."""
    from heldout.verbs.chunked.needed_sums import pass_over
    from heldout.verbs.chunked.table_source import ChunkedInput, open_table
    from heldout.verbs.settings import settings

    table = open_table(str(folder), {"truth": "label", "score": "score"}, engine="local")
    assert isinstance(table, ChunkedInput)
    found = pass_over(table, settings(metrics=METRICS))
    size = sum(path.stat().st_size for path in folder.glob("*.parquet"))
    return {"row_bytes": size / found.totals.rows, "total_bytes": len(pickle.dumps(found.totals))}


def measured(engines: list[str], rows: list[int]) -> Found:
    """Every engine with every number of workers, on the same files."""
    with TemporaryDirectory(prefix="heldout-scaling-") as name:
        folders = [Path(name, str(number)) for number in rows]
        for number, folder in zip(rows, folders, strict=True):
            click.echo(f"writing {number:,} rows …", err=True)
            folder.mkdir()
            write_rows(folder, number)
        lines, starts = [], []
        for engine in engines:
            for workers in WORKERS:
                click.echo(f"{engine}, {workers} of {len(WORKERS)} workers …", err=True)
                one = run_once(engine, workers, folders)
                who = {"engine": engine, "workers": workers}
                starts.append(plain({**who, "start_s": one["start_s"], "few_s": one["few_s"]}))
                timings = zip(rows, one["seconds"], strict=True)
                lines += [plain({**who, "rows": number, "seconds": taken}) for number, taken in timings]
        return {
            "results": lines,
            "starts": starts,
            "sizes": plain(sizes(folders[-1])) | {"rows": rows[-1]},
            "machine": machine(),
            "versions": {"heldout": version("heldout")} | {package: version(package) for package in ENGINES.values()},
        }


def merged(old: Found, new: Found) -> Found:
    """The old lines with those that were taken again replaced.

    >>> line = {"engine": "ray", "workers": 1, "rows": 5, "seconds": 9.0}
    >>> old = {"results": [line], "starts": [], "sizes": {"rows": 5}}
    >>> new = {"results": [{**line, "seconds": 7.0}], "starts": [], "sizes": {"rows": 1}}
    >>> found = merged(old, new)
    >>> found["results"][0]["seconds"], found["sizes"]["rows"]
    (7.0, 5)
    """

    def key(line: Found) -> tuple[int, int, int]:
        return list(ENGINES).index(line["engine"]), line["workers"], line.get("rows", 0)

    both = {
        part: sorted({key(line): line for line in [*old[part], *new[part]]}.values(), key=key)
        for part in ("results", "starts")
    }
    return {**new, **both, "sizes": max(old["sizes"], new["sizes"], key=lambda some: some["rows"])}


def rows_of(found: Found, engine: str) -> Rows:
    """Times of an engine by rows and workers, how much faster two are, and the share of the start."""
    taken = {(line["rows"], line["workers"]): line["seconds"] for line in found["results"] if line["engine"] == engine}
    numbers = sorted({rows for rows, _ in taken})
    body = [
        (
            count(rows),
            *(seconds(taken.get((rows, workers))) for workers in WORKERS),
            ratio(taken[rows, 1] / taken[rows, 2] if (rows, 1) in taken and (rows, 2) in taken else None),
        )
        for rows in numbers
    ]
    return [("rows", "1 worker", "2 workers", "faster by"), *body]


def start_rows(found: Found, engine: str) -> Rows:
    """What the engine itself takes."""
    body = [
        (str(line["workers"]), seconds(line["start_s"]), seconds(line["few_s"]))
        for line in found["starts"]
        if line["engine"] == engine
    ]
    return [("workers", f"start, with a first call on {FEW:,} rows", "such a call once it runs"), *body]


def page_parts(found: Found, engine: str) -> dict[str, str]:
    """What the page of an engine shows between its marks."""
    from benchmarks.paper import estimate_rows

    parts = {
        "scaling conditions": conditions(found),
        "scaling table": markdown(rows_of(found, engine)),
        "start table": markdown(start_rows(found, engine)),
    }
    return parts if engine == "local" else parts | {"paper estimate": markdown(estimate_rows(found, engine))}


def write_pages(found: Found) -> None:
    """Refresh the page of every engine."""
    for engine in ENGINES:
        page = PAGES / f"{engine}.md"
        page.write_text(refreshed(page.read_text(encoding="utf-8"), page_parts(found, engine)), encoding="utf-8")


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--engine", type=click.Choice(list(ENGINES)), help="Only this one.")
@click.option("--rows", default=float(ROWS[-1]), show_default=True, help="No more rows than these.")
@click.option("--case", hidden=True)
@click.option("--write-docs", is_flag=True, help="Only write the tables into the pages, from scaling.json.")
def main(*, folders: tuple[Path, ...], engine: str | None, rows: float, case: str | None, write_docs: bool) -> None:
    """Time `evaluate` on every engine, and write benchmarks/scaling.json."""
    if case is not None:
        name, _, workers = case.partition(":")
        click.echo(json.dumps(timed(name, int(workers), list(folders))))
        return
    if not write_docs:
        new = measured(list(ENGINES) if engine is None else [engine], [one for one in ROWS if one <= rows])
        write(merged(read(PATH), new) if PATH.exists() else new, PATH)
    found = read(PATH)
    for name in ENGINES:
        click.echo(f"\n{name}\n{text(rows_of(found, name))}\n{text(start_rows(found, name))}")
    write_pages(found)


if __name__ == "__main__":
    main()
