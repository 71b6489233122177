"""The page of a result, whichever verb gave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report import (
    comparison,
    detections,
    fold_comparison,
    folds_choice,
    joint_tables,
    label_maps,
    learning_curves,
    ranking,
    selection,
    tables,
    texts,
    validation,
    version_spaces,
)
from heldout.report.cells import Page

KINDS = (
    comparison,
    detections,
    fold_comparison,
    folds_choice,
    joint_tables,
    label_maps,
    learning_curves,
    ranking,
    selection,
    texts,
    validation,
    version_spaces,
)
"""Results with a page of their own."""


def page(d: Mapping[str, Any], *, brief: bool = True) -> Page:
    """What a reader meets, from the top down; the result's `schema` says what it is."""
    own = {kind.SCHEMA: kind.page for kind in KINDS}
    return own.get(d["schema"], tables.page)(d, brief=brief)
