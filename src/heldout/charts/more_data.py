"""What more rows would bring: how an interval narrows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.charts.axis_scales import range_of
from heldout.charts.figure import Columns, Estimated, Figure, counted, number_or_nan, percent
from heldout.errors import UsageError, did_you_mean

TIMES = np.geomspace(0.25, 16, 49)
"""From a quarter of the rows to sixteen times as many."""


@dataclass(frozen=True, kw_only=True)
class MoreData(Figure):
    """The interval at other numbers of units, if the value stays what it is: its arms shrink as 1 / sqrt(n)."""

    metric: str
    units: int
    """How many there are now."""
    now: Estimated
    level: float
    pair: tuple[str, str] | None = None
    """Where the value is a difference: a and b of a - b."""
    needed: int | None = None
    """How many rows would settle the difference, where it is not."""
    unit: str = "row"

    @property
    def kind(self) -> str:
        return "more_data"

    @property
    def title(self) -> str:
        what = self.metric if self.pair is None else f"{self.metric}, {self.pair[0]} minus {self.pair[1]}"
        return f"Confidence interval with more {self.unit}s: {what}"

    @property
    def caption(self) -> str:
        settled = f" About {counted(self.needed, self.unit)} would settle it." if self.needed else ""
        zero = " Line: no difference." if self.pair else ""
        return (
            f"{percent(self.level)} interval at other numbers of {self.unit}s, if the value stays what it is. "
            f"Dashed: now, {counted(self.units, self.unit)}.{zero}{settled}"
        )

    @property
    def sizes(self) -> Array:
        """Numbers of units along the chart."""
        return np.unique(np.maximum(np.round(self.units * TIMES), 2).astype(np.int64))

    @property
    def alt(self) -> str:
        half = (self.now["high"] - self.now["low"]) / 2
        steps = ", ".join(f"{half / times**0.5:.3g} with {times} times as many" for times in (2, 4, 16))
        return (
            f"{self.title}. Half of the interval's width is {half:.3g} with {counted(self.units, self.unit)}, {steps}."
        )

    @property
    def parts(self) -> dict[str, Columns]:
        """`widths`: units, value, low, high, half_width."""
        shrunk = np.sqrt(self.units / self.sizes)
        value, low, high = (number_or_nan(self.now[name]) for name in ("value", "low", "high"))
        ends = {"low": value - (value - low) * shrunk, "high": value + (high - value) * shrunk}
        least, most = self.now.get("bounds") or range_of(self.metric)
        if self.pair is not None:
            least, most = least - most, most - least
        ends = {name: np.clip(end, least, most) for name, end in ends.items()}
        half = (ends["high"] - ends["low"]) / 2
        return {"widths": {"units": self.sizes, "value": np.full(len(shrunk), value), **ends, "half_width": half}}


def more_data(d: Mapping[str, Any], metric: str | None = None) -> MoreData:
    """What more rows would do to a metric's interval (an evaluation's `to_dict()`): the first, or that named."""
    known = {name: e for name, e in d["estimates"].items() if _whole(e)}
    printed = [name for name, e in known.items() if e.get("printed", True)]
    name = _known(metric, known, printed)
    return MoreData(metric=name, units=known[name]["units"], now=known[name], level=d["level"], unit=d["unit"])


def more_data_apart(d: Mapping[str, Any], metric: str | None = None, model: str | None = None) -> MoreData:
    """What more rows would do to the interval of a difference (a comparison's `to_dict()`)."""
    of_model = [one for one in d["differences"] if _whole(one) and model in (None, one["model"])]
    known: dict[str, Any] = {}
    for one in of_model:
        known.setdefault(one["metric"], one)
    first = [d["primary"]] if d.get("primary") in known else [name for name, one in known.items() if one["printed"]]
    found = known[_known(metric, known, first)]
    return MoreData(
        metric=found["metric"],
        units=d["units"],
        now=found,
        level=d["level"],
        pair=(found["model"], found["baseline"]),
        needed=found.get("rows_needed"),
        unit=d["unit"],
    )


def _known(name: str | None, known: Mapping[str, Any], first: list[str]) -> str:
    if not known:
        raise UsageError(
            "there is no interval that more rows would narrow",
            fix="leave out the chart: no metric here has an interval of rows",
        )
    if name is None:
        return first[0] if first else next(iter(known))
    if name not in known:
        raise UsageError(
            f"no interval is named {name!r}{did_you_mean(name, known)}", fix=f"choose one of {', '.join(known)}"
        )
    return name


def _whole(e: Estimated) -> bool:
    return all(e[name] is not None for name in ("value", "low", "high")) and e["low"] < e["high"]
