from __future__ import annotations

import json
import math

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.metrics import confusion_matrix, f1_score, jaccard_score, precision_score, recall_score

import heldout
from heldout.errors import DataError, HeldoutError, UsageError
from heldout.estimates.text_corpora import jackknife_logit
from heldout.report.schema import schema
from heldout.verbs.images.worst_images import most_confused


def world(images=30, wrong=0.2, seed=0, classes=3):
    rng = np.random.default_rng(seed)
    truth = [rng.integers(0, classes, (8, 9)) for _ in range(images)]
    return truth, [spoiled(one, wrong * rng.random() * 2, rng, classes) for one in truth]


def spoiled(one, share, rng, classes):
    return np.where(rng.random(one.shape) < share, rng.integers(0, classes, one.shape), one)


def test_figures_equal_those_of_scikit_learn():
    truth, said = world()
    found = heldout.masks(truth, {"net": said})
    flat = [np.concatenate([one.ravel() for one in maps]) for maps in (truth, said)]
    assert found.confusion["net"] == confusion_matrix(*flat).tolist()
    assert found["mean_iou"].value == pytest.approx(jaccard_score(*flat, average="macro"))
    assert found["mean_dice"].value == pytest.approx(f1_score(*flat, average="macro"))
    assert found["pixel_accuracy"].value == pytest.approx(np.mean(flat[0] == flat[1]))
    for figure, other in (
        ("iou", jaccard_score), ("dice", f1_score), ("precision", precision_score), ("recall", recall_score),
    ):  # fmt: skip
        values = [found.classes["net"][label][figure].value for label in found.labels]
        assert values == pytest.approx(other(*flat, average=None))
    Draft202012Validator(schema("heldout.masks/1")).validate(found.to_dict())


def test_pixels_of_an_image_belong_together():
    """The same pixels as images of their own would look far more certain."""
    truth, said = world(images=12, wrong=0.3)
    found = heldout.masks(truth, said)["pixel_accuracy"]
    alone = heldout.evaluate(*(np.concatenate([one.ravel() for one in maps]) for maps in (truth, said)))["accuracy"]
    assert found.value == alone.value
    assert found.high - found.low > 1.5 * (alone.high - alone.low)
    assert found.units == 12


def test_the_interval_is_that_of_a_cluster_bootstrap():
    truth, said = world(images=60)
    found = heldout.masks(truth, said)["mean_iou"]
    rng, values = np.random.default_rng(1), []
    for _ in range(200):
        drawn = rng.integers(0, 60, 60)
        flat = [np.concatenate([maps[i].ravel() for i in drawn]) for maps in (truth, said)]
        values.append(jaccard_score(*flat, average="macro"))
    low, high = np.quantile(values, [0.025, 0.975])
    assert (found.high - found.low) / (high - low) == pytest.approx(1, abs=0.2)


def test_two_models_on_the_same_images():
    truth, said = world(images=40, wrong=0.3)
    rng = np.random.default_rng(5)
    better = [spoiled(one, 0.1, rng, 3) for one in truth]
    found = heldout.masks(truth, {"old": said, "new": better})
    assert found.verdict == "BETTER"
    assert found["mean_iou"].test == "swaps of images, interval by t"
    assert found["mean_iou"].low > 0
    assert {one.label for one in found.class_differences} == {"0", "1", "2"}
    Draft202012Validator(schema("heldout.masks/1")).validate(found.to_dict())
    same = heldout.masks(truth, {"old": said, "copy": said})
    assert (same.verdict, same["mean_iou"].pvalue) == ("UNDECIDED", 1)


def test_ignored_pixels_do_not_count():
    truth = [np.array([[0, 1], [1, 255]]), np.array([[0, 1], [255, 255]])]
    said = [np.array([[0, 1], [0, 1]]), np.array([[0, 1], [0, 0]])]
    found = heldout.masks(truth, said, ignore=255)
    assert found.pixels == 5
    assert found["pixel_accuracy"].value == 4 / 5


