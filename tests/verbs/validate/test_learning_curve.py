from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.cli import verbs
from heldout.errors import DataError, UsageError
from heldout.intervals.over_splits import corrected_t
from heldout.report import FORMATS, rendered
from heldout.report.schema import schema


class Recorder:
    """Predicts the commonest class, and remembers what it was fitted to."""

    seen: ClassVar[list[np.ndarray]] = []

    def fit(self, X, y):
        Recorder.seen.append(np.asarray(X)[:, 0].astype(int))
        self.most = np.bincount(y).argmax()

    def predict(self, X):
        return np.full(len(X), self.most)


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return np.column_stack([rng.normal(1.2 * y), rng.normal(size=n)]), y


def test_points_are_the_corrected_t_over_the_splits():
    X, y = rows()
    found = heldout.learning_curve(GaussianNB(), X, y, train_sizes=[0.25, 1.0], repeats=10, metrics="accuracy")
    assert found.sizes == (27, 108)
    assert (found.test_rows, found.repeats, found.rows, found.task) == (12, 10, 120, "binary")
    values = found.values["GaussianNB"]["accuracy"]
    assert values.shape == (2, 10)
    for point, line in zip(found.points(), values, strict=True):
        expected = corrected_t(line, 0.95, ratio=12 / 108)
        assert point.estimate.value == pytest.approx(expected.value)
        assert (point.estimate.low, point.estimate.high) == pytest.approx((expected.low, min(expected.high, 1)))
        assert point.estimate.method == "corrected t"
    assert [point.estimate.target for point in found.points()] == [
        "this learner, trained on 27 rows",
        "this learner, trained on 108 rows",
    ]
    gain = found.points()[1].gain
    expected = corrected_t(values[1] - values[0], 0.95, ratio=12 / 108)
    assert (gain.value, gain.low, gain.high) == pytest.approx((expected.value, expected.low, expected.high))
    assert gain.target == "108 training rows less 27"
    assert found.points()[0].gain is None


def test_a_loss_may_gain_less_than_nothing():
    X, y = rows()
    found = heldout.learning_curve(
        KNeighborsClassifier(1), X, y, train_sizes=[0.2, 1.0], repeats=8, metrics="error_rate"
    )
    gain = found.points()[1].gain
    assert gain.low < 0


def test_training_parts_are_nested_and_never_tested():
    Recorder.seen = []
    X = np.column_stack([np.arange(60), np.zeros(60)])
    y = np.arange(60) % 2
    heldout.learning_curve(Recorder(), X, y, train_sizes=[0.5, 1.0], repeats=4, metrics="accuracy")
    small, large = Recorder.seen[:4], Recorder.seen[4:8]
    assert [len(part) for part in small] == [27] * 4
    assert [len(part) for part in large] == [54] * 4
    assert all(set(few) < set(all_) for few, all_ in zip(small, large, strict=True))
    assert all(abs(np.sum(part % 2) - len(part) / 2) <= 1 for part in small)


def test_training_value_is_on_the_training_rows():
    X, y = rows()
    found = heldout.learning_curve(KNeighborsClassifier(1), X, y, train_sizes=[0.5, 1.0], repeats=4, metrics="accuracy")
    assert [point.training for point in found.points()] == [1.0, 1.0]
    assert found.points()[-1].estimate.value < 0.9


def test_groups_stay_whole():
    Recorder.seen = []
    X = np.column_stack([np.arange(90), np.zeros(90)])
    groups = np.arange(90) // 3
    found = heldout.learning_curve(Recorder(), X, np.arange(90) % 2, groups=groups, repeats=3, metrics="accuracy")
    assert found.units == 30
    for part in Recorder.seen:
        assert set(np.bincount(groups[part], minlength=30).tolist()) <= {0, 3}


