"""Label maps in files: PNG, BMP, TIFF, GIF and NPY, single files or the files of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.formats.files import Source, is_file, read_bytes
from heldout.inputs.formats.label_map_side import Side
from heldout.inputs.limits import PIXELS
from heldout.inputs.message_text import names_listed
from heldout.optional_packages import needed

ENDINGS = (".png", ".npy", ".bmp", ".tif", ".tiff", ".gif")
"""Files of label maps. JPEG and the like are not among them: lossy compression changes the classes of pixels."""
PICTURE_FORMATS = ("PNG", "BMP", "TIFF", "GIF")
ALL_CODES = np.iinfo(np.int64)


def files_side(paths: Sequence[Path], *, by_name: bool = False) -> Side:
    """Files in order: the first ones of all sides match, and so on; or by name, as the files of a folder are."""
    images = _by_stem(paths, "the list") if by_name else {str(at): path for at, path in enumerate(paths, 1)}
    return Side(
        read={image: partial(read_map, path) for image, path in images.items()},
        places={image: path.name for image, path in images.items()},
    )


def folder_side(path: Path) -> Side:
    """The files of a folder by their names without ending. No image is left out in silence."""
    try:
        inside = sorted(one for one in path.iterdir() if not one.name.startswith("."))
    except OSError as problem:
        text = f"{path} cannot be read: {problem.strerror or problem}"
        raise DataError(text, code="H100", fix="check who may read it") from None
    files = [one for one in inside if one.suffix.lower() in ENDINGS and is_file(one)]
    others = [one.name for one in inside if one not in set(files)]
    if others:
        text = f"{path} holds {names_listed(others, 5)}, which would be left out"
        fix = f"put all label maps into one folder ({', '.join(ENDINGS[:2])}), or move the others away"
        raise DataError(text, code="H100", fix=fix)
    if not files:
        raise DataError(f"{path} holds no label maps", code="H100", fix=f"put files in it ({', '.join(ENDINGS[:2])})")
    images = _by_stem(files, str(path))
    return Side(
        read={image: partial(read_map, one) for image, one in images.items()},
        places={image: f"{path.name}/{one.name}" for image, one in images.items()},
        whole=str(path),
    )


def _by_stem(files: Sequence[Path], place: str) -> dict[str, Path]:
    """Files by their names without ending, which are those of the images."""
    stems: dict[str, Path] = {}
    for one in files:
        if stems.setdefault(one.stem, one) is not one:
            text = f"{place} holds {stems[one.stem].name} and {one.name}: two label maps of one image"
            raise DataError(text, code="H100", fix="keep one of them")
    return stems


def read_map(path: Path) -> tuple[Array, Source]:
    """The label map in a file."""
    source, place, data = read_bytes(path)
    pixels = _array(data, place) if data.startswith(b"\x93NUMPY") else _picture(data, place)
    return whole_codes(pixels, place), source


def _array(data: bytes, place: str) -> Array:
    file = BytesIO(data)
    try:
        _check_size(file, len(data))
        pixels = np.load(file, allow_pickle=False)
    except Exception as error:  # a damaged header may raise anything, a lack of memory included
        raise DataError(f"{place} is not a valid NPY file", code="H100", fix="save it again") from error
    left = len(data) - file.tell()
    if left:
        text = f"{place} has {left:,} bytes after its array: perhaps a second one, which would be left out"
        raise DataError(text, code="H100", fix="save each array as a file of its own")
    PIXELS.check(pixels.size, place)
    return np.asarray(pixels)


def _check_size(file: BytesIO, size: int) -> None:
    """Raise if the header tells of more bytes than the file has: numpy would ask for their memory first."""
    version = np.lib.format.read_magic(file)
    headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version in headers:  # later versions are for names of fields, which no label map has
        shape, _, kind = headers[version](file)
        if prod(shape) * kind.itemsize > size:
            raise ValueError("the header tells of more bytes than there are")
    file.seek(0)


def _picture(data: bytes, place: str) -> Array:
    pillow = needed("PIL.Image", f"{place} is an image, and reading images needs", "give NPY files")
    try:
        with _opened(pillow, data) as picture:
            width, height = picture.size
            PIXELS.check(width * height, place)
            frames = getattr(picture, "n_frames", 1)
            picture.load()
            pixels = np.asarray(picture)
    except DataError:
        raise
    except Exception as error:  # a decoder may raise anything where the bytes are damaged
        raise DataError(f"{place} is not a valid image", code="H100", fix="save it as PNG or NPY again") from error
    if frames > 1:
        raise DataError(f"{place} has {frames} frames, not one", code="H113", fix="save each as a file of its own")
    return pixels


def _opened(pillow: Any, data: bytes) -> Any:
    """The picture, before its pixels are decoded.

    Only by the readers of some formats: PostScript, which Pillow would try too, starts another program. They are called
    directly, as Pillow's own limit of pixels is one for the whole process.
    """
    pillow.init()
    for name in PICTURE_FORMATS:
        reader, accepts = pillow.OPEN[name]
        if accepts is None or accepts(data[:16]):
            return reader(BytesIO(data))
    raise ValueError("the bytes are those of another format")


def whole_codes(pixels: Array, place: str) -> Array:
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
    if pixels.dtype.kind == "u" and pixels.size and pixels.max() > ALL_CODES.max:
        text = f"{place} has the class {pixels.max()}, beyond the largest number of 64 bits with a sign"
        raise DataError(text, code="H113", fix="number the classes from 0 on")
    return pixels.astype(np.int64) if pixels.dtype == np.uint64 else pixels