@pytest.mark.parametrize("ignore", [255, 0])
def test_only_the_truth_says_which_pixels_are_ignored(ignore):
    """A model that says the ignored code wherever it is wrong is no better than one that guesses."""
    rng = np.random.default_rng(4)
    truth = [np.where(rng.random((8, 9)) < 0.1, ignore, rng.integers(1, 4, (8, 9))) for _ in range(20)]
    guess = [spoiled(one, 0.3, rng, 3) for one in truth]
    guess = [np.where((one == 0) | (one == ignore), 1, one) for one in guess]
    hidden = [np.where(one == real, one, ignore) for one, real in zip(guess, truth, strict=True)]
    found = heldout.masks(truth, {"guess": guess, "hidden": hidden}, ignore=ignore)
    flat = {
        name: np.concatenate([one.ravel() for one in maps]) for name, maps in (("guess", guess), ("hidden", hidden))
    }
    real = np.concatenate([one.ravel() for one in truth])
    kept = real != ignore
    assert found.pixels == kept.sum()
    for name, said in flat.items():
        iou, dice = (
            other(real[kept], said[kept], labels=[1, 2, 3], average=None) for other in (jaccard_score, f1_score)
        )
        assert [found.classes[name][label]["iou"].value for label in found.labels] == pytest.approx(iou)
        assert found.estimates[name]["mean_iou"].value == pytest.approx(iou.mean())
        assert found.estimates[name]["mean_dice"].value == pytest.approx(dice.mean())
        assert found.estimates[name]["pixel_accuracy"].value == pytest.approx(np.mean(real[kept] == said[kept]))
        assert sum(map(sum, found.confusion[name])) == found.pixels
    hits = int((flat["hidden"][kept] != ignore).sum())
    assert [(one.code, one.text) for one in found.checks] == [
        (
            "H113",
            f"hidden predicts the ignored class {ignore} for {found.pixels - hits} pixels that count: they are wrong",
        )
    ]
    assert found.confusion_labels == ("1", "2", "3", f"{ignore} (ignored)")
    Draft202012Validator(schema("heldout.masks/1")).validate(found.to_dict())
    assert f"{ignore} (ignored)" in found.plot.views["confusion:hidden"]().alt
    assert f"taken for {ignore} (ignored)" in most_confused(found, "hidden", 0)


def test_the_ignored_class_is_none_of_the_declared_ones():
    truth = [np.array([[0, 1], [1, 255]])] * 4
    found = heldout.masks(truth, truth, labels=[0, 1, 255], ignore=255)
    assert (found.labels, found.pixels, found["mean_iou"].value) == (("0", "1"), 12, 1)


def test_a_class_that_does_not_occur_is_left_out_of_the_mean():
    truth, said = world(images=12)
    rng = np.random.default_rng(5)
    other = [spoiled(one, 0.1, rng, 3) for one in truth]
    known = heldout.masks(truth, {"old": said, "new": other})
    more = heldout.masks(truth, {"old": said, "new": other}, labels={0: "a", 1: "b", 2: "c", 3: "sky", 4: "sea"})
    for name in ("old", "new"):
        for figure in ("mean_iou", "mean_dice", "pixel_accuracy"):
            one, two = known.estimates[name][figure], more.estimates[name][figure]
            assert (two.value, two.low, two.high) == (one.value, one.low, one.high)
        assert more.estimates[name]["mean_iou"].notes == (
            "mean over 3 of 5 classes: neither truth nor prediction has 'sky', 'sea'",
        )
        assert more.estimates[name]["pixel_accuracy"].notes == ()
    assert more.verdict == known.verdict
    assert more["mean_iou"].pvalue == known["mean_iou"].pvalue
    assert math.isnan(more.classes["old"]["sky"]["iou"].value)
    flat = [np.concatenate([one.ravel() for one in maps]) for maps in (truth, said)]
    assert more.estimates["old"]["mean_iou"].value == pytest.approx(jaccard_score(*flat, average="macro"))


def test_a_class_that_only_one_model_predicts_counts_for_that_model():
    truth, said = world(images=12)
    other = [one.copy() for one in said]
    other[0][0, 0] = 3
    found = heldout.masks(truth, {"old": said, "new": other}, labels=[0, 1, 2, 3])
    flat = [np.concatenate([one.ravel() for one in maps]) for maps in (truth, said, other)]
    assert found.estimates["old"]["mean_iou"].value == pytest.approx(jaccard_score(flat[0], flat[1], average="macro"))
    wanted = jaccard_score(flat[0], flat[2], labels=[0, 1, 2, 3], average="macro")
    assert found.estimates["new"]["mean_iou"].value == pytest.approx(wanted)
    assert found["mean_iou"].notes[-1] == "the two means are over different classes: one model alone predicts '3'"


