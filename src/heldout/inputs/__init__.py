"""Arrays, frames, files and counts to a batch. All checks on data are made here, once.

What is named here is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heldout.inputs.checks.train_overlap import shared_rows
    from heldout.inputs.columns.positive_class import positive_of
    from heldout.inputs.formats.count_tables import read_class_counts, read_confusion, read_costs
    from heldout.inputs.formats.dataset_scores import SetScores, read_set_scores
    from heldout.inputs.formats.files import Source, source_of
    from heldout.inputs.read_arrays import from_arrays
    from heldout.inputs.read_table import read
    from heldout.inputs.reading import Check, Reading

_HOMES = {
    "Check": "heldout.inputs.reading",
    "Reading": "heldout.inputs.reading",
    "SetScores": "heldout.inputs.formats.dataset_scores",
    "Source": "heldout.inputs.formats.files",
    "from_arrays": "heldout.inputs.read_arrays",
    "positive_of": "heldout.inputs.columns.positive_class",
    "read": "heldout.inputs.read_table",
    "read_class_counts": "heldout.inputs.formats.count_tables",
    "read_confusion": "heldout.inputs.formats.count_tables",
    "read_costs": "heldout.inputs.formats.count_tables",
    "read_set_scores": "heldout.inputs.formats.dataset_scores",
    "shared_rows": "heldout.inputs.checks.train_overlap",
    "source_of": "heldout.inputs.formats.files",
}

__all__ = [
    "Check",
    "Reading",
    "SetScores",
    "Source",
    "from_arrays",
    "positive_of",
    "read",
    "read_class_counts",
    "read_confusion",
    "read_costs",
    "read_set_scores",
    "shared_rows",
    "source_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'heldout.inputs' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
