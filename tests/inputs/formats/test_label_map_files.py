"""Label maps in files: nothing of a folder is left out in silence, and damaged files are refused."""

from __future__ import annotations

import os
import struct
import zlib

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import heldout
from heldout.cli import verbs
from heldout.inputs.formats.label_map_files import folder_side, read_map
from heldout.inputs.formats.label_maps import counted_pairs, read_label_maps

MAP = np.array([[0, 1], [1, 0]], dtype=np.uint8)
BAD_ARRAY = "[H100] a.npy is not a valid NPY file\n  Fix: save it again"
BAD_IMAGE = "[H100] a.png is not a valid image\n  Fix: save it as PNG or NPY again"


def npy(shape, kind="|u1", data=bytes(64)):
    """An NPY file whose header says this."""
    head = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


@pytest.mark.parametrize(
    "stray", ["readme.txt", "b.pgm", "b.png.gz", "b", "b.jpg", "b.webp", "b.npz", "folder", "pipe.png", "nowhere.png"]
)
def test_whatever_a_folder_holds_beside_label_maps_is_named(tmp_path, said, stray):
    """A pipe would be waited for without end."""
    Image.fromarray(MAP).save(tmp_path / "a.png")
    (tmp_path / ".hidden").touch()
    assert list(folder_side(tmp_path).read) == ["a"]
    if stray == "folder":
        (tmp_path / stray).mkdir()
    elif stray == "pipe.png":
        os.mkfifo(tmp_path / stray)
    elif stray == "nowhere.png":
        (tmp_path / stray).symlink_to("nothing.png")
    else:
        (tmp_path / stray).touch()
    assert said(folder_side, tmp_path) == (
        f"[H100] {tmp_path} holds {stray}, which would be left out\n"
        "  Fix: put all label maps into one folder (.png, .npy), or move the others away"
    )


@pytest.mark.parametrize(
    "data",
    [
        npy("(8, 8)")[:-1],
        npy("(8, 8)")[:20],
        npy("(1000000, 1000000)"),
        npy("(0, 99999999999999999999)", data=b""),
        npy("(-8, 8)"),
        npy("(8, 8)", "|O"),
        npy("(8, 8)", "<zz"),
        npy("(" * 30 + "8" + ")" * 30),
        b"\x93NUMPY\x09\x00",
    ],
)
def test_damaged_arrays(file, said, data):
    assert said(read_map, file("a.npy", data)) == BAD_ARRAY


def test_a_small_array_that_claims_to_be_large_is_damaged_and_no_lack_of_memory(file):
    path = file("a.npy", npy("(1000000000, 1000000000)", data=b"x"))
    found = CliRunner().invoke(verbs, ["masks", str(path), str(path)])
    message = "error[H100] a.npy is not a valid NPY file\n  Fix: save it again\n  See: heldout explain H100\n"
    assert (found.exit_code, found.stderr) == (2, message)


def test_a_second_array_in_a_file_is_not_left_out(tmp_path, said):
    with (tmp_path / "two.npy").open("wb") as file:
        np.save(file, MAP)
        np.save(file, MAP)
    assert said(read_map, tmp_path / "two.npy") == (
        "[H100] two.npy has 132 bytes after its array: perhaps a second one, which would be left out\n"
        "  Fix: save each array as a file of its own"
    )


def test_codes_of_64_bits_without_a_sign(file, said):
    assert said(read_map, file("a.npy", npy("(2, 4)", "<u8", b"\xff" * 64))) == (
        "[H113] a.npy has the class 18446744073709551615, beyond the largest number of 64 bits with a sign\n"
        "  Fix: number the classes from 0 on"
    )
    pixels, _ = read_map(file("b.npy", npy("(2, 4)", "<u8", bytes(range(64)))))
    assert pixels.dtype == np.int64


def png(width, height, rows=b""):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "data", [png(0, 0), png(8, 8, bytes(20)), png(8, 8, bytes(72))[:-40], b"\x89PNG\r\n\x1a\n", b"GIF89a"]
)
def test_damaged_pictures(file, said, data):
    assert said(read_map, file("a.png", data)) == BAD_IMAGE


def test_a_picture_beyond_the_limit_of_pillow_is_read(tmp_path, recwarn):
    """Pillow warns of 90 million pixels, and refuses 180 million."""
    pixels = np.zeros((13_400, 13_400), dtype=np.uint8)
    np.save(tmp_path / "a.npy", pixels)
    with (tmp_path / "a.bmp").open("wb") as file:  # Pillow would take a minute to write it as PNG
        Image.fromarray(pixels).save(file, "BMP")
    assert read_map(tmp_path / "a.bmp")[0].shape == (13_400, 13_400)
    assert [str(one.message) for one in recwarn if "DecompressionBomb" in type(one.message).__name__] == []


@pytest.mark.parametrize("spread", [1, 5000])
def test_pixels_are_counted_block_by_block(monkeypatch, spread):
    monkeypatch.setattr("heldout.inputs.formats.label_maps.AT_ONCE", 7)
    rng = np.random.default_rng(0)
    truth, said = (rng.integers(0, 4, (9, 5)) * spread for _ in range(2))
    pairs = counted_pairs(truth, said)
    expected, count = np.unique(np.stack([truth.ravel(), said.ravel()]), axis=1, return_counts=True)
    assert np.stack([pairs.truth, pairs.prediction]).tolist() == expected.tolist()
    assert pairs.pixels.tolist() == count.tolist()


def test_an_image_of_an_ignored_code_in_every_place(tmp_path):
    """The same cells as those of a dense table: a class that a model never says, and the ignored code."""
    read = read_label_maps(
        [np.array([[0, 1, 255]]), np.array([[2, 2, 0]])],
        {"net": [np.array([[1, 255, 0]]), np.array([[2, 0, 0]])]},
        labels=["a", "b", "c"],
        ignore=255,
    )
    from heldout.verbs.images.pixel_counts import label_cells

    (cells,) = label_cells(read).values()
    assert cells.classes == 4
    assert np.stack([cells.unit, cells.truth, cells.prediction, cells.rows]).T.tolist() == [
        [0, 0, 1, 1], [0, 1, 3, 1], [1, 0, 0, 1], [1, 2, 0, 1], [1, 2, 2, 1],
    ]  # fmt: skip


def test_a_folder_that_is_a_file(tmp_path, said):
    assert said(heldout.masks, "x" * 5000, tmp_path) == (
        f"[H100] there is no file or folder {'x' * 5000}, which the truth should be in\n"
        "  Fix: check the path and the folder it starts from"
    )
