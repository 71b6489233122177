"""What is said of a joint table: marginals, the best classifier and its error, noise."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.lab.concepts.joint_table_file import read_table
from heldout.lab.concepts.joint_table_result import table_result

TABLE = "x,class,count,rule\na,no,40,yes\na,yes,10,yes\nb,no,20,yes\nb,yes,30,yes\nc,no,0,no\nc,yes,0,no\n"


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return read_table(path, classifiers=["rule"])


def test_errors_are_sums_over_cells(read):
    found = table_result(read).to_dict()
    assert found["class_marginal"] == pytest.approx([0.6, 0.4])
    assert found["bayes_error"] == pytest.approx(0.3)  # 'no' of a is wrong in 0.1, 'yes' of b in 0.2
    errors = {one["name"]: (one["true_error"], one["above_bayes"]) for one in found["classifiers"]}
    assert errors["Bayes"] == pytest.approx((0.3, 0.0))
    assert errors["always no"] == pytest.approx((0.4, 0.1))
    assert errors["rule"] == pytest.approx((0.6, 0.3))


def test_a_point_that_never_comes_has_no_conditionals(read):
    a, _, c = table_result(read).to_dict()["points"]
    assert a["class_given_x"] == pytest.approx([0.8, 0.2])
    assert a["x_given_class"] == pytest.approx([40 / 60, 10 / 40])
    assert (a["bayes"], c["bayes"]) == ("no", None)
    assert c["class_given_x"] == [None, None]
    assert c["p"] == 0.0


def test_rows_are_counted_and_it_is_said_that_they_are_taken_for_the_truth(read):
    found = table_result(read).to_dict()
    assert found["rows"] == 100
    assert any(note.startswith("the table was counted from 100 rows") for note in found["notes"])


def test_noise_moves_every_error_towards_a_half(read):
    found = table_result(read, noise=0.1).to_dict()
    assert found["noise"]["matrix"] == pytest.approx(np.array([[0.9, 0.1], [0.1, 0.9]]))
    for one in found["classifiers"]:
        assert one["under_noise"] == pytest.approx(0.1 + 0.8 * one["true_error"])
    assert found["noise"]["bayes_error"] == pytest.approx(0.1 + 0.8 * 0.3)
    assert table_result(read).to_dict()["noise"] is None


def test_naive_bayes_stands_beside(read):
    found = table_result(read, naive_bayes=True).to_dict()
    assert "naive Bayes" in {one["name"] for one in found["classifiers"]}
    assert found["points"][0]["naive_x_given_class"] == pytest.approx([40 / 60, 10 / 40])  # one attribute: the same
