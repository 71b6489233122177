"""Compressed files are read by their first bytes, whatever they hold."""

from __future__ import annotations

import json

import pytest

import heldout
from heldout.inputs.formats.box_tables import read_boxes
from heldout.inputs.formats.compression import compression_of, unpacked
from heldout.inputs.formats.parallel_texts import one_system
from tests.inputs.packers import PACKERS

NAMES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
ROWS = b"y_true,y_pred\n" + b"1,1\n0,1\n" * 40


@pytest.mark.parametrize("ending", PACKERS)
def test_every_compression_is_unpacked(ending):
    packed = PACKERS[ending](ROWS)
    assert compression_of(packed) == NAMES[ending]
    assert unpacked(packed, "rows") == ROWS
    assert unpacked(2 * packed, "rows") == 2 * ROWS


@pytest.mark.parametrize("ending", PACKERS)
def test_a_compressed_file_is_read_as_what_it_holds(ending, file):
    pack = PACKERS[ending]
    assert heldout.evaluate(file(f"rows.csv{ending}", pack(ROWS)))["accuracy"].value == 0.5
    lines = b"".join(b'{"y_true": 1, "y_pred": %d}\n' % (at % 2) for at in range(40))
    assert heldout.evaluate(file(f"rows.jsonl{ending}", pack(lines)))["accuracy"].value == 0.5
    texts = file(f"texts.txt{ending}", pack(b"a b c d e\n" * 9))
    assert heldout.text(texts, texts, metrics="chrf")["chrf"].value == 100
    assert one_system(f"runs/sys.txt{ending}") == {"sys": f"runs/sys.txt{ending}"}


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_coco_files_are_read(ending, file):
    truth = {
        "images": [{"id": 7}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 7, "category_id": 1, "bbox": [0, 0, 4, 5]}],
    }
    found = [{"image_id": 7, "category_id": 1, "bbox": [0, 0, 4, 5], "score": 0.9}]
    one, other = (
        file(f"{name}.json{ending}", PACKERS[ending](json.dumps(content).encode()))
        for name, content in (("truth", truth), ("found", found))
    )
    assert read_boxes(one, {"a": other}).detections["a"].score.tolist() == [0.9]


@pytest.mark.parametrize("ending", PACKERS)
def test_a_truncated_or_damaged_file_names_itself(ending, said):
    packed, name = PACKERS[ending](ROWS * 99), NAMES[ending]
    assert said(unpacked, packed[:-9], "a.csv") == (
        f"[H100] a.csv is truncated: the {name} stream has no end marker\n  Fix: copy the file again"
    )
    damaged = packed[:20] + bytes(byte ^ 255 for byte in packed[20:40]) + packed[40:]
    assert said(unpacked, damaged, "a.csv").startswith(f"[H100] a.csv is not a valid {name} file: ")


def test_a_table_whose_header_begins_like_a_compression_is_a_table(file):
    path = file("rows.csv", b"BZh," + ROWS.replace(b"\n", b"\n7,").removesuffix(b"7,"))
    assert heldout.evaluate(path)["accuracy"].value == 0.5
