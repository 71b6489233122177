"""The page of a result, whichever verb gave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report import comparison, joint_tables, ranking, tables, version_spaces
from heldout.report.cells import Page


def page(d: Mapping[str, Any], *, brief: bool = True) -> Page:
    """What a reader meets, from the top down; the result's `schema` says what it is."""
    own = {kind.SCHEMA: kind.page for kind in (comparison, joint_tables, ranking, version_spaces)}
    return own.get(d["schema"], tables.page)(d, brief=brief)
