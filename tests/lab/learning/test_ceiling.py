from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from heldout import lab
from heldout.errors import DataError, UsageError
from heldout.intervals.shares import clopper_pearson
from heldout.lab.learning.ceiling import cover_hart
from heldout.report.schema import schema

RNG = np.random.default_rng(0)
CELLS = RNG.integers(0, 4, (800, 1))
NOISY = (RNG.random(800) < np.where(CELLS[:, 0] < 2, 0.1, 0.7)).astype(int)  # the Bayes error is about .2


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_the_lower_bound_inverts_the_inequality(classes):
    most = (classes - 1) / classes
    for best in np.linspace(0, most, 9):
        assert cover_hart(best * (2 - best / most), classes) == pytest.approx(best, abs=1e-7)
    assert cover_hart(0.0, classes) == 0
    assert cover_hart(1.0, classes) == pytest.approx(most)


def test_the_upper_bound_is_an_exact_interval_of_rows_not_seen():
    X, y = lab.gaussian(distance=2).sample(300, np.random.default_rng(1))
    found = lab.ceiling(X, y, test_size=0.4)
    assert (found.rows, found.train, found.test) == (300, 180, 120)
    wrong, of = found.upper.count
    assert (found.upper.low, found.upper.high) == clopper_pearson(wrong, of, 0.95)
    assert found.lower.low == cover_hart(found.nearest.low, 2)


def test_rows_not_seen_are_not_seen():
    # labels have nothing to do with features: whoever looked at the labels would do better than a coin
    rng = np.random.default_rng(2)
    found = lab.ceiling(rng.standard_normal((2000, 3)), rng.integers(0, 2, 2000))
    assert found.upper.low < 0.5 < found.upper.high
    assert found.nearest.low < 0.5 < found.nearest.high


def test_more_neighbours_vote_where_labels_are_noisy():
    X, y = lab.gaussian(distance=1).sample(1000, np.random.default_rng(3))
    found = lab.ceiling(X, y)
    assert found.neighbours > 1
    assert found.upper.value < found.nearest.value


def test_the_unit_of_a_feature_does_not_matter():
    X, y = lab.gaussian(distance=2).sample(200, np.random.default_rng(4))
    assert lab.ceiling(X, y).to_dict() == lab.ceiling(X * [1024.0, 0.25], y).to_dict()


def test_repeats_bound_the_noise_in_the_labels():
    found = lab.ceiling(CELLS, NOISY).repeats
    assert (found.points, found.rows) == (4, 800)
    by_cell = [np.bincount(NOISY[CELLS[:, 0] == cell]) for cell in range(4)]
    assert found.lost == sum(int(counts.min()) for counts in by_cell)
    pairs = sum(int(counts.sum()) // 2 for counts in by_cell)
    assert found.floor.units == pairs
    assert found.floor.low < 0.2


def test_pairs_do_not_depend_on_the_order_of_rows():
    # rows sorted by label: neighbours in the file would always agree
    order = np.lexsort((NOISY, CELLS[:, 0]))
    apart = lab.ceiling(CELLS[order], NOISY[order]).repeats.floor
    assert apart.low > 0.08


def test_without_repeats_there_is_no_floor():
    X, y = lab.gaussian(distance=2).sample(50, np.random.default_rng(5))
    assert lab.ceiling(X, y).repeats is None


def test_rows_that_agree_have_no_floor():
    found = lab.ceiling(CELLS, (CELLS[:, 0] > 1).astype(int))
    assert (found.repeats.lost, found.repeats.floor.value, found.repeats.floor.low) == (0, 0, 0)
    assert "Where rows repeat, label noise is not significant.\n" in str(found)


def test_many_dimensions_are_flagged():
    few, many = (
        lab.ceiling(*lab.gaussian(distance=2, dimensions=d).sample(100, np.random.default_rng(6))) for d in (5, 6)
    )
    assert few.to_dict()["lower"]["trustworthy"] is True
    assert many.to_dict()["lower"]["trustworthy"] is False
    asymptotic = "the lower bound is asymptotic: with few rows the nearest neighbour is far, and it can lie too high"
    assert few.notes == (asymptotic,)
    assert many.notes == ("6 dimensions are more than 5: do not rely on the lower bound", asymptotic)
    assert "(asymptotic, not reliable in so many\n        dimensions).\n" in str(many)


def test_results_are_valid():
    validator = Draft202012Validator(schema("heldout.ceiling/1"))
    X, y = lab.gaussian(distance=2, dimensions=7, classes=3).sample(60, np.random.default_rng(7))
    for found in (lab.ceiling(CELLS, NOISY), lab.ceiling(X, y)):
        validator.validate(found.to_dict())


def test_what_is_printed():
    X = np.repeat(np.arange(20.0), 3)[:, None]
    y = (X[:, 0] > 9).astype(int)
    y[::15] = 1 - y[::15]
    found = lab.ceiling(X, y, random_state=1)
    wrong = int(found.upper.count[0])
    lines = str(found).splitlines()
    assert lines[:4] == [
        "60 rows, 2 classes, 1 dimension   95% confidence",
        "",
        "bound  value  95% CI",
        f"upper  {found.upper!r}".replace(" [", "  ["),
    ]
    assert lines[6].startswith(
        f"sources: vote of {found.neighbours} neighbours, {wrong} wrong of 30 unseen rows (upper)"
    )
    assert f"BOUNDS  The Bayes error is at most {found.upper.high:.3f}." in lines


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (
            DataError,
            {"X": CELLS[:10], "y": NOISY[:10]},
            "[H310] 10 rows with 5 of them for testing bound nothing\n  Fix: collect 20 or more",
        ),
        (
            DataError,
            {"X": CELLS, "y": NOISY, "test_size": 0.9999},
            (
                "[H310] 800 rows with 800 of them for testing bound nothing\n"
                "  Fix: give a test_size between 0 and 1, such as 0.5"
            ),
        ),
        (
            UsageError,
            {"X": CELLS, "y": NOISY, "test_size": float("nan")},
            "test_size is nan, but must lie between 0 and 1\n  Fix: for a half write 0.5",
        ),
        (
            UsageError,
            {"X": CELLS, "y": NOISY, "confidence_level": 95},
            "confidence_level is 95, but must lie between 0 and 1\n  Fix: for 95% write 0.95",
        ),
    ],
)
def test_messages(kind, given, message):
    with pytest.raises(kind) as caught:
        lab.ceiling(given.pop("X"), given.pop("y"), **given)
    assert str(caught.value) == message


def test_features_whose_squares_overflow_are_named():
    """The search for neighbours found none, which ended in a traceback."""
    X = np.array([[float(at % 7), float(at)] for at in range(40)])
    X[[3, 4], 1] = 1e308, -1e308
    with pytest.raises(DataError) as caught:
        lab.ceiling(X, np.arange(40) % 2)
    assert str(caught.value).splitlines()[0].endswith("is 1e+308 in row 4, and squares of distances overflow")
