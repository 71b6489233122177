"""COCO files: objects in images, and detections as a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.columns.number_parsing import as_float
from heldout.inputs.formats.delimited_text import decoded
from heldout.inputs.formats.detection_list import plain_detections
from heldout.inputs.formats.files import Source, read_bytes
from heldout.inputs.formats.image_objects import Detections, Objects, no_detections
from heldout.inputs.formats.json_text import json_value
from heldout.inputs.message_text import quoted
from heldout.inputs.reading import Check

FORMAT = 'write {"images": [{"id": …}], "categories": [{"id": …, "name": …}], "annotations": […]}'
LIST = 'write a list of {"image_id": …, "category_id": …, "bbox": [x, y, w, h], "score": …}'
FEDERATED = ("neg_category_ids", "not_exhaustive_category_ids")
"""What images of a federated truth (LVIS) say: classes that they lack, and classes of which they miss objects."""
FARTHEST = 1e15
"""Coordinates beyond this are errors: areas and sums of areas would not be exact, or overflow."""
FAR = 1.5
"""A box that ends beyond this many widths or heights of its image was probably given by its corners."""


def read_json(source: Any, place: str) -> tuple[Any, str, tuple[Source, ...]]:
    """The content of a JSON file, its name in messages, and its source; anything but a path is the content itself."""
    data, place, sources = _contents(source, place)
    return source if data is None else json_value(decoded(data, "utf-8", place), place), place, sources


def _contents(source: Any, place: str) -> tuple[bytes | None, str, tuple[Source, ...]]:
    """The bytes of a JSON file, its name in messages, and its source; no bytes where it is no path."""
    if not isinstance(source, str | Path):
        return None, place, ()
    file, place, data = read_bytes(source)
    if not data.strip():
        raise DataError(f"{place} is empty ({len(data)} bytes)", code="H100", fix="export the file again")
    return data, place, (file,)


def coco_objects(source: Any) -> Objects:
    """The objects of a COCO file (or its content as a dict): images, categories and annotations.

    An annotation without `area` has that of its box; one without `iscrowd` is not a crowd.

    >>> truth = {"images": [{"id": 7}], "categories": [{"id": 1, "name": "cat"}],
    ...          "annotations": [{"id": 1, "image_id": 7, "category_id": 1, "bbox": [0, 0, 4, 5]}]}
    >>> objects = coco_objects(truth)
    >>> objects.classes, objects.area.tolist()
    (('cat',), [20.0])
    """
    content, place, sources = read_json(source, "the truth")
    if not isinstance(content, Mapping):
        kind = "list" if isinstance(content, list) else type(content).__name__
        raise DataError(
            f"{place} holds a {kind} where an object with images, annotations and categories belongs",
            code="H100",
            fix=FORMAT,
        )
    lists = {name: _list(content, name, place) for name in ("images", "annotations", "categories")}
    images = _ids(lists["images"], "image", place)
    _no_federated(lists["images"], place)
    kinds = _ids(lists["categories"], "category", place)
    images_order, kinds_order = _ordered(images), _ordered(kinds)
    lines, checks = lists["annotations"], []
    ids = _ids(lines, "annotation", place, needed=False)
    box = _boxes(lines, "annotation", place)
    area, note = _areas(lines, box, place)
    image = _codes(lines, "image_id", [images[i] for i in images_order], "annotation", place)
    sizes = _sizes([lists["images"][i] for i in images_order], place)
    checks += note + _flat(box, "annotation", place) + _outside(box, image, sizes, "annotation", place)
    names = [str(one.get("name", one["id"])) for one in lists["categories"]]
    return Objects(
        images=tuple(images[i] for i in images_order),
        classes=distinct_names(tuple(names[i] for i in kinds_order), tuple(kinds[i] for i in kinds_order)),
        image=image,
        label=_codes(lines, "category_id", [kinds[i] for i in kinds_order], "annotation", place),
        box=box,
        area=area,
        crowd=_crowd(lines, place),
        sizes=sizes,
        names=_file_names([lists["images"][i] for i in images_order]),
        measured=np.array([line.get("area") is not None for line in lines], dtype=bool),
        outlines=_outlines(lines),
        ids=tuple(ids),
        class_ids=tuple(kinds[i] for i in kinds_order),
        place=place,
        checks=tuple(checks),
        sources=sources,
    )


def coco_detections(source: Any, objects: Objects) -> Detections:
    """The detections of a COCO result file (or its content as a list), on the images and classes of the truth."""
    data, place, sources = _contents(source, "the detections")
    plain = None if data is None else plain_detections(data, objects.images, objects.class_ids)
    if plain is not None:
        image, label, box, score = plain
        detections = Detections(image=image, label=label, box=box, score=score, area=box[:, 2] * box[:, 3])
        outside = _outside(box, image, objects.sizes, "detection", place)
        return _with(detections, (*_flat(box, "detection", place), *outside), sources)
    content = source if data is None else json_value(decoded(data, "utf-8", place), place)
    checks: list[Check] = []
    if isinstance(content, Mapping) and isinstance(content.get("annotations"), list):
        known = dict(zip(objects.class_ids, objects.classes, strict=True))
        same_categories(category_names(content.get("categories")), known, place, objects.place)
        content = content["annotations"]
        checks.append(
            Check(code="H111", text=f"{place} is an object; its list 'annotations' is read as the detections")
        )
    if not isinstance(content, list):
        kind = "object" if isinstance(content, Mapping) else type(content).__name__
        raise DataError(f"{place} holds an {kind} where a list of detections belongs", code="H100", fix=LIST)
    if not content:
        note = Check(code="H112", text=f"{place} has no detections")
        return _with(no_detections(), (*checks, note), sources)
    score = _scores(content, place)
    outlines = _outlines(content)
    box = _boxes(content, "detection", place, outlined=outlines is not None)
    detections = Detections(
        image=_codes(content, "image_id", objects.images, "detection", place, other=objects.place),
        label=_codes(content, "category_id", objects.class_ids, "detection", place, other=objects.place),
        box=box,
        score=score,
        area=box[:, 2] * box[:, 3],
        outlines=outlines,
    )
    outside = _outside(box, detections.image, objects.sizes, "detection", place)
    notes = (*checks, *_flat(box, "detection", place), *outside)
    return _with(detections, notes, sources)


def category_names(kinds: Any) -> dict[Any, str]:
    """The names that a file gives its categories, by id; entries without a name say nothing.

    >>> category_names([{"id": 1, "name": "cat"}, {"id": 2}])
    {1: 'cat'}
    """
    entries = [one for one in kinds if isinstance(one, Mapping)] if isinstance(kinds, list) else []
    named = [one for one in entries if isinstance(one.get("id"), str | int | float) and one.get("name") is not None]
    return {one["id"]: str(one["name"]) for one in named}


def same_categories(names: Mapping[Any, str], known: Mapping[Any, str], place: str, other: str) -> None:
    """Refuse a file that names a category of the truth otherwise: its ids are those of another list.

    Capitals and blanks do not matter, nor the id that stands behind a name of several classes.
    """
    for kind, name in names.items():
        true = known.get(kind, name)
        if true != str(kind) and _plain(true) not in (_plain(name), _plain(f"{name} ({kind})")):
            text = f"the category {quoted(kind)} is {quoted(name)} in {place}, but {quoted(true)} in {other}"
            raise DataError(text, code="H101", fix="give every category the id that the truth gives it")


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def _with(detections: Detections, checks: Sequence[Check], sources: tuple[Source, ...]) -> Detections:
    from dataclasses import replace

    return replace(detections, checks=tuple(checks), sources=sources)


def _list(content: Mapping[str, Any], name: str, place: str) -> list[Any]:
    entries = content.get(name)
    if not isinstance(entries, list):
        wrong = f"has no key {name!r}" if name not in content else f"holds no list under {name!r}"
        raise DataError(f"{place} {wrong}", code="H106", fix=FORMAT)
    stranger = next((i for i, one in enumerate(entries, 1) if not isinstance(one, dict)), None)
    if stranger is not None:
        raise DataError(f"entry {stranger} of {name!r} in {place} is not an object", code="H100", fix=FORMAT)
    return entries


def _ids(entries: Sequence[Mapping[str, Any]], what: str, place: str, *, needed: bool = True) -> list[Any]:
    """The ids of entries, each once."""
    ids = [one.get("id") for one in entries]
    if needed and None in ids:
        raise DataError(f"{what} {ids.index(None) + 1} of {place} has no id", code="H106", fix=FORMAT)
    seen: set[Any] = set()
    for at, one in enumerate(ids, 1):
        if not isinstance(one, str | int | float | None) or isinstance(one, bool):
            raise DataError(
                f"{what} {at} of {place} has the id {quoted(str(one))}", code="H108", fix="give it a number"
            )
        if one in seen and one is not None:
            text = f"the {what} id {quoted(one)} occurs more than once in {place} (again as {what} {at})"
            raise DataError(text, code="H105", fix=f"give every {what} an id of its own")
        seen.add(one)
    return ids


def _no_federated(images: Sequence[Mapping[str, Any]], place: str) -> None:
    """Refuse a truth in which images are annotated for some classes only: COCO's rules take the others for absent."""
    for image in images:
        key = next((key for key in FEDERATED if image.get(key)), None)
        if key is not None:
            text = (
                f"image {quoted(image['id'])} of {place} has {key}, as LVIS has: its images are annotated for some "
                "classes only, and a detection of another class may be right"
            )
            fix = (
                "evaluate it with the lvis package, or give a truth with every object of every class, without that key"
            )
            raise DataError(text, code="H113", fix=fix)


