"""`heldout.box_iou`: intersection over union of boxes."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from heldout.batch import Array
from heldout.boxes.overlapping_pairs import iou
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.number_parsing import number_table

Form = Literal["xyxy", "xywh", "cxcywh"]
FORM = "give four numbers for each box"


def box_iou(boxes1: Any, boxes2: Any, fmt: Form = "xyxy") -> Array:
    """Intersection over union of every box of the one list with every box of the other.

    Parameters
    ----------
    boxes1, boxes2 : array-like of float
        Boxes, one per row, four numbers each; one box may be given alone.
    fmt : {"xyxy", "xywh", "cxcywh"}, default "xyxy"
        What the numbers are: two corners, a corner with width and height, or the centre with width and height.

    Returns
    -------
    ndarray
        One row per box of the first list, one column per box of the second; a number for two boxes given alone.

    Raises
    ------
    DataError
        If a box has a negative width or height, a missing number, or not four of them.

    Examples
    --------
    >>> float(box_iou([0, 0, 10, 10], [5, 5, 15, 15]).round(4))
    0.1429
    >>> box_iou([[0, 0, 10, 10]], [[0, 0, 10, 5], [20, 20, 30, 30]]).tolist()
    [[0.5, 0.0]]
    """
    if fmt not in get_args(Form):
        raise UsageError(
            f"no format of boxes is named {fmt!r}{did_you_mean(str(fmt), get_args(Form))}",
            fix=f"choose one of {', '.join(get_args(Form))}",
        )
    one, other = (_corner_and_size(given, name, fmt) for given, name in ((boxes1, "boxes1"), (boxes2, "boxes2")))
    # in units of the largest number: areas neither overflow nor vanish
    unit = max(np.abs(boxes).max(initial=0.0) for boxes in (one, other)) or 1.0
    found = iou(one[:, None, :] / unit, other[None, :, :] / unit)
    alone = tuple(0 if np.ndim(given) == 1 else slice(None) for given in (boxes1, boxes2))
    return np.asarray(found[alone])


def _corner_and_size(given: Any, name: str, fmt: str) -> Array:
    """Boxes as x, y, width and height."""
    boxes = np.atleast_2d(number_table(given, name, code="H107", fix=FORM))
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        shape = " x ".join(map(str, np.shape(given))) or "of a single value"
        raise DataError(f"{name} has the shape {shape}, but a box has four numbers", code="H107", fix=FORM)
    if fmt == "xyxy":
        boxes = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)
    elif fmt == "cxcywh":
        boxes = np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, 2:]], axis=1)
    wrong = ~np.isfinite(boxes).all(axis=1) | (boxes[:, 2:] < 0).any(axis=1)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        text = f"box {row + 1} of {name} is {np.atleast_2d(np.asarray(given, dtype=float))[row].tolist()}"
        fix = f"its width and height must be numbers of 0 or more; the format is {fmt}"
        raise DataError(f"{text}, which is not a box", code="H107", fix=fix)
    return boxes
