"""Thresholds that were frozen on a page: what is read back, and what is refused."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest

import heldout
from heldout.store import rows_fingerprint
from heldout.verbs.evaluate.operating_point import frozen_threshold

RNG = np.random.default_rng(2)
TRUTH = RNG.integers(0, 2, 60)
SCORE = np.round(np.clip(0.3 * TRUTH + 0.7 * RNG.random(60), 0, 1), 3)


def frozen(**changed) -> dict:
    rows = rows_fingerprint(heldout.evaluate(TRUTH, y_score=SCORE, threshold=0.5).batch)
    return {"schema": "heldout.threshold/1", "threshold": 0.4, "positive": 1, "rows": rows} | changed


def evaluated(**options):
    return heldout.evaluate(TRUTH, y_score=SCORE, **options)


def test_the_rows_that_chose_it_are_refused():
    with pytest.raises(heldout.HeldoutError) as refused:
        evaluated(threshold_from=frozen())
    assert str(refused.value) == (
        "[H302] the threshold 0.4 of threshold_from was chosen on these 60 rows\n"
        "  Fix: judge it on other rows, or pass allow_overlap=True for a result that is flagged"
    )


def test_they_may_be_allowed_and_are_flagged():
    found = evaluated(threshold_from=frozen(), allow_overlap=True)
    assert found.threshold == 0.4
    said = [check.text for check in found.checks if check.code == "H302"]
    assert said == ["the threshold 0.4 was chosen on these rows: what it reaches here is optimistic"]


def test_other_rows_are_judged_with_it():
    found = heldout.evaluate(1 - TRUTH, y_score=SCORE, threshold_from=frozen(), pos_label=1)
    assert found.threshold == 0.4
    alone = heldout.evaluate(1 - TRUTH, y_score=SCORE, threshold=0.4, pos_label=1)
    assert found["recall"].value == alone["recall"].value
    assert "H302" not in [check.code for check in found.checks]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"threshold_from": frozen(), "threshold": 0.5},
            "threshold and threshold_from exclude each other\n  Fix: leave one of them out",
        ),
        (
            {"threshold_from": frozen(positive="yes")},
            "threshold_from is about the class 'yes', but 1 is positive\n  Fix: pass pos_label='yes'",
        ),
        (
            {"threshold_from": {"threshold": 0.4}},
            (
                "threshold_from holds no frozen threshold (heldout.threshold/1)\n"
                "  Fix: freeze a threshold in a report that heldout wrote with --report"
            ),
        ),
        (
            {"threshold_from": "nowhere.json"},
            "nowhere.json cannot be read: No such file or directory\n  Fix: check the name of the file",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(options, said):
    with pytest.raises(heldout.HeldoutError) as refused:
        evaluated(**options)
    assert str(refused.value) == said


def test_several_labels_are_not_two_classes():
    truth, score = np.column_stack([TRUTH, 1 - TRUTH]), np.column_stack([SCORE, 1 - SCORE])
    with pytest.raises(heldout.HeldoutError) as refused:
        heldout.evaluate(truth, y_proba=score, task="multilabel", threshold_from=frozen())
    assert str(refused.value) == (
        "a frozen threshold is about two classes, not about multilabel data\n  Fix: leave it out"
    )


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "heldout.threshold/1", "threshold": true}'])
def test_a_file_that_is_none_is_named(tmp_path, text):
    path = tmp_path / "threshold.json"
    path.write_text(text)
    with pytest.raises(heldout.HeldoutError, match="holds no frozen threshold"):
        frozen_threshold(path)


def test_a_file_is_read(tmp_path):
    path = tmp_path / "threshold.json"
    path.write_text(json.dumps(frozen(threshold=1)))
    found = frozen_threshold(str(path))
    assert (found.threshold, found.positive, found.name) == (1.0, 1, str(path))


def test_what_is_frozen_in_python_is_what_the_report_freezes(tmp_path):
    chosen = evaluated(threshold=0.4)
    path = chosen.freeze_threshold(tmp_path / "threshold.json")
    written = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(written, heldout.schema("heldout.threshold/1"))
    at = written["metrics"]
    for name in ("recall", "specificity", "precision", "npv", "accuracy"):
        assert at[name]["value"] == pytest.approx(chosen[name].value, abs=1e-12)
        assert at[name]["low"] <= chosen[name].value <= at[name]["high"]
    assert at["recall"]["low"] < chosen["recall"].low  # valid at all thresholds, so wider than at one fixed before
    with pytest.raises(heldout.HeldoutError, match="was chosen on these 60 rows"):
        evaluated(threshold_from=path)
    elsewhere = heldout.evaluate(1 - TRUTH, y_score=SCORE, threshold_from=path, pos_label=1)
    assert elsewhere.threshold == 0.4


def test_without_a_threshold_nothing_is_frozen(tmp_path):
    labels = heldout.evaluate(TRUTH, TRUTH)
    with pytest.raises(heldout.HeldoutError, match="there is no threshold to freeze"):
        labels.freeze_threshold(tmp_path / "threshold.json")
    with pytest.raises(heldout.HeldoutError, match="cannot be written"):
        evaluated(threshold=0.4).freeze_threshold(tmp_path / "missing" / "threshold.json")