def _ordered(ids: Sequence[Any]) -> list[int]:
    """Positions in the order of the ids: numbers by size, then text, as pycocotools has them where all are numbers."""
    return sorted(range(len(ids)), key=lambda at: (isinstance(ids[at], str), ids[at]))


def distinct_names(names: tuple[str, ...], ids: tuple[Any, ...]) -> tuple[str, ...]:
    """Unique class names: with the id where a name occurs twice."""
    times = Counter(names)
    return tuple(f"{name} ({at})" if times[name] > 1 else name for name, at in zip(names, ids, strict=True))


def _codes(
    lines: Sequence[Mapping[str, Any]], key: str, known: Sequence[Any], what: str, place: str, *, other: str = ""
) -> Array:
    """Which of the known ids each line has."""
    position = {one: at for at, one in enumerate(known)}
    try:
        codes = np.array([position[line[key]] for line in lines], dtype=np.int32)
    except (KeyError, TypeError):
        codes = None
    if codes is not None and not any(isinstance(line[key], bool) for line in lines):  # true would be the id 1
        return codes
    at, line = next((i, one) for i, one in enumerate(lines, 1) if _unknown(one, key, position))
    if key not in line:
        raise DataError(f"{what} {at} of {place} has no {key}", code="H106", fix=LIST if other else FORMAT)
    thing, given = ("image" if key == "image_id" else "category"), line[key]
    alike = next((one for one in known if str(one) == str(given)), None)
    where = other or "it"
    if alike is not None:
        text = f"{what} {at} of {place} has the {key} {given!r}, but {where} declares {alike!r}: text is not a number"
        raise DataError(text, code="H101", fix=f"write {key} as {alike!r}")
    text = f"{what} {at} of {place} has the {key} {quoted(given)}, but {where} declares no such {thing}"
    raise DataError(text, code="H101", fix=f"declare the {thing}, or leave the {what} out")


