"""Fits on engines are the fits of one machine, and those lost with a worker are made again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import DataError
from tests.engines.alike import alike
from tests.engines.clusters.test_faults import killed
from tests.engines.works import FailingLearner, HeldLearner

rng = np.random.default_rng(0)


def rows(n=200):
    X = np.random.default_rng(3).normal(size=(n, 4))
    return X, (X[:, 0] + np.random.default_rng(4).normal(size=n) > 0).astype(int)


def plain(found):
    return {name: value for name, value in found.to_dict().items() if "seconds" not in name}


def test_validate_gives_the_same_numbers(cluster):
    X, y = rows()
    models = {"nb": GaussianNB(), "lr": LogisticRegression()}
    here = heldout.validate(models, X, y, cv=5)
    alike(plain(heldout.validate(models, X, y, cv=5, **cluster)), plain(here))


def test_select_gives_the_same_numbers(cluster):
    X, y = rows()
    models = {"lr": (LogisticRegression(), {"C": [0.1, 1.0]})}
    asked = {"cv": 3, "inner_cv": 3, "metrics": "accuracy"}
    here = heldout.select(models, X, y, **asked)
    alike(plain(heldout.select(models, X, y, **asked, **cluster)), plain(here))


def test_a_killed_worker_changes_no_fit(cluster, tmp_path):
    X, y = rows()
    with ThreadPoolExecutor() as pool:
        held = {"nb": HeldLearner(str(tmp_path))}
        found = pool.submit(heldout.validate, held, X, y, cv=5, **cluster)
        killed(tmp_path)
        there = found.result(timeout=200)
    here = heldout.validate({"nb": GaussianNB()}, X, y, cv=5)
    for part in ("estimates", "training", "overfitting", "values"):
        alike(plain(there)[part], plain(here)[part])


def test_a_learner_that_fails_is_told_as_on_one_machine(cluster):
    X, y = rows()
    said = []
    for where in ({}, cluster):
        with pytest.raises(DataError) as error:
            heldout.validate({"bad": FailingLearner()}, X, y, cv=5, **where)
        said.append((error.value.code, error.value.message.replace(error.value.message.split(" of 5")[0], "")))
    assert said[0] == said[1]
    assert "singular matrix" in said[1][1]
