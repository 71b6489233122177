"""Long lists of plain detections, as COCO result files have them: Arrow reads them several times faster than Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.inputs.formats.arrow_memory import parsed

BLANKS = b" \t\r\n"
BLOCK = 1 << 22
"""Bytes that a thread reads at a time."""
LARGEST = 1e15
"""Of larger numbers Arrow may read others than Python does."""


def plain_detections(
    data: bytes, images: Sequence[Any], kinds: Sequence[Any]
) -> tuple[Array, Array, Array, Array] | None:
    """Positions of images and of categories, boxes and scores; None where the list is not as plain as it could be.

    Plain is a list in one line, of objects with a whole-numbered image and category that are known, four numbers and a
    score. Whatever else there is, errors too, is for the reader of JSON, which gives the same for plain lists.

    >>> text = b'[{"image_id": 7, "category_id": 1, "bbox": [0, 0, 4, 5], "score": 0.5}]'
    >>> found = plain_detections(text, [3, 7], [1])
    >>> [column.tolist() for column in found]
    [[1], [0], [[0.0, 0.0, 4.0, 5.0]], [0.5]]
    """
    table = _table(data)
    if table is None:
        return None
    image, kind = (_positions(table[name], known) for name, known in (("image_id", images), ("category_id", kinds)))
    box, score = table["bbox"].combine_chunks(), table["score"].to_numpy()
    flat = box.values
    if image is None or kind is None or flat.null_count or not np.array_equal(box.offsets, 4 * np.arange(len(box) + 1)):
        return None
    boxes = flat.to_numpy().reshape(-1, 4)
    for numbers in (boxes, score):
        # -0 is 0 where it is a whole number; Python tells it from -0.0
        if not np.all(np.abs(numbers) <= LARGEST) or np.any(np.signbit(numbers) & (numbers == 0)):
            return None
    return None if np.any(boxes[:, 2:] < 0) else (image, kind, boxes, score)


def _table(data: bytes) -> Any:
    """The columns as Arrow reads them from a list in one line; None where anything is odd."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    body = data.strip(BLANKS)
    if not (body.startswith(b"[{") and body.endswith(b"}]")) or b"\n" in body or b"\r" in body or b"\\" in body:
        return None
    between = b"}, {" if b"}, {" in body else b"},{"
    rows = body.count(between) + 1
    # deeper ones would end the process
    if body.count(b"[") != rows + 1 or body.count(b"{") != rows:
        return None
    names = {"image_id": pa.int64(), "category_id": pa.int64(), "bbox": pa.list_(pa.float64()), "score": pa.float64()}
    options = arrow_json.ParseOptions(explicit_schema=pa.schema(names), unexpected_field_behavior="error")
    reading = arrow_json.ReadOptions(block_size=BLOCK)
    try:
        lines = body[1:-1].replace(between, b"}\n{")
        table = parsed(arrow_json.read_json, lines, read_options=reading, parse_options=options)
    except (pa.ArrowException, ValueError, OverflowError):
        return None
    return table if table.num_rows == rows and not any(column.null_count for column in table.columns) else None


def _positions(ids: Any, known: Sequence[Any]) -> Array | None:
    """Where each id stands among the known ones; None where one is not known."""
    coded = ids.combine_chunks().dictionary_encode()
    position = {one: at for at, one in enumerate(known)}
    places = [position.get(one, -1) for one in coded.dictionary.to_pylist()]
    return None if -1 in places else np.array(places, dtype=np.int32)[coded.indices.to_numpy()]
