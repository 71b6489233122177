"""What test rows share with training data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from heldout.errors import DataError
from heldout.inputs import shared_rows

FEATURES = {"age": [30, 41, 52, 63], "bmi": ["20.5", "21.5", "30", "25"], "y": [0, 1, 0, 1]}


def texts(checks):
    return [f"{check.code} {check.text}" for check in checks]


def test_nothing_shared():
    assert shared_rows({"id": [1, 2], "y": [0, 1]}, {"id": [3, 4], "y": [0, 1]}) == ()
    assert shared_rows({"date": [3, 4], "y": [0, 1]}, {"date": [1, 2], "y": [0, 1]}) == ()


def test_nothing_that_could_be_compared():
    with pytest.raises(DataError) as problem:
        shared_rows({"y": [0, 1], "p": [0.1, 0.2]}, {"y": [0, 1], "p": [0.1, 0.2]})
    assert str(problem.value) == (
        "[H106] the dict and the dict share no id, group, time or feature columns, so the two cannot be compared\n"
        "  Fix: name a column of both with id= or groups=, export the features with the predictions, "
        "or leave out train="
    )


def test_ids():
    found = shared_rows({"id": ["1", "2", "3"], "y": [0, 1, 1]}, {"id": [2, 3, 9], "y": [0, 1, 1]})
    assert texts(found) == ["H201 2 of 3 test ids are also in the dict: '2', '3'"]
    found = shared_rows({"row": [1, 2]}, {"row": [2, 5]}, id="row")
    assert texts(found) == ["H201 1 of 2 test ids is also in the dict: 2"]


def test_rows_that_were_copied(file):
    train = file("train.csv", "bmi,age,y,site\n" + "".join(f"{20 + i / 10},{i},1,a\n" for i in range(50)))
    test = {"age": [7, 7, 70], "bmi": [20.7, 20.8, 20.7], "y": [1, 1, 1], "site": ["a", "a", "a"]}
    assert texts(shared_rows(test, train)) == [
        "H201 1 of 3 test rows is also in train.csv: row 1, equal in age, bmi, site"
    ]
    assert texts(shared_rows(test, train, ignore=["bmi"])) == [
        "H201 2 of 3 test rows are also in train.csv: rows 1, 2, equal in age, site"
    ]


def test_a_test_set_that_is_in_the_training_data_as_a_whole_is_refused(file, said):
    train = file("train.csv", "id,bmi,age,y,p\n" + "".join(f"{i},{20 + i / 10},{i},{i % 2},0.5\n" for i in range(50)))
    assert said(shared_rows, train, train) == (
        "[H201] all 50 test rows are also in train.csv, equal in bmi, age\n"
        "  Fix: evaluate on rows that the model was not fitted on, or pass allow_overlap=True"
    )
    part = {"id": [7, 8], "y": [1, 0], "p": [0.5, 0.5]}
    assert said(shared_rows, part, train).startswith(
        "[H201] all 2 test rows are also in train.csv, equal in id, y, p\n"
    )
    assert texts(shared_rows(part, train, allow_overlap=True)) == ["H201 2 of 2 test ids are also in train.csv: 7, 8"]
    counted = {**part, "y": [0, 1]}  # ids that only number the rows of each file
    assert texts(shared_rows(counted, train)) == ["H201 2 of 2 test ids are also in train.csv: 7, 8"]


def test_columns_that_do_not_tell_rows_apart():
    frame = pd.DataFrame({"site": ["a", "b"] * 20, "sex": ["f", "m"] * 20})
    assert texts(shared_rows(frame, frame)) == [
        "H201 site, sex do not identify the rows of the frame, so duplicated rows are not checked"
    ]


def test_groups(said):
    test, train = {"group": ["g1", "g3"], "y": [0, 1]}, {"group": ["g1", "g2"], "y": [0, 1]}
    assert said(shared_rows, test, train) == (
        "[H202] group is on both sides: 1 of 2 in the test rows ('g1') also in the dict\n"
        "  Fix: split so that no group is on both sides, or pass allow_overlap=True"
    )
    assert [check.code for check in shared_rows(test, train, allow_overlap=True)] == ["H202"]
    assert shared_rows(test, {"group": ["g2"], "y": [0]}) == ()
    assert said(shared_rows, {"patient": [1, 2]}, {"patient": [2, 2]}, group="patient").startswith(
        "[H202] patient is on both sides: 1 of 2 in the test rows (2) also in the dict"
    )


def test_time(said):
    test = {"time": ["2020-06-01", "2020-08-01"], "y": [0, 1]}
    assert said(shared_rows, test, {"time": ["2020-01-01", "2020-07-01"], "y": [0, 1]}) == (
        "[H203] the dict has a row at '2020-07-01', later than 1 of 2 test rows (row 1, from '2020-06-01' on)\n"
        "  Fix: train on what came before the test rows, or pass allow_overlap=True"
    )
    assert shared_rows(test, {"time": ["2020-01-01"], "y": [0]}) == ()
    assert shared_rows({"date": [5, 6]}, {"date": [1, 5]}) == ()
    assert said(shared_rows, {"date": [5, 6]}, {"date": [1, 7]}).startswith(
        "[H203] the dict has a row at 7, later than 2 of 2"
    )
    moments = {"timestamp": np.array(["2020-01-01", "2020-03-01"], "datetime64[s]")}
    frames = pd.DataFrame(moments), pd.DataFrame(moments)
    assert said(shared_rows, *frames).startswith("[H203] the frame has a row at '2020-03-01 00:00:00")


def test_time_that_cannot_be_ordered():
    found = shared_rows({"time": ["noon", "dawn"]}, {"time": ["dusk", "noon"]}, allow_overlap=True)
    assert texts(found) == ["H203 time is not written as dates or numbers, so it was not compared"]
