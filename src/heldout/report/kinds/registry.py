"""The page of a result, whichever verb gave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Page
from heldout.report.kinds import comparison, detections, fold_comparison, label_maps, ranking, selection, validation
from heldout.report.kinds import evaluation as tables
from heldout.report.kinds import fold_choice as folds_choice
from heldout.report.kinds import joint_table as joint_tables
from heldout.report.kinds import learning_curve as learning_curves
from heldout.report.kinds import text as texts
from heldout.report.kinds import version_space as version_spaces

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
