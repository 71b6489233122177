"""Where a result goes: screen, file, HTML report, store; and the progress bar meanwhile."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.chart_files import ChartFile, ChartFormat, can_be_drawn, chart_name, write_chart, write_charts
from heldout.cli.options import command_line
from heldout.cli.output_paths import STANDARD_OUTPUT, check_not_outputs
from heldout.cli.standard_streams import output_to_error, put, say
from heldout.errors import UsageError
from heldout.file_writing import write_file
from heldout.report import rendered

if TYPE_CHECKING:
    from heldout.verbs.result import Result

Progress = Callable[[int, int], None]


@contextmanager
def progress(*, quiet: bool, run: str | None) -> Iterator[Progress | None]:
    """What fits report to; None where the output is not a terminal. An interrupted run says how to go on.

    What learners print meanwhile goes to standard error.
    """
    try:
        with bar("fits", quiet=quiet) as told, output_to_error():
            yield told
    except KeyboardInterrupt:
        words = "interrupted"
        if run is None:
            words += "; with --run DIR a run can go on"
        elif any(Path(run, "pieces").glob("*")):
            words += f"; finished fits are kept in {run}: the same command goes on"
        say("", words)
        raise


@contextmanager
def bar(label: str, *, quiet: bool) -> Iterator[Progress | None]:
    """Reports how much is done, and of how much; None where the output is not a terminal. It can be used repeatedly."""
    shown: list[Any] = []

    def told(done: int, total: int) -> None:
        if shown and (shown[0].length != total or done < shown[0].pos):
            shown.pop().__exit__(None, None, None)
        if not shown:
            shown.append(click.progressbar(length=total, label=label, file=sys.stderr, show_pos=True))
            shown[0].__enter__()
        shown[0].update(done - shown[0].pos)

    try:
        yield told if sys.stderr.isatty() and not quiet else None
    finally:
        if shown:
            shown[0].__exit__(None, None, None)


PLACES = (
    "form", "as_json", "output", "report", "chart", "charts", "chart_format", "keep_formulas", "digits", "verbose",
    "quiet", "save", "run",
)  # fmt: skip
"""The options that say where a result goes."""


class Place:
    """Where the result of a command goes; taken out of its options."""

    def __init__(self, options: dict[str, Any]) -> None:
        given = {name: options.pop(name, None) for name in PLACES}
        ctx = click.get_current_context()
        typed = ctx.get_parameter_source("form")
        if given["as_json"] and typed is not None and typed.name == "COMMANDLINE" and given["form"] != "json":
            raise UsageError(f"--json and --format {given['form']} exclude each other", fix="give one of them")
        self.form: str = "json" if given["as_json"] else given["form"] or "text"
        self.output: str | None = given["output"]
        self.report: str | None = given["report"]
        self.chart: tuple[ChartFile, ...] = given["chart"] or ()
        self.charts: str | None = given["charts"]
        self.chart_format: ChartFormat = given["chart_format"] or "svg"
        if given["chart_format"] and self.charts is None:
            fix = f"write --charts DIR, or end the file of --chart in .{self.chart_format}"
            raise UsageError("--chart-format has no effect without --charts", fix=fix)
        self.escape_formulas = not given["keep_formulas"]
        if not self.escape_formulas and not self._writes_csv(ctx):
            fix = "add --format csv, or leave out --keep-formulas"
            raise UsageError("--keep-formulas has no effect: no CSV is written", fix=fix)
        self.digits: int | None = given["digits"]
        self.verbose: bool = bool(given["verbose"])
        self.quiet: bool = bool(given["quiet"])
        self.save: str | None = given["save"]
        self.run: str | None = given["run"]
        if self.quiet and self.verbose:
            raise UsageError("--quiet and --verbose exclude each other", fix="give one of them")
        if self.form in ("json", "csv"):  # they have every number in full
            for name, typed_in in (("--digits", self.digits is not None), ("--verbose", self.verbose)):
                if typed_in:
                    fix = f"leave out {name}"
                    raise UsageError(f"{name} has no effect with --format {self.form}, which has everything", fix=fix)
        if self.report is not None:
            from heldout.verbs.result import check_report_path

            check_report_path(self.report)
        if self.chart or self.charts is not None:
            can_be_drawn()

    def _writes_csv(self, ctx: click.Context) -> bool:
        charts = any(one.path.lower().endswith(".csv") for one in self.chart)
        return self.form == "csv" or charts or ctx.params.get("timings") is not None

    def deliver(self, result: Result) -> None:
        """Print the result or write it to a file; then the report and the record, where they were asked for."""
        self._check_charts(result)
        if self.save is not None or self.run is not None:
            from heldout.verbs.runs import FOLDER, check_rows_were_added

            check_rows_were_added(result, self.run or FOLDER)  # before anybody sees a verdict that does not hold
        self.show(result.to_dict())
        if self.report is not None:
            result.report(self.report, command=command_line())
            self.say(f"wrote {self.report}")
        self._draw(result)
        if self.save is not None or self.run is not None:
            kept = result.save(self.run, name=self.save or None, command=command_line())
            look = "" if kept.look is None else f", look {kept.look} at these rows"
            self.say(f"recorded as {kept.id} in {self.run or '.heldout'}{look}")

    def can_draw(self, result: Result) -> None:
        """Refuse charts that the result does not have."""
        for one in self.chart:
            chart_name(result.plot, one)

    def _check_charts(self, result: Result) -> None:
        """Refuse to write a chart of --charts to a file that another option names."""
        if self.charts is not None:
            from heldout.charts.plot import chart_paths

            paths = chart_paths(result.plot, self.charts, self.chart_format)
            check_not_outputs(click.get_current_context(), "a chart of --charts", paths)

    def _draw(self, result: Result) -> None:
        """Write the charts that were asked for, and say what was written."""
        if not self.chart and self.charts is None:
            return
        plot = result.plot
        written = [str(write_chart(plot, one, escape_formulas=self.escape_formulas)) for one in self.chart]
        if written:
            self.say(f"wrote {', '.join(written)}")
        if self.charts is not None:
            names = [path.name for path in write_charts(plot, self.charts, self.chart_format)]
            self.say(f"wrote {len(names)} chart{'' if len(names) == 1 else 's'} to {self.charts}: {', '.join(names)}")

    def show(self, d: Mapping[str, Any]) -> None:
        """The dictionary of a result, printed or written to a file."""
        options: dict[str, Any] = {} if self.digits is None else {"digits": self.digits}
        if self.digits is not None and rendered(d, self.form, digits=1) == rendered(d, self.form, digits=9):
            text = "--digits has no effect here: every number of this result has decimals of its own"
            raise UsageError(text, fix="leave out --digits")
        options |= {"on_command_line": True, "escape_formulas": self.escape_formulas}
        if self.form == "text":
            options["verbose"] = self.verbose
        screen = self.output is None or self.output in STANDARD_OUTPUT
        if not screen:
            assert self.output is not None
            write_file(self.output, rendered(d, self.form, **options))
            self.say(f"wrote {self.output}")
        elif not self.quiet or self.output is not None:
            if self.form == "text":
                options |= {"color": wants_color(), "width": columns()}
            put(rendered(d, self.form, **options), coloured=self.form == "text")

    def say(self, text: str) -> None:
        """A word on stderr, unless nothing is to be said."""
        if not self.quiet:
            say(text)


def columns() -> int:
    """Columns of the screen: 80, or as many as a wider terminal has."""
    return max(80, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 80


def wants_color() -> bool:
    """Whether the screen is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
