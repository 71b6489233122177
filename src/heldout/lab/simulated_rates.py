"""What simulations of error rates give: a sequence of rates that is also a result, in every format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class SimulatedRates(Result, Sequence[Any]):
    """One rate per method or test and metric, with the setting they were simulated in.

    It is a sequence: `for rate in rates`, `rates[0]`, `first, = rates`.
    """

    rates: tuple[Any, ...]
    setting: Mapping[str, Any] = field(default_factory=dict)
    """What all of them share, as plain values."""

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self.rates[at]

    def __len__(self) -> int:
        return len(self.rates)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rates)

    def content(self) -> dict[str, Any]:
        """The setting, then every rate."""
        return {**self.setting, "results": [rate.to_dict() for rate in self.rates]}

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """Every rate with its Monte-Carlo error, beside the nominal rate."""
        from heldout.charts.plot import Plot
        from heldout.charts.simulation_figures import simulated_rates

        return Plot(views={"rates": lambda: simulated_rates(d)} if d["results"] else {})


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CoverageRates(SimulatedRates):
    """What `lab.coverage` gives."""

    kind = "coverage"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class RejectionRates(SimulatedRates):
    """What `lab.size` and `lab.power` give."""

    kind = "size"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CorpusErrorRates(SimulatedRates):
    """What `lab.corpus_rates` gives."""

    kind = "corpus-rates"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class SplitCoverageRates(SimulatedRates):
    """What `lab.split_coverage` gives."""

    kind = "split-coverage"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class SplitRejectionRates(SimulatedRates):
    """What `lab.split_size` gives."""

    kind = "split-size"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class FailureRates(SimulatedRates):
    """What `lab.failures` gives."""

    kind = "failures"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class OutsideRates(SimulatedRates):
    """What `lab.outside` gives."""

    kind = "outside"

    @property
    def missed(self) -> tuple[Any, ...]:
        """The rates that miss their bound without a reason."""
        return tuple(rate for rate in self.rates if rate.outcome == "missed")


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class HeldOutRates(SimulatedRates):
    """What `lab.held_out` gives."""

    kind = "held-out"
