"""A list of detections that were matched already, the table of right and wrong detections, and the overlap of boxes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.errors import DataError, UsageError

SEVEN = ["TP", "FP", "TP", "FP", "TP", "TP", "TP"]


def run(*arguments):
    return CliRunner().invoke(verbs, ["detect", *map(str, arguments)])


def test_C7_seven_detections_of_twelve_objects():
    found = heldout.detect_ranked(SEVEN, 12)
    assert round(found["AP"].value, 4) == 0.3040
    assert round(found["AP_interpolated"].value, 4) == 0.3214
    assert (found["precision"].value, found["recall"].value) == (5 / 7, 5 / 12)
    assert all(0 <= one.low < one.value < one.high <= 1 for one in found.estimates["detections"].values())


def test_the_command_line_says_the_same(tmp_path):
    file = tmp_path / "matched.csv"
    file.write_text("correct,score\n" + "\n".join(f"{word},{9 - at}" for at, word in enumerate(SEVEN)))
    told = json.loads(run("--ranked", file, "--truths", 12, "--format", "json").stdout)
    found = heldout.detect_ranked(SEVEN, 12).to_dict()
    assert told["estimates"] == found["estimates"]
    text = run("--ranked", file, "--truths", 12).stdout
    assert text.startswith("7 detections, 12 objects; each object and each false detection is a unit\n")


def test_scores_give_the_order():
    shuffled = np.random.default_rng(0).permutation(7)
    found = heldout.detect_ranked(np.array(SEVEN)[shuffled], 12, score=-shuffled.astype(float))
    assert found["AP"].value == heldout.detect_ranked(SEVEN, 12)["AP"].value


def test_the_table_has_every_detection_with_the_counts_so_far():
    table = heldout.detect_ranked(SEVEN, 12).curve("all")
    assert table.correct.tolist() == [word == "TP" for word in SEVEN]
    assert table.tp.tolist() == [1, 1, 2, 2, 3, 4, 5]
    assert table.fp.tolist() == [0, 1, 1, 2, 2, 2, 2]
    assert table.precision.round(4).tolist() == [1.0, 0.5, 0.6667, 0.5, 0.6, 0.6667, 0.7143]
    assert table.recall.tolist() == [hits / 12 for hits in (1, 1, 2, 2, 3, 4, 5)]


def test_the_table_of_boxes_has_false_detections_too():
    box = {"label": ["dog"] * 3, "x": [0] * 3, "y": [0] * 3, "w": [40] * 3, "h": [40] * 3}
    truth = {"image": ["a", "b", "c"], **box}
    said = {**truth, "x": [0, 100, 0], "score": [0.9, 0.8, 0.7]}
    table = heldout.detect(truth, said, n_resamples=100).curve("dog")
    assert (table.correct.tolist(), table.score.tolist()) == ([True, False, True], [0.9, 0.8, 0.7])
    assert table.image.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("given", "truths", "said"),
    [
        (SEVEN, 4, "5 detections found an object, but there are 4 objects"),
        (SEVEN, 0, "truths is 0, but must be a whole number of objects"),
        (["TP", "perhaps"], 4, "detections is 'perhaps' in row 2, which is neither right nor wrong"),
        ([], 4, "the list has no detection"),
        ({"right": [1, 0]}, 4, "has no column 'correct'; its columns are"),
    ],
)
def test_a_list_that_cannot_be_right_is_refused(given, truths, said):
    with pytest.raises((DataError, UsageError), match=said):
        heldout.detect_ranked(given, truths)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ranked", "f.csv"], "--ranked does not say how many objects there are"),
        (["--ranked", "f.csv", "--truths", "3", "--rule", "voc"], "--rule has no effect with --ranked"),
        (["truth.csv", "--ranked", "f.csv", "--truths", "3"], "so no other file is read"),
        (["truth.csv", "found.csv", "--truths", "3"], "--truths has no effect without --ranked"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, said):
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert said in refused.output


def test_boxes_overlap_alike_in_every_format():
    corners = np.array([[0.0, 0, 10, 10], [5, 5, 15, 15], [20, 20, 30, 30]])
    sizes = np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]])
    centres = np.hstack([corners[:, :2] + sizes[:, 2:] / 2, sizes[:, 2:]])
    expected = np.array([[1, 1 / 7, 0], [1 / 7, 1, 0], [0, 0, 1]])
    for boxes, fmt in ((corners, "xyxy"), (sizes, "xywh"), (centres, "cxcywh")):
        assert heldout.box_iou(boxes, boxes, fmt) == pytest.approx(expected)
    assert float(heldout.box_iou([0, 0, 10, 10], [5, 5, 15, 15])) == pytest.approx(1 / 7)


@pytest.mark.parametrize("boxes", [[[0, 0, -1, 5]], [[0, 0, np.nan, 5]], [[0, 0, 1]]])
def test_what_is_no_box_is_refused(boxes):
    with pytest.raises(DataError):
        heldout.box_iou(boxes, [[0, 0, 1, 1]])
    with pytest.raises(UsageError, match="no format of boxes is named"):
        heldout.box_iou([0, 0, 1, 1], [0, 0, 1, 1], "yxyx")


def test_right_and_wrong_detections_with_one_score_have_a_note():
    noted = heldout.detect_ranked([1, 0, 1, 0], 5, score=[0.5, 0.5, 0.5, 0.4])["AP"].notes
    assert "3 detections share a score with another outcome: they count in the order given" in noted
    assert not any("share a score" in note for note in heldout.detect_ranked(SEVEN, 12)["AP"].notes)


def test_a_series_is_a_list():
    pd = pytest.importorskip("pandas")
    assert heldout.detect_ranked(pd.Series(SEVEN), 12)["AP"].value == heldout.detect_ranked(SEVEN, 12)["AP"].value


def test_two_columns_of_scores_and_too_many_objects_are_refused():
    with pytest.raises(UsageError, match="scores were given, and the table has a column of them"):
        heldout.detect_ranked({"correct": [1, 0], "score": [0.1, 0.9]}, 12, score=[0.9, 0.1])
    with pytest.raises(UsageError, match="truths is 10,000,000, more than 200,000"):
        heldout.detect_ranked(SEVEN, 10_000_000)


def test_boxes_of_any_size_overlap():
    for size in (1e200, 1e-200):
        box = np.array([0, 0, 1, 1]) * size
        assert float(heldout.box_iou(box, box)) == 1.0
    with pytest.raises(DataError, match="which is not a number"):
        heldout.box_iou(["a", 0, 1, 1], [0, 0, 1, 1])
    with pytest.raises(DataError, match="the rows of boxes1 differ in length"):
        heldout.box_iou([[0, 0, 1, 1], [0, 0, 1]], [0, 0, 1, 1])


def test_the_chart_of_a_ranked_list_names_no_overlap_and_has_every_detection():
    found = heldout.detect_ranked(SEVEN, 12)
    figure = found.plot.figure("precision_recall")
    assert "IoU" not in figure.title + figure.caption + figure.alt
    table = found.curve("all")
    assert figure.parts["detections"]["x"].tolist() == table.recall.tolist()
    assert figure.parts["detections"]["y"].tolist() == table.precision.tolist()
    assert list(figure.curves) == ["after each detection", "interpolated"]
    assert figure.areas["after each detection"]["value"] == found["AP"].value
    assert "IoU" not in found.to_html()


def test_a_ranked_list_is_recognised_by_a_field_and_not_by_words():
    told = heldout.detect_ranked(SEVEN, 12).to_dict()
    assert told["ranked"] is True
    text = heldout.report.rendered({**told, "rule": "other words"}, "text")
    assert text.startswith("7 detections, 12 objects; each object")
    box = {"image": ["a"], "label": ["dog"], "x": [0], "y": [0], "w": [4], "h": [4], "score": [0.5]}
    assert heldout.detect(box, box, n_resamples=100).to_dict()["ranked"] is False


def test_the_interval_of_a_good_detector_with_few_objects_covers():
    """25 objects, 95% found, scores N(2, 1) beside N(0, 1); AP 0.941. Of 400 samples 97% were covered, 90% before."""
    rng, missed = np.random.default_rng(77), 0
    for _ in range(60):
        right, wrong = rng.normal(2, 1, rng.binomial(25, 0.95)), rng.normal(0, 1, rng.poisson(2.5))
        ranked = np.repeat([1, 0], [len(right), len(wrong)])[np.argsort(-np.concatenate([right, wrong]))]
        found = heldout.detect_ranked(ranked, 25, n_resamples=200)["AP"]
        missed += not found.low <= 0.941 <= found.high
    assert missed <= 4
