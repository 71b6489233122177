"""How a metric is spread over the segments of a text, or how two systems differ segment by segment."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure, counted
from heldout.errors import UsageError

BINS = 41
"""How many bins there are at most."""
ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


@dataclass(frozen=True, kw_only=True)
class SegmentValues(Figure):
    """A histogram of the values of segments, or of differences between two systems, segment by segment."""

    metric: str
    edges: Array
    counts: Array
    values: Array
    """Of every segment, in order."""
    pair: tuple[str, str] | None = None
    """Where differences are shown: a and b of a - b."""
    better: str = "higher"

    @property
    def kind(self) -> str:
        return "segment_values"

    @property
    def title(self) -> str:
        if self.pair is None:
            return f"{self.metric} of each segment"
        return f"{self.metric} of each segment, {self.pair[0]} minus {self.pair[1]}"

    @property
    def shares(self) -> tuple[int, int, int]:
        """Of differences: in how many segments the first system is better, equal, worse."""
        known = self.values[np.isfinite(self.values)]
        up, down = int(np.count_nonzero(known > 0)), int(np.count_nonzero(known < 0))
        return (up, len(known) - up - down, down) if self.better == "higher" else (down, len(known) - up - down, up)

    @property
    def caption(self) -> str:
        alone = f"{self.metric} of a segment alone, as if it were all there is; {self.metric} of all is not their mean."
        if self.pair is None:
            return alone
        up, same, down = self.shares
        return f"{self.pair[0]} is better in {counted(up, 'segment')}, equal in {same:,}, worse in {down:,}. {alone}"

    @property
    def alt(self) -> str:
        known = self.values[np.isfinite(self.values)]
        low, middle, high = np.quantile(known, [0.1, 0.5, 0.9])
        spread = f"The middle one of {counted(len(known), 'segment')} has {middle:.3g}, a tenth below {low:.3g}, "
        told = "" if self.pair is None else f" {self.caption.partition('. ')[0]}."
        return f"Histogram: {self.title}. {spread}a tenth above {high:.3g}.{told}"

    @property
    def parts(self) -> dict[str, Columns]:
        """`spread`: left, right, segments."""
        return {"spread": {"left": self.edges[:-1], "right": self.edges[1:], "segments": self.counts}}


def segment_values(
    metric: str, values: Array, *, better: str | None = "higher", pair: tuple[str, str] | None = None
) -> SegmentValues:
    """The histogram of values by segment; bins have round ends, and of differences one is centred on zero.

    >>> figure = segment_values("bleu", np.array([-4.0, 0, 0, 3, 9]), pair=("new", "old"))
    >>> figure.shares, int(figure.counts.sum())
    ((2, 2, 1), 5)
    """
    known = values[np.isfinite(values)]
    if not len(known):
        raise UsageError(f"no segment has a {metric} of its own", fix="choose another metric, or leave out the chart")
    edges = _centred(known) if pair is not None else _even(known)
    counts, _ = np.histogram(known, bins=edges)
    return SegmentValues(metric=metric, edges=edges, counts=counts, values=values, pair=pair, better=better or "higher")


def _centred(values: Array) -> Array:
    """Bins round zero and its multiples of a width, as far as the values reach."""
    far = float(np.abs(values).max())
    width = _round_up(2 * far / BINS) or 1.0
    reach = ceil(round(far / width - 0.5, 9)) if far else 0
    return (np.arange(-reach - 1, reach + 1) + 0.5) * width


def _even(values: Array) -> Array:
    low, high = float(values.min()), float(values.max())
    width = _round_up((high - low) / BINS) or 1.0
    first, last = np.floor(low / width), np.floor(high / width) + 1
    if last * width > 100 >= high and width <= 10:  # nothing lies above 100, so that the last bin has it too
        last = np.ceil(high / width)
    return np.arange(first, last + 1) * width


def _round_up(width: float) -> float:
    """The next width that is round, such as 1, 2, 2.5 or 5 times a power of ten; 0 stays."""
    if not width > 0:
        return 0.0
    power = 10.0 ** np.floor(np.log10(width))
    return float(power * next(step for step in ROUND if step * power >= width * (1 - 1e-9)))
