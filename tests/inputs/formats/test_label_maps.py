from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from PIL import Image

from heldout.boxes.mask_overlap import outline_edges
from heldout.errors import DataError
from heldout.inputs.formats.label_maps import counted, mask_of, read_label_maps

DECLARE = "declare the classes with labels=, and unlabelled pixels with ignore=255"


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
    found = mask_of({"size": [3, 2], "counts": written([1, 3, 2])}, "the mask")
    assert found.astype(int).tolist() == [[0, 1], [1, 0], [1, 0]]


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
    ],
)
def test_what_is_no_mask(runs):
    with pytest.raises(DataError) as caught:
        mask_of(runs, "mask 1 of a.json")
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
        mask_of({"size": [2, 2], "counts": counts}, "mask 1 of a.json")
    assert str(caught.value) == (
        f"[H113] mask 1 of a.json {message}\n  Fix: count the pixels of every run: 0 or more, outside first"
    )


def test_whole_run_lengths_may_be_floats():
    assert mask_of({"size": [2, 2], "counts": [1.0, 2.0, 1.0]}, "the mask").sum() == 2


def test_lengths_must_fill_the_image():
    with pytest.raises(DataError) as caught:
        mask_of({"size": [2, 2], "counts": [1, 2]}, "mask 1 of a.json")
    assert str(caught.value) == (
        "[H113] mask 1 of a.json has run lengths for 3 pixels, but its size is 2 x 2\n"
        "  Fix: give the size of the image as [height, width]"
    )


@pytest.fixture
def folders(tmp_path):
    for side in ("truth", "net"):
        (tmp_path / side).mkdir()
        for image in ("a", "b"):
            Image.fromarray(np.array([[0, 1], [1, 0]], dtype=np.uint8)).save(tmp_path / side / f"{image}.png")
    return tmp_path


def test_folders_are_matched_by_name(folders):
    np.save(folders / "net" / "b.npy", np.array([[0, 0], [0, 0]]))
    (folders / "net" / "b.png").unlink()
    found = read_label_maps(folders / "truth", {"net": folders / "net"})
    assert found.images == ("a", "b")
    assert found.predictions["net"][1].tolist() == [[0, 0], [0, 0]]
    assert len(found.sources) == 2


def test_images_must_be_on_both_sides(folders):
    (folders / "net" / "b.png").unlink()
    with pytest.raises(DataError) as caught:
        read_label_maps(folders / "truth", {"net": folders / "net"})
    fix = "give every image a truth and a prediction of the same name"
    assert str(caught.value) == f"[H101] net lacks 1 image ('b')\n  Fix: {fix}"
    with pytest.raises(DataError) as caught:
        read_label_maps(folders / "net", {"net": folders / "truth"})
    assert str(caught.value) == f"[H101] only net has 1 image ('b')\n  Fix: {fix}"


def test_an_empty_folder(tmp_path):
    with pytest.raises(DataError) as caught:
        read_label_maps(tmp_path, {"net": tmp_path})
    assert str(caught.value) == f"[H100] {tmp_path} holds no label maps\n  Fix: put files in it (.png, .npy)"


