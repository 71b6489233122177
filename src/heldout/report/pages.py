"""The page of a result, whichever verb gave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report import comparison, tables
from heldout.report.cells import Page


def page(d: Mapping[str, Any], *, brief: bool = True) -> Page:
    """What a reader meets, from the top down; the result's `schema` says what it is."""
    made = comparison.page if d["schema"] == comparison.SCHEMA else tables.page
    return made(d, brief=brief)
