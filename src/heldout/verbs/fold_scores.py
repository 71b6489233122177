"""Scores of folds where predictions were expected: said so, before they are taken for something else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from heldout.errors import DataError
from heldout.inputs.files import Table
from heldout.inputs.numbers import numbers_or_none
from heldout.inputs.roles import NAMES, plain

FOLDS = ("fold", "folds", "split", "rep", "repeat", "repetition", "iteration", "cv")
"""What the column that numbers folds is called."""
MANY = 100
"""With more numbers than this per model they are hardly folds."""
ROLES = {name for names in NAMES.values() for name in names}


def folds_in_table(rows: Table) -> DataError | None:
    """The refusal of a table without truth that numbers folds, or has few rows of nothing but unnamed numbers."""
    names = [plain(name) for name in rows.names]
    numbered = [rows.names[at].strip() for at, name in enumerate(names) if name in FOLDS]
    values = [numbers_or_none(rows.column(at)) for at in range(len(names))]
    count = len(rows.column(0)) if names else 0
    if numbered:
        return _refused(f"{rows.place} looks like scores of folds (it has a column {numbered[0]!r})")
    headless = len(names) == 1 and _is_number(names[0])
    unnamed = not ROLES & set(names) and not any(map(_is_number, names))
    if not 0 < count <= MANY or any(part is None for part in values) or not (headless or unnamed):
        return None
    return _refused(f"{rows.place} looks like scores of folds ({count + headless} numbers per model)")


def folds_in_arrays(models: Mapping[Any, Any], rows: int | None = None) -> DataError | None:
    """The refusal of a few fractions per model that have no truth, or far more truths than numbers."""
    arrays = [_array(values) for values in models.values()]
    sizes = {len(array) for array in arrays if array is not None}
    if any(array is None for array in arrays) or len(sizes) != 1:
        return None
    count = sizes.pop()
    if not 0 < count <= MANY or (rows is not None and 2 * count > rows):  # a row or two too few is another mistake
        return None
    return _refused(f"the models look like scores of folds ({count} numbers each)")


def _array(values: Any) -> Any:
    """One line of fractions, or None."""
    if isinstance(values, str | bytes | Mapping) or not (isinstance(values, list | np.ndarray)):
        return None
    array = np.asarray(values)
    return array if array.ndim == 1 and array.dtype.kind == "f" else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refused(what: str) -> DataError:
    return DataError(
        f"{what}, not predictions: folds share training rows, so a t-test over them is not valid",
        code="H301",
        fix="pass out-of-fold predictions: one line for each row, with its truth; or for a corrected test of the "
        "scores heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200 (heldout.compare_fold_scores)",
    )