def test_sizes_that_end_at_the_same_group_are_one():
    found = heldout.learning_curve(GaussianNB(), *rows(90), groups=np.arange(90) // 30, repeats=3, metrics="accuracy")
    assert found.sizes == (30, 60)


def test_a_run_is_resumed_and_jobs_change_nothing(tmp_path):
    X, y = rows()
    done: list[int] = []
    given = {"repeats": 3, "train_sizes": [0.5, 1.0], "progress": lambda at, of: done.append(at)}
    once = heldout.learning_curve(GaussianNB(), X, y, run=tmp_path / "run", **given)
    assert done == [1, 2, 3, 4, 5, 6]
    again = heldout.learning_curve(GaussianNB(), X, y, run=tmp_path / "run", **given)
    assert len(done) == 6
    assert once.to_dict() == again.to_dict() == heldout.learning_curve(GaussianNB(), X, y, **given).to_dict()


def test_regression_and_several_learners():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + rng.normal(size=80)
    found = heldout.learning_curve({"ols": LinearRegression()}, X, y, train_sizes=[0.3, 1.0], repeats=5)
    assert list(found.learners["ols"]) == ["mae", "rmse", "r2"]
    assert found.primary == "mae"
    assert found.points("rmse", "ols")[0].rows == 22


def test_the_same_seed_gives_the_same_curve():
    X, y = rows()
    one, two, other = (
        heldout.learning_curve(GaussianNB(), X, y, train_sizes=[0.2], repeats=3, random_state=seed)
        for seed in (1, 1, 2)
    )
    assert one.to_dict() == two.to_dict()
    assert one.to_dict() != other.to_dict()


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        (
            {"test_size": 1.5},
            UsageError,
            "test_size is 1.5, but must lie between 0 and 1\n  Fix: for a tenth write 0.1",
        ),
        (
            {"repeats": 1},
            UsageError,
            "repeats is 1, and how much values vary needs 2 at least\n  Fix: leave it out for 25",
        ),
        (
            {"train_sizes": [200]},
            DataError,
            (
                "[H311] 200 training rows were asked for, and a training part has 108\n"
                "  Fix: give a smaller number, or shares up to 1.0"
            ),
        ),
    ],
)
def test_what_is_refused(options, kind, said):
    X, y = rows()
    with pytest.raises(kind) as caught:
        heldout.learning_curve(GaussianNB(), X, y, **options)
    assert str(caught.value) == said


def test_random_splits_have_no_order_of_time(tmp_path):
    X, y = rows()
    with pytest.raises(TypeError, match="unexpected keyword argument 'time'"):
        heldout.learning_curve(GaussianNB(), X, y, time=np.arange(120))
    path = tmp_path / "rows.csv"
    path.write_text("x,day,y\n" + "".join(f"{x},{at},{at % 2}\n" for at, x in enumerate(X[:, 0])), encoding="utf-8")
    for mode in ("--learning-curve", "--choose-folds"):
        words = ["validate", "sklearn.naive_bayes:GaussianNB", "--data", str(path), "--target", "y", "--time", "day"]
        refused = CliRunner().invoke(verbs, [*words, mode])
        assert (refused.exit_code, refused.stderr) == (
            2,
            f"error: --time has no effect with {mode}: it makes its own splits\n  Fix: leave out --time\n",
        )


def test_the_card_is_that_of_the_same_splits():
    X, y = rows(100)
    found = heldout.learning_curve(GaussianNB(), X, y, train_sizes=[1.0], metrics="accuracy")
    assert {(card.splits, card.method) for card in found.cards} == {("shuffle:25x0.1", "corrected_t")}
    assert (
        "simulated coverage of corrected t: 95.0% ± 1.0 with stable learners, 89.2% ± 1.4 with unstable learners, "
        "at n = 100 with a signal to learn (nominal 95%), at full size"
    ) in " ".join(str(found).split())
    assert heldout.learning_curve(GaussianNB(), X, y, train_sizes=[1.0], repeats=5, metrics="accuracy").cards == ()


def test_too_few_rows():
    with pytest.raises(DataError) as caught:
        heldout.learning_curve(GaussianNB(), *rows(8))
    assert str(caught.value) == (
        "[H311] 8 rows are too few for a learning curve with test_size=0.1: the 8 rows cannot be split "
        "(cv='shuffle:25x0.1'): The test_size = 1 should be greater or equal to the number of classes = 2\n"
        "  Fix: give more rows, or a larger test_size"
    )


def test_names_that_are_unknown():
    X, y = rows()
    found = heldout.learning_curve(DummyClassifier(), X, y, train_sizes=[0.5], repeats=2, metrics="accuracy")
    with pytest.raises(UsageError, match=r"^no learner is named 'Dumy'"):
        found.points(model="Dumy")
    with pytest.raises(UsageError, match=r"^no curve is of 'f1'"):
        found.points("f1")


def test_every_form():
    X, y = rows()
    found = heldout.learning_curve([GaussianNB(), DummyClassifier()], X, y, train_sizes=[0.3, 1.0], repeats=4)
    d = found.to_dict()
    Draft202012Validator(schema("heldout.learning-curve/1")).validate(d)
    for form in FORMATS:
        assert rendered(d, form)
    assert str(found).startswith(
        "120 rows, 2 learners; 4 random splits, 12 test rows each; training sets are\n  nested\ntask: binary\n"
    )
    assert "from 32 to 108 training rows accuracy changes by" in str(found)
    columns = "model,metric,rows,value,low,high,level,method,units,better,notes,training"
    assert rendered(d, "csv").splitlines()[0] == columns
    frame = found.to_frame()
    assert list(frame["rows"][:2]) == [32, 108]
    assert len(frame) == 2 * 4 * 2