def test_names_of_classes():
    found = heldout.masks([np.array([[0, 1]])] * 3, [np.array([[0, 1]])] * 3, labels={0: "road", 1: "car", 2: "sky"})
    assert found.labels == ("road", "car", "sky")
    assert math.isnan(found.classes["prediction"]["sky"]["iou"].value)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["road", "car", "sky"], ("road", "car", "sky")),
        (("road", "car"), ("road", "car")),
        (np.array(["road", "car"]), ("road", "car")),
        (["0", "1", "5"], ("0", "1", "5")),
        (np.array([0, 1]), ("0", "1")),
    ],
)
def test_a_sequence_has_the_names_by_code_or_the_codes(labels, names):
    maps = [np.array([[0, 1]])] * 3
    assert heldout.masks(maps, maps, labels=labels).labels == names


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("road", "labels is 'road', not a list of classes"),
        (["road", 1], "labels has 'road' beside 1: a list has either names or codes"),
        ({"road": 0}, "labels has the code 'road', which is not a whole number"),
        ([0.5], "labels has the code 0.5, which is not a whole number"),
    ],
)
def test_labels_that_are_neither_names_nor_codes(labels, message):
    maps = [np.array([[0, 1]])] * 3
    with pytest.raises(UsageError) as caught:
        heldout.masks(maps, maps, labels=labels)
    assert str(caught.value) == f"{message}\n  Fix: give labels={{0: 'road', 1: 'car'}} or ['road', 'car']"


@pytest.mark.parametrize("labels", [{0: "sky", 1: "sky", 2: "car"}, ["sky", "sky", "car"]])
def test_two_classes_of_one_name_are_refused(labels):
    maps = [np.array([[0, 1, 2]])] * 3
    with pytest.raises(UsageError) as caught:
        heldout.masks(maps, maps, labels=labels)
    assert str(caught.value) == (
        "labels calls the classes 0, 1 all 'sky'\n"
        "  Fix: give every class a name of its own, or give their pixels one code"
    )
    assert heldout.masks(maps, maps, labels={0: "void", 1: "sky", 2: "void"}, ignore=2).labels == ("void", "sky")


FLAT, MAP = np.zeros((0, 4), int), np.array([[0, 1]])


@pytest.mark.parametrize(
    ("truth", "said", "options", "message"),
    [
        ([], [], {}, "the truth holds no label maps"),
        (np.zeros((0, 2, 2), int), np.zeros((0, 2, 2), int), {}, "the truth holds no label maps"),
        ([FLAT] * 3, [FLAT] * 3, {}, "image 1 of the truth has no pixels: its shape is 0 x 4"),
        ([MAP, FLAT], [MAP, FLAT], {}, "image 2 of the truth has no pixels: its shape is 0 x 4"),
        ([MAP], {}, {}, "no model is given"),
        (
            [np.full((1, 2), 255)] * 3,
            [MAP] * 3,
            {"ignore": 255, "labels": [0, 1]},
            "no pixel counts: all those of the truth have the ignored class 255",
        ),
    ],
)
def test_nothing_to_count(truth, said, options, message):
    with pytest.raises(HeldoutError) as caught:
        heldout.masks(truth, said, **options)
    assert caught.value.message == message
    assert caught.value.fix


