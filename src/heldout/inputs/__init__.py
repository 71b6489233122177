"""Arrays, frames, files and counts → a batch. The only checks on data, at the door, once."""

from __future__ import annotations

from heldout.inputs.arrays import from_arrays
from heldout.inputs.checks.train_overlap import shared_rows
from heldout.inputs.chunked.chunked_table import Part, Parted, Piece, parted, pieces, size_of
from heldout.inputs.chunked.column_recipe import Coded, Facts, Recipe, coded
from heldout.inputs.chunked.decision import decided
from heldout.inputs.chunked.file_listing import in_parts
from heldout.inputs.chunked.witness_rows import Witnesses, columns_needed, gathered, witness
from heldout.inputs.columns.positive_class import positive_of
from heldout.inputs.formats.count_tables import read_confusion, read_costs
from heldout.inputs.formats.dataset_scores import SetScores, read_set_scores
from heldout.inputs.formats.files import Source, source_of
from heldout.inputs.reading import Check, Reading
from heldout.inputs.tables import read

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
