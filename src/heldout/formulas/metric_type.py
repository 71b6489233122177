"""A metric: a formula on sums, with the facts needed to read its value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import Signature, signature
from typing import Literal

import numpy as np

from heldout.batch import Array, Batch, Task
from heldout.tallies import Sums

Better = Literal["higher", "lower"]
Reads = Literal["labels", "marks", "scores", "columns", "losses", "numbers", "ordered", "reliability"]
RowStatistic = Callable[[Batch], Array]

MOVED_AT_ONCE = 2_000_000
"""How many moved sums are held at a time when a formula is differentiated."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Metric:
    """A formula on sums. The names of its parameters are the sums it needs."""

    name: str
    formula: Callable[..., Array]
    reads: Reads
    """What it is computed from: labels (one per row) or marks (several 0/1 labels per row), scores (one column) or
    columns (one per class), losses or numbers (what rows add), ordered numbers, or reliability of probabilities."""
    tasks: tuple[Task, ...]
    interval: str
    """The kind of interval that suits it: a key of `heldout.estimates.interval_choice.KINDS`."""
    better: Better | None = "higher"
    """Which way is good; None where neither is."""
    range: tuple[float, float] = (0.0, 1.0)
    one_class: bool = False
    """About one class (the positive one, or each in turn), not about all at once."""
    share: tuple[str, ...] = ()
    """Where the value is a share of independent rows: the sums that add up to the number of those rows."""
    values: tuple[float, ...] = ()
    """Of a mean over rows: the values that a row can take, where these are few and known."""
    rare: float = 1.0
    """Of a quantile's loss: the share of rows beyond the quantile, on its rare side. They carry much of the loss."""
    rests_on: Literal["smallest class", "all rows"] = "smallest class"
    """At 0 or 1, where nothing varies: on which rows the value rests."""
    via: tuple[str, Callable[[float], float]] | None = None
    """Where the value is a monotone function of another metric: its name, and the function. The interval follows."""
    of_counts: Callable[..., Array] | None = None
    """A faster formula for resamples of rows that count one each, whose sums are whole numbers: the same bits."""
    slopes: Callable[[Array, Array], dict[str, Array]] | None = None
    """For metrics of the order of scores: how far one more positive, or negative, row at each score moves the value."""
    within: Callable[[Array, Array], tuple[float, float]] | None = None
    """For metrics of the order of scores: between which values it lies if rows are known by the place of their score
    only; of positive and negative rows by place, counts as whole numbers."""
    apart: bool = False
    """For metrics of the order of scores: whether the value changes from one positive score to the next."""
    contest: Metric | None = None
    """For metrics of one score column per class: the metric of each ranking that they average."""
    bins: tuple[int, Literal["width", "mass"]] = (0, "width")
    """For calibration errors: into how many bins probabilities are put, of equal width or equal mass."""
    rows: Mapping[str, RowStatistic] | None = None
    """What a row adds to the sums that are not built in."""
    uses: Literal["prediction", "score", "probabilities"] = "prediction"
    """For metrics of losses: what these are computed from."""
    whole: bool = False
    """Whether row statistics depend on all rows (a median, class shares), so that rows cannot be read in chunks."""
    joint: bool = False
    """For metrics of numbers: whether the formula takes all targets at once, and gives one value."""
    against: str = ""
    """Of a share of explained loss: whose loss counts as nothing explained."""
    by_name: bool = False
    """Computed only where it is asked for by name."""
    aliases: tuple[str, ...] = ()
    printed: bool = False
    """Whether it is in the short table of the text report."""

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The names of the sums."""
        return tuple(self.signature.parameters)

    @property
    def signature(self) -> Signature:
        """The formula's parameters."""
        return signature(self.formula)

    @property
    def of_labels(self) -> bool:
        """Whether it looks at decided labels rather than at scores; of a metric of the user's, whether it may."""
        return self.reads in ("labels", "marks") or (self.reads == "losses" and self.uses == "prediction")

    @property
    def of_all_rows(self) -> bool:
        """Whether it is a share or a mean over all rows, and needs no rows of one class or the other."""
        if self.reads == "losses":
            return self.interval in ("mean", "share")
        return self.reads == "labels" and self.interval == "share" and self.share == ("tp", "fn") and not self.one_class

    @cached_property
    def carriers(self) -> tuple[tuple[str, ...], ...]:
        """The rows without which the value would be undefined, as sums that add up to them; () if these are all rows.

        Of a metric of all classes: the rows of each class.

        >>> from heldout.formulas import METRICS
        >>> METRICS["specificity"].carriers, METRICS["youden_j"].carriers, METRICS["accuracy"].carriers
        ((('tn', 'fp'),), (('tp', 'fn'), ('tn', 'fp')), ())
        """
        if self.of_all_rows or self.rests_on == "all rows":
            return ()
        if self.reads in ("scores", "columns"):
            behind = self.contest or self
            # without negative rows, a precision is 1, and all positives are at the top
            alone = behind.interval in ("precision", "depth") or self.tasks == ("multiclass",)
            weighed = self.contest is not None and self.name.endswith(("_micro", "_weighted"))
            return () if weighed else (("positives",),) if alone else (("positives",), ("negatives",))
        if self.interval == "recalibration":
            return ("positives",), ("negatives",)
        if self.reads not in ("labels", "marks"):
            return ()
        if self.interval == "correlation":
            return (("tp", "fn"), ("tp", "fp"))
        return (("tp", "fn"), ("tn", "fp")) if "tn" in self.needs and not self.share else (self.needs,)

    @property
    def definition(self) -> str:
        """The first line of the formula's documentation."""
        return (self.formula.__doc__ or self.name).strip().splitlines()[0]

    def __repr__(self) -> str:
        better = f"{self.better} is better" if self.better else "neither way is better"
        low, high = self.range
        shown = f"{self.name}: {self.definition}\n{better}, from {low:g} to {high:g}, for {', '.join(self.tasks)} data"
        return f"{shown}\n[Metric: .formula, .needs, .range, .aliases]"

    def __call__(self, sums: Sums) -> Array:
        """The value on sums; 0/0 is nan: undefined, not zero.

        >>> from heldout.formulas import METRICS
        >>> float(METRICS["precision"]({"tp": np.float64(3), "fp": np.float64(1)}))
        0.75
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.of_counts is not None and all(np.asarray(sums[name]).dtype == np.int32 for name in self.needs):
                return self.of_counts(**{name: sums[name] for name in self.needs})
            return np.asarray(self.formula(**{name: np.asarray(sums[name], dtype=float) for name in self.needs}))

    def gradient(self, sums: Sums) -> dict[str, Array]:
        """The derivative of the value by each sum, by a five-point rule: exact to rounding for smooth formulas.

        Parameters
        ----------
        sums : mapping of str to array
            What rows add up to, as the formula takes it.

        Returns
        -------
        dict of str to ndarray
            Name of a sum → derivative.
        """
        total = {name: np.asarray(sums[name], dtype=float) for name in self.needs}
        flat = np.concatenate([part.ravel() for part in total.values()])
        scale = np.full(len(flat), float(np.abs(flat).max(initial=0.0)) or 1.0)
        if len({part.shape for part in total.values()}) == 1:  # a class moves by its own size, however large others are
            own = np.concatenate([np.abs(np.stack(list(total.values()))).max(axis=0).ravel()] * len(total))
            scale = np.where(own > 0, own, scale)
        step = np.where(flat == 0, scale, np.abs(flat)) * 1e-3
        size = max(1, MOVED_AT_ONCE // (4 * len(flat)))
        slopes = [self._slopes(total, flat, step, at) for at in _blocks(len(flat), size)]
        ends = np.cumsum([part.size for part in total.values()])[:-1]
        parts = np.split(np.concatenate(slopes), ends)
        return {name: part.reshape(total[name].shape) for name, part in zip(total, parts, strict=True)}

    def _slopes(self, total: dict[str, Array], flat: Array, step: Array, at: Array) -> Array:
        """The derivative by the entries `at` of all sums in a row: four moves of each, in one call of the formula."""
        moved = np.tile(flat, (4, len(at), 1))
        for line, times in enumerate((1, -1, 2, -2)):
            moved[line, np.arange(len(at)), at] += times * step[at]
        columns, first = {}, 0
        for name, part in total.items():
            columns[name] = moved[..., first : first + part.size].reshape(4, len(at), *part.shape)
            first += part.size
        more, less, far, back = self(columns)
        return (8 * (more - less) - (far - back)) / (12 * step[at])


def _blocks(entries: int, size: int) -> Iterator[Array]:
    for first in range(0, entries, size):
        yield np.arange(first, min(first + size, entries))
