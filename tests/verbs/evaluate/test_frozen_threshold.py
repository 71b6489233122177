"""Thresholds that were frozen on a page: what is read back, and what is refused."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest

import heldout
from heldout.verbs.evaluate.chosen_rows import chosen_rows
from heldout.verbs.evaluate.operating_point import frozen_threshold

RNG = np.random.default_rng(2)
TRUTH = RNG.integers(0, 2, 60)
SCORE = np.round(np.clip(0.3 * TRUTH + 0.7 * RNG.random(60), 0, 1), 3)


def frozen(**changed) -> dict:
    rows = chosen_rows(heldout.evaluate(TRUTH, y_score=SCORE, threshold=0.5).batch)
    return {"schema": "heldout.threshold/1", "threshold": 0.4, "positive": 1, "chosen_on": rows} | changed


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
    assert said == ["the threshold 0.4 was chosen on these 60 rows: what it reaches here is optimistic"]


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
            "[H100] there is no file nowhere.json\n  Fix: check the path and the folder it starts from",
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


@pytest.mark.parametrize("text", ["7", "[]", '{"schema": "heldout.threshold/1", "threshold": true}'])
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


def parts(rows, digits=None, seed=5):
    """Truths and scores of a model; the same seed is the same rows."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, rows)
    score = 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1, 1.5)))
    return truth, score if digits is None else score.round(digits)


def frozen_on(tmp_path, truth, score, **columns):
    chosen = heldout.evaluate({"y_true": truth, "y_score": score, **columns}, threshold=0.4)
    return chosen.freeze_threshold(tmp_path / "threshold.json")


def refusal(path, truth, score, **columns):
    with pytest.raises(heldout.HeldoutError) as refused:
        heldout.evaluate({"y_true": truth, "y_score": score, **columns}, threshold_from=path)
    return refused.value.message.partition(" was ")[2]


@pytest.mark.parametrize("digits", [None, 3])
def test_rows_that_chose_it_are_recognised_in_any_order_and_in_part(tmp_path, digits):
    truth, score = parts(200, digits)
    path = frozen_on(tmp_path, truth, score)
    order = np.random.default_rng(1).permutation(200)
    assert refusal(path, truth[order], score[order]) == "chosen on these 200 rows"
    assert refusal(path, truth[:-1], score[:-1]) == "chosen on these 199 rows"
    assert refusal(path, truth[order], score[order], site=order) == "chosen on these 200 rows"
    others = parts(100, digits, seed=6)
    mixed = [
        np.concatenate(pair)[np.random.default_rng(2).permutation(200)]
        for pair in zip((truth[:100], score[:100]), others, strict=True)
    ]
    said = refusal(path, *mixed)
    assert said == "chosen on 100 of these 200 rows" if digits is None else said.endswith(" of these 200 rows")


def test_a_large_set_is_recognised_by_a_sample(tmp_path):
    truth, score = parts(20_000)
    path = frozen_on(tmp_path, truth, score)
    assert path.stat().st_size < 40_000
    assert refusal(path, truth[::-1], score[::-1]) == "chosen on these 20,000 rows"
    new = parts(15_000, seed=6)
    said = refusal(path, *(np.concatenate(pair) for pair in zip((truth[:5000], score[:5000]), new, strict=True)))
    assert said.startswith("chosen on about ")
    assert int(said.split()[3].replace(",", "")) == pytest.approx(5000, abs=700)


def test_few_digits_are_told_apart_by_ids(tmp_path):
    truth, score = parts(400, 1)
    order = np.random.default_rng(1).permutation(400)[:300]
    names = np.char.add("r", np.arange(400).astype(str))
    path = frozen_on(tmp_path, truth, score, id=names)
    assert refusal(path, truth[order], score[order], id=names[order]) == "chosen on these 300 rows"


@pytest.mark.parametrize("digits", [None, 4, 3, 2, 1])
@pytest.mark.parametrize("rows", [5, 40, 400, 3000])
@pytest.mark.parametrize("named", [False, True])
def test_other_rows_of_the_same_model_are_judged(tmp_path, digits, rows, named):
    for seed in range(20, 30):
        ids = {"id": np.arange(rows)} if named else {}  # numbers of lines, the same in every file
        path = frozen_on(tmp_path, *parts(rows, digits, seed), **ids)
        truth, score = parts(rows, digits, seed + 100)
        found = heldout.evaluate({"y_true": truth, "y_score": score, **ids}, threshold_from=path, metrics="accuracy")
        assert "H302" not in [check.code for check in found.checks]


def test_a_few_rows_with_few_digits_are_recognised_in_any_order(tmp_path):
    truth, score = parts(8, 2)
    path = frozen_on(tmp_path, truth, score)
    assert refusal(path, truth[::-1], score[::-1]) == "chosen on these 8 rows"


def test_a_part_is_flagged_where_it_is_allowed(tmp_path):
    truth, score = parts(60)
    path = frozen_on(tmp_path, truth, score)
    found = heldout.evaluate(truth[:59], y_score=score[:59], threshold_from=path, allow_overlap=True)
    assert [check.text for check in found.checks if check.code == "H302"] == [
        "the threshold 0.4 was chosen on these 59 rows: what it reaches here is optimistic"
    ]


@pytest.mark.parametrize("damaged", ["x", {"count": 3}, {"count": 3, "samples": {"score": {"least": ["zz"]}}}])
def test_damaged_hashes_are_named(damaged):
    with pytest.raises(heldout.HeldoutError, match="does not say which rows chose its threshold"):
        evaluated(threshold_from=frozen(chosen_on=damaged))


def test_the_same_truths_are_not_the_same_rows(tmp_path):
    """Twenty positive rows, then twenty negative ones, in both files: other ids and other scores are other rows."""
    truth = np.repeat([1, 0], 20)
    for ids in (None, "own"):
        named = [{} if ids is None else {"id": [f"{name}{at * at}" for at in range(40)]} for name in "ab"]
        path = frozen_on(tmp_path, truth, RNG.random(40), **named[0])
        found = heldout.evaluate({"y_true": truth, "y_score": RNG.random(40), **named[1]}, threshold_from=path)
        assert "H302" not in [check.code for check in found.checks]


@pytest.mark.parametrize("change", [lambda score: score.round(4), lambda score: score.astype(np.float32), np.sqrt])
def test_ids_are_enough_whatever_became_of_the_scores(tmp_path, change):
    truth, score = parts(300)
    ids = np.char.add("patient", (7 * np.arange(300) ** 2).astype(str))
    path = frozen_on(tmp_path, truth, score, id=ids)
    order = np.random.default_rng(1).permutation(300)
    assert refusal(path, truth[order], change(score)[order], id=ids[order]) == "chosen on these 300 rows"
    half = order[:150]
    assert refusal(path, truth[half], change(score)[half], id=ids[half]) == "chosen on these 150 rows"


def test_few_scores_are_recognised_as_a_whole(tmp_path):
    """A tree of eight leaves: other rows have the same scores, and not each of them just as often."""
    truth, score = parts(2000)
    leaves = np.ceil(8 * score) / 8
    path = frozen_on(tmp_path, truth, leaves)
    order = np.random.default_rng(1).permutation(2000)
    assert refusal(path, truth[order], leaves[order]) == "chosen on these 2,000 rows"
    truth, score = parts(2000, seed=6)
    found = heldout.evaluate(truth, y_score=np.ceil(8 * score) / 8, threshold_from=path, metrics="accuracy")
    assert "H302" not in [check.code for check in found.checks]
