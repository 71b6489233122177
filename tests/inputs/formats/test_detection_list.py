"""Lists of plain detections: Arrow gives what Python's reader gives, or leaves the list to it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heldout.errors import HeldoutError
from heldout.inputs.formats import coco
from heldout.inputs.formats.coco import coco_detections, coco_objects
from heldout.inputs.formats.detection_list import plain_detections

OBJECTS = coco_objects(
    {
        "images": [{"id": at, "width": 640, "height": 480} for at in (3, 7, 12)],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [],
    }
)
LINES = [
    {"image_id": 7, "category_id": 1, "bbox": [0, 0, 4.25, 5], "score": 0.1},
    {"image_id": 3, "category_id": 2, "bbox": [10.1, 1e-7, 0, 123456789.123], "score": 1},
    {"image_id": 12, "category_id": 2, "bbox": [-3.0, 2.5e2, 7, 700], "score": 5e-324},
]


def columns(detections):
    return [getattr(detections, name) for name in ("image", "label", "box", "score", "area")]


def by_python(path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coco, "plain_detections", lambda *_: None)
        return coco_detections(path, OBJECTS)


def same_or_left(path, data):
    """Whether Arrow read a file; if so, as Python does."""
    path.write_bytes(data)
    found = plain_detections(data, OBJECTS.images, OBJECTS.class_ids)
    if found is None:
        return False
    plain, python = coco_detections(path, OBJECTS), by_python(path)
    for one, other in zip(columns(plain), columns(python), strict=True):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    assert (plain.checks, plain.sources, plain.outlines) == (python.checks, python.sources, python.outlines)
    return True


@pytest.mark.parametrize("separators", [None, (",", ":"), (", ", ":")])
def test_plain_lists_have_the_values_of_pythons_reader(separators, tmp_path):
    assert same_or_left(tmp_path / "said.json", f" {json.dumps(LINES, separators=separators)}\n".encode())


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([3, 7, 12]),
            st.sampled_from([1, 2]),
            st.tuples(*[st.floats(-1e15, 1e15) | st.integers(-9, 10**15)] * 2, *[st.floats(0, 1e15)] * 2),
            st.floats(-1e15, 1e15) | st.integers(-3, 3),
        ),
        min_size=1,
        max_size=9,
    )
)
def test_any_numbers_have_the_values_of_pythons_reader(rows, tmp_path_factory):
    names = ("image_id", "category_id", "bbox", "score")
    data = json.dumps([dict(zip(names, row, strict=True)) for row in rows]).encode()
    read = same_or_left(tmp_path_factory.getbasetemp() / "any.json", data)
    assert read or b"-0" in data


TEXT = json.dumps(LINES)
ODD = {
    "one object per line": TEXT.replace("}, {", "},\n{"),
    "an object": f'{{"annotations": {TEXT}}}',
    "no detections": "[]",
    "a comma at the end": TEXT[:-1] + ",]",
    "two commas": TEXT.replace("}, {", "}, , {", 1),
    "no comma": TEXT.replace("}, {", "} {", 1),
    "an end too many": TEXT + "]",
    "lists in lists": f"[{TEXT}]",
    "an entry that is no object": TEXT.replace("}, {", "}, 3, {", 1),
    "a name twice": TEXT.replace('"score": 0.1', '"score": 0.1, "score": 0.2'),
    "one more name": TEXT.replace('"score": 0.1', '"score": 0.1, "id": 2'),
    "a name that is missing": TEXT.replace(', "score": 0.1', ""),
    "a score that is null": TEXT.replace('"score": 0.1', '"score": null'),
    "a score that is true": TEXT.replace('"score": 0.1', '"score": true'),
    "a score as text": TEXT.replace('"score": 0.1', '"score": "0.1"'),
    "a score that is no number": TEXT.replace('"score": 0.1', '"score": NaN'),
    "an infinite score": TEXT.replace('"score": 0.1', '"score": 1e999'),
    "a score without digits before the point": TEXT.replace('"score": 0.1', '"score": .1'),
    "a negative zero": TEXT.replace("[0, 0,", "[-0, 0,"),
    "an image that is not known": TEXT.replace('"image_id": 7', '"image_id": 8'),
    "an image as a fraction": TEXT.replace('"image_id": 7', '"image_id": 7.0'),
    "an image as text": TEXT.replace('"image_id": 7', '"image_id": "7"'),
    "an image of more than 64 bits": TEXT.replace('"image_id": 7', f'"image_id": {2**70}'),
    "three numbers": TEXT.replace("[0, 0, 4.25, 5]", "[0, 0, 4.25]"),
    "eight numbers in two boxes of other lengths": TEXT.replace("[0, 0, 4.25, 5]", "[0, 0, 4.25]").replace(
        "[10.1,", "[1, 10.1,"
    ),
    "a number that is null": TEXT.replace("[0, 0,", "[null, 0,"),
    "a negative size": TEXT.replace("4.25", "-4.25"),
    "a box beyond any image": TEXT.replace("4.25", "4e15"),
    "an escaped name": TEXT.replace('"score": 0.1', '"\\u0073core": 0.1'),
    "a byte-order mark": "\ufeff" + TEXT,
}


@pytest.mark.parametrize("name", ODD)
def test_whatever_is_odd_is_left_to_pythons_reader(name, tmp_path):
    assert not same_or_left(tmp_path / "said.json", ODD[name].encode())


@settings(max_examples=400)
@given(data=st.data())
def test_a_changed_byte_is_read_as_python_reads_it_or_left(data, tmp_path_factory):
    changed = bytearray(TEXT.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(changed) - 1))
        action = data.draw(st.sampled_from(["put", "take", "in"]))
        byte = data.draw(st.sampled_from(b'[]{}",:-+.0e179 \tnN'))
        changed[at : at + (action != "in")] = b"" if action == "take" else bytes([byte])
    try:
        same_or_left(tmp_path_factory.getbasetemp() / "changed.json", bytes(changed))
    except HeldoutError as error:
        pytest.fail(f"Arrow read what Python refuses: {bytes(changed)!r}: {error}")


def test_more_levels_than_any_box_are_left(tmp_path):
    assert not same_or_left(tmp_path / "said.json", TEXT.replace("[0, 0,", "[" * 5000 + "0, 0,").encode())


def test_long_lists_are_read_in_blocks(tmp_path):
    rng = np.random.default_rng(0)
    lines = [
        {"image_id": 7, "category_id": 2, "bbox": rng.random(4).tolist(), "score": score}
        for score in rng.random(40_000).tolist()
    ]
    assert same_or_left(tmp_path / "said.json", json.dumps(lines).encode())