def test_run_lengths_are_painted(tmp_path):
    lines = [
        {"image_id": 1, "category_id": 2, "segmentation": {"size": [2, 2], "counts": [0, 4]}},
        {"image_id": 1, "category_id": 5, "segmentation": {"size": [2, 2], "counts": [1, 1, 2]}},
    ]
    path = tmp_path / "masks.json"
    path.write_text(json.dumps(lines), encoding="utf-8")
    assert read_label_maps(path, {"same": path}).truth[0].tolist() == [[2, 2], [5, 2]]
    path.write_text(json.dumps([{"image_id": 1, "category_id": 2}]), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_label_maps(path, {"same": path})
    assert str(caught.value) == "[H106] mask 1 of masks.json has no segmentation\n  Fix: write all three"


WRONG = [
    (np.zeros((2, 2)), "image 1 of net holds float64 values, not classes", "give whole numbers"),
    (
        np.zeros((2, 2, 3), int),
        "image 1 of net has 3 channels, not one class per pixel: it is a colour image",
        "save the label map with one channel",
    ),
    (np.zeros(4, int), "image 1 of net has 1 dimensions, not 2", "give height by width"),
    (
        np.zeros((3, 2), int),
        "image 1 of net has the shape 3 x 2, but its truth has 2 x 2",
        "save both in the same size, without interpolating classes",
    ),
    (np.full((2, 2), 7), "image 1 of net has the class 7, which the truth does not have", DECLARE),
]


@pytest.mark.parametrize(("said", "message", "fix"), WRONG)
def test_what_is_wrong(said, message, fix):
    with pytest.raises(DataError) as caught:
        read_label_maps([np.array([[0, 1], [1, 0]])], {"net": [said]})
    assert str(caught.value) == f"[H113] {message}\n  Fix: {fix}"


def test_255_must_be_declared():
    truth = [np.array([[0, 255], [1, 0]])]
    with pytest.raises(DataError) as caught:
        read_label_maps(truth, {"net": [np.array([[0, 0], [1, 0]])]})
    assert (
        str(caught.value) == f"[H113] image 1 of the truth has the class 255, which is not declared\n  Fix: {DECLARE}"
    )
    assert read_label_maps(truth, {"net": truth}, ignore=255).codes == (0, 1)
    assert read_label_maps(truth, {"net": truth}, labels=[0, 1, 255]).codes == (0, 1, 255)


def test_broken_files(tmp_path):
    for name, content, message in (
        ("a.png", b"\x89PNG\r\n\x1a\nrest", "a.png is not a valid image"),
        ("a.npy", b"\x93NUMPY\x01", "a.npy is not a valid NPY file"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(DataError) as caught:
            read_label_maps(path, {"net": path})
        assert caught.value.message == message


SQUARE = [[1, 1, 3, 1, 3, 3, 1, 3]]


def coco_masks(tmp_path, annotations, **more):
    path = tmp_path / "truth.json"
    images = [{"id": 1, "height": 4, "width": 5}, {"id": 2, "height": 4, "width": 5}]
    kinds = [{"id": 3, "name": "cat"}, {"id": 9, "name": "dog"}]
    content = {"images": images, "categories": kinds, "annotations": annotations, **more}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_polygons_and_images_without_masks(tmp_path):
    truth = coco_masks(tmp_path, [{"image_id": 1, "category_id": 3, "segmentation": SQUARE}])
    runs = {"size": [4, 5], "counts": [0, 4, 16]}
    said = tmp_path / "said.json"
    said.write_text(json.dumps([{"image_id": 2, "category_id": 3, "segmentation": runs}]), encoding="utf-8")
    found = read_label_maps(truth, {"said": said}, edges=outline_edges)
    assert (found.images, found.codes, found.names) == (("1", "2"), (0, 3), ("background", "cat"))
    assert found.truth[0].tolist() == [[0] * 5, [0, 3, 3, 0, 0], [0, 3, 3, 0, 0], [0] * 5]
    assert found.truth[1].sum() == 0
    assert found.predictions["said"].map("2").tolist() == [[3, 0, 0, 0, 0]] * 4
    assert [one.text for one in found.checks] == [
        "said has no mask in 1 image ('1'): all pixels are of the class 0 there"
    ]
    assert [one.pixels.tolist() for one in found.counts["said"]] == [[16, 4], [16, 4]]


def test_a_category_zero_is_not_the_background(tmp_path):
    truth = coco_masks(tmp_path, [{"image_id": 1, "category_id": 0, "segmentation": SQUARE}])
    with pytest.raises(DataError) as caught:
        read_label_maps(truth, {"same": truth}, edges=outline_edges)
    assert str(caught.value) == (
        "[H113] mask 1 of truth.json has the category 0, which is also that of pixels without a mask\n"
        "  Fix: number the categories from 1 on"
    )


def test_a_polygon_needs_the_size_of_its_image(tmp_path):
    path = tmp_path / "list.json"
    path.write_text(json.dumps([{"image_id": 1, "category_id": 3, "segmentation": SQUARE}]), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_label_maps(path, {"same": path}, edges=outline_edges)
    assert caught.value.message == "mask 1 of list.json is a polygon, and no size is known of image 1"
    truth = coco_masks(tmp_path, [{"image_id": 1, "category_id": 3, "segmentation": SQUARE}], images=[{"id": 1}])
    with pytest.raises(DataError) as caught:
        read_label_maps(truth, {"same": path}, edges=outline_edges)
    assert caught.value.message == "image 1 of truth.json has no id, height and width"


def test_categories_of_one_name_keep_their_id(tmp_path):
    lines = [{"image_id": 1, "category_id": one, "segmentation": SQUARE} for one in (3, 9)]
    lines[1] = {**lines[1], "segmentation": [[0, 0, 1, 0, 1, 1, 0, 1]]}
    truth = coco_masks(tmp_path, lines, categories=[{"id": 3, "name": "cat"}, {"id": 9, "name": "cat"}])
    found = read_label_maps(truth, {"same": truth}, edges=outline_edges)
    assert (found.codes, found.names) == ((0, 3, 9), ("background", "cat (3)", "cat (9)"))


@pytest.mark.parametrize("empty", [[], None, {}])
@pytest.mark.parametrize("side", ["truth", "said"])
def test_an_annotation_with_an_empty_segmentation_is_refused(tmp_path, empty, side):
    lines = [{"id": 4, "image_id": 1, "category_id": 3, "segmentation": SQUARE}]
    paths = {}
    for name in ("truth", "said"):
        more = [{"id": 5, "image_id": 2, "category_id": 3, "segmentation": empty}] if name == side else []
        paths[name] = coco_masks(tmp_path, lines + more).rename(tmp_path / f"{name}_masks.json")
    with pytest.raises(DataError) as caught:
        read_label_maps(paths["truth"], {"net": paths["said"]}, edges=outline_edges)
    assert str(caught.value) == (
        f"[H106] mask 2 (id 5) of {side}_masks.json has no segmentation\n"
        "  Fix: give every line a segmentation, or leave the line out"
    )


def test_categories_that_contradict_the_truth_are_refused(tmp_path):
    lines = [{"image_id": 1, "category_id": 3, "segmentation": SQUARE}]
    said = coco_masks(tmp_path, lines, categories=[{"id": 9, "name": "Dog"}, {"id": 3, "name": "dog"}])
    said = said.rename(tmp_path / "said.json")
    with pytest.raises(DataError) as caught:
        read_label_maps(coco_masks(tmp_path, lines), {"net": said}, edges=outline_edges)
    assert str(caught.value) == (
        "[H101] the category 3 is 'dog' in said.json, but 'cat' in truth.json\n"
        "  Fix: give every category the id that the truth gives it"
    )
