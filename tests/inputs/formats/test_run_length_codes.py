"""Run-length codes of COCO: their text, and what is not one."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from heldout.errors import DataError
from heldout.inputs.formats.label_maps import read_label_maps
from heldout.inputs.formats.run_length_codes import counted, run_lengths


def written(lengths):
    """Run lengths as COCO's text: the inverse of reading them."""
    text = ""
    for at, length in enumerate(lengths):
        x = length - (lengths[at - 2] if at > 2 else 0)
        more = True
        while more:
            bits, x = x & 0x1F, x >> 5
            more = x != (-1 if bits & 0x10 else 0)
            text += chr((bits | (0x20 if more else 0)) + 48)
    return text


@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=30))
def test_run_lengths_survive_their_text(lengths):
    assert counted(written(lengths)).tolist() == lengths


def test_masks_go_down_the_columns():
    line = {"image_id": 1, "category_id": 1, "segmentation": {"size": [3, 2], "counts": written([1, 3, 2])}}
    assert read_label_maps([line], {"net": [line]}).truth[0].tolist() == [[0, 1], [1, 0], [1, 0]]


@pytest.mark.parametrize(
    "runs",
    [
        {},
        {"size": [2, 2]},
        {"size": [2, 2], "counts": "o"},
        [1, 2],
        {"size": 3, "counts": []},
        {"size": [2, 2], "counts": [[1, 3]]},
        {"size": [2, 2], "counts": "o" * 40 + "0"},
        {"size": [2, 2], "counts": [2**63, 1]},
        {"size": [2, 2], "counts": [1e30, 1]},
        {"size": [2.5, 2], "counts": [4]},
        {"size": [-2, -2], "counts": [4]},
        {"size": [True, 2], "counts": [2]},
        {"size": ["2", 2], "counts": [4]},
        {"size": [2, 2, 1], "counts": [4]},
    ],
)
def test_what_is_no_mask(runs):
    with pytest.raises(DataError) as caught:
        run_lengths(runs, "mask 1 of a.json")
    assert str(caught.value) == (
        '[H113] mask 1 of a.json holds no run lengths\n  Fix: write {"size": [height, width], "counts": [...]}'
    )


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, -2, 3], "has the run length -2, which is negative"),
        ([5, -1], "has the run length -1, which is negative"),
        ([6, -3, 1], "has the run length -3, which is negative"),
        (["5", "-1"], "has the run length -1, which is negative"),
        (written([5, -1]), "has the run length -1, which is negative"),
        ([1.5, 2.5], "has the run length 1.5, which is not a whole number"),
        ([1, 2.7, 1], "has the run length 2.7, which is not a whole number"),
        ([float("nan"), 4], "has the run length nan, which is not a whole number"),
        ([float("inf"), 4], "has the run length inf, which is not a whole number"),
    ],
)
def test_a_run_length_is_a_whole_number_from_zero_on(counts, message):
    with pytest.raises(DataError) as caught:
        run_lengths({"size": [2, 2], "counts": counts}, "mask 1 of a.json")
    assert str(caught.value) == (
        f"[H113] mask 1 of a.json {message}\n  Fix: count the pixels of every run: 0 or more, outside first"
    )


def test_whole_run_lengths_may_be_floats():
    assert run_lengths({"size": [2, 2], "counts": [1.0, 2.0, 1.0]}, "the mask")[0].tolist() == [1, 2, 1]


def test_lengths_must_fill_the_image():
    with pytest.raises(DataError) as caught:
        run_lengths({"size": [2, 2], "counts": [1, 2]}, "mask 1 of a.json")
    assert str(caught.value) == (
        "[H113] mask 1 of a.json has run lengths for 3 pixels, but its size is 2 x 2\n"
        "  Fix: give the size of the image as [height, width]"
    )
