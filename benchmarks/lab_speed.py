"""The lab: time of one interval when thousands of samples are answered together, and in one call per repetition.

    python -m benchmarks.lab_speed

Both draw their samples and ask for the default interval; processor time, so that a busy machine changes little. The
file `lab_speed.json` has a line per kind of metric.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.machine import machine
from heldout.formulas import METRICS
from heldout.lab.rates.many_samples import Asked, drawn_samples, interval_ends
from heldout.lab.worlds import one_model
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

PATH = Path(__file__).with_suffix(".json")
BAR = 30
"""How many times faster closed forms of counts must be."""
ROWS_BAR = 15
"""The same where every row is drawn, and sorted or added up: that alone takes a twentieth of a call."""
SINGLE = 100
"""Calls that are timed one by one."""
DRAWS = 499


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Metrics that are answered alike."""

    title: str
    world: str
    rows: int
    metrics: tuple[str, ...]
    samples: int = 8000
    bar: float | None = BAR
    """None: shown for comparison, because it resamples or is answered one by one."""


KINDS = (
    Kind(title="shares", world="labels", rows=100, metrics=("accuracy", "recall", "precision")),
    Kind(title="F measures", world="labels", rows=100, metrics=("f1", "f2")),
    Kind(title="correlations of labels", world="labels", rows=100, metrics=("mcc", "kappa")),
    Kind(title="averages over 3 classes", world="classes", rows=150, metrics=("f1_macro", "precision_macro")),
    Kind(title="AUC", world="binormal:prevalence=0.4", rows=100, metrics=("roc_auc",), bar=ROWS_BAR),
    Kind(title="mean losses, Student's t", world="numbers:own=1", rows=120, metrics=("mae", "r2"), bar=ROWS_BAR),
    Kind(title="median of errors", world="numbers:own=1", rows=120, metrics=("median_absolute_error",), bar=ROWS_BAR),
    Kind(title="labels in clusters", world="clustered-labels:size=5", rows=100, metrics=("accuracy", "f1"), bar=None),
    Kind(title="weighted labels", world="labels:weights=1", rows=100, metrics=("accuracy", "f1"), bar=None),
    Kind(title="mean losses, bootstrap-t", world="numbers:own=1", rows=40, metrics=("mae", "rmse"), samples=1000,
         bar=None),
    Kind(title="thresholds, BCa", world="binormal:prevalence=0.4", rows=100, metrics=("ks",), samples=50, bar=None),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One kind of metrics: microseconds for an interval, the sample's draw included."""

    title: str
    world: str
    rows: int
    single_us: float
    together_us: float
    ratio: float
    bar: float | None
    met: bool | None
    together: float
    """Share of the samples that were answered together."""


def line(kind: Kind, *, part: float = 1.0) -> Line:
    """Time both ways; `part` of the samples, for tests."""
    place, samples = one_model(kind.world), max(int(kind.samples * part), 8)
    asked = Settings(metrics=tuple(METRICS[name] for name in kind.metrics), draws=DRAWS)
    for name in kind.metrics:  # loads what is needed
        interval_ends(drawn_samples(place, 8, kind.rows, np.random.default_rng(0)), name)
    Measurement(place.draw(kind.rows, np.random.default_rng(0)), asked).overall()
    started = process_time()
    drawn = drawn_samples(place, samples, kind.rows, np.random.default_rng(1), Asked(draws=DRAWS))
    shares = [interval_ends(drawn, name).together / samples for name in kind.metrics]
    together = (process_time() - started) / samples / len(kind.metrics)
    started, calls = process_time(), max(int(SINGLE * part), 3)
    for seed in range(calls):
        Measurement(place.draw(kind.rows, np.random.default_rng(seed)), asked).overall()
    single = (process_time() - started) / calls / len(kind.metrics)
    ratio = single / together
    return Line(
        title=kind.title, world=kind.world, rows=kind.rows, single_us=round(single * 1e6, 1),
        together_us=round(together * 1e6, 1), ratio=round(ratio, 1), bar=kind.bar,
        met=None if kind.bar is None else ratio >= kind.bar, together=round(float(np.mean(shares)), 3),
    )  # fmt: skip


def main() -> None:
    """Write the file."""
    lines = [line(kind) for kind in KINDS]
    for one in lines:
        print(f"{one.title:28} {one.single_us:9.1f} us {one.together_us:9.1f} us  {one.ratio:6.1f}x")  # noqa: T201
    kept = {"machine": machine(), "lines": [asdict(one) for one in lines]}
    PATH.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
