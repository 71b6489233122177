"""Models as columns of one table: what a column is, and what it sees of the rest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.errors import UsageError
from heldout.inputs.formats.files import Table
from heldout.verbs.compare.model_columns import column_role, columns_seen


def table(**columns):
    return Table(place="t", names=tuple(columns), raw=tuple(np.asarray(column) for column in columns.values()))


@pytest.mark.parametrize(
    ("truth", "said", "options", "kind"),
    [
        ([0, 1, 1], [0.2, 0.7, 0.4], {}, "score"),
        ([0, 1, 1], ["0.2", "0.7", "0.4"], {}, "score"),
        (["no", "yes", "no"], [-1.5, 2.0, 0.25], {}, "score"),
        ([0, 1, 1], [0, 1, 0], {}, "pred"),
        ([0, 1, 1], [0.0, 1.0, 0.0], {}, "pred"),
        ([0, 1, 1], ["a", "b", "a"], {}, "pred"),
        ([0.5, 1.25, 7.0], [0.2, 0.7, 0.4], {}, "pred"),
        ([3, 1, 2], [2.5, 1.5, 2.0], {}, "pred"),
        ([0, 1, 1], [0.2, 0.7, 0.4], {"task": "regression"}, "pred"),
    ],
)
def test_scores_are_fractions_beside_two_classes(truth, said, options, kind):
    assert column_role(table(y=truth, m=said), "m", options) == kind


def test_a_column_sees_no_other_output():
    names = ["id", "y", "old", "new", "y_pred", "score", "p_yes", "yhat_rf", "site"]
    assert columns_seen(names, "new", ["old", "new"], {}) == ("id", "y", "new", "site")
    assert columns_seen(names, "y_pred", ["old", "y_pred"], {"group": "p_yes"}) == (
        "id",
        "y",
        "new",
        "y_pred",
        "p_yes",
        "site",
    )
    assert columns_seen(names, "new", ["old", "new"], {"segments": ("score",)})[-2:] == ("score", "site")


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 90)
    old, new = (np.round(0.3 * truth + 0.7 * rng.random(90), 3) for _ in range(2))
    return pd.DataFrame({"y": truth, "old": old, "new": new, "y_pred": 1 - truth})


def test_a_frame_and_a_file(rows, tmp_path):
    file = tmp_path / "all.csv"
    rows.to_csv(file, index=False)
    arrays = heldout.compare(rows["y"], {"a": rows["old"], "b": rows["new"]})
    for source in (rows, file, str(file)):
        found = heldout.compare(source, {"a": "old", "b": "new"})
        assert [str(one) for one in found.differences] == [str(one) for one in arrays.differences]
    assert len(found.sources) == 1


def test_an_option_for_the_output_of_all(rows):
    with pytest.raises(UsageError) as error:
        heldout.compare(rows, {"a": "old", "b": "new"}, y_score="old")
    assert (error.value.message, error.value.fix) == (
        "score names one column, and every model names its own",
        "leave out score",
    )


def test_a_column_that_is_not_there(rows):
    with pytest.raises(UsageError) as error:
        heldout.compare(rows, {"a": "old", "b": "now"})
    assert error.value.message == (
        "the frame has no column 'now' for a model; did you mean 'new'? its columns are y, old, new, y_pred"
    )


def test_a_log_has_no_columns(rows):
    with pytest.raises(UsageError) as error:
        heldout.compare(rows, {"a": "old", "b": "new"}, log="lm-eval")
    assert (error.value.message, error.value.fix) == (
        "a log holds one model, and columns are for several",
        "leave out log",
    )
