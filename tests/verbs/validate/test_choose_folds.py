from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.errors import DataError, UsageError
from heldout.report import FORMATS, rendered
from heldout.report.schema import schema


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return np.column_stack([rng.normal(1.2 * y), rng.normal(size=n)]), y


def test_each_number_of_folds_is_repeated_cross_validation():
    X, y = rows()
    found = heldout.choose_folds(GaussianNB(), X, y, folds=[2, 5], repeats=4, metrics="accuracy")
    assert (found.metric, found.folds, found.repeats) == ("accuracy", (2, 5), 4)
    two, five = found.learners["GaussianNB"]
    for point in (two, five):
        cv = RepeatedStratifiedKFold(n_splits=point.folds, n_repeats=4, random_state=0)
        runs = cross_val_score(GaussianNB(), X, y, cv=cv).reshape(4, point.folds).mean(axis=1)
        assert point.estimate.value == pytest.approx(runs.mean())
        assert point.deviation == pytest.approx(runs.std(ddof=1))
        assert found.values["GaussianNB"][point.folds] == pytest.approx(runs)
    assert (two.training_rows, five.training_rows, two.fits, five.fits) == (60, 96, 2, 5)
    assert two.bias == pytest.approx(two.estimate.value - five.estimate.value)
    assert two.bias_error == pytest.approx(np.hypot(two.deviation, five.deviation) / 2)
    assert (five.bias, five.bias_error) == (0, 0)
    assert two.estimate.units == 120


def test_as_many_folds_as_the_rows_allow():
    X, y = rows(60)
    y = np.where(np.arange(60) < 7, 1, 0)
    found = heldout.choose_folds(GaussianNB(), X, y, repeats=2, metrics="accuracy")
    assert found.folds == (2, 3, 5)


def test_the_suggestion_is_the_fewest_whose_bias_is_small():
    X, y = rows(200)
    found = heldout.choose_folds(KNeighborsClassifier(1), X, y, folds=[2, 5, 10], repeats=3, metrics="accuracy")
    points = found.learners["KNeighborsClassifier"]
    fine = [abs(point.bias) <= point.deviation / 2 for point in points]
    expected = next(point.folds for at, point in enumerate(points) if all(fine[at:]))
    assert found.suggested == {"KNeighborsClassifier": expected}


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        (
            {"repeats": 1},
            UsageError,
            "repeats is 1, and how much cross-validation varies needs 2 at least\n  Fix: leave it out for 10",
        ),
        (
            {"folds": []},
            UsageError,
            "there is no number of folds to try\n  Fix: give numbers such as 2, 5 and 10",
        ),
    ],
)
def test_what_is_refused(options, kind, said):
    X, y = rows()
    with pytest.raises(kind) as caught:
        heldout.choose_folds(GaussianNB(), X, y, **options)
    assert str(caught.value) == said


def test_random_folds_have_no_order_of_time():
    with pytest.raises(TypeError, match="unexpected keyword argument 'time'"):
        heldout.choose_folds(GaussianNB(), *rows(), time=np.arange(120))


def test_more_folds_than_rows_are_refused_where_they_were_asked_for():
    X, y = rows(20)
    with pytest.raises(DataError, match="H311"):
        heldout.choose_folds(GaussianNB(), X, y, folds=[30], repeats=2)


def test_every_form():
    X, y = rows()
    found = heldout.choose_folds(GaussianNB(), X, y, folds=[2, 5], repeats=3, metrics="accuracy")
    d = found.to_dict()
    Draft202012Validator(schema("heldout.folds-choice/1")).validate(d)
    for form in FORMATS:
        assert rendered(d, form)
    text = " ".join(str(found).split())
    assert text.startswith("120 rows, 1 learner; each cross-validation repeated 3 times with other folds task: binary")
    assert "the deviation is between divisions of the same rows into folds; other rows would vary more" in text
    assert f"suggested: {found.suggested['GaussianNB']} folds, the fewest whose bias against 5" in text
    assert list(found.to_frame()["folds"]) == [2, 5]