def _unknown(line: Mapping[str, Any], key: str, position: Mapping[Any, int]) -> bool:
    try:
        return line[key] not in position or isinstance(line[key], bool)
    except (KeyError, TypeError):
        return True


def _boxes(lines: Sequence[Mapping[str, Any]], what: str, place: str, *, outlined: bool = False) -> Array:
    """The boxes; nan for all where there are outlines and no boxes."""
    given = [line.get("bbox") for line in lines]
    if outlined and given and all(one is None for one in given):
        return np.full((len(lines), 4), np.nan)
    try:
        boxes = np.array(given)
    except ValueError:
        boxes = np.zeros(0)
    if not given:
        return np.zeros((0, 4))
    if boxes.dtype == object and all(map(_is_box, given)):  # whole numbers of more than 64 bits
        boxes = np.array([[as_float(x) for x in box] for box in given if box is not None])
    if (
        boxes.shape != (len(given), 4)
        or boxes.dtype.kind not in "iuf"
        or bool in map(type, chain.from_iterable(filter(None, given)))
    ):
        at, one = next((i, box) for i, box in enumerate(given, 1) if not _is_box(box))
        wrong = "has no bbox" if one is None else f"has the bbox {quoted(str(one))}, not four numbers"
        if one is None and "keypoints" in lines[at - 1]:
            text = (
                f"{what} {at}{_called(lines[at - 1])} of {place} has keypoints and no bbox: keypoints are not evaluated"
            )
            raise DataError(text, code="H106", fix="give boxes or masks, or evaluate keypoints with pycocotools")
        raise DataError(
            f"{what} {at}{_called(lines[at - 1])} of {place} {wrong}",
            code="H106",
            fix="write bbox as [x, y, width, height]",
        )
    boxes = boxes.astype(float)
    bad = np.flatnonzero(~(np.abs(boxes) <= FARTHEST).all(axis=1) | (boxes[:, 2:] < 0).any(axis=1))
    if len(bad):
        at = int(bad[0])
        shown = ", ".join(f"{x:g}" for x in boxes[at])
        wrong = "whose size is negative" if (boxes[at, 2:] < 0).any() else "which is beyond any image"
        wrong = wrong if np.isfinite(boxes[at]).all() else "which is not finite"
        text = f"{what} {at + 1}{_called(lines[at])} of {place} has the bbox [{shown}], {wrong}"
        raise DataError(text, code="H113", fix="write bbox as [x, y, width, height]")
    return boxes


