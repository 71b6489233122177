"""--chart and --charts: charts of a result as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from heldout.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from heldout.charts.plot import Plot


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartFile:
    """One chart that was asked for."""

    path: str
    name: str | None
    """None: the one that the file is named after, or the only one of the result."""


def chart_files(_ctx: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[ChartFile, ...]:
    """Charts as NAME=FILE, or as FILE alone."""
    return tuple(_chart_file(text) for text in values)


def _chart_file(text: str) -> ChartFile:
    from heldout.charts.chart import FORMATS

    name, equals, path = text.partition("=") if "=" in text else ("", "", text)
    if equals and not (name.strip() and path.strip()):
        raise UsageError(f"--chart {text} names no chart or no file", fix="write, for instance, --chart roc=curve.svg")
    if Path(path).suffix.lower().removeprefix(".") not in FORMATS:
        fix = f"end the name of the file in one of .{', .'.join(FORMATS)}"
        raise UsageError(f"--chart {text} is not a chart file", fix=fix)
    chosen = name.strip() or None
    if chosen is not None:
        from heldout.charts.plot import VIEWS

        # a misspelled name is refused before the work; which charts there are to choose from, only the result knows
        near = did_you_mean(chosen, VIEWS)
        if chosen.partition(":")[0] not in VIEWS and near:
            fix = "correct the name, or write every chart of the result with --charts DIR"
            raise UsageError(f"no chart is named {chosen!r}{near}", fix=fix)
    return ChartFile(path=path.strip(), name=chosen)


def can_be_drawn() -> None:
    """Refuse charts before the work where what draws them is not installed or cannot run."""
    from heldout.charts.vega import converter
    from heldout.optional_packages import require

    require("altair", "charts need")
    converter()


def chart_name(plot: Plot, asked: ChartFile) -> str:
    """The chart of that name; an error where the result has none of that name."""
    name = asked.name or _meant(plot, asked.path)
    if name not in plot.views and name not in plot.absent:
        raise _unknown(plot, f"this result has no chart {name!r}{did_you_mean(name, plot.views)}")
    return name


def write_chart(plot: Plot, asked: ChartFile, *, escape_formulas: bool = True) -> Path:
    """Write one chart of a result."""
    name = chart_name(plot, asked)
    return plot.chart(name).save(asked.path, escape_formulas=escape_formulas)


ChartFormat = Literal["svg", "png", "pdf", "html"]


def write_charts(plot: Plot, folder: str, form: ChartFormat) -> tuple[Path, ...]:
    """Write every chart of a result into a folder."""
    if not plot.views:
        raise _unknown(plot, "this result has no charts")
    try:
        return plot.save(folder, form=form)
    except OSError as problem:
        raise _unwritable(folder, problem) from None


def _meant(plot: Plot, path: str) -> str:
    """The chart that a file is named after; where a result has one chart, a file may have any name."""
    stem = Path(path).stem
    if stem in plot.views or stem in plot.absent:
        return stem
    if len(plot.views) == 1:
        return next(iter(plot.views))
    raise _unknown(plot, f"--chart {path} does not say which chart is wanted")


def _unknown(plot: Plot, message: str) -> UsageError:
    known = f"choose one of {', '.join(plot.views)}, as in --chart {next(iter(plot.views))}=FILE" if plot.views else ""
    return UsageError(message, fix=known or "leave out --chart and --charts")


def _unwritable(path: str, problem: OSError) -> UsageError:
    fix = "choose a folder that exists and may be written"
    return UsageError(f"{path} cannot be written: {problem.strerror or problem}", fix=fix)
