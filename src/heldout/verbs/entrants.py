"""The models of a comparison, measured: on rows in memory, or on sums over parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from heldout.batch import Batch
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import Metric
from heldout.inputs import Check, Source
from heldout.verbs.both import Both
from heldout.verbs.contenders import Contenders, contenders
from heldout.verbs.measurement import Measurement
from heldout.verbs.pairing import Paired
from heldout.verbs.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Entrants:
    """Models measured, and how their rows were found."""

    measured: dict[str, Measurement]
    base: str
    matched: str | None
    only: dict[str, int] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    batches: Mapping[str, Batch] = field(default_factory=dict)
    """The rows of every model, where they are in memory."""
    pairs: Mapping[str, Both] | None = None
    """Every other model beside the baseline, where rows are not in memory."""
    many: Contenders | None = None
    """Where there are more than two models: all of them judged together."""
    engine: str = "local"
    parts: int = 1


def entrants(rows: Paired, asked: Settings, *, baseline: str | None, primary: str | None, paired: bool) -> Entrants:
    """The models whose rows are in memory."""
    measured = {name: Measurement(batch, asked) for name, batch in rows.batches.items()}
    base = based_on(baseline, list(measured))
    chosen = judge(measured[base].metrics(), primary) if len(measured) > 2 and paired else None
    return Entrants(
        measured=measured,
        base=base,
        matched=rows.by,
        only=rows.only,
        checks=rows.checks,
        sources=rows.sources,
        batches=rows.batches,
        many=None if chosen is None else contenders(chosen, measured, base),
    )


def based_on(baseline: str | None, names: Sequence[str]) -> str:
    """The model that the others are judged against: the first unless named."""
    if baseline is None:
        return names[0]
    if baseline not in names:
        known = f"the models are {', '.join(names)}"
        raise UsageError(f"no model is named {baseline!r}{did_you_mean(baseline, names)}", fix=known)
    return baseline


def judge(metrics: Sequence[Metric], primary: str | None) -> Metric | None:
    """The metric that judges all models together: the primary one, or the first that is printed."""
    chosen = [metric for metric in metrics if (metric.name == primary if primary else metric.printed and metric.better)]
    return chosen[0] if chosen else None
