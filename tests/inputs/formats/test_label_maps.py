from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from heldout.boxes.mask_overlap import outline_edges
from heldout.errors import DataError
from heldout.inputs.formats.label_maps import read_label_maps

DECLARE = "declare the classes with labels=, and unlabelled pixels with ignore=255"


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


def test_a_file_beside_a_folder_is_matched_by_its_name(folders):
    """In order, the only image of a folder would have the name 1."""
    single = folders / "single"
    single.mkdir()
    (folders / "truth" / "a.png").rename(single / "1.png")
    fix = "give every image a truth and a prediction of the same name"
    for truth, said, message in (
        (single, folders / "net" / "b.png", "net lacks 1 image ('1')"),
        (folders / "net", single / "1.png", "net lacks 2 images ('a', 'b')"),
        (folders / "net", folders / "truth" / "b.png", "net lacks 1 image ('a')"),
        (folders / "truth" / "b.png", {"1": np.array([[0, 1], [1, 0]])}, "net lacks 1 image ('b')"),
    ):
        with pytest.raises(DataError) as caught:
            read_label_maps(truth, {"net": said})
        assert (caught.value.message, caught.value.fix) == (message, fix)
    assert read_label_maps(folders / "truth", {"net": folders / "net" / "b.png"}).images == ("b",)
    assert read_label_maps([folders / "truth" / "b.png"], {"net": single / "1.png"}).images == ("1",)
    with pytest.raises(DataError) as caught:
        read_label_maps(folders / "truth", {"net": [folders / "truth" / "b.png", folders / "net" / "b.png"]})
    assert caught.value.message == "the list holds b.png and b.png: two label maps of one image"


def test_an_ignored_class_that_no_pixel_has_is_noted(folders):
    sides = (folders / "truth", {"net": folders / "net"})
    (note,) = read_label_maps(*sides, ignore=999).checks
    assert (note.code, note.text) == ("H113", "no pixel of the truth has the ignored class 999: all of them count")
    assert read_label_maps(*sides, ignore=1).checks == read_label_maps(*sides).checks == ()


def test_no_image_of_a_folder_is_left_out_in_silence(folders):
    net = folders / "net"

    def said():
        with pytest.raises(DataError) as caught:
            read_label_maps(folders / "truth", {"net": net})
        return str(caught.value)

    for stray in ("b.jpg", "c.webp", "more"):
        (net / stray).mkdir() if stray == "more" else (net / stray).touch()
        assert said() == (
            f"[H100] {net} holds {stray}, which would be left out\n"
            "  Fix: put all label maps into one folder (.png, .npy), or move the others away"
        )
        (net / stray).rmdir() if stray == "more" else (net / stray).unlink()
    np.save(net / "b.npy", np.zeros((2, 2), dtype=int))
    assert said() == f"[H100] {net} holds b.npy and b.png: two label maps of one image\n  Fix: keep one of them"
    for name in ("b.npy", "b.png"):
        (net / name).unlink()
    frames = [Image.fromarray(np.full((2, 2), at, dtype=np.uint8)) for at in (0, 1)]
    frames[0].save(net / "b.tif", save_all=True, append_images=frames[1:])
    assert said() == "[H113] b.tif has 2 frames, not one\n  Fix: save each as a file of its own"


def test_a_picture_of_another_format_than_its_name_starts_no_program(folders):
    """Pillow hands PostScript to Ghostscript."""
    (folders / "net" / "b.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 2 2\n%%EOF\n")
    with pytest.raises(DataError, match=r"b\.png is not a valid image"):
        read_label_maps(folders / "truth", {"net": folders / "net"})


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
