"""`python -m benchmarks`: everything, or the parts that are asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import click

from benchmarks import results, table
from benchmarks.growth import SIZES, Growth, growth
from benchmarks.memory import CASES, Memory, memory
from benchmarks.pages import ROOT, write_pages
from benchmarks.profiles import write_profile
from benchmarks.ratios import Line, lines
from benchmarks.task import Task
from benchmarks.tasks import TASKS
from heldout.errors import did_you_mean

MEMORY_ROWS = 10**7
PARTS = ("ratios", "growth", "memory", "profile")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is asked for, and what was found."""

    tasks: tuple[Task, ...]
    parts: tuple[str, ...]
    rows: int | None
    """No more rows than these; None: as many as each task is about."""
    budget: float
    rounds: int
    lines: list[Line] = field(default_factory=list)
    growths: list[Growth] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def at_most(self, rows: int) -> int:
        return rows if self.rows is None else min(rows, self.rows)


@click.command()
@click.option("--task", "names", help="One task, or several with commas between them.")
@click.option("--rows", type=float, help="No task gets more rows than this; nothing is written then.")
@click.option("--ratios", "parts", flag_value="ratios", multiple=True, help="Only ours beside the peers.")
@click.option("--growth", "parts", flag_value="growth", multiple=True, help="Only ours at rising sizes.")
@click.option("--memory", "parts", flag_value="memory", multiple=True, help="Only the peak memory.")
@click.option("--profile", "parts", flag_value="profile", multiple=True, help="Only the profile of evaluate.")
@click.option("--budget", default=10.0, show_default=True, help="Seconds after which a call is not run again.")
@click.option("--rounds", default=7, show_default=True, help="How often a call is run at most.")
@click.option("--write-docs", is_flag=True, help="Only write the tables into the pages, from results.json.")
def main(
    *, names: str | None, rows: float | None, parts: tuple[str, ...], budget: float, rounds: int, write_docs: bool
) -> None:
    """Time the package beside its peers, check that the numbers agree, and write benchmarks/results.json."""
    if write_docs:
        _write_pages(results.read(results.PATH))
        return
    run = Run(
        tasks=chosen(names),
        parts=parts or (PARTS if names is None else PARTS[:2]),
        rows=None if rows is None else int(rows),
        budget=budget,
        rounds=rounds,
    )
    _measure(run)
    _keep(run)
    wrong = [f"{line.task}: {line.peer}: {line.note}" for line in run.lines if line.agrees is False]
    for title, sentences in (("Numbers that do not agree:", wrong), ("What did not run:", run.failures)):
        if sentences:
            click.echo("\n".join([title, *sentences]), err=True)
    sys.exit(1 if wrong or run.failures else 0)


def chosen(names: str | None) -> tuple[Task, ...]:
    """The tasks of these names; all where none is named.

    >>> [task.name for task in chosen("auc,evaluate")]
    ['auc', 'evaluate']
    """
    if names is None:
        return tuple(TASKS.values())
    listed = [name.strip() for name in names.split(",")]
    for name in listed:
        if name not in TASKS:
            raise click.UsageError(
                f"no task is named {name!r}{did_you_mean(name, TASKS)}; choose among {', '.join(TASKS)}"
            )
    return tuple(TASKS[name] for name in listed)


@contextmanager
def _step(run: Run, what: str) -> Iterator[None]:
    """One step of many: where it fails, what the others found is not lost."""
    click.echo(f"{what} …", err=True)
    try:
        yield
    except Exception as error:  # noqa: BLE001  # peers may raise anything
        run.failures.append(f"{what}: {type(error).__name__}: {error}")


def _measure(run: Run) -> None:
    if "ratios" in run.parts:
        for task in run.tasks:
            with _step(run, task.name):
                run.lines.extend(lines(task, rows=run.at_most(task.rows), budget=run.budget, rounds=run.rounds))
        click.echo(table.text(table.ratio_rows(_found(run))) + "\n")
        click.echo(table.text(table.limit_rows(_found(run))) + "\n")
    if "growth" in run.parts:
        sizes = [size for size in SIZES if size == run.at_most(size)]
        for task in (task for task in run.tasks if task.ours is not None and task.grows):
            with _step(run, f"growth of {task.name}"):
                run.growths.append(growth(task, sizes=sizes, budget=run.budget / 3, rounds=run.rounds))
        click.echo(table.text(table.growth_rows(_found(run))) + "\n")
    if "memory" in run.parts:
        for name in CASES:
            with _step(run, f"memory of {name}"):
                run.memories.append(memory(name, run.at_most(MEMORY_ROWS)))
        click.echo(table.text(table.memory_rows(_found(run))) + "\n")


def _found(run: Run) -> results.Results:
    return results.results(run.lines, run.growths, run.memories)


def _keep(run: Run) -> None:
    """Write what was found, unless it was found on fewer rows."""
    if run.rows is not None:
        click.echo("Fewer rows than the tasks are about: nothing is written.")
        return
    if "profile" in run.parts:
        click.echo(f"Wrote {write_profile(TASKS['evaluate']).relative_to(ROOT)}.")
    if not (run.lines or run.growths or run.memories):
        return
    found = _found(run)
    if results.PATH.exists() and (old := results.read(results.PATH)):
        whole = len(run.tasks) == len(TASKS) and set(PARTS) <= set(run.parts)
        if not whole and not results.same_conditions(old, found):
            click.echo("Another machine or other versions than in results.json: run all tasks to replace it.")
            return
        found = found if whole else results.merged(old, found)
    results.write(found, results.PATH)
    click.echo(f"Wrote {results.PATH.name}.")
    _write_pages(found)


def _write_pages(found: results.Results) -> None:
    for path in write_pages(found):
        click.echo(f"Wrote {path.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
