"""Many fits: kept as they are made, taken up again, the same side by side as one after the other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import heldout
from heldout.errors import DataError, UsageError
from heldout.learners import Effort, dataset, designed, learners_named, worked
from heldout.learners.parallel_fits import TIMINGS
from heldout.store import open_store

RNG = np.random.default_rng(6)
X = RNG.normal(size=(40, 3))
Y = np.where(X[:, 0] + RNG.normal(size=40) > 0, "yes", "no")
DATA = dataset(X, Y)
SPLITS = designed(5, DATA, random_state=0, several=False).splits
FITS = []
"""The training rows of every fit that was really made."""


class Counted(GaussianNB):
    def fit(self, X, y):
        FITS.append(len(X))
        return super().fit(X, y)


class Fails(ClassifierMixin, BaseEstimator):
    """Fails on the third fit, until it is mended."""

    def __init__(self, mended=False):
        self.mended = mended

    def fit(self, X, y):
        FITS.append(len(X))
        if len(FITS) == 3 and not self.mended:
            raise RuntimeError("the third time is not lucky")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.fixture(autouse=True)
def fits():
    FITS.clear()


@pytest.fixture
def store(tmp_path):
    return open_store(tmp_path / "run")


def alike(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.prediction, b.prediction)
        assert (a.score is None) == (b.score is None)
        if a.score is not None:
            np.testing.assert_array_equal(a.score, b.score)
        assert a.probabilities == b.probabilities


def test_a_finished_run_is_taken_up_without_a_fit(store):
    plain = worked({"nb": Counted()}, DATA, SPLITS, Effort(), all_rows=True)
    first = worked({"nb": Counted()}, DATA, SPLITS, Effort(store=store), all_rows=True)
    assert FITS == [32, 32, 32, 32, 32, 40] * 2
    again = worked({"nb": Counted()}, DATA, SPLITS, Effort(store=store), all_rows=True)
    assert len(FITS) == 12
    alike(plain["nb"], first["nb"])
    alike(first["nb"], again["nb"])


@pytest.mark.parametrize(
    ("y", "learner"),
    [
        (X[:, 0] + 0.1, LinearRegression()),
        (X[:, :2] + 0.1, LinearRegression()),
        (np.array(["a", "b", "c", "d"] * 10), GaussianNB()),
        (Y == "yes", GaussianNB()),
        (np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 10), RandomForestClassifier(2)),
    ],
    ids=["numbers", "two targets", "four classes", "booleans", "two labels"],
)
def test_what_comes_back_from_the_store_is_what_was_said(store, y, learner):
    data = dataset(X, y)
    splits = designed(4, data, random_state=0, several=False).splits
    kept = worked({"it": learner}, data, splits, Effort(store=store))
    alike(worked({"it": learner}, data, splits, Effort())["it"], kept["it"])
    alike(kept["it"], worked({"it": learner}, data, splits, Effort(store=store))["it"])


def test_other_work_is_not_mistaken_for_it(store):
    def made(learner=None, data=DATA, splits=SPLITS, **options):
        before = len(FITS)
        worked({"nb": learner or Counted()}, data, splits, Effort(store=store, **options))
        return len(FITS) - before

    assert made() == 5
    assert made(splits=SPLITS[:3]) == 0
    assert made(Counted(var_smoothing=1e-8)) == 5
    assert made(data=dataset(X + 1e-9, Y)) == 5
    assert made(data=dataset(X, np.where(Y == "yes", "no", "yes"))) == 5
    assert made(data=dataset(X, Y, pos_label="no")) == 5  # scores are of the other class
    assert made(splits=designed(5, DATA, random_state=1, several=False).splits) == 5
    assert made(scores=False) == 5
    assert made(random_state=1) == 0  # this learner draws nothing


def test_scores_of_another_positive_class_are_not_taken_from_the_store(store):
    for positive in ("yes", "no"):
        data = dataset(X, Y, pos_label=positive)
        alike(
            worked({"nb": GaussianNB()}, data, SPLITS, Effort())["nb"],
            worked({"nb": GaussianNB()}, data, SPLITS, Effort(store=store))["nb"],
        )


def test_a_learner_with_a_seed_of_ours_is_other_work_under_another_seed(store):
    forest = {"forest": RandomForestClassifier(2)}
    one = worked(forest, DATA, SPLITS[:2], Effort(store=store))["forest"]
    other = worked(forest, DATA, SPLITS[:2], Effort(store=store, random_state=1))["forest"]
    assert not all(np.array_equal(a.score, b.score) for a, b in zip(one, other, strict=True))


def test_folds_before_a_failure_are_kept_and_a_mended_learner_does_not_take_them(store):
    effort = Effort(store=store)
    with pytest.raises(DataError) as caught:
        worked({"mine": Fails()}, DATA, SPLITS, effort)
    assert str(caught.value) == (
        "[H313] mine raised RuntimeError in split 3 of 5: the third time is not lucky\n"
        "  Fix: correct the learner or the data; finished fits of a run are kept"
    )
    assert len(list((store.path / "pieces").glob("*.parquet"))) == 2
    FITS.clear()
    worked({"mine": Fails(mended=True)}, DATA, SPLITS, effort)
    assert len(FITS) == 5
    FITS[:] = [0] * 9
    worked({"mine": Fails()}, DATA, SPLITS, effort)
    assert len(FITS) == 9 + 3  # of the first learner, two were kept


def test_a_class_that_was_written_anew_is_another_learner(tmp_path, store):
    text = (
        "import numpy as np\nclass Own:\n    def fit(self, X, y):\n        self.said_ = y[0]\n        return self\n"
        "    def predict(self, X):\n        return np.full(len(X), 'yes')\n"
    )
    for at, body in enumerate((text, text.replace("'yes'", "'no'"), text)):
        file = tmp_path / f"{at}" / "written_anew.py"
        file.parent.mkdir()
        file.write_text(body, encoding="utf-8")
        found = worked(learners_named(f"{file}:Own"), DATA, SPLITS, Effort(store=store))["Own"]
        assert {DATA.batch.labels[code] for code in found[0].prediction} == {("yes", "no", "yes")[at]}


def test_a_damaged_file_is_made_anew_and_told(store):
    worked({"nb": Counted()}, DATA, SPLITS, Effort(store=store))
    (file,) = (store.path / "pieces").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-5])
    effort = Effort(store=store)
    FITS.clear()
    worked({"nb": Counted()}, DATA, SPLITS, effort)
    assert len(FITS) == 5
    assert [(one.code, one.text) for one in effort.noticed()] == [
        ("H316", f"{file} is damaged: it is not what was written; its pieces are computed again")
    ]


def test_progress_is_told_of_fits_that_are_made(store):
    told = []
    effort = Effort(store=store, progress=lambda *counts: told.append(counts))
    worked({"nb": GaussianNB()}, DATA, SPLITS[:3], effort)
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    worked({"nb": GaussianNB()}, DATA, SPLITS, effort)
    assert told == [(4, 5), (5, 5)]


def test_seconds_are_in_a_file_of_their_own(store):
    worked({"nb": GaussianNB()}, DATA, SPLITS, Effort(store=store), all_rows=True)
    lines = [json.loads(line) for line in (store.path / TIMINGS).read_text(encoding="utf-8").splitlines()]
    assert [(one["learner"], one["split"]) for one in lines] == [("nb", at) for at in (1, 2, 3, 4, 5, 0)]
    assert all(0 < one["fit"] < 5 for one in lines)


@pytest.mark.parametrize("n_jobs", [0, "two", 1.5, True])
def test_a_number_of_jobs_that_is_none(n_jobs):
    with pytest.raises(UsageError) as caught:
        worked({"nb": GaussianNB()}, DATA, SPLITS, replace(Effort(), n_jobs=n_jobs))
    assert str(caught.value) == (
        f"n_jobs is {n_jobs!r}, but must be a whole number other than 0\n"
        "  Fix: give how many fits run at once; -1 is one per core"
    )


@pytest.mark.slow
def test_side_by_side_is_the_same_as_one_after_the_other(tmp_path):
    learners = {"nb": GaussianNB(), "forest": RandomForestClassifier(3)}
    one = worked(learners, DATA, SPLITS, Effort(n_jobs=1), all_rows=True)
    kept = open_store(tmp_path / "two")
    two = worked(learners, DATA, SPLITS, Effort(n_jobs=2, store=kept), all_rows=True)
    for name in learners:
        alike(one[name], two[name])
    alone = open_store(tmp_path / "one")
    worked(learners, DATA, SPLITS, Effort(n_jobs=1, store=alone), all_rows=True)
    both = [{path.name: path.read_bytes() for path in (one.path / "pieces").iterdir()} for one in (alone, kept)]
    assert both[0] == both[1]


@pytest.mark.slow
def test_a_failure_beside_other_fits_is_one_sentence():
    with pytest.raises(DataError) as caught:
        worked({"svm": SVC(C=-1.0)}, DATA, SPLITS[:1] * 2, Effort(n_jobs=2))
    assert str(caught.value).startswith("[H313] svm raised InvalidParameterError in split ")


MODELS = """
import time
import numpy as np