def _called(line: Mapping[str, Any]) -> str:
    return f" (id {quoted(line['id'])})" if "id" in line else ""


def _is_box(box: Any) -> bool:
    return isinstance(box, list | tuple) and len(box) == 4 and all(type(x) in (int, float) for x in box)


def _flat(box: Array, what: str, place: str) -> list[Check]:
    """A note on boxes without width or height, which nothing can overlap."""
    flat = np.flatnonzero((box[:, 2:] == 0).any(axis=1))
    if not len(flat):
        return []
    count = f"{len(flat)} {what}{'' if len(flat) == 1 else 's'} of {place}"
    verb = "has" if len(flat) == 1 else "have"
    text = f"{count} {verb} a box of width or height 0, which nothing can overlap (first: {what} {flat[0] + 1})"
    return [Check(code="H113", text=text)]


def _areas(lines: Sequence[Mapping[str, Any]], box: Array, place: str) -> tuple[Array, list[Check]]:
    """The area of each object; that of its box where none is written."""
    given = [line.get("area") for line in lines]
    for at, one in enumerate(given, 1):
        if one is not None and (type(one) not in (int, float) or not 0 <= one <= FARTHEST**2):
            raise DataError(
                f"annotation {at} of {place} has the area {quoted(one)}", code="H108", fix="write its size in pixels"
            )
    missing = np.array([one is None for one in given], dtype=bool)
    area = np.where(
        missing, box[:, 2] * box[:, 3], np.array([0.0 if one is None else one for one in given], dtype=float)
    )
    if not missing.any():
        return area, []
    count = int(missing.sum())
    text = f"{count} annotation{'' if count == 1 else 's'} of {place} without area: width times height is used"
    return area, [Check(code="H111", text=text)]


