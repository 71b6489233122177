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
