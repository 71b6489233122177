"""Label maps: images whose pixels are classes, as PNG, NPY, arrays, polygons or run lengths."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs.formats.coco import category_names, distinct_names, read_json, same_categories
from heldout.inputs.formats.files import Source, read_bytes
from heldout.inputs.message_text import listed, quoted
from heldout.inputs.reading import Check
from heldout.optional_packages import needed


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
        given = counted(counts) if plain else np.array(counts).reshape(len(counts))
        odd = _odd_length(given)
        lengths = given if odd or given.dtype == np.int64 else np.array(counts, dtype=np.int64).reshape(len(counts))
        odd = odd or _odd_length(lengths)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        fix = 'write {"size": [height, width], "counts": [...]}'
        raise DataError(f"{place} holds no run lengths", code="H113", fix=fix) from error
    if odd:
        fix = "count the pixels of every run: 0 or more, outside first"
        raise DataError(f"{place} has the run length {odd}", code="H113", fix=fix)
    if sum(lengths.tolist()) != height * width:
        text = f"{place} has run lengths for {int(lengths.sum()):,} pixels, but its size is {height} x {width}"
        raise DataError(text, code="H113", fix="give the size of the image as [height, width]")
    return lengths, (height, width)


def _odd_length(lengths: Array) -> str | None:
    """The first run length that is none, and why: one that is not whole, or a negative one."""
    if lengths.dtype.kind == "f":
        broken = lengths[(lengths != np.floor(lengths)) | ~np.isfinite(lengths)]
        if len(broken):
            return f"{broken[0].item()}, which is not a whole number"
        if lengths.max(initial=0) >= np.iinfo(np.int64).max:
            raise ValueError("a number is longer than any image")
    if lengths.dtype.kind in "if" and lengths.min(initial=0) < 0:
        return f"{int(lengths[lengths < 0][0])}, which is negative"
    return None


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
UNPAINTED = -1
"""The code of pixels without a mask while an image is painted."""
CLOSE = 4096
"""Codes of an image that lie within so many are counted without sorting its pixels."""
LABELS = "give labels={0: 'road', 1: 'car'} or ['road', 'car']"
RUN_LENGTHS = ("image_id", "category_id", "segmentation")
ENDINGS = (".png", ".npy", ".bmp", ".tif", ".tiff", ".gif")


Edges = Callable[[Any, tuple[int, int], str], Array]
"""Where the mask of a polygon or of run lengths begins and ends in an image of some height and width."""


@dataclass(frozen=True, kw_only=True)
class Side(Sequence[Array]):
    """The label maps of the truth or of one model, one by one: a map is read when it is asked for, and not kept."""

    read: dict[str, Callable[[], tuple[Array, Source | None]]]
    """By image."""
    places: dict[str, str]
    """Names of the maps in messages."""
    whole: str | None = None
    """The folder that the maps are of; its files have no sources of their own."""
    sources: tuple[Source, ...] = ()
    """What was read before: a JSON file."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Names of classes, where the file has them."""
    place: str = ""
    """Name in messages of a file with categories."""
    categories: Mapping[Any, str] = field(default_factory=dict)
    """Names that the file itself gives, by id."""
    sparse: bool = False
    """Whether an image may be missing, because it has no mask."""
    seen: dict[str, Source] = field(default_factory=dict)
    """The files that were read, by image."""

    def __len__(self) -> int:
        return len(self.read)

    def __getitem__(self, at: Any) -> Any:
        return self.map(list(self.read)[at])

    def map(self, image: str) -> Array:
        """The label map of an image."""
        pixels, source = self.read[image]()
        if source is not None:
            self.seen[image] = source
        return pixels

    @property
    def all_sources(self) -> tuple[Source, ...]:
        """The files behind the maps that were read; a folder is one."""
        if self.whole is None:
            return (*self.sources, *self.seen.values())
        digest = hashlib.sha256("".join(str(self.seen[one].sha256) for one in self.read).encode()).hexdigest()
        return (Source(path=self.whole, sha256=digest),)


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
    real = _side(truth, "the truth", edges)
    if not real.read:
        raise DataError("the truth holds no label maps", code="H100", fix="give at least one image")
    predicted = {name: _side(one, name, edges, real) for name, one in predictions.items()}
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
            counts[name].append(counted_pairs(pixels, said))
    whole = {name: tuple(one) for name, one in counts.items()}
    _any_counts(next(iter(whole.values())), ignore)
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


