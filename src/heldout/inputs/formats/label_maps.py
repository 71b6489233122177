"""Label maps: images whose pixels are classes, as PNG, NPY, arrays or run lengths."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs.formats.coco import read_json
from heldout.inputs.formats.files import Source, read_bytes
from heldout.inputs.message_text import listed


def mask_of(runs: Any, place: str) -> Array:
    """The mask of a COCO run-length code, {"size": [height, width], "counts": …}, counts as a list or as text.

    >>> mask_of({"size": [2, 3], "counts": [1, 2, 3]}, "the mask").astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    lengths, (height, width) = run_lengths(runs, place)
    inside = np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)
    return inside.reshape(width, height).T


def run_lengths(runs: Any, place: str) -> tuple[Array, tuple[int, int]]:
    """The run lengths of a mask down its columns, the first one outside, and its height and width.

    >>> run_lengths({"size": [2, 3], "counts": [1, 2, 3]}, "the mask")
    (array([1, 2, 3]), (2, 3))
    """
    try:
        height, width = (int(side) for side in runs["size"])
        counts = runs["counts"]
        plain = isinstance(counts, str | bytes)
        lengths = counted(counts) if plain else np.array(counts, dtype=np.int64).reshape(len(counts))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        fix = 'write {"size": [height, width], "counts": [...]}'
        raise DataError(f"{place} holds no run lengths", code="H113", fix=fix) from error
    if (lengths < 0).any() or sum(lengths.tolist()) != height * width:
        text = f"{place} has run lengths for {int(lengths.sum()):,} pixels, but its size is {height} x {width}"
        raise DataError(text, code="H113", fix="give the size of the image as [height, width]")
    return lengths, (height, width)


def counted(text: str | bytes) -> Array:
    """The run lengths in COCO's text: five bits a character, each length less the one before the last.

    >>> counted("052").tolist()
    [0, 5, 2]
    """
    codes = np.frombuffer(text.encode() if isinstance(text, str) else text, dtype=np.uint8).astype(np.int64) - 48
    last = (codes & 0x20) == 0
    if not len(codes) or not last[-1]:
        raise ValueError("the text ends within a number")
    number = np.append(0, np.cumsum(last)[:-1])
    starts = np.flatnonzero(np.append(True, last[:-1]))
    within = np.arange(len(codes)) - starts[number]
    if within.max() > LONGEST:
        raise ValueError("a number is longer than any image")
    values = np.bincount(number, weights=(codes & 0x1F) * 32.0**within).astype(np.int64)
    ends = np.flatnonzero(last)
    negative = (codes[ends] & 0x10) != 0
    values = values - np.where(negative, np.int64(1) << (5 * (within[ends] + 1)), 0)
    # from the fourth on, a number is added to the length two before: running sums of odd and of even places
    lengths = values.copy()
    for first in (1, 2):
        lengths[first::2] = np.cumsum(values[first::2])
    return lengths


LONGEST = 8
"""Characters of a run length after its first: of more, the number would not fit."""
IGNORED_BY_CUSTOM = 255
"""The class of unlabelled pixels in most data sets; the caller must state it."""
RUN_LENGTHS = ("image_id", "category_id", "segmentation")
ENDINGS = (".png", ".npy", ".bmp", ".tif", ".tiff", ".gif")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMaps:
    """Label maps of the same images: the truth, and the prediction of each model."""

    images: tuple[str, ...]
    codes: tuple[int, ...]
    """The classes as numbers in the pixels, in order."""
    names: tuple[str, ...]
    truth: tuple[Array, ...]
    predictions: dict[str, tuple[Array, ...]]
    ignore: int | None = None
    sources: tuple[Source, ...] = ()


