"""Arrays, frames, files and counts → a batch. The only checks on data, at the door, once."""

from __future__ import annotations

from heldout.inputs.arrays import from_arrays
from heldout.inputs.counts import read_confusion, read_costs
from heldout.inputs.files import Source, source_of
from heldout.inputs.positives import positive_of
from heldout.inputs.reading import Check, Reading
from heldout.inputs.set_scores import SetScores, read_set_scores
from heldout.inputs.tables import read
from heldout.inputs.training import shared_rows

__all__ = [
    "Check",
    "Reading",
    "SetScores",
    "Source",
    "from_arrays",
    "positive_of",
    "read",
    "read_confusion",
    "read_costs",
    "read_set_scores",
    "shared_rows",
    "source_of",
]
