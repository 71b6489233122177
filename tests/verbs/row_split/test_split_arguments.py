"""Seeds, parts and missing values of a split: refused in a sentence that names what can be done."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs

ROWS = pd.DataFrame({"a": np.arange(60), "g": np.arange(60) // 3, "y": np.arange(60) % 2})


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.mark.parametrize("seed", ["-1", "4294967296"])
@pytest.mark.parametrize("more", [(), ("--group", "g")])
def test_a_seed_that_is_none_is_refused(tmp_path, seed, more):
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    found = run("split", tmp_path / "rows.csv", "--seed", seed, *more)
    assert (found.exit_code, f"'--seed': {seed} is not in the range" in found.stderr) == (2, True)
    with pytest.raises(heldout.UsageError, match="must be a whole number from 0 to 4294967295"):
        heldout.split(ROWS, random_state=int(seed))


def test_the_largest_seed_and_a_generator_are_seeds():
    assert heldout.split(ROWS, {"a": 1, "b": 1, "c": 1}, random_state=2**32 - 1).rows == 60
    first, second = (heldout.split(ROWS, random_state=np.random.default_rng(1)) for _ in range(2))
    assert first.labels.tolist() == second.labels.tolist()
    assert heldout.split(ROWS, random_state=None).rows == 60


def test_a_list_of_parts_is_refused():
    with pytest.raises(heldout.UsageError, match=r"parts is .* but must map names to relative sizes"):
        heldout.split(ROWS, parts=["a", "b"])


@pytest.mark.parametrize("values", [[None, "a"], [None, 1.0], [np.nan, 1.0]])
@pytest.mark.parametrize("role", ["strata", "groups"])
def test_missing_strata_and_groups_are_refused(values, role):
    with pytest.raises(heldout.DataError, match="z is missing in rows 1, 3, 5, 7, 9 and 25 more"):
        heldout.split(ROWS.assign(z=values * 30), **{role: "z"})


def test_a_class_may_be_called_none():
    assert heldout.split(ROWS.assign(z=["None", "nan"] * 30), strata="z").rows == 60


def test_sizes_that_rows_do_not_allow_name_the_sizes_as_remedy(tmp_path):
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    found = run("split", tmp_path / "rows.csv", "--parts", "train=1000,test=1", "--stratify", "y")
    assert found.stderr.endswith("Fix: choose other sizes of the parts, or fewer parts\n  See: heldout explain H311\n")
    learner = ("validate", "sklearn.linear_model:LogisticRegression", "--data", tmp_path / "rows.csv", "--target", "y")
    found = run(*learner, "--holdout", "0.001")
    assert found.stderr.endswith("Fix: hold out another share than 0.001, such as 0.33\n  See: heldout explain H311\n")


def refused(**options):
    with pytest.raises(heldout.DataError) as caught:
        heldout.split(ROWS, **options)
    return caught.value.message, caught.value.fix


def test_sizes_whose_sum_is_beyond_the_largest_number_are_relative_sizes():
    for sizes in (
        {"train": 1e308, "test": 1e308},
        {"train": 5e-324, "test": 5e-324},
        {"train": 2**1000, "test": 2**1000},
    ):
        assert [part.rows for part in heldout.split(ROWS, sizes).parts] == [30, 30]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parts": {"train": 1e-308, "test": 1}}, "train would have 0 of the 60 rows"),
        ({"parts": {"a": 1e-9, "b": 1e-9, "c": 1}}, "all parts before c would have 0 of the 60 rows"),
        (
            {"parts": {"train": 1000, "test": 1}, "strata": "y"},
            "test would have 1 of the 60 rows, and there are 2 strata",
        ),
        (
            {"parts": {"train": 1, "test": 1000}, "strata": "y"},
            "train would have 0 of the 60 rows, and there are 2 strata",
        ),
    ],
)
def test_a_part_without_rows_is_named(options, message):
    assert refused(**options) == (message, "choose other sizes of the parts, or fewer parts")


def test_groups_that_cannot_be_dealt_name_sizes_that_can():
    fewer = "take fewer parts, or another column of groups"
    alone = ROWS.assign(g=1)
    for options in ({}, {"parts": {"train": 1, "test": 1}}, {"folds": 2}):
        with pytest.raises(heldout.DataError) as caught:
            heldout.split(alone, groups="g", **options)
        assert (caught.value.message, caught.value.fix) == ("there is 1 group, fewer than 2 parts", fewer)
    assert refused(folds=21, groups="g") == ("there are 20 groups, fewer than 21 parts", fewer)
    rounder = "take rounder sizes, such as --parts train=1,test=1 (parts={'train': 1, 'test': 1}), or fewer parts"
    for test, shares in ((199, "0.5%, 99.5%"), (1e308, "0.0%, 100.0%")):
        message = f"20 groups cannot be dealt into parts of {shares}"
        assert refused(parts={"train": 1, "test": test}, groups="g") == (message, rounder)
    assert [part.rows for part in heldout.split(ROWS, {"train": 1, "test": 1}, groups="g").parts] == [30, 30]


def test_more_folds_than_rows_are_refused_at_once():
    """A part for each of so many folds would take minutes, and all memory."""
    fix = "take fewer parts, or more rows"
    many = 99_999_999_999_999_999_999
    assert refused(folds=many) == (f"the frame has 60 rows, fewer than {many:,} parts", fix)
    assert refused(folds=61, groups="g") == ("the frame has 60 rows, fewer than 61 parts", fix)


def test_digits_have_no_effect_on_a_split(tmp_path):
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    found = run("split", tmp_path / "rows.csv", "--digits", "2")
    assert (found.exit_code, "--digits has no effect" in found.stderr) == (2, True)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("role", ["train", "reference"])
def test_data_without_rows_to_compare_with_are_refused(role):
    rows = pd.DataFrame({"y_true": [0, 1] * 20, "y_score": [0.2, 0.8] * 20, "x": range(40)})
    with pytest.raises(heldout.DataError, match=f"given as {role}, has no rows"):
        heldout.evaluate(rows, **{role: rows[:0]})
