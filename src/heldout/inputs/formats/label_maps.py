"""Label maps: images whose pixels are classes, as PNG, NPY, arrays, polygons or run lengths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs.formats.coco import distinct_names, same_categories
from heldout.inputs.formats.compression import ending
from heldout.inputs.formats.files import Source, exists, is_folder, refuse_empty_path
from heldout.inputs.formats.label_map_files import files_side, folder_side, whole_codes
from heldout.inputs.formats.label_map_side import Side
from heldout.inputs.formats.painted_masks import Edges, painted_side
from heldout.inputs.limits import CLASSES
from heldout.inputs.message_text import listed, quoted
from heldout.inputs.reading import Check

IGNORED_BY_CUSTOM = 255
"""The class of unlabelled pixels in most data sets; the caller must state it."""
CLOSE = 4096
"""Codes of an image that lie within so many are counted without sorting its pixels."""
LABELS = "give labels={0: 'road', 1: 'car'} or ['road', 'car']"
AT_ONCE = 1 << 22
"""Pixels that are counted at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelCounts:
    """How many pixels of one image have each pair of classes, by their codes."""

    truth: Array
    prediction: Array
    pixels: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMaps:
    """Label maps of the same images: the truth, the prediction of each model, and their pixels by pairs of classes."""

    images: tuple[str, ...]
    codes: tuple[int, ...]
    """The classes as numbers in the pixels, in order."""
    names: tuple[str, ...]
    truth: Side
    predictions: dict[str, Side]
    counts: dict[str, tuple[PixelCounts, ...]]
    """By model, of every image."""
    ignore: int | None = None
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()


def read_label_maps(
    truth: Any,
    predictions: Mapping[str, Any],
    *,
    labels: Any = None,
    ignore: int | None = None,
    edges: Edges | None = None,
) -> LabelMaps:
    """Label maps: files, folders whose files have the same names, COCO masks (JSON or its content), or arrays in order.

    Maps are read one image at a time and counted; none is kept. `edges` draws polygons.

    >>> result = read_label_maps(np.array([[0, 1]]), {"net": np.array([[0, 0]])})
    >>> result.images, result.codes
    (('1',), (0, 1))
    """
    stated = declared_names(labels)
    _own_names(stated, ignore)
    if not predictions:
        raise UsageError("no model is given", fix="give the label maps of at least one model")
    by_name = any(map(_has_names, (truth, *predictions.values())))
    real = _side(truth, "the truth", edges, by_name=by_name)
    if not real.read:
        raise DataError("the truth holds no label maps", code="H100", fix="give at least one image")
    predicted = {name: _side(one, name, edges, real, by_name=by_name) for name, one in predictions.items()}
    for one in predicted.values():
        same_categories(one.categories, real.categories, one.place, real.place)
    checks = [note for name, one in predicted.items() for note in _same_images(real, one, name)]
    counts: dict[str, list[PixelCounts]] = {name: [] for name in predicted}
    for image in real.read:
        pixels = real.map(image)
        _has_pixels(pixels, real.places[image])
        for name, one in predicted.items():
            said = one.map(image) if image in one.read else np.zeros_like(pixels)
            if image in one.read:
                _same_shape(pixels, said, one.places[image])
            counts[name].append(counted_pairs(pixels, said, (real.places[image], one.places.get(image, name))))
    whole = {name: tuple(one) for name, one in counts.items()}
    checks += _ignored(next(iter(whole.values())), ignore)
    codes, called = _classes(
        real, predicted, whole, names=stated or _told_apart(real.names), declared=bool(stated), ignore=ignore
    )
    return LabelMaps(
        images=tuple(real.read),
        codes=codes,
        names=called,
        truth=real,
        predictions=predicted,
        counts=whole,
        ignore=ignore,
        checks=tuple(checks),
        sources=(*real.all_sources, *(source for one in predicted.values() for source in one.all_sources)),
    )


def declared_names(labels: Any) -> dict[int, str]:
    """The declared classes by code: a mapping, a sequence of codes, or names for the codes from 0 on.

    >>> declared_names(["road", "car"]), declared_names([3, 7])
    ({0: 'road', 1: 'car'}, {3: '3', 7: '7'})
    """
    if labels is None:
        return {}
    if isinstance(labels, str | bytes):
        raise UsageError(f"labels is {quoted(labels)}, not a list of classes", fix=LABELS)
    if isinstance(labels, Mapping):
        return {_code(code): str(name) for code, name in labels.items()}
    listing = list(labels)
    named = [isinstance(one, str) and not one.strip().isdecimal() for one in listing]
    if named and all(named):
        return dict(enumerate(str(one) for one in listing))
    if any(named):
        name, code = listing[named.index(True)], listing[named.index(False)]
        text = f"labels has {quoted(name)} beside {quoted(code)}: a list has either names or codes"
        raise UsageError(text, fix=LABELS)
    return {_code(one): str(one) for one in listing}