def counted_pairs(truth: Array, predicted: Array) -> PixelCounts:
    """How many pixels of an image have each pair of classes.

    >>> found = counted_pairs(np.array([[0, 7], [7, 7]]), np.array([[0, 7], [7, 0]]))
    >>> found.truth.tolist(), found.prediction.tolist(), found.pixels.tolist()
    ([0, 7, 7], [0, 0, 7], [1, 1, 2])
    """
    sides = [_places(one) for one in (truth, predicted)]
    (first, at), (second, other) = sides
    place = at * len(second)
    place += other
    pixels = np.bincount(place.ravel(), minlength=len(first) * len(second))
    there = np.flatnonzero(pixels)
    return PixelCounts(truth=first[there // len(second)], prediction=second[there % len(second)], pixels=pixels[there])


def _places(pixels: Array) -> tuple[Array, Array]:
    """Codes in order, and the place of each pixel among them; codes that are close together need no sorting."""
    if not pixels.size:
        return np.zeros(1, dtype=np.int64), np.zeros(pixels.shape, dtype=np.int64)
    low, high = int(pixels.min()), int(pixels.max())
    if high - low < CLOSE:
        place = pixels.astype(np.int64)
        place -= low
        return np.arange(low, high + 1), place
    codes, place = np.unique(pixels, return_inverse=True)
    return codes, place.reshape(pixels.shape)


def _side(source: Any, what: str, edges: Edges | None = None, truth: Side | None = None) -> Side:
    """The label maps of one side; masks of a model are drawn in the sizes of the truth's images."""
    if isinstance(source, str | Path):
        path = Path(source)
        if path.is_dir():
            return _folder(path)
        if not path.exists():
            text = f"there is no file or folder {path}, which {what} should be in"
            raise DataError(text, code="H100", fix="check the path and the folder it starts from")
        return _painted(source, what, edges, truth) if path.suffix.lower() == ".json" else _files([path])
    if is_coco(source):
        return _painted(source, what, edges, truth)
    if isinstance(source, np.ndarray) and source.ndim == 2:
        source = [source]
    if isinstance(source, Mapping):
        places = {str(name): f"image {name} of {what}" for name in source}
        return Side(
            read={str(name): partial(_given, one, places[str(name)]) for name, one in source.items()}, places=places
        )
    if isinstance(source, Sequence) and source and all(isinstance(one, str | Path) for one in source):
        return _files([Path(one) for one in source])
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
    return _whole(np.asarray(pixels), place), None


def _files(paths: Sequence[Path]) -> Side:
    """Files in order: the first ones of all sides match, and so on."""
    return Side(
        read={str(at): partial(_file, path) for at, path in enumerate(paths, 1)},
        places={str(at): path.name for at, path in enumerate(paths, 1)},
    )


def _folder(path: Path) -> Side:
    """The files of a folder by their names without ending."""
    files = sorted(one for one in path.iterdir() if one.suffix.lower() in ENDINGS)
    if not files:
        raise DataError(f"{path} holds no label maps", code="H100", fix=f"put files in it ({', '.join(ENDINGS[:2])})")
    return Side(
        read={one.stem: partial(_file, one) for one in files},
        places={one.stem: f"{path.name}/{one.name}" for one in files},
        whole=str(path),
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
    pillow = needed("PIL.Image", f"{place} is an image, and reading images needs", "give NPY files")
    try:
        with pillow.open(BytesIO(data)) as picture:
            picture.load()
            return np.asarray(picture)
    except (OSError, SyntaxError, ValueError) as error:
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


def _painted(source: Any, what: str, edges: Edges | None, truth: Side | None) -> Side:
    """Label maps from polygons and run lengths: pixels without a mask are 0, and later masks cover earlier ones.

    A file with images says how large they are, and those without masks are all 0. In a file of a model they may be
    missing.
    """
    content, place, sources = read_json(source, what)
    lines = content.get("annotations") if isinstance(content, Mapping) else content
    images = content.get("images") if isinstance(content, Mapping) else None
    if not isinstance(lines, list) or not (lines or images or truth is not None):
        fix = 'write a list of {"image_id": …, "category_id": …, "segmentation": {"size": …, "counts": …}}'
        raise DataError(f"{place} holds no list of masks", code="H100", fix=fix)
    sizes = _image_sizes(images, place)
    masks: dict[str, list[tuple[int, Any, str]]] = {name: [] for name in sizes}
    for at, line in enumerate(lines, 1):
        missing = [key for key in RUN_LENGTHS if not isinstance(line, Mapping) or key not in line]
        if missing:
            raise DataError(f"mask {at} of {place} has no {missing[0]}", code="H106", fix="write all three")
        if not line["segmentation"]:
            own = f" (id {quoted(line['id'])})" if "id" in line else ""
            fix = "give every line a segmentation, or leave the line out"
            raise DataError(f"mask {at}{own} of {place} has no segmentation", code="H106", fix=fix)
        mask = int(line["category_id"]), line["segmentation"], f"mask {at} of {place}"
        masks.setdefault(str(line["image_id"]), []).append(mask)
    kinds = content.get("categories") if isinstance(content, Mapping) else None
    names = {int(one["id"]): str(one.get("name", one["id"])) for one in kinds or () if isinstance(one, Mapping)}
    return Side(
        read={name: partial(_painting, name, some, sizes, edges, truth) for name, some in masks.items()},
        places={name: f"image {name} of {place}" for name in masks},
        sources=sources,
        names={0: "background", **names} if names else {},
        place=place,
        categories=category_names(kinds),
        sparse=truth is not None,
    )


def _image_sizes(images: Any, place: str) -> dict[str, tuple[int, int]]:
    """Height and width of the images that a file lists, by id."""
    sizes = {}
    for at, one in enumerate(images or (), 1):
        try:
            sizes[str(one["id"])] = int(one["height"]), int(one["width"])
        except (KeyError, TypeError, ValueError):
            text = f"image {at} of {place} has no id, height and width"
            raise DataError(text, code="H106", fix="give every image all three") from None
    return sizes


def _painting(
    image: str, masks: Sequence[tuple[int, Any, str]], sizes: Mapping[str, tuple[int, int]], edges: Edges | None,
    truth: Side | None,
) -> tuple[Array, None]:  # fmt: skip
    """The label map of an image from its masks."""
    size = sizes.get(image) or next((_size(mask) for _, mask, _ in masks if _size(mask)), None)
    if size is None and truth is not None and image in truth.read:
        rows, columns = truth.map(image).shape
        size = rows, columns
    if size is None:
        text = f"{masks[0][2]} is a polygon, and no size is known of image {image}"
        raise DataError(text, code="H113", fix='give the truth a list "images" with id, height and width')
    columns_first = np.full(size[0] * size[1], UNPAINTED, dtype=np.int64)
    for code, mask, place in masks:
        if _size(mask) or edges is None:
            inside = mask_of(mask, place)
            _same_shape(np.empty(size, dtype=bool), inside, place)
            columns_first[inside.T.ravel()] = code
        else:
            for start, end in edges(mask, size, place).reshape(-1, 2).tolist():
                columns_first[start:end] = code
    bare = columns_first == UNPAINTED
    zero = next((place for code, _, place in masks if code == 0), None)
    if zero is not None and bare.any():
        text = f"{zero} has the category 0, which is also that of pixels without a mask"
        raise DataError(text, code="H113", fix="number the categories from 1 on")
    columns_first[bare] = 0
    return columns_first.reshape(size[1], size[0]).T, None


def _size(mask: Any) -> tuple[int, int] | None:
    """Height and width of an image, from run lengths."""
    if not isinstance(mask, Mapping):
        return None
    try:
        height, width = (int(side) for side in mask["size"])
    except (KeyError, TypeError, ValueError):
        return None
    return height, width


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


def _any_counts(images: Sequence[PixelCounts], ignore: int | None) -> None:
    """Refuse a truth of ignored pixels alone."""
    if ignore is not None and all((one.truth == ignore).all() for one in images):
        text = f"no pixel counts: all those of the truth have the ignored class {ignore}"
        raise DataError(text, code="H113", fix="ignore another class, or give images with labelled pixels")


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
