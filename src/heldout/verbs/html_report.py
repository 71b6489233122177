"""A result as a page: its figures, what every threshold would do, and where the numbers come from, put together."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Batch
from heldout.curves.threshold_table import Thresholds, thresholds_of
from heldout.errors import UsageError
from heldout.report.document import Table
from heldout.store import rows_fingerprint
from heldout.tallies.from_batch import score_order
from heldout.verbs.evaluate.wrong_rows import disagreements, worst_rows


def write_report(result: Any, path: str | Path, *, command: str = "") -> Path:
    """Write a result as one HTML file that needs no network, and say where it is.

    >>> import tempfile, heldout
    >>> found = heldout.evaluate([1, 1, 0, 0] * 5, [1, 0, 0, 0] * 5)
    >>> write_report(found, f"{tempfile.mkdtemp()}/page.html").name
    'page.html'
    """
    target = Path(path)
    text = result_page(result, facts=_made(command))
    try:
        target.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as problem:
        fix = "choose a folder that exists and may be written"
        raise UsageError(f"{target} cannot be written: {problem.strerror or problem}", fix=fix) from None
    return target


def result_page(result: Any, *, facts: Mapping[str, str] | None = None) -> str:
    """The page of a result as text."""
    from heldout.report.html_report import page_html

    batch: Batch | None = getattr(result, "batch", None)
    explored = thresholds(result)
    plot = getattr(result, "plot", None)
    return page_html(
        result.to_dict(),
        figures={} if plot is None else plot.figures(),
        thresholds=explored,
        rows=rows_fingerprint(batch) if explored is not None and batch is not None else None,
        tables=_tables(result),
        facts=facts,
    )


def thresholds(result: Any) -> Thresholds | None:
    """What every threshold would do, where one model's scores divide two classes; else None."""
    batch: Batch | None = getattr(result, "batch", None)
    if batch is None or batch.task != "binary" or batch.score is None or not hasattr(result, "order"):
        return None
    known = result.order is not None and batch.weight is None  # a measurement's order has weights of mean one
    order = result.order if known else score_order(batch)
    if not (order.hits.any() and not order.hits.all() and np.isfinite(order.values).all()):
        return None
    start = () if result.threshold is None else (float(result.threshold),)
    return thresholds_of(order, level=result.level, at=start)


def _tables(result: Any) -> dict[str, list[Table]]:
    """What the rows themselves tell: the most confident errors, and where models disagree."""
    if getattr(result, "image_names", ()):
        from heldout.verbs.images.worst_images import image_tables

        return {"disagreement": image_tables(result)}
    batches: Mapping[str, Batch] = getattr(result, "batches", None) or {}
    if len(batches) > 1 and getattr(result, "paired", False):
        return {"disagreement": disagreements(batches, result.baseline)}
    batch: Batch | None = getattr(result, "batch", None)
    if batch is None or not hasattr(result, "order"):  # lines of a learner's splits are no rows of a file
        return {}
    found = worst_rows(batch)
    return {"disagreement": found} if found else {}


def _made(command: str) -> dict[str, str]:
    """By what, when and with which versions the page was made."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    said = {"command": command} if command else {}
    return {**said, "written": now, "Python": platform.python_version(), "numpy": np.__version__}
