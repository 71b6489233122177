"""What `text` gives: values with intervals for every system, and their differences from the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.inputs import Check, Source
from heldout.verbs.judgement import Difference, Verdict
from heldout.version import __version__

if TYPE_CHECKING:
    from heldout.charts import Plot


@dataclass(frozen=True, kw_only=True)
class TextEvaluation:
    """Metrics of texts by system, and whether a system is better than the baseline."""

    systems: tuple[str, ...]
    baseline: str
    primary: str | None
    verdict: Verdict | None
    """None where there is one system."""
    estimates: dict[str, dict[str, Estimate]]
    differences: tuple[Difference, ...]
    signatures: dict[str, str]
    """By metric: the words by which others can repeat its number."""
    rows: int
    """Segments."""
    units: int
    references: tuple[int, int]
    """The fewest and the most references of a segment."""
    level: float
    seed: int
    matched: str = "position"
    segments: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    """By system: the segments on which it loses and gains most, or, of one system, those that lower its value most."""
    segment_metric: str = ""
    """The metric that decides, or the first: by it segments are told."""
    segment_values: dict[str, Array] = field(default_factory=dict, repr=False, compare=False)
    """By system: that metric of every segment alone."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()

    def __getitem__(self, name: str) -> Estimate | Difference:
        """Of one system the estimate of a metric; of several, the first difference from the baseline."""
        found: Mapping[str, Estimate | Difference] = (
            {one.metric: one for one in reversed(self.differences)}
            if self.differences
            else self.estimates[self.baseline]
        )
        known = "bertscore_f" if name == "bertscore" else name
        if known not in found:
            raise UsageError(f"no metric here is named {name!r}{did_you_mean(known, found)}")
        return found[known]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.text/1`."""
        return {
            "schema": "heldout.text/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "matched": {"by": self.matched, "rows": self.rows, "only": {}},
            "task": "text",
            "rows": self.rows,
            "units": self.units,
            "references": {"fewest": self.references[0], "most": self.references[1]},
            "level": self.level,
            "seed": self.seed,
            "primary": self.primary,
            "baseline": self.baseline,
            "models": list(self.systems),
            "verdict": self.verdict,
            "paired": True,
            "signatures": self.signatures,
            "estimates": {
                name: {metric: one.to_dict() for metric, one in found.items()} for name, found in self.estimates.items()
            },
            "differences": [one.to_dict() for one in self.differences],
            "segments": {name: [dict(one) for one in found] for name, found in self.segments.items()},
            "checks": [{"code": one.code, "text": one.text} for one in self.checks],
        }

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.differences()` draws it."""
        from heldout.verbs.text.text_charts import text_plot

        return text_plot(self)

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.html_report import write_report

        return write_report(self, path)

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per system and metric, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        lines = [(name, one) for name, found in self.estimates.items() for one in found.values()]
        facts = ("value", "low", "high", "level", "method", "units")
        table = {
            "system": [name for name, _ in lines],
            "metric": [one.name for _, one in lines],
            **{fact: [getattr(one, fact) for _, one in lines] for fact in facts},
        }
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]
