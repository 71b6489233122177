"""Where the time of `evaluate` goes: the profile that the page on performance shows."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

from benchmarks.ratios import FEW
from benchmarks.table import Rows, count, markdown, seconds
from benchmarks.task import Task

ROWS = 10**6
TOP = 20
PATH = Path(__file__).parents[1] / "docs" / "_benchmarks" / "profile.md"
MARK = "<!-- profile -->"


def profile(task: Task, rows: int = ROWS) -> pstats.Stats:
    """One call under the profiler, after everything it imports has been loaded."""
    if task.ours is None:
        raise ValueError(f"task {task.name} has nothing of ours to profile")
    task.ours(task.data(FEW))
    data = task.data(rows)
    profiler = cProfile.Profile()
    profiler.runcall(task.ours, data)
    return pstats.Stats(profiler)


def profile_rows(stats: pstats.Stats, by: str, top: int = TOP) -> Rows:
    """The functions that took most, `cumulative` with what they call or `tottime` without."""
    key = {"cumulative": 3, "tottime": 2}[by]
    taken = sorted(stats.stats.items(), key=lambda item: -item[1][key])  # type: ignore[attr-defined]
    return [
        ("function", "calls", "cumulative time", "own time"),
        *(
            (f"`{function_name(file, function)}`", f"{calls:,}", seconds(cumulative), seconds(own))
            for (file, _, function), (_, calls, own, cumulative, _) in taken[:top]
        ),
    ]


def function_name(file: str, function: str) -> str:
    """Module and function, without the path of this machine.

    >>> function_name("/somewhere/src/heldout/tallies/from_batch.py", "tally_ordered")
    'heldout.tallies.from_batch: tally_ordered'
    >>> function_name("~", "<method 'sort' of 'numpy.ndarray' objects>")
    'numpy.ndarray.sort'
    """
    if file == "~":
        words = function.strip("<>").split("'")
        return f"{words[3]}.{words[1]}" if len(words) > 3 else function.strip("<>").removeprefix("built-in method ")
    parts = Path(file).with_suffix("").parts
    roots = [place for place, part in enumerate(parts) if part in ("heldout", "numpy", "scipy", "benchmarks")]
    return f"{'.'.join(parts[roots[-1] :] if roots else parts[-1:])}: {function}"


def profile_page(stats: pstats.Stats, rows: int = ROWS) -> str:
    """Two short tables, by what functions take with and without what they call."""
    total = stats.total_tt  # type: ignore[attr-defined]
    return "\n".join(
        [
            MARK,
            "",
            f"{count(rows)} rows, {seconds(total)} in all under the profiler, which makes every call slower.",
            "",
            "Functions by cumulative time:",
            "",
            markdown(profile_rows(stats, "cumulative")),
            "",
            "Functions by own time:",
            "",
            markdown(profile_rows(stats, "tottime", TOP // 2)),
            "",
        ]
    )


def write_profile(task: Task, rows: int = ROWS) -> Path:
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(profile_page(profile(task, rows), rows), encoding="utf-8")
    return PATH
