"""Pages of images and of texts: what their views are called, and where their figures and tables stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How one kind of result differs from the others on the page."""

    titles: Mapping[str, str]
    """Of views that have another name here."""
    figures: Mapping[str, str]
    """The view of figures that stand elsewhere."""
    tables: Mapping[str, str]
    """The view of each table, by the first word of its name."""
    others: str = "differences"
    """The view of all other tables."""
    left: frozenset[str] = field(default_factory=frozenset)
    """Tables that a figure or another table of the page repeats."""


KINDS = {
    "heldout.detection/1": Kind(
        titles={
            "segments": "By overlap, size and class",
            "curves": "Every score at once",
            "more_data": "What more images would buy",
        },
        figures={"classes": "segments", "sizes": "segments", "by_iou": "segments"},
        tables={"figures": "metrics", "at": "metrics", "classes": "segments"},
        left=frozenset({"models", "iou"}),
    ),
    "heldout.masks/1": Kind(
        titles={
            "confusion": "Which class is taken for which",
            "more_data": "What more images would buy",
        },
        figures={"classes": "segments"},
        tables={"figures": "metrics", "classes": "segments"},
        left=frozenset({"models"}),
    ),
    "heldout.text/1": Kind(
        titles={"distributions": "Segment by segment", "more_data": "What more segments would buy"},
        figures={"segment_values": "distributions"},
        tables={"value": "metrics", "telling": "disagreement"},
    ),
}


def kind_of(d: Mapping[str, Any]) -> Kind | None:
    """How the page of this result differs; None where it does not."""
    return KINDS.get(d["schema"])


def in_images(d: Mapping[str, Any]) -> bool:
    """Whether the result is about images."""
    return d.get("unit") == "images"