def test_the_content_of_coco_files_is_read_as_the_files_are(tmp_path):
    square = [[1, 1, 3, 1, 3, 3, 1, 3]]
    lines = [{"image_id": at, "category_id": 1, "segmentation": square} for at in range(3)]
    images = [{"id": at, "height": 4, "width": 5} for at in range(3)]
    truth = {"images": images, "categories": [{"id": 1, "name": "cat"}], "annotations": lines}
    said = [*lines[:2], {**lines[2], "segmentation": [[0, 0, 3, 0, 3, 3, 0, 3]]}]
    paths = [tmp_path / "truth.json", tmp_path / "said.json"]
    for path, content in zip(paths, (truth, said), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    wanted = heldout.masks(*paths)
    for one in (said, {**truth, "annotations": said}, {"net": said}, {"net": {**truth, "annotations": said}}):
        found = heldout.masks(truth, one)
        assert found.labels == ("background", "cat")
        assert list(found.confusion.values()) == list(wanted.confusion.values())
    with pytest.raises(DataError) as caught:
        heldout.masks(truth, [*said, {"image_id": 0, "category_id": 1}])
    assert caught.value.message == "mask 4 of prediction has no segmentation"
    assert tuple(heldout.masks({"a": MAP, "b": MAP}, {"net": {"a": MAP, "b": MAP}}).image_names) == ("a", "b")


def test_a_class_of_one_image_has_no_spread():
    truth = [np.array([[0, 1], [1, 1]]), np.array([[0, 0], [0, 0]]), np.array([[0, 0], [0, 0]])]
    said = [np.array([[0, 1], [0, 1]]), truth[1], truth[2]]
    found = heldout.masks(truth, {"a": said, "b": truth})
    one = next(part for part in found.class_differences if part.label == "1")
    assert one.value == pytest.approx(1 / 3)
    assert math.isnan(one.low)


def test_an_unknown_figure():
    truth, said = world(images=3)
    with pytest.raises(UsageError) as caught:
        heldout.masks(truth, said, primary="miou")
    assert str(caught.value) == (
        "no metric is named 'miou'; did you mean 'mean_iou'?\n  Fix: choose one of mean_iou, mean_dice, pixel_accuracy"
    )


def few_of_a_class(images):
    """Six images of which the first few have a second class."""
    truth = [np.array([[0, 0, 0, 1 if at < images else 0]] * 4) for at in range(6)]
    said = [one.copy() for one in truth]
    for at, one in enumerate(said):
        one[0, at % 3] = 1
    return truth, said


def test_the_interval_is_that_of_leaving_out_each_image():
    for name, (truth, said) in {"pixel_accuracy": world(images=6), "mean_iou": few_of_a_class(4)}.items():
        found = heldout.masks(truth, said)[name]
        without = [
            heldout.masks(truth[:at] + truth[at + 1 :], said[:at] + said[at + 1 :])[name].value for at in range(6)
        ]
        alone = jackknife_logit(found.value, np.array(without), 0.95)
        if name == "pixel_accuracy":
            assert (found.low, found.high) == pytest.approx(alone)
        else:  # one class is in four images only, and borrows the spread of the other
            assert found.low < alone[0] < alone[1] < found.high
        assert (found.method, found.notes) == ("jackknife t over images", ("only 6 images: the interval is rough",))


@pytest.mark.parametrize(("images", "has"), [(0, "0 images have"), (1, "1 image has")])
def test_of_a_class_that_hardly_an_image_has_nothing_is_known(images, has):
    truth, said = few_of_a_class(images)
    found = heldout.masks(truth, said, labels={0: "a", 1: "b"}).classes["prediction"]["b"]["iou"]
    assert (found.low, found.high) == (0.0, 1.0)
    assert found.notes == (f"only {has} this class: nothing is known but the value",)


def test_a_difference_that_rests_on_three_images_is_not_significant():
    """Of three images with a class one model is better on all by chance one time in four, however alike they are."""
    truth = [np.zeros((10, 10), dtype=int) for _ in range(30)]
    for one in truth[:3]:
        one[:5] = 1
    old, new = ([one.copy() for one in truth] for _ in range(2))
    for at in range(3):
        old[at][: 2 + at % 2, :6] = 0
        new[at][0, at] = 0
    found = heldout.masks(truth, {"old": old, "new": new})["mean_iou"]
    assert found.value > 0.1
    assert found.pvalue == pytest.approx(0.25, abs=0.05)
    assert found.low < 0 < found.high


def test_swaps_say_from_how_many_images_on_they_can_reject():
    truth, said = world(images=12)
    other = [one.copy() for one in said]
    for at in range(3):
        other[at] = truth[at]
    found = heldout.masks(truth, {"old": said, "new": other})["mean_iou"]
    assert found.notes[0] == "3 images on which the models differ: no swap is rare enough to reject (needs 6)"
    assert found.pvalue > 0.05
