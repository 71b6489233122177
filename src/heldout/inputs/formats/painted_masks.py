"""Label maps that are painted from the polygons and run lengths of COCO files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.columns.number_parsing import whole_number
from heldout.inputs.formats.coco import category_names, read_json
from heldout.inputs.formats.label_map_side import Side
from heldout.inputs.formats.run_length_codes import mask_size, run_lengths
from heldout.inputs.limits import PIXELS
from heldout.inputs.message_text import quoted

Edges = Callable[[Any, tuple[int, int], str], Array]
"""Where the mask of a polygon or of run lengths begins and ends in an image of some height and width."""
Mask = tuple[int, Any, str]
"""The class of a mask, its polygons or run lengths, and its name in messages."""
UNPAINTED = -1
"""The code of pixels without a mask while an image is painted."""
KEYS = ("image_id", "category_id", "segmentation")


def painted_side(source: Any, what: str, edges: Edges | None, truth: Side | None) -> Side:
    """Label maps from polygons and run lengths: pixels without a mask are 0, and later masks cover earlier ones.

    A file with images says how large they are, and those without masks are all 0. In a file of a model they may be
    missing.
    """
    content, place, sources = read_json(source, what)
    whole = content if isinstance(content, Mapping) else {"annotations": content}
    lines, images, kinds = whole.get("annotations"), whole.get("images"), whole.get("categories")
    if not isinstance(lines, list) or not (lines or images or truth is not None):
        fix = 'write a list of {"image_id": …, "category_id": …, "segmentation": {"size": …, "counts": …}}'
        raise DataError(f"{place} holds no list of masks", code="H100", fix=fix)
    sizes = _image_sizes(images, place)
    masks: dict[str, list[Mask]] = {name: [] for name in sizes}
    for at, line in enumerate(lines, 1):
        image, mask = _mask(line, f"mask {at} of {place}")
        masks.setdefault(image, []).append(mask)
    names = _names(kinds, place)
    return Side(
        read={name: partial(_painting, name, some, sizes, edges, truth) for name, some in masks.items()},
        places={name: f"image {name} of {place}" for name in masks},
        sources=sources,
        names={0: "background", **names} if names else {},
        place=place,
        categories=category_names(kinds),
        sparse=truth is not None,
    )


def _mask(line: Any, place: str) -> tuple[str, Mask]:
    """The image of a line, and its mask."""
    missing = [key for key in KEYS if not isinstance(line, Mapping) or key not in line]
    if missing:
        raise DataError(f"{place} has no {missing[0]}", code="H106", fix="write all three")
    if not line["segmentation"]:
        own = f" (id {quoted(line['id'])})" if "id" in line else ""
        before, _, after = place.partition(" of ")
        fix = "give every line a segmentation, or leave the line out"
        raise DataError(f"{before}{own} of {after} has no segmentation", code="H106", fix=fix)
    return _image(line["image_id"], place), (_code(line["category_id"], place), line["segmentation"], place)


def _image(given: Any, place: str) -> str:
    """The id of an image as text: a text or a number is one."""
    if isinstance(given, str):
        return given
    number = whole_number(given)
    if number is None:
        text = f"{place} has the image_id {quoted(given)}, which is neither text nor a whole number"
        raise DataError(text, code="H108", fix="give the id of its image")
    return str(number)


def _code(given: Any, place: str) -> int:
    """The id of a category as the code of its pixels."""
    code = whole_number(given)
    if code is None or code < 0:
        text = f"{place} has the category_id {quoted(given)}, which is not a whole number from 0 on"
        raise DataError(text, code="H108", fix="number the categories from 1 on")
    return code


def _names(kinds: Any, place: str) -> dict[int, str]:
    """The names of the categories that a file lists, by their codes."""
    if kinds is not None and not isinstance(kinds, list):
        text = f"{place} holds no list under 'categories'"
        raise DataError(text, code="H106", fix='write "categories": [{"id": 1, "name": …}]')
    names: dict[int, str] = {}
    for at, one in enumerate(kinds or (), 1):
        if isinstance(one, Mapping):
            code = whole_number(one.get("id"))
            if code is None or code in names:
                wrong = "which is not a whole number" if code is None else "which another category has"
                text = f"category {at} of {place} has the id {quoted(one.get('id'))}, {wrong}"
                raise DataError(text, code="H108", fix="number the categories from 1 on")
            names[code] = str(one.get("name", code))
    return names


def _image_sizes(images: Any, place: str) -> dict[str, tuple[int, int]]:
    """Height and width of the images that a file lists, by id."""
    if images is not None and not isinstance(images, list):
        text = f"{place} holds no list under 'images'"
        raise DataError(text, code="H106", fix='write "images": [{"id": …, "height": …, "width": …}]')
    sizes: dict[str, tuple[int, int]] = {}
    for at, one in enumerate(images or (), 1):
        given = one if isinstance(one, Mapping) else {}
        height, width = (whole_number(given.get(side)) for side in ("height", "width"))
        if "id" not in given or height is None or width is None or min(height, width) < 0:
            text = f"image {at} of {place} has no id, height and width"
            raise DataError(text, code="H106", fix="give every image all three, in whole pixels")
        name = _image(given["id"], f"image {at} of {place}")
        if name in sizes:
            text = f"the image id {quoted(given['id'])} occurs more than once in {place} (again as image {at})"
            raise DataError(text, code="H105", fix="give every image an id of its own")
        sizes[name] = height, width
    return sizes


def _painting(
    image: str, masks: Sequence[Mask], sizes: Mapping[str, tuple[int, int]], edges: Edges | None, truth: Side | None
) -> tuple[Array, None]:
    """The label map of an image from its masks."""
    size = sizes.get(image) or next((known for known in (mask_size(mask) for _, mask, _ in masks) if known), None)
    if size is None and truth is not None and image in truth.read:
        rows, columns = truth.map(image).shape
        size = rows, columns
    if size is None:
        text = f"{masks[0][2]} is a polygon, and no size is known of image {image}"
        raise DataError(text, code="H113", fix='give the truth a list "images" with id, height and width')
    PIXELS.check(size[0] * size[1], f"image {image}")
    columns_first = np.full(size[0] * size[1], UNPAINTED, dtype=np.int32 if _short(masks) else np.int64)
    for code, mask, place in masks:
        for start, end in _runs(mask, size, edges, place):
            columns_first[start:end] = code
    bare = columns_first == UNPAINTED
    zero = next((place for code, _, place in masks if code == 0), None)
    if zero is not None and bare.any():
        text = f"{zero} has the category 0, which is also that of pixels without a mask"
        raise DataError(text, code="H113", fix="number the categories from 1 on")
    columns_first[bare] = 0
    return columns_first.reshape(size[1], size[0]).T, None


def _short(masks: Sequence[Mask]) -> bool:
    return max((code for code, _, _ in masks), default=0) < 2**31


def _runs(mask: Any, size: tuple[int, int], edges: Edges | None, place: str) -> list[list[int]]:
    """Where the runs of a mask begin and end, column after column."""
    if mask_size(mask) is None and edges is not None:
        pairs: list[list[int]] = edges(mask, size, place).reshape(-1, 2).tolist()
        return pairs
    lengths, own = run_lengths(mask, place)
    if own != size:
        text = f"{place} has a mask of {own[0]} x {own[1]}, but its image is {size[0]} x {size[1]}"
        raise DataError(text, code="H113", fix="give masks in the size of the image")
    ends = np.cumsum(lengths)
    pairs = ends[: len(ends) // 2 * 2].reshape(-1, 2).tolist()
    return pairs
