"""The page of `detect`."""

from __future__ import annotations

from heldout.report.kinds.images import page

SCHEMA = "heldout.detection/1"

__all__ = ["SCHEMA", "page"]
