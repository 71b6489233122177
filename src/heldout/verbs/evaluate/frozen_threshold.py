"""A threshold that was chosen and frozen: read back, and kept from being judged on the rows that chose it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from heldout.batch import Batch, Label
from heldout.errors import DataError, UsageError
from heldout.inputs import Check
from heldout.store import rows_fingerprint

SCHEMA = "heldout.threshold/1"


@dataclass(frozen=True, kw_only=True)
class FrozenThreshold:
    """A threshold, the class it is about, and a hash of the rows it was chosen on."""

    threshold: float
    positive: Label | None
    rows: str | None
    name: str
    """The file it was read from."""


def frozen_threshold(source: str | Path | Mapping[str, Any], threshold: float | None = None) -> FrozenThreshold:
    """What the explorer of a page froze, from its file or from the dictionary that the file holds.

    >>> frozen_threshold({"schema": "heldout.threshold/1", "threshold": 0.2, "positive": 1, "rows": "ab"}).threshold
    0.2
    """
    if threshold is not None:
        raise UsageError("threshold and threshold_from exclude each other", fix="leave one of them out")
    name = "threshold_from" if isinstance(source, Mapping) else str(source)
    d = source if isinstance(source, Mapping) else _read(Path(source))
    value = d.get("threshold") if isinstance(d, Mapping) and d.get("schema") == SCHEMA else None
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        fix = "freeze a threshold on a page that heldout wrote with --report"
        raise UsageError(f"{name} holds no frozen threshold ({SCHEMA})", fix=fix)
    return FrozenThreshold(threshold=float(value), positive=d.get("positive"), rows=d.get("rows"), name=name)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}", fix="check the name of the file") from None
    except ValueError:
        return None


def judged_elsewhere(frozen: FrozenThreshold, batch: Batch, *, allow_overlap: bool) -> tuple[Check, ...]:
    """Refuse a threshold on the rows that chose it, or flag it where that is allowed; refuse another positive class."""
    about_this_class(frozen, batch)
    if frozen.rows != rows_fingerprint(batch):
        return ()
    if not allow_overlap:
        message = f"the threshold {frozen.threshold:g} of {frozen.name} was chosen on these {batch.rows} rows"
        fix = "judge it on other rows, or pass --allow-overlap (allow_overlap=True) for a result that is flagged"
        raise DataError(message, code="H302", fix=fix)
    text = f"the threshold {frozen.threshold:g} was chosen on these rows: what it reaches here is optimistic"
    return (Check(code="H302", text=text),)


def about_this_class(frozen: FrozenThreshold, batch: Batch) -> None:
    """Refuse a threshold that is about another class than the positive one."""
    positive = None if batch.positive is None else batch.labels[batch.positive]
    if batch.task != "binary":
        raise UsageError(f"a frozen threshold is about two classes, not about {batch.task} data", fix="leave it out")
    if frozen.positive is not None and str(frozen.positive) != str(positive):
        fix = f"pass --positive {frozen.positive} (pos_label={frozen.positive!r})"
        raise UsageError(f"{frozen.name} is about the class {frozen.positive!r}, but {positive!r} is positive", fix=fix)