def _scores(lines: Sequence[Any], place: str) -> Array:
    """The scores, every one a finite number."""
    try:
        written = [line["score"] for line in lines]
        scores = np.zeros(0) if bool in map(type, written) else np.array(written)  # true would be a score of 1
    except (KeyError, TypeError, ValueError, IndexError):
        scores = np.zeros(0)
    if scores.shape == (len(lines),) and scores.dtype.kind in "iuf" and np.isfinite(scores).all():
        return scores.astype(float)
    for at, line in enumerate(lines, 1):
        if not isinstance(line, dict):
            raise DataError(f"entry {at} of {place} is not an object", code="H100", fix=LIST)
        given = line.get("score")
        if not isinstance(given, int | float) or isinstance(given, bool) or not np.isfinite(as_float(given)):
            wrong = (
                "has no score" if given is None else f"has the score {quoted(str(given))}, which is not a finite number"
            )
            raise DataError(f"detection {at} of {place} {wrong}", code="H106" if given is None else "H305", fix=LIST)
    return np.array([float(line["score"]) for line in lines])


def _crowd(lines: Sequence[Mapping[str, Any]], place: str) -> Array:
    """Whether each line is a crowd of objects."""
    given = [line.get("iscrowd") or 0 for line in lines]
    for at, one in enumerate(given, 1):
        if not isinstance(one, int | float) or one not in (0, 1):
            text = f"annotation {at}{_called(lines[at - 1])} of {place} has the iscrowd {quoted(one)}"
            raise DataError(text, code="H108", fix="write 1 for a crowd of objects, 0 for one object")
    return np.array(given, dtype=bool)


def _sizes(images: Sequence[Mapping[str, Any]], place: str) -> Array | None:
    """Width and height of each image; nan where they are not given."""
    sizes = [(one.get("width"), one.get("height")) for one in images]
    for image, pair in zip(images, sizes, strict=True):
        for name, size in zip(("width", "height"), pair, strict=True):
            is_number = isinstance(size, int | float | np.integer | np.floating) and not isinstance(size, bool)
            if size is not None and not (is_number and size > 0):
                text = f"image {quoted(image['id'])} of {place} has the {name} {quoted(size)}, not a number of pixels"
                raise DataError(text, code="H113", fix=f"write its {name} in pixels, such as 640, or leave it out")
    known = [[np.nan if size is None else as_float(size) for size in pair] for pair in sizes]
    return np.array(known, dtype=float) if known else None


def _file_names(images: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The names of the images' files, where every image has one of its own."""
    names = tuple(str(one.get("file_name") or "") for one in images)
    return names if all(names) and len(set(names)) == len(names) else ()


def _outlines(lines: Sequence[Any]) -> tuple[Any, ...] | None:
    outlines = tuple([line.get("segmentation") for line in lines])
    return outlines if any(outlines) else None


def _outside(box: Array, image: Array, sizes: Array | None, what: str, place: str) -> list[Check]:
    """A note on boxes that end far outside their image, or lie wholly outside it."""
    if sizes is None or not len(box):
        return []
    size, start, end = sizes[image], box[:, :2], box[:, :2] + box[:, 2:]
    far = (end > FAR * size).any(axis=1)
    beyond = np.flatnonzero(far | ((start >= size) | ((end <= 0) & (start < 0))).any(axis=1))
    if not len(beyond):
        return []
    at = int(beyond[0])
    shown, (width, height) = ", ".join(f"{x:g}" for x in box[at]), size[at]
    one = len(beyond) == 1
    verb, question = ("lies" if one else "lie", "are these boxes of this image?")
    if far.any():
        verb, question = ("ends far" if one else "end far", "are these corners instead of sizes?")
    text = (
        f"{len(beyond)} of {len(box)} {what}s of {place} {verb} outside the image "
        f"(first: {what} {at + 1}, [{shown}] in an image of {width:g} x {height:g}); {question}"
    )
    return [Check(code="H113", text=text)]
