"""Thousands of evaluations and comparisons in one process: memory, threads and open files must not grow.

`make soak` writes docs/measured/soak.json; COUNT=500 runs fewer, and then writes nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

import heldout
from benchmarks.machine import machine, versions
from benchmarks.pages import MEASURED

PATH = MEASURED / "soak.json"
COUNT = 5000
EVERY = 100
"""Calls between two looks at the process."""
WARM = 0.3
"""Share of the calls after which caches are full and libraries are loaded: growth is counted from there."""
MOST_KB_PER_1000 = 512.0
"""Bound on the growth of resident memory. To leak a small batch (200 rows of three columns, 5 KB) in every tenth call
would be 500 KB in 1,000 calls."""
SIZES = (40, 200, 1000, 4000)
CHUNKED = "1K"
"""Memory for rows that makes every file a file of chunks."""

Call = Callable[[], object]


def rows(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Truth and scores of two models, clusters and subgroups."""
    truth = rng.integers(0, 2, n)
    truth[:4] = (0, 1, 0, 1)
    return {
        "id": np.arange(n),
        "y_true": truth,
        "y_score": np.round(np.clip(0.3 * truth + rng.uniform(0, 0.7, n), 0, 1), 6),
        "patient": np.char.add("p", rng.integers(0, max(8, n // 3), n).astype(str)),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
    }


def written(folder: Path) -> dict[int, dict[str, Path]]:
    """Size → predictions of two models as files of two formats."""
    rng = np.random.default_rng(0)
    files: dict[int, dict[str, Path]] = {}
    for n in SIZES:
        files[n] = {}
        first = rows(rng, n)
        second = {**first, "y_score": np.round(rng.permutation(first["y_score"]), 6)}
        for name, model in (("old", first), ("new", second)):
            table = pa.table(model)
            csv, parquet = folder / f"{name}-{n}.csv", folder / f"{name}-{n}.parquet"
            arrow_csv.write_csv(table, csv)
            pq.write_table(table, parquet)
            files[n] |= {f"{name}.csv": csv, f"{name}.parquet": parquet}
    return files


def calls(folder: Path) -> Iterator[tuple[str, Call]]:
    """Endless calls of every kind in random order, each with the name of its kind; the same ones every time."""
    files, rng = written(folder), np.random.default_rng(1)
    while True:
        kinds = calls_of_each_kind(files, rng, folder / "report.html")
        for name in rng.permutation(list(kinds)):
            yield str(name), kinds[str(name)]


def calls_of_each_kind(files: dict[int, dict[str, Path]], rng: np.random.Generator, report: Path) -> dict[str, Call]:
    """One call of each kind, with new rows of a random number."""
    n = int(rng.choice(SIZES))
    data, file, numbers = rows(rng, n), files[n], rng.normal(size=n)
    truth, score = data["y_true"], data["y_score"]
    models = {"old": score, "new": rng.permutation(score)}
    csv = {"old": file["old.csv"], "new": file["new.csv"]}
    parquet = {"old": file["old.parquet"], "new": file["new.parquet"]}
    others = csv | {"other": files[SIZES[1] if n == SIZES[0] else SIZES[0]]["old.csv"]}
    by = {"groups": data["patient"], "segments": {"sex": data["sex"]}}
    return {
        "evaluate, arrays": lambda: shown(heldout.evaluate(truth, y_score=score)),
        "evaluate, clusters and subgroups": lambda: heldout.evaluate(truth, y_score=score, **by),
        "evaluate, regression": lambda: heldout.evaluate(numbers, numbers + 0.1 * score),
        "evaluate, CSV": lambda: heldout.evaluate(file["old.csv"]),
        "evaluate, Parquet": lambda: heldout.evaluate(file["old.parquet"], groups="patient"),
        "evaluate, chunks": lambda: heldout.evaluate(file["old.csv"], memory=CHUNKED),
        "compare, arrays": lambda: shown(heldout.compare(truth, models, primary="roc_auc")),
        "compare, CSV": lambda: heldout.compare(csv, id="id"),
        "compare, chunks": lambda: heldout.compare(csv, metrics=["accuracy", "brier"], memory=CHUNKED),
        "gate, Parquet": lambda: heldout.gate(parquet, primary="brier", margin=0.1),
        "report": lambda: heldout.evaluate(truth[:200], y_score=score[:200]).report(report),
        "refused": lambda: refused(others),
    }


def shown(result: heldout.Result) -> list[str]:
    """The result in every format."""
    return [result.to_text(), result.to_json(), result.to_csv(), result.to_markdown(), result.to_latex(), repr(result)]


def refused(models: dict[str, Path]) -> str:
    """An error whose traceback holds rows, as an interactive session has them."""
    try:
        heldout.compare(models, id="id")
    except heldout.DataError as error:
        return str(error)
    raise AssertionError("rows of different files were compared")


def process() -> dict[str, int]:
    """Resident memory in kilobytes, threads and open files of this process."""
    gc.collect()
    facts = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines())
    return {
        "rss_kb": int(facts["VmRSS"].split()[0]),
        "threads": int(facts["Threads"]),
        "files": len(list(Path("/proc/self/fd").iterdir())),
    }


def soak(count: int, every: int = EVERY) -> dict[str, Any]:
    """Make so many calls; how many of each kind, and the process after every so many."""
    kinds: Counter[str] = Counter()
    samples: list[dict[str, int]] = []
    with TemporaryDirectory() as folder:
        for done, (name, call) in enumerate(calls(Path(folder)), 1):
            call()
            kinds[name] += 1
            if done % every == 0:
                samples.append({"calls": done, **process()})
                sys.stderr.write(f"\r{done:,} of {count:,} calls, {samples[-1]['rss_kb'] // 1024} MB ")
            if done == count:
                break
    return {"calls": count, "kinds": dict(sorted(kinds.items())), "samples": samples, **growth(samples, count)}


def growth(samples: list[dict[str, int]], count: int) -> dict[str, Any]:
    """What grew after the first calls: kilobytes per 1,000 calls by least squares, threads and files.

    >>> made = [{"calls": at, "rss_kb": 1000 + at, "threads": 4, "files": 9} for at in range(100, 1100, 100)]
    >>> growth(made, 1000)["kb_per_1000"], growth(made, 1000)["threads"]
    (1000.0, 0)
    """
    late = [one for one in samples if one["calls"] > WARM * count]
    slope = np.polyfit([one["calls"] for one in late], [one["rss_kb"] for one in late], 1)[0] * 1000
    more = {name: late[-1][name] - late[0][name] for name in ("threads", "files")}
    return {
        "warm_up": int(WARM * count),
        "kb_per_1000": round(float(slope), 1),
        "bound_kb_per_1000": MOST_KB_PER_1000,
        **more,
        "met": bool(slope <= MOST_KB_PER_1000) and not any(value > 0 for value in more.values()),
    }


def main() -> int:
    """Run, write what was measured, and say whether the bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    count = parser.parse_args().count
    found = {"machine": machine(), "versions": versions(), **soak(count)}
    if count == COUNT:
        PATH.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    facts = {name: found[name] for name in ("kb_per_1000", "bound_kb_per_1000", "threads", "files", "met")}
    sys.stdout.write(f"\n{json.dumps(facts)}\n")
    return 0 if found["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