def read_label_maps(
    truth: Any, predictions: Mapping[str, Any], *, labels: Any = None, ignore: int | None = None
) -> LabelMaps:
    """Label maps: files, folders whose files have the same names, COCO run lengths (JSON), or arrays in order.

    >>> result = read_label_maps(np.array([[0, 1]]), {"net": np.array([[0, 0]])})
    >>> result.images, result.codes
    (('1',), (0, 1))
    """
    maps = _side(truth, "the truth")
    predicted = {name: _side(one, name) for name, one in predictions.items()}
    names = list(maps.maps)
    for name, one in predicted.items():
        _same_images(maps, one, name)
        for image in names:
            _same_shape(maps.maps[image], one.maps[image], one.places[image])
    codes, called = _classes(maps, predicted, labels, ignore)
    return LabelMaps(
        images=tuple(names),
        codes=codes,
        names=called,
        truth=tuple(maps.maps[image] for image in names),
        predictions={name: tuple(one.maps[image] for image in names) for name, one in predicted.items()},
        ignore=ignore,
        sources=(*maps.sources, *(source for one in predicted.values() for source in one.sources)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The label maps of the truth or of one model by image, and their names in messages."""

    maps: dict[str, Array]
    places: dict[str, str]
    sources: tuple[Source, ...] = ()


def _side(source: Any, what: str) -> Side:
    """The label maps of one side."""
    if isinstance(source, str | Path):
        path = Path(source)
        if path.is_dir():
            return _folder(path)
        return _painted(source) if path.suffix.lower() == ".json" else _files([path])
    if isinstance(source, np.ndarray) and source.ndim == 2:
        source = [source]
    if isinstance(source, Mapping):
        places = {str(name): f"image {name} of {what}" for name in source}
        return Side(
            maps={str(name): _whole(np.asarray(one), places[str(name)]) for name, one in source.items()}, places=places
        )
    if isinstance(source, Sequence) and source and all(isinstance(one, str | Path) for one in source):
        return _files([Path(one) for one in source])
    return _side({str(at): one for at, one in enumerate(source, 1)}, what)


def _files(paths: Sequence[Path]) -> Side:
    """Files in order: the first ones of all sides belong together, and so on."""
    read = {str(at): _file(path) for at, path in enumerate(paths, 1)}
    return Side(
        maps={name: pixels for name, (pixels, _) in read.items()},
        places={str(at): path.name for at, path in enumerate(paths, 1)},
        sources=tuple(source for _, source in read.values()),
    )


def _folder(path: Path) -> Side:
    """The files of a folder by their names without ending."""
    files = sorted(one for one in path.iterdir() if one.suffix.lower() in ENDINGS)
    if not files:
        raise DataError(f"{path} holds no label maps", code="H100", fix=f"put files in it ({', '.join(ENDINGS[:2])})")
    read = {one.stem: _file(one) for one in files}
    whole = hashlib.sha256("".join(str(source.sha256) for _, source in read.values()).encode()).hexdigest()
    return Side(
        maps={name: pixels for name, (pixels, _) in read.items()},
        places={one.stem: f"{path.name}/{one.name}" for one in files},
        sources=(Source(path=str(path), sha256=whole),),
    )


def _file(path: Path) -> tuple[Array, Source]:
    source, place, data = read_bytes(path)
    if data[:6] == b"\x93NUMPY":
        try:
            pixels = np.load(BytesIO(data), allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise DataError(f"{place} is not a valid NPY file", code="H100", fix="save it again") from error
        return _whole(pixels, place), source
    return _whole(_picture(data, place), place), source


def _picture(data: bytes, place: str) -> Array:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        fix = "pip install 'heldout[images]', or give NPY files"
        raise UsageError(f"{place} is an image, and reading images needs Pillow", fix=fix) from error
    try:
        with Image.open(BytesIO(data)) as picture:
            picture.load()
            return np.asarray(picture)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise DataError(f"{place} is not a valid image", code="H100", fix="save it as PNG or NPY again") from error


def _whole(pixels: Array, place: str) -> Array:
    """The map as whole numbers with one channel."""
    if pixels.ndim == 3:
        text = f"{place} has {pixels.shape[2]} channels, not one class per pixel: it is a colour image"
        raise DataError(text, code="H113", fix="save the label map with one channel")
    if pixels.ndim != 2:
        raise DataError(f"{place} has {pixels.ndim} dimensions, not 2", code="H113", fix="give height by width")
    if pixels.dtype.kind == "b":
        return pixels.astype(np.uint8)
    if pixels.dtype.kind not in "iu":
        raise DataError(f"{place} holds {pixels.dtype} values, not classes", code="H113", fix="give whole numbers")
    return pixels


def _painted(source: Any) -> Side:
    """Label maps from run lengths: background is 0, and later masks of a file cover earlier ones."""
    content, place, sources = read_json(source, "the masks")
    lines = content.get("annotations") if isinstance(content, Mapping) else content
    if not isinstance(lines, list) or not lines:
        fix = 'write a list of {"image_id": …, "category_id": …, "segmentation": {"size": …, "counts": …}}'
        raise DataError(f"{place} holds no list of masks", code="H100", fix=fix)
    maps: dict[str, Array] = {}
    for at, line in enumerate(lines, 1):
        missing = [key for key in RUN_LENGTHS if not isinstance(line, Mapping) or key not in line]
        if missing:
            raise DataError(f"mask {at} of {place} has no {missing[0]}", code="H106", fix="write all three")
        inside = mask_of(line["segmentation"], f"mask {at} of {place}")
        image = maps.setdefault(str(line["image_id"]), np.zeros(inside.shape, dtype=np.int64))
        _same_shape(image, inside, f"mask {at} of {place}")
        image[inside] = int(line["category_id"])
    return Side(maps=maps, places={name: f"image {name} of {place}" for name in maps}, sources=sources)


def _same_images(truth: Side, predicted: Side, name: str) -> None:
    missing, more = (
        [one for one in truth.maps if one not in predicted.maps],
        [one for one in predicted.maps if one not in truth.maps],
    )
    if missing or more:
        where, images = (f"{name} lacks", missing) if missing else (f"only {name} has", more)
        text = f"{where} {len(images)} image{'' if len(images) == 1 else 's'} ({listed(images)})"
        raise DataError(text, code="H101", fix="give every image a truth and a prediction of the same name")


def _same_shape(truth: Array, predicted: Array, place: str) -> None:
    if truth.shape != predicted.shape:
        shapes = [f"{one.shape[0]} x {one.shape[1]}" for one in (predicted, truth)]
        text = f"{place} has the shape {shapes[0]}, but its truth has {shapes[1]}"
        raise DataError(text, code="H113", fix="save both in the same size, without interpolating classes")


def _classes(
    truth: Side, predicted: Mapping[str, Side], labels: Any, ignore: int | None
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The classes that count, and their names; what only a prediction has must be declared."""
    declared = labels if isinstance(labels, Mapping) else {code: str(code) for code in labels or ()}
    names = {int(code): str(name) for code, name in declared.items()}
    free = {ignore} if ignore is not None else set()
    if names:
        known = set(names) - free
    else:
        known = {code for one in truth.maps.values() for code in _codes(one)} - free - {IGNORED_BY_CUSTOM}
    for side in (truth, *predicted.values()):
        for image, one in side.maps.items():
            strange = sorted(_codes(one) - known - free)
            if strange:
                plural = "" if len(strange) == 1 else "es"
                verb = ("is" if len(strange) == 1 else "are") + " not declared"
                why = verb if names or side is truth else "the truth does not have"
                text = f"{side.places[image]} has the class{plural} {listed(strange)}, which {why}"
                fix = "declare the classes with --labels (labels=), and unlabelled pixels with --ignore (ignore=255)"
                raise DataError(text, code="H113", fix=fix)
    order = tuple(sorted(known))
    return order, tuple(names.get(code, str(code)) for code in order)


def _codes(one: Array) -> set[int]:
    return {int(code) for code in np.unique(one).tolist()}
