"""Boxes in a table: one line per box, with its image, label, x, y, w, h and, of detections, the score."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column_names import find_column
from heldout.inputs.columns.column_values import Column, blank, positions
from heldout.inputs.columns.label_column import WHOLE_FLOAT
from heldout.inputs.columns.number_parsing import numbers
from heldout.inputs.formats.coco import FARTHEST, coco_detections, coco_objects
from heldout.inputs.formats.compression import ending
from heldout.inputs.formats.files import Table, next_bytes
from heldout.inputs.formats.frames import table
from heldout.inputs.formats.image_objects import Detections, Objects
from heldout.inputs.message_text import listed, names_listed, quoted, rows_named, rows_where
from heldout.inputs.reading import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """The objects, and the detections of each detector."""

    objects: Objects
    detections: dict[str, Detections]


def read_boxes(truth: Any, detections: Mapping[str, Any], *, labels: Sequence[str] | None = None) -> Boxes:
    """Objects and detections: COCO files or their content, or tables with a line per box.

    `labels` are all classes of a table; COCO files declare their own.

    >>> truth = {"image": ["a"], "label": ["cat"], "x": [0], "y": [0], "w": [4], "h": [5]}
    >>> boxes = read_boxes(truth, {"yolo": {**truth, "score": [0.9]}})
    >>> boxes.objects.count, boxes.detections["yolo"].score.tolist()
    (1, [0.9])
    """
    if not detections:
        raise UsageError("no detections were given", fix="name a file of detections beside the truth")
    if isinstance(truth, Objects):  # read before
        return Boxes(objects=truth, detections=dict(detections))
    # read once: standard input cannot be read again
    tables = {name: table(one) for name, one in detections.items() if not _is_coco(one)}
    if labels and _is_coco(truth):
        fix = "leave out labels, or change the categories of the file"
        raise UsageError("labels has no effect on a COCO file, which declares its categories", fix=fix)
    objects = coco_objects(truth) if _is_coco(truth) else table_objects(truth, tables, labels=labels)
    return Boxes(
        objects=objects,
        detections={
            name: table_detections(tables[name], objects) if name in tables else coco_detections(one, objects)
            for name, one in detections.items()
        },
    )


def _is_coco(source: Any) -> bool:
    """Whether the source is a JSON file or its content."""
    if isinstance(source, str | Path):
        return ending(source) == ".json" or (str(source) == "-" and bool(COCO.match(next_bytes())))
    return isinstance(source, list) or (isinstance(source, Mapping) and bool({"annotations", "images"} & set(source)))


COCO = re.compile(rb"\s*(\[|\{\s*\"(info|licenses|images|annotations|categories)\")")
"""How the JSON of COCO begins; JSON lines of a table begin with a name of a column."""
COLUMNS: dict[str, tuple[str, ...]] = {
    "image": ("image", "image_id", "file_name", "filename", "img"),
    "label": ("label", "class", "category", "category_id", "class_name"),
    "x": ("x", "left", "xmin"),
    "y": ("y", "top", "ymin"),
    "w": ("w", "width"),
    "h": ("h", "height"),
}
"""Role → names that its column may have."""
SCORE = ("score", "confidence", "conf", "prob", "p")
SHAPE = "give the columns image, label, x, y, w, h and, for detections, score"


def table_objects(source: Any, detections: Mapping[str, Any], *, labels: Sequence[str] | None = None) -> Objects:
    """The objects of a table; images and classes that only detections name are images and classes without objects.

    A row with an image and nothing else declares an image without objects, and `labels` declares all classes.

    >>> truth = {"image": ["a", "b"], "label": ["cat", "cat"], "x": [0, 0], "y": [0, 0], "w": [4, 4], "h": [5, 5]}
    >>> table_objects(truth, {}).images
    ('a', 'b')
    """
    rows = table(source)
    image, bare = _words(rows, "image"), _bare(rows)
    label, box = _words(rows, "label", ~bare), _box(rows, ~bare)
    elsewhere = [table(one) for one in detections.values()]
    images = _in_order([*image, *(name for one in elsewhere for name in _words(one, "image"))])
    of_objects = [name for name, empty in zip(image, bare.tolist(), strict=True) if not empty]
    classes = _declared(label, labels, rows.place)
    if classes is None:
        classes = _in_order([*label, *(name for one in elsewhere for name in _words(one, "label"))])
    return Objects(
        images=tuple(images),
        classes=tuple(classes),
        image=_codes(of_objects, images),
        label=_codes(label, classes),
        box=box,
        area=box[:, 2] * box[:, 3],
        crowd=_crowd(rows, ~bare),
        class_ids=tuple(classes),
        place=rows.place,
        checks=(*_read_as_whole(rows), *_only_detected(image, images)),
        sources=rows.sources,
    )


def _declared(label: Sequence[str], labels: Sequence[str] | None, place: str) -> list[str] | None:
    """The classes that the caller declared, in that order; every label must be one of them."""
    if not labels:
        return None
    declared = list(dict.fromkeys(_plain_name(one) for one in labels))
    strange = next((one for one in label if one not in set(declared)), None)
    if strange is not None:
        text = f"{place} has the label {quoted(strange)}, which is not declared"
        raise DataError(text, code="H101", fix=f"add it to the labels {listed(declared)}")
    return declared


def _bare(rows: Table) -> Array:
    """The rows with neither label nor box: their images have no objects."""
    columns = [_column(rows, role, names) for role, names in COLUMNS.items() if role != "image"]
    return np.all([blank(one) for one in columns], axis=0)


def table_detections(source: Any, objects: Objects) -> Detections:
    """The detections of a table, on the images and classes of the truth."""
    rows = table(source)
    box = _box(rows)
    score = _numbers(rows, "score", SCORE)
    label = _known(rows, "label", objects.classes, objects.place, objects.class_ids)
    return Detections(
        image=_known(rows, "image", objects.images, objects.place),
        label=label,
        box=box,
        score=score,
        area=box[:, 2] * box[:, 3],
        checks=(*_read_as_whole(rows), *_without_objects(label, rows.place, objects)),
        sources=rows.sources,
    )


def _without_objects(label: Array, place: str, objects: Objects) -> tuple[Check, ...]:
    """A note on detections of classes that no object has; COCO files declare their classes and need none."""
    if objects.class_ids != objects.classes or not len(label):
        return ()
    known = np.isin(label, objects.label)
    names = [objects.classes[at] for at in np.unique(label[~known])]
    if not known.any() and objects.count:
        there = listed([objects.classes[at] for at in np.unique(objects.label)])
        text = (
            f"the detections of {place} and the objects of {objects.place} share no label: {listed(names)} and {there}"
        )
        raise DataError(text, code="H101", fix="give both the same names of classes")
    if not names:
        return ()
    count = int(np.count_nonzero(~known))
    one = count == 1
    text = (
        f"{count} detection{'' if one else 's'} of {place} {'has' if one else 'have'} a class that no object of "
        f"{objects.place} has ({listed(names)}): {'it is a false positive' if one else 'they are false positives'} "
        "of a class without objects, which means over classes leave out"
    )
    return (Check(code="H113", text=text),)


def _column(rows: Table, role: str, names: Sequence[str]) -> Column:
    at = find_column(rows.names, names, rows.place)
    if at is None:
        text = f"{rows.place} has no column {role!r}; its columns are {names_listed(rows.names)}"
        raise DataError(text, code="H106", fix=SHAPE)
    return rows.column(at)


def _words(rows: Table, role: str, kept: Array | None = None) -> list[str]:
    """The column as text, complete; of the rows that are kept."""
    one = _column(rows, role, COLUMNS[role])
    gaps = rows_where(blank(one) if kept is None else blank(one) & kept)
    if len(gaps):
        verb = "has" if len(gaps) == 1 else "have"
        raise DataError(f"{rows_named(gaps)} of {rows.place} {verb} no {role}", code="H305", fix="complete the column")
    values, codes = positions(one if kept is None else one.take(kept))
    words = [_plain_name(value) for value in values]
    return [words[code] for code in codes.tolist()]


def _plain_name(name: Any) -> str:
    """The name of an image or a class; 1.0 is 1, as programs write whole numbers of a column that has gaps.

    >>> _plain_name("1.0"), _plain_name(1), _plain_name("1.5"), _plain_name("01.0")
    ('1', '1', '1.5', '01.0')
    """
    text = str(name)
    whole = WHOLE_FLOAT.fullmatch(text.strip())
    return str(int(whole[1])) if whole else text


def _read_as_whole(rows: Table) -> tuple[Check, ...]:
    """Notes on columns of names in a text file that write whole numbers as 1.0."""
    checks = []
    for role in ("image", "label"):
        one = _column(rows, role, COLUMNS[role])
        texts = () if one.words is None else one.texts()
        word = next((text for text in texts if _plain_name(text) != text), None)
        if word is not None:
            text = (
                f"{one.name} of {rows.place} has whole numbers as {word.strip()}; they are read as {_plain_name(word)}"
            )
            checks.append(Check(code="H107", text=text))
    return tuple(checks)


def _numbers(rows: Table, role: str, names: Sequence[str], kept: Array | None = None) -> Array:
    """The column as finite numbers, of the rows that are kept; every row without one is named."""
    whole = _column(rows, role, names)
    one = whole if kept is None else whole.take(kept)
    try:
        values = numbers(one)
    except DataError as error:
        spelled = _readable(one)
        if spelled is None:
            raise DataError(f"{rows.place}: {error.message}", code=error.code, fix=error.fix) from error
        values = spelled
    gaps = _row_numbers(~np.isfinite(values), kept)
    if len(gaps):
        verb = "has" if len(gaps) == 1 else "have"
        text = f"{rows_named(gaps)} of {rows.place} {verb} no finite number in the column {one.name!r}"
        raise DataError(text, code="H305", fix="complete the column")
    far = np.flatnonzero(np.abs(values) > FARTHEST)
    if len(far):
        row = _row_numbers(np.abs(values) > FARTHEST, kept)[0]
        text = f"row {row} of {rows.place} has {values[far[0]]:g} in the column {one.name!r}, which is beyond any image"
        raise DataError(text, code="H113", fix="give positions and sizes in pixels")
    return values


def _row_numbers(wrong: Array, kept: Array | None) -> Array:
    """The numbers in the table of the rows that are wrong among those that are kept."""
    found = rows_where(wrong)
    return found if kept is None else rows_where(kept)[found - 1]


def _readable(one: Column) -> Array | None:
    """The numbers of a column of text, nan where one cannot be parsed; None if the column holds numbers."""
    if one.words is None:
        return None
    spelled = [_number(word) for word in one.texts()]
    return np.append(np.array(spelled), np.nan)[one.values]


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")


def _box(rows: Table, kept: Array | None = None) -> Array:
    box = np.column_stack([_numbers(rows, role, COLUMNS[role], kept) for role in ("x", "y", "w", "h")])
    wrong = np.any(box[:, 2:] <= 0, axis=1)
    if wrong.any():
        flat = _row_numbers(wrong, kept)
        shown = ", ".join(f"{x:g}" for x in box[int(np.argmax(wrong))])
        text = f"{rows_named(flat)} of {rows.place} {'has' if len(flat) == 1 else 'have'} no size (first: [{shown}])"
        raise DataError(text, code="H113", fix="give width and height above zero; w and h are sizes, not corners")
    return box


def _crowd(rows: Table, kept: Array) -> Array:
    at = find_column(rows.names, ("iscrowd", "crowd", "difficult"), rows.place)
    if at is None:
        return np.zeros(int(kept.sum()), dtype=bool)
    return _numbers(rows, rows.names[at], (rows.names[at],), kept) != 0


def _in_order(names: Sequence[str]) -> list[str]:
    """Distinct names: as numbers where all are whole numbers, else as text."""
    distinct = list(dict.fromkeys(names))
    if not all(name.isascii() and name.isdigit() for name in distinct):
        return sorted(distinct)
    return sorted(distinct, key=lambda name: (len(name.lstrip("0")), name.lstrip("0"), name))


def _codes(names: Sequence[str], known: Sequence[str]) -> Array:
    position = {name: at for at, name in enumerate(known)}
    return np.fromiter((position[name] for name in names), dtype=np.int32, count=len(names))


def _known(rows: Table, role: str, known: Sequence[Any], place: str, other: Sequence[Any] = ()) -> Array:
    """Which of the known names each row has; a category may also be called by its id."""
    position = {_plain_name(name): at for names in (other, known) for at, name in enumerate(names)}
    names = _words(rows, role)
    strangers = list(dict.fromkeys(name for name in names if name not in position))
    if strangers:
        text = f"{rows.place} has the {role} {quoted(strangers[0])}, but {place} has none of that name"
        raise DataError(text, code="H101", fix=f"the {role}s are {listed([str(name) for name in known])}")
    return np.fromiter((position[name] for name in names), dtype=np.int32, count=len(names))


def _only_detected(image: Sequence[str], images: Sequence[str]) -> tuple[Check, ...]:
    without = len(images) - len(set(image))
    if not without:
        return ()
    text = f"{without} image{'' if without == 1 else 's'} only in the detections: counted as images without objects"
    return (Check(code="H111", text=text),)
