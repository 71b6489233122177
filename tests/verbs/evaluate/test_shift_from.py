"""`evaluate` says where the test rows are not like the training rows or an earlier test, and says nothing otherwise."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import heldout
from heldout.cli import verbs
from heldout.report.schema import schema


def rows(seed, count, *, age=0.0, positives=0.5, site=(0.4, 0.3, 0.3), score=0.0):
    rng = np.random.default_rng(seed)
    truth = (rng.random(count) < positives).astype(int)
    return {
        "id": [f"{seed}-{at}" for at in range(count)],
        "age": rng.normal(40 + 10 * age, 10, count).round(2),
        "dose": rng.exponential(size=count).round(4),
        "site": rng.choice(["a", "b", "c"], count, p=site),
        "y_true": truth,
        "y_score": np.clip(0.3 * truth + 0.5 * rng.random(count) + 0.1 + score, 0, 1).round(4),
    }


def learned(seed, count, **moved):
    return {name: column for name, column in rows(seed, count, **moved).items() if name != "y_score"}


def shift_texts(found):
    return [check.text for check in found.checks if check.code == "H205"]


def test_a_column_shifted_by_one_and_a_half_sd_is_named_with_its_size():
    found = heldout.evaluate(rows(1, 150, age=1.5), train=learned(2, 300), metrics="accuracy")
    (text,) = shift_texts(found)
    assert text.startswith("the test rows are not like the training rows (the dict): age (mean ")
    assert "a classifier distinguishes them (AUC 0." in text
    (shift,) = found.shifts
    assert [one.name for one in shift.changed] == ["age"]
    (age,) = shift.changed
    assert age.low < 1.5 < age.high
    assert shift.whole.low > 0.5
    assert {one.name for one in shift.columns} == {"age", "dose", "site", "y_true"}  # no ids, no scores


def test_class_shares_and_categories_are_compared():
    found = heldout.evaluate(
        rows(3, 200, positives=0.8, site=(0.1, 0.3, 0.6)), train=learned(4, 300), metrics="accuracy"
    )
    (text,) = shift_texts(found)
    assert "y_true (the target) (share of " in text
    site = next(one for one in found.shifts[0].columns if one.name == "site")
    assert (site.measure, site.of) in {("share", "a"), ("share", "c")}
    assert site.low < site.after - site.before < site.high


def test_scores_that_changed_since_the_reference_are_named():
    found = heldout.evaluate(rows(5, 200, score=0.1), reference=rows(6, 200), metrics="accuracy")
    assert [one.name for one in found.shifts[0].changed] == ["y_score"]
    assert "not like the reference rows" in shift_texts(found)[0]


def test_nothing_is_said_where_rows_are_drawn_alike_at_the_stated_level():
    repeats = 120
    said = [
        bool(shift_texts(heldout.evaluate(rows(2 * at, 50), train=learned(2 * at + 1, 80), metrics="accuracy")))
        for at in range(100, 100 + repeats)
    ]
    assert np.mean(said) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


def test_of_a_cluster_one_row_is_compared():
    def clustered(seed):
        rng = np.random.default_rng(seed)
        patient = np.repeat(np.arange(12), 20)
        truth = rng.integers(0, 2, 240)
        age = rng.normal(size=12)[patient]
        return {"patient": patient + 100 * seed, "age": age, "y_true": truth, "y_score": rng.random(240)}

    alarms = 0
    for seed in range(10):
        found = heldout.evaluate(
            clustered(2 * seed), groups="patient", reference=clustered(2 * seed + 1), metrics="brier"
        )
        assert found.shifts[0].rows == (12, 12)
        alarms += bool(shift_texts(found))
    assert alarms <= 2  # tests that took all rows for independent would cry out each time


def test_rows_in_time_order_are_not_tested_and_it_is_said():
    table = {**rows(7, 60), "day": np.arange(60)}
    found = heldout.evaluate(table, time="day", reference=table, metrics="brier")
    assert found.shifts == ()
    assert "rows in time order depend on each other" in shift_texts(found)[0]


@pytest.mark.parametrize("form", ["text", "json", "md", "html", "latex"])
def test_every_format_has_it(tmp_path, monkeypatch, form):
    pd = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(rows(8, 150, age=1.5)).to_csv("test.csv", index=False)
    pd.DataFrame(learned(9, 300)).to_csv("train.csv", index=False)
    asked = ["evaluate", "test.csv", "--train", "train.csv", "--format", form, "--report", "r.html"]
    found = CliRunner().invoke(verbs, asked)
    assert found.exit_code == 0, found.output
    assert "the test rows are not like the training rows" in " ".join(found.stdout.split())
    assert "test rows against training rows" in (tmp_path / "r.html").read_text(encoding="utf-8")
    if form == "json":
        said = json.loads(found.stdout)
        Draft202012Validator(schema("heldout.evaluation/1")).validate(said)
        assert said["shifts"][0]["classifier"]["adjusted"] < 0.05


def test_arrays_have_no_columns_to_compare():
    with pytest.raises(heldout.UsageError, match="reference needs y_true to be a table"):
        heldout.evaluate([0, 1, 0, 1], [0, 1, 1, 1], reference={"y": [0, 1]})


def test_rows_are_not_compared_with_themselves(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(rows(1, 150))
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    shuffled = frame.sample(frac=1, random_state=0)
    for test, reference in ((path, path), (frame, shuffled), (path, frame)):
        found = heldout.evaluate(test, reference=reference, metrics="accuracy")
        (text,) = shift_texts(found)
        assert text.startswith("not checked whether the test rows are like the reference rows: ")
        assert text.endswith(" has the same rows as the test")
        assert found.shifts == ()


def test_an_overlap_is_a_note_where_it_is_allowed():
    test, train = ({**one, "patient": np.arange(60) % 20} for one in (rows(1, 60), learned(2, 60)))
    with pytest.raises(heldout.DataError, match="patient is on both sides"):
        heldout.evaluate(test, train=train, groups="patient")
    found = heldout.evaluate(test, train=train, groups="patient", allow_overlap=True)
    assert "H202" in [check.code for check in found.checks]


def test_reversed_scores_are_said_to_run_the_wrong_way():
    data = rows(5, 400)
    turned = {**data, "y_score": 1 - data["y_score"]}
    (text,) = (one.text for one in heldout.evaluate(turned, pos_label=1).checks if one.code == "H204")
    assert text.endswith("the scores run the wrong way: higher ones belong to the other class")


def test_the_charts_of_a_shift_have_its_sizes_and_the_area(tmp_path):
    found = heldout.evaluate(
        rows(3, 200, age=1, site=(0.1, 0.3, 0.6)), train=learned(4, 300), reference=rows(5, 200), metrics="accuracy"
    )
    names = [name for name in found.plot() if name.startswith("shift")]
    assert names == ["shift", "shift:train-share", "shift:reference-mean", "shift:reference-share"]
    figure = found.plot.figure("shift")
    moved = {one.name: one for one in found.shifts[0].columns}
    assert figure.parts["rates"]["name"][0] == "age"
    assert figure.parts["rates"]["value"][0] == moved["age"].size
    assert f"AUC {found.shifts[0].whole.size:.3f}" in figure.caption
    shares = found.plot.figure("shift:train-share").parts["rates"]
    assert shares["value"][shares["name"].index(f"site ({moved['site'].of})")] == pytest.approx(
        100 * moved["site"].size
    )
    page = tmp_path / "report.html"
    found.report(page)
    assert "Test rows against training rows (the dict)" in page.read_text(encoding="utf-8")
