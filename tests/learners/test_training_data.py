"""The rows to learn from: every kind of container gives the same rows; what is wrong is named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from heldout.errors import DataError, HeldoutError
from heldout.inputs.columns.column_values import column
from heldout.learners import dataset
from heldout.learners.training_data import values_in

RNG = np.random.default_rng(3)
X = RNG.normal(size=(12, 2))
Y = np.array([0, 1] * 6)
SOME = np.array([7, 2, 2])


def refusal(kind, *given, **options):
    with pytest.raises(kind) as caught:
        dataset(*given, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        X,
        X.tolist(),
        pd.DataFrame(X),
        pd.DataFrame(X, columns=["a", "b"], index=RNG.permutation(12)),
        pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}),
        pa.table({"a": X[:, 0], "b": X[:, 1]}),
        {"a": X[:, 0], "b": X[:, 1]},
        sp.csr_matrix(X),
        sp.csc_array(X),
        sp.coo_matrix(X),
    ],
    ids=lambda one: type(one).__name__,
)
def test_some_rows_of_any_container(given):
    found = dataset(given, Y).part(SOME)
    dense = found.toarray() if hasattr(found, "toarray") else np.asarray(found)
    np.testing.assert_array_equal(dense, X[SOME])


def test_frames_stay_frames():
    assert isinstance(dataset(pd.DataFrame(X), Y).part(SOME), pd.DataFrame)
    assert isinstance(dataset(pl.DataFrame(X), Y).part(SOME), pl.DataFrame)
    assert list(dataset(pa.table({"a": X[:, 0], "t": ["x"] * 12}), Y).X.columns) == ["a", "t"]


def test_columns_of_a_frame_keep_their_types():
    frame = pd.DataFrame(
        {"a": X[:, 0], "site": pd.Categorical(["x", "y"] * 6), "seen": pd.date_range("2020", periods=12)}
    )
    found = dataset(frame.assign(kind=Y, path=[[1, 2]] * 12), "kind")
    assert found.X.dtypes.astype(str).tolist() == ["float64", "category", frame["seen"].dtype.name, "object"]
    kept = dataset(pl.DataFrame({"a": X[:, 0], "kind": Y}), "kind").X
    assert (type(kept), kept.columns) == (pl.DataFrame, ["a"])


def test_texts_are_rows():
    assert dataset([f"text {at}" for at in range(12)], Y).part(SOME) == ["text 7", "text 2", "text 2"]


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        (Y, (0, 1)),
        (Y.tolist(), (0, 1)),
        (Y[:, None], (0, 1)),
        (pd.DataFrame({"k": Y}), (0, 1)),
        (Y == 1, (False, True)),
        (np.where(Y, "yes", "no"), ("no", "yes")),
        (np.where(Y, "yes", "no").astype(object), ("no", "yes")),
        (pd.Series(np.where(Y, "yes", "no"), dtype="category"), ("no", "yes")),
        (pd.Series(Y, dtype="Int64"), (0, 1)),
        (pl.Series(np.where(Y, "yes", "no")), ("no", "yes")),
    ],
)
def test_the_target_of_any_kind(y, labels):
    found = dataset(X, y)
    assert (found.task, found.batch.labels, found.rows) == ("binary", labels, 12)
    assert found.y.shape == (12,)
    known, codes = found.classes
    np.testing.assert_array_equal(codes[np.searchsorted(known, found.y)], found.batch.truth)
    assert found.batch.prediction is None


def test_a_table_with_roles():
    rows = {"size": X[:, 0], "kind": Y, "who": np.arange(12) // 3, "weight": np.arange(1.0, 13), "site": ["a", "b"] * 6}
    rows["note"] = ["-"] * 12
    found = dataset(rows, "kind", groups="who", sample_weight="weight", strata="site", drop=["note"])
    assert list(found.X.columns) == ["size"]
    assert found.groups.tolist() == rows["who"].tolist()
    assert found.batch.weight.tolist() == rows["weight"].tolist()
    assert found.strata[0].tolist() == rows["site"]
    assert found.roles == {"target": "kind", "group": "who", "weight": "weight"}
    assert list(dataset(rows, "kind", drop=["who", "site", "note"]).X.columns) == ["size", "weight"]


def test_a_file(tmp_path):
    path = tmp_path / "rows.csv"
    pd.DataFrame({"a": X[:, 0], "t": ["x", "y"] * 6, "k": Y}).to_csv(path, index=False)
    found = dataset(path, "k")
    np.testing.assert_allclose(found.X["a"], X[:, 0], rtol=1e-15)
    assert found.X["t"].tolist() == ["x", "y"] * 6
    assert [source.path for source in found.sources] == [str(path)]


@pytest.mark.parametrize(
    ("strata", "columns"),
    [
        (np.arange(12) % 2, 1),
        ((np.arange(12) % 2).tolist(), 1),
        (["x", "y"] * 6, 1),
        (pd.Series(np.arange(12) % 2), 1),
        ([np.arange(12) % 2, ["x", "y", "z"] * 4], 2),
        (np.arange(24).reshape(12, 2), 2),
        (pd.DataFrame({"u": np.arange(12), "v": ["x", "y"] * 6}), 2),
    ],
)
def test_strata_of_any_kind(strata, columns):
    found = dataset(X, Y, strata=strata)
    assert [one.shape for one in found.strata] == [(12,)] * columns


def test_time_puts_rows_in_order():
    when = RNG.permutation(12)
    found = dataset(X, Y, time=when, groups=np.arange(12))
    np.testing.assert_array_equal(found.order, np.argsort(when))
    np.testing.assert_array_equal(found.X, X[found.order])
    np.testing.assert_array_equal(found.y, Y[found.order])
    np.testing.assert_array_equal(found.groups, found.order)


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ((X, Y[:9]), {}, "[H112] X has 12 rows and y has 9\n  Fix: give one target for every row"),
        (
            (X, 1),
            {},
            ("[H107] y is of type int, and one value per row is needed\n  Fix: pass y as a list, an array or a series"),
        ),
        ((X[:0], Y[:0]), {}, "[H112] there are no rows to learn from\n  Fix: give some rows"),
        (
            ("rows.csv", Y),
            {},
            "a table needs the name of its target\n  Fix: give y='column'",
        ),
        (
            (X, Y),
            {"drop": ["a"]},
            "drop names columns of a table, but arrays were given\n  Fix: leave the columns out of X",
        ),
        (
            ({"a": X[:, 0], "kind": Y}, "knd"),
            {},
            (
                "[H106] the dict has no column 'knd' for learning; did you mean 'kind'? its columns are a, kind\n"
                "  Fix: name one of these columns"
            ),
        ),
        (
            ({"a": X[:, 0], "kind": Y}, "kind"),
            {"drop": ["a"]},
            "[H106] the dict has no column beside the target\n  Fix: keep some features",
        ),
        (
            (X, np.where(np.arange(12) == 3, np.nan, Y)),
            {},
            "[H305] y is missing in row 4\n  Fix: complete it, or leave these rows out",
        ),
        (
            (X, pd.Series([None, "a", pd.NA, "b"] * 3)),
            {},
            "[H305] y is missing in rows 1, 3, 5, 7, 9 and 1 more\n  Fix: complete it, or leave these rows out",
        ),
        (
            (X, np.where(np.arange(24).reshape(12, 2) == 5, np.nan, 1.0)),
            {"task": "regression"},
            "[H305] y is missing in row 3\n  Fix: complete it, or leave these rows out",
        ),
        ((X, Y), {"groups": [1, 2]}, "[H112] y has 12 rows and groups has 2\n  Fix: pass columns of one length"),
        (
            (X, Y),
            {"sample_weight": np.r_[-1, np.ones(11)]},
            (
                "[H109] the weight in sample_weight is -1 in row 1, and must be zero or more\n"
                "  Fix: remove the row, or give it the weight 0"
            ),
        ),
        (
            (X, Y),
            {"groups": "who"},
            (
                "'who' names a column of a table, but y is not the name of one\n  Fix: give the values, or a table "
                "and y='column'"
            ),
        ),
        (
            (X, Y),
            {"time": [1, 2]},
            "[H112] time has 2 values, and there are 12 rows\n  Fix: give one time for every row",
        ),
        (
            (X, Y),
            {"time": np.where(np.arange(12) == 3, np.nan, 1.0)},
            "[H305] time is missing in row 4\n  Fix: complete it, or leave these rows out",
        ),
        (
            (X, Y),
            {"pos_label": 7},
            "[H107] the positive class 7 is not among the labels 0, 1\n  Fix: name one of the labels",
        ),
    ],
)
def test_what_cannot_be_learned_from(given, options, said):
    assert refusal(HeldoutError, *given, **options) == said


@pytest.mark.parametrize("time", [None, np.arange(12)[::-1]])
@pytest.mark.parametrize("count", [11, 13, 24])
@pytest.mark.parametrize(
    ("role", "said"),
    [
        ("groups", "[H112] y has 12 rows and groups has {}\n  Fix: pass columns of one length"),
        ("sample_weight", "[H112] y has 12 rows and sample_weight has {}\n  Fix: pass columns of one length"),
        ("strata", "[H112] a column of strata has {} values, and there are 12 rows\n  Fix: give one value per row"),
    ],
)
def test_columns_of_another_length_are_refused_with_and_without_time(role, said, count, time):
    assert refusal(DataError, X, Y, time=time, **{role: np.ones(count)}) == said.format(count)


def test_a_missing_target_in_a_file_is_called_by_its_column(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,kind\n1,x\n2,y\n3,\n4,x\n", encoding="utf-8")
    said = "[H305] kind is missing in row 3\n  Fix: complete it, or leave these rows out"
    assert refusal(DataError, path, "kind") == said


def test_a_missing_file(tmp_path):
    said = f"[H100] there is no file {tmp_path / 'none.csv'}\n  Fix: check the path and the folder it starts from"
    assert refusal(DataError, tmp_path / "none.csv", "kind") == said


def test_rows_are_matched_by_index():
    """A target whose rows stand in another order belongs to other features than its positions say."""
    names = [f"row {at}" for at in range(12)]
    frame, target = pd.DataFrame(X, columns=["a", "b"], index=names), pd.Series(Y, index=names)
    moved = target.sample(frac=1, random_state=1).index
    groups = pd.Series(np.arange(12) // 2, index=names)
    data = dataset(frame, target[moved], groups=groups[moved], strata=target[moved])
    assert data.y.tolist() == Y.tolist()
    assert data.groups.tolist() == (np.arange(12) // 2).tolist()
    assert data.strata[0].tolist() == Y.tolist()
    assert [(check.code, check.text) for check in data.checks if check.code == "H101"] == [
        ("H101", "the rows of y, groups, strata are matched with those of X by index, which is in another order")
    ]
    assert not [check for check in dataset(frame, target[moved].to_numpy()).checks if check.code == "H101"]


def test_an_index_that_only_counts_its_rows_says_not_which_target_is_whose():
    frame, target = pd.DataFrame(X, columns=["a", "b"]), pd.Series(Y).sample(frac=1, random_state=1)
    assert refusal(DataError, frame, target) == (
        "[H101] X and y have the same index in different orders, and that of X only counts its rows (0, 1, …), which "
        "may as well be in the order of y\n"
        "  Fix: give both the same index, or pass y.to_numpy() if its rows are in the order of X"
    )


def test_indexes_of_other_rows_are_refused():
    frame, target = pd.DataFrame(X, columns=["a", "b"]), pd.Series(Y, index=np.arange(100, 112))
    assert refusal(DataError, frame, target) == (
        "[H101] X and y have different indexes: 12 of 12 labels of X are not in that of y (0, 1, 2 and 9 more)\n"
        "  Fix: give both the same index, or pass y.to_numpy() if its rows are in the order of X"
    )


def test_times_that_would_sort_as_text_are_refused():
    """Sorted as text, 12/01/2019 comes after 01/01/2020, and learners are fitted to the future."""
    said = refusal(DataError, X, Y, time=["12/01/2019", "01/01/2020"] * 6)
    assert said.startswith("[H108] time is '12/01/2019' in row 1, which is neither a number nor an ISO date\n")
    in_order = dataset(X, Y, time=[f"2020-01-{day:02}" for day in range(12, 0, -1)])
    assert np.array_equal(in_order.X, X[::-1])


def test_a_column_that_is_missing_everywhere_is_a_column_of_numbers():
    assert np.isnan(values_in(column("x", np.array([np.nan, np.nan])))).all()


def test_one_long_text_does_not_widen_every_row():
    """An array of texts is as wide as the longest: a text of a megabyte in 10,000 rows took 40 gigabytes."""
    values = values_in(column("note", ["x" * 1_000_000, *["y"] * 10_000]))
    assert values.dtype == object
    assert values.nbytes < 100_000
    assert values[1] == "y"
