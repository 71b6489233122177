"""The page of `masks`."""

from __future__ import annotations

from heldout.report.kinds.images import page

SCHEMA = "heldout.masks/1"

__all__ = ["SCHEMA", "page"]