class Slow:
    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.most_ = np.bincount(y).argmax()
        return self

    def predict(self, X):
        return np.full(len(X), self.most_)


thing = Slow()
slow = Slow(0.05)
"""
RUN = """
import sys
import numpy as np
import heldout


def told(done, of):
    print(done, of, flush=True)


def main(learner, jobs, folder):
    from joblib import Parallel, delayed

    Parallel(n_jobs=2)(delayed(abs)(one) for one in range(2))  # workers that began before the file was known
    X = np.random.default_rng(0).normal(size=(60, 2))
    found = heldout.validate(learner, X, [0, 1, 1] * 20, cv="4x5", n_jobs=int(jobs), run=folder or None, progress=told)
    print("value", found["accuracy"], flush=True)


main(*sys.argv[1:])
"""


def started(tmp_path, learner, jobs, folder=""):
    (tmp_path / "own").mkdir(exist_ok=True)
    (tmp_path / "own" / "models.py").write_text(MODELS, encoding="utf-8")
    command = [sys.executable, "-c", RUN, f"own/models.py:{learner}", str(jobs), str(folder)]
    return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process):
    out, problem = process.communicate(timeout=60)
    assert process.returncode == 0, problem
    return out.splitlines()


@pytest.mark.slow
def test_a_learner_from_a_file_in_other_processes(tmp_path):
    assert ended(started(tmp_path, "thing", 2))[-1] == "value 0.667 [nan, nan]"  # all folds alike


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGINT")
def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    process = started(tmp_path, "slow", 2, tmp_path / "run")
    for _ in range(4):
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    kept = len(list((tmp_path / "run" / "pieces").glob("*.parquet")))
    assert 4 <= kept < 21
    *lines, _ = ended(started(tmp_path, "slow", 2, tmp_path / "run"))
    assert lines[0] == f"{kept + 1} 21"
    assert lines[-1] == "21 21"
    X = np.random.default_rng(0).normal(size=(60, 2))
    heldout.validate(f"{tmp_path}/own/models.py:slow", X, [0, 1, 1] * 20, cv="4x5", run=tmp_path / "calm")
    both = [{path.name: path.read_bytes() for path in (tmp_path / one / "pieces").iterdir()} for one in ("run", "calm")]
    assert both[0] == both[1]


class Warns(GaussianNB):
    """Warns in every fit but those to many rows."""

    def fit(self, X, y):
        import warnings

        if len(X) < 40:
            warnings.warn("did not converge.\nIncrease the number of iterations.", UserWarning, stacklevel=2)
        return super().fit(X, y)


TOLD = "warns warned in 5 of 6 fits: UserWarning: did not converge"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_learners_warn_of_is_counted_and_resumed(tmp_path, n_jobs):
    import warnings

    for _ in range(2):  # the second time from the folder
        effort = Effort(n_jobs=n_jobs, store=open_store(tmp_path), random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is not shown is counted all the same
            worked({"plain": GaussianNB(), "warns": Warns()}, DATA, SPLITS, effort, all_rows=True)
        assert [(check.code, check.text) for check in effort.noticed()] == [("H321", TOLD)]


def test_warnings_are_still_shown_and_may_be_errors():
    with pytest.warns(UserWarning, match="did not converge"):
        worked({"warns": Warns()}, DATA, SPLITS, Effort(random_state=0))
    with pytest.MonkeyPatch.context() as patch:
        import warnings

        patch.setattr(warnings, "filters", [("error", None, UserWarning, None, 0), *warnings.filters])
        with pytest.raises(DataError, match="warns raised UserWarning in split 1 of 5: did not converge"):
            worked({"warns": Warns()}, DATA, SPLITS, Effort(random_state=0))


def test_of_many_learners_that_warn_three_are_named():
    effort = Effort(random_state=0)
    with pytest.warns(UserWarning, match="did not converge"):
        worked({name: Warns() for name in "abcde"}, DATA, SPLITS, effort)
    assert effort.noticed()[0].text == "a, b, c and 2 more warned in 25 of 25 fits: UserWarning: did not converge"
