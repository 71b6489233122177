from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.verbs.images import worst_images as module
from heldout.verbs.images.worst_images import counting_score, image_counts, most_confused
from tests.verbs.images.test_detection import detector, world


def without(table, image):
    kept = [at for at, one in enumerate(table["image"]) if one != image]
    return {name: [column[at] for at in kept] for name, column in table.items()}


@pytest.mark.parametrize("options", [{}, {"primary": "AR10"}, {"primary": "APmedium"}, {"rule": "voc"}])
def test_an_image_moves_the_figure_by_what_it_is_less_without_it(options):
    truth, said = world(images=15)
    found = heldout.detect(truth, said, n_resamples=100, **options)
    moves = image_counts(found)["detections"].moves
    for image in (0, 7, 14):
        name = found.image_names[image]
        rest = heldout.detect(without(truth, name), without(said, name), n_resamples=100, **options)
        value = found[found.primary].value - rest[found.primary].value
        assert moves[image] == pytest.approx(value, abs=2e-6)


def test_the_worst_image_is_the_one_that_is_all_wrong():
    truth, said = world(images=20)
    spoiled = {**said, "y": [y + 500 * (i == "004") for i, y in zip(said["image"], said["y"], strict=True)]}
    worst = heldout.detect(truth, spoiled, n_resamples=100, score_threshold=0.0).worst_images(3)["detections"]
    assert len(worst) == 3
    assert [one["moves"] for one in worst] == sorted(one["moves"] for one in worst)
    first = worst[0]
    assert first["image"] == "004"
    assert (first["objects"], first["found"], first["missed"], first["figure"]) == (3, 0, 3, "AP")
    assert first["wrong"] == spoiled["image"].count("004")


def test_two_detectors_are_told_apart_on_both_sides():
    truth, said = world(images=20)
    found = heldout.detect(truth, {"a": said, "b": detector(truth, 0.15, 9)}, n_resamples=100)
    told = found.worst_images()["b"]
    assert [one["moves"] < 0 for one in told] == [True] * 5 + [False] * 5
    counts = image_counts(found)
    at = found.image_names.index(told[0]["image"])
    assert told[0]["moves"] == counts["b"].moves[at] - counts["a"].moves[at]
    assert told[0]["baseline_missed"] == counts["a"].columns["missed"][at]
    assert "baseline_objects" not in told[0]


def test_of_many_images_those_with_most_errors_are_left_out(monkeypatch):
    truth, said = world(images=20)
    found = heldout.detect(truth, said, n_resamples=100)
    every = image_counts(found)["detections"]
    monkeypatch.setattr(module, "LEFT_OUT", 5)
    some = image_counts(found)["detections"]
    bad = every.columns["wrong"] + every.columns["missed"]
    asked = ~np.isnan(some.moves)
    assert asked.sum() == 5
    assert bad[asked].min() >= bad[~asked].max()
    assert some.moves[asked] == pytest.approx(every.moves[asked])
    assert len(found.worst_images()["detections"]) <= 5


def test_detections_count_from_the_score_that_was_asked_for_or_has_the_highest_f1():
    truth, said = world(images=20)
    asked = heldout.detect(truth, said, n_resamples=100, score_threshold=0.4)
    assert counting_score(asked, "detections") == 0.4
    found = heldout.detect(truth, said, n_resamples=100)
    best = counting_score(found, "detections")
    f1 = {
        score: heldout.detect(truth, said, n_resamples=100, score_threshold=score)
        .at_score["detections"]
        .estimates["f1"]
        .value
        for score in sorted(said["score"])[:: len(said["score"]) // 12]
    }
    at_best = (
        heldout.detect(truth, said, n_resamples=100, score_threshold=best).at_score["detections"].estimates["f1"].value
    )
    assert at_best >= max(f1.values())


def test_a_detector_that_said_nothing_has_counts_all_the_same():
    truth, _ = world(images=5)
    none = {**{name: [] for name in truth}, "score": []}
    found = heldout.detect({**truth}, {"silent": none}, n_resamples=100)
    assert found.worst_images() == {"silent": ()}
    assert image_counts(found)["silent"].columns["missed"].tolist() == [3.0] * 5


def test_masks_name_the_image_the_share_and_what_is_taken_for_what():
    rng = np.random.default_rng(0)
    truth = [rng.integers(0, 3, (6, 7)) for _ in range(10)]
    said = [np.where(rng.random(one.shape) < 0.1, 0, one) for one in truth]
    said[3] = np.where(truth[3] == 1, 2, truth[3])
    found = heldout.masks(truth, {"net": said}, labels={0: "road", 1: "car", 2: "sky"})
    first = found.worst_images()["net"][0]
    assert (first["image"], first["pixels"], first["wrong"]) == ("4", 42, int(np.sum(truth[3] == 1)))
    assert first["moves"] < 0
    assert most_confused(found, "net", 3) == "car taken for sky"
    right = heldout.masks(truth, {"net": truth})
    assert right.worst_images() == {"net": ()}
    assert most_confused(right, "net", 0) == ""


def test_two_models_on_masks():
    rng = np.random.default_rng(0)
    truth = [rng.integers(0, 3, (6, 7)) for _ in range(10)]
    said = {
        name: [np.where(rng.random(one.shape) < share, 0, one) for one in truth]
        for name, share in (("old", 0.3), ("new", 0.2))
    }
    told = heldout.masks(truth, said).worst_images(4)["new"]
    assert [one["moves"] < 0 for one in told] == [True, True, False, False]
    assert set(told[0]) == {"image", "figure", "moves", "pixels", "wrong", "baseline_wrong"}