def _code(given: Any) -> int:
    """The code of a class as a whole number."""
    try:
        code = int(given)
        if isinstance(given, str) or code == given:
            return code
    except (TypeError, ValueError, OverflowError):
        pass
    raise UsageError(f"labels has the code {quoted(given)}, which is not a whole number", fix=LABELS)


def _own_names(names: Mapping[int, str], ignore: int | None) -> None:
    """Refuse two classes that count and have the same name: figures are looked up by it."""
    codes: dict[str, list[int]] = {}
    for code, name in names.items():
        if code != ignore:
            codes.setdefault(name, []).append(code)
    for name, some in codes.items():
        if len(some) > 1:
            fix = "give every class a name of its own, or give their pixels one code"
            raise UsageError(f"labels calls the classes {listed(some)} all {quoted(name)}", fix=fix)


def _told_apart(names: Mapping[int, str]) -> dict[int, str]:
    """The names of a file's classes, with the code where a name occurs twice."""
    return dict(zip(names, distinct_names(tuple(names.values()), tuple(names)), strict=True))


def counted_pairs(truth: Array, predicted: Array, places: tuple[str, str] = ("truth", "prediction")) -> PixelCounts:
    """How many pixels of an image have each pair of classes; `places` name both sides in messages.

    >>> found = counted_pairs(np.array([[0, 7], [7, 7]]), np.array([[0, 7], [7, 0]]))
    >>> found.truth.tolist(), found.prediction.tolist(), found.pixels.tolist()
    ([0, 7, 7], [0, 0, 7], [1, 1, 2])
    """
    first, second = (_codes_of(one, place) for one, place in zip((truth, predicted), places, strict=True))
    pixels = np.zeros(len(first) * len(second), dtype=np.int64)
    for of_truth, of_prediction in zip(_some_rows(truth), _some_rows(predicted), strict=True):
        place = _positions(of_truth, first) * len(second) + _positions(of_prediction, second)
        pixels += np.bincount(place.ravel(), minlength=len(pixels))
    there = np.flatnonzero(pixels)
    return PixelCounts(truth=first[there // len(second)], prediction=second[there % len(second)], pixels=pixels[there])


def _some_rows(pixels: Array) -> list[Array]:
    """The image in blocks of rows: what is computed of every pixel takes many times the memory of the pixels."""
    step = max(1, AT_ONCE // max(1, pixels.shape[1]))
    return [pixels[start : start + step] for start in range(0, len(pixels), step)]


def _codes_of(pixels: Array, place: str) -> Array:
    """The codes of an image in order; all those between the least and the largest, if they are close together."""
    if not pixels.size:
        return np.zeros(1, dtype=np.int64)
    low, high = int(pixels.min()), int(pixels.max())
    if high - low < CLOSE:
        return np.arange(low, high + 1)
    codes = np.zeros(0, dtype=np.int64)
    for some in _some_rows(pixels):
        codes = np.union1d(codes, some)
        CLASSES.check(len(codes), place)
    return codes


def _positions(pixels: Array, codes: Array) -> Array:
    """The position of each pixel among the codes."""
    close = int(codes[-1]) - int(codes[0]) < len(codes)
    positions: Array = pixels.astype(np.int64) - codes[0] if close else np.searchsorted(codes, pixels)
    return positions


def _has_names(source: Any) -> bool:
    """Whether images are matched by name: those of a folder and of a mapping, which files in order are not."""
    if isinstance(source, str | Path):
        return is_folder(source) or ending(source) == ".json"
    return isinstance(source, Mapping) or is_coco(source)


def _side(
    source: Any, what: str, edges: Edges | None = None, truth: Side | None = None, *, by_name: bool = False
) -> Side:
    """The label maps of one side; masks of a model are drawn in the sizes of the truth's images.

    Files are matched in order; `by_name`, where another side has names.
    """
    if isinstance(source, str | Path):
        refuse_empty_path(source)
        path = Path(source)
        if is_folder(path):
            return folder_side(path)
        if not exists(path):
            text = f"there is no file or folder {path}, which {what} should be in"
            raise DataError(text, code="H100", fix="check the path and the folder it starts from")
        if ending(path) == ".json":
            return painted_side(source, what, edges, truth)
        return files_side([path], by_name=by_name)
    if is_coco(source):
        return painted_side(source, what, edges, truth)
    if isinstance(source, np.ndarray) and source.ndim == 2:
        source = [source]
    if isinstance(source, Mapping):
        places = {str(name): f"image {name} of {what}" for name in source}
        return Side(
            read={str(name): partial(_given, one, places[str(name)]) for name, one in source.items()}, places=places
        )
    if isinstance(source, Sequence) and source and all(isinstance(one, str | Path) for one in source):
        return files_side([Path(one) for one in source], by_name=by_name)
    if not isinstance(source, Iterable):
        text = f"{what} is an object of type {type(source).__name__}, which holds no label maps"
        raise DataError(text, code="H100", fix="give files, folders, COCO files, or arrays of whole numbers")
    return _side({str(at): one for at, one in enumerate(source, 1)}, what)


def is_coco(source: Any) -> bool:
    """Whether an object is the content of a COCO file: a dict with annotations, or a list of them.

    >>> is_coco({"images": [], "annotations": []}), is_coco({"a.png": np.zeros((2, 2))})
    (True, False)
    """
    if isinstance(source, Mapping):
        lines = source.get("annotations")
        return isinstance(lines, list) and all(isinstance(one, Mapping) for one in lines)
    return isinstance(source, list) and bool(source) and all(isinstance(one, Mapping) for one in source)


def _given(pixels: Any, place: str) -> tuple[Array, None]:
    return whole_codes(np.asarray(pixels), place), None


def _same_images(truth: Side, predicted: Side, name: str) -> list[Check]:
    """Refuse images that only one side has; a file of masks need not name images without masks."""
    missing, more = (
        [one for one in truth.read if one not in predicted.read],
        [one for one in predicted.read if one not in truth.read],
    )
    if missing and predicted.sparse and not more:
        have = "1 image" if len(missing) == 1 else f"{len(missing)} images"
        text = f"{name} has no mask in {have} ({listed(missing)}): all pixels are of the class 0 there"
        return [Check(code="H111", text=text)]
    if missing or more:
        where, images = (f"{name} lacks", missing) if missing and not predicted.sparse else (f"only {name} has", more)
        text = f"{where} {len(images)} image{'' if len(images) == 1 else 's'} ({listed(images)})"
        raise DataError(text, code="H101", fix="give every image a truth and a prediction of the same name")
    return []


def _has_pixels(pixels: Array, place: str) -> None:
    if not pixels.size:
        text = f"{place} has no pixels: its shape is {pixels.shape[0]} x {pixels.shape[1]}"
        raise DataError(text, code="H113", fix="leave the image out, or save its label map again")


def _ignored(images: Sequence[PixelCounts], ignore: int | None) -> list[Check]:
    """Refuse a truth of ignored pixels alone; a note where no pixel of the truth is ignored."""
    if ignore is None:
        return []
    if all((one.truth == ignore).all() for one in images):
        text = f"no pixel counts: all those of the truth have the ignored class {ignore}"
        raise DataError(text, code="H113", fix="ignore another class, or give images with labelled pixels")
    if any((one.truth == ignore).any() for one in images):
        return []
    return [Check(code="H113", text=f"no pixel of the truth has the ignored class {ignore}: all of them count")]


def _same_shape(truth: Array, predicted: Array, place: str) -> None:
    if truth.shape != predicted.shape:
        shapes = [f"{one.shape[0]} x {one.shape[1]}" for one in (predicted, truth)]
        text = f"{place} has the shape {shapes[0]}, but its truth has {shapes[1]}"
        raise DataError(text, code="H113", fix="save both in the same size, without interpolating classes")


def _classes(
    truth: Side, predicted: Mapping[str, Side], counts: Mapping[str, Sequence[PixelCounts]], *,
    names: Mapping[int, str], declared: bool, ignore: int | None,
) -> tuple[tuple[int, ...], tuple[str, ...]]:  # fmt: skip
    """The classes that count, and their names; what only a prediction has must be declared.

    Classes that a file names and no pixel has are left out, unless the caller `declared` them.
    """
    free = {ignore} if ignore is not None else set()
    any_model = next(iter(counts.values()))
    real = [_codes(one.truth) for one in any_model]
    said = {name: [_codes(one.prediction) for one in each] for name, each in counts.items()}
    known = set(names) - free if names else {code for codes in real for code in codes} - free - {IGNORED_BY_CUSTOM}
    for side, codes in ((truth, real), *((one, said[name]) for name, one in predicted.items())):
        for image, there in zip(truth.read, codes, strict=True):
            strange = sorted(there - known - free)
            if strange:
                plural = "" if len(strange) == 1 else "es"
                verb = ("is" if len(strange) == 1 else "are") + " not declared"
                why = verb if names or side is truth else "the truth does not have"
                text = f"{side.places[image]} has the class{plural} {listed(strange)}, which {why}"
                fix = "declare the classes with --labels (labels=), and unlabelled pixels with --ignore (ignore=255)"
                raise DataError(text, code="H113", fix=fix)
    if names and not declared:
        known &= {code for each in (real, *said.values()) for codes in each for code in codes}
    order = tuple(sorted(known))
    return order, tuple(names.get(code, str(code)) for code in order)


def _codes(one: Array) -> set[int]:
    return {int(code) for code in np.unique(one).tolist()}
