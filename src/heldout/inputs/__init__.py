"""Arrays, frames, files and counts → a batch. The only checks on data, at the door, once."""

from __future__ import annotations

from heldout.inputs.arrays import from_arrays
from heldout.inputs.counts import read_confusion, read_costs
from heldout.inputs.files import Source, source_of
from heldout.inputs.parts.deciding import decided
from heldout.inputs.parts.folders import in_parts
from heldout.inputs.parts.gathering import gathered
from heldout.inputs.parts.part import Part, Parted, Piece, parted, pieces, size_of
from heldout.inputs.parts.recipes import Coded, Facts, Recipe, coded
from heldout.inputs.parts.witnesses import Witnesses, columns_needed, witness
from heldout.inputs.positives import positive_of
from heldout.inputs.reading import Check, Reading
from heldout.inputs.set_scores import SetScores, read_set_scores
from heldout.inputs.tables import read
from heldout.inputs.training import shared_rows

__all__ = [
    "Check",
    "Coded",
    "Facts",
    "Part",
    "Parted",
    "Piece",
    "Reading",
    "Recipe",
    "SetScores",
    "Source",
    "Witnesses",
    "coded",
    "columns_needed",
    "decided",
    "from_arrays",
    "gathered",
    "in_parts",
    "parted",
    "pieces",
    "positive_of",
    "read",
    "read_confusion",
    "read_costs",
    "read_set_scores",
    "shared_rows",
    "size_of",
    "source_of",
    "witness",
]
