from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout import lab
from heldout.charts.bias_variance import loss_parts
from heldout.charts.fold_choice import FoldChoice
from heldout.charts.fold_values import FoldValues
from heldout.charts.learning_curve import LearningCurve
from heldout.charts.residuals import residual_cloud

HOSTILE = "</script><script>alert(1)</script>'];\\"


@pytest.fixture(scope="session")
def hostile():
    """A name that would end a script, and a string in it."""
    return HOSTILE


@pytest.fixture(scope="session")
def binary():
    rng = np.random.default_rng(7)
    truth = (rng.random(600) < 0.3).astype(int)
    good = 1 / (1 + np.exp(1 - 1.5 * truth - rng.normal(size=600)))
    poor = 1 / (1 + np.exp(1 - 0.8 * truth - rng.normal(size=600)))
    return truth, good, poor, rng.choice(["north", "south", HOSTILE], 600)


@pytest.fixture(scope="session")
def evaluation(binary):
    truth, good, _, site = binary
    return heldout.evaluate(truth, y_score=good, segments={"site": site})


@pytest.fixture(scope="session")
def comparison(binary):
    truth, good, poor, site = binary
    models = {HOSTILE: poor, "good": good}
    return heldout.compare(truth, models, primary="roc_auc", margin=0.01, segments={"site": site})


@pytest.fixture(scope="session")
def regression():
    rng = np.random.default_rng(3)
    prediction = rng.normal(50, 10, 300)
    return heldout.evaluate(prediction + rng.normal(0, 2, 300), prediction)


@pytest.fixture(scope="session")
def multiclass():
    rng = np.random.default_rng(4)
    names = np.array(["a", "b", HOSTILE, "d"])
    truth = rng.integers(0, 4, 400)
    said = np.where(rng.random(400) < 0.7, truth, rng.integers(0, 4, 400))
    return heldout.evaluate(names[truth], names[said])


@pytest.fixture(scope="session")
def ranking():
    rng = np.random.default_rng(5)
    skill = {"tree": 0.0, "forest": 0.05, HOSTILE: 0.02}
    scores = {name: 0.7 + gain + rng.normal(0, 0.02, 10) for name, gain in skill.items()}
    table = {"dataset": [f"d{at}" for at in range(10)], **scores}
    return heldout.compare_across_sets(table, post_hoc="nemenyi")


@pytest.fixture(scope="session")
def figures(evaluation, comparison, regression, multiclass, ranking):
    """A figure of every kind, by name; those of several models as well."""
    value = np.array([0.7, 0.8, 0.85])
    line = {"value": value, "low": value - 0.05, "high": value + 0.05, "training": value + 0.1}
    mean = {"value": 0.8, "low": 0.75, "high": 0.85}
    folds = np.array([2, 5, 10])
    parts = lab.bias_variance("poly:degree=1", world="sine:noise=0.3", n=10, repeats=20)
    many = heldout.evaluate(*np.random.default_rng(6).normal(size=(2, 2000)))
    own = {
        "learning_curve": LearningCurve(
            metric="accuracy", sizes=np.array([10, 100, 1000]), learners={HOSTILE: line, "tree": line}
        ),
        "fold_choice": FoldChoice(
            metric="error_rate", folds=folds, value=value, low=value - 0.1, high=value + 0.1, truth=0.8
        ),
        "fold_choice, truth known": FoldChoice(
            metric="error_rate", folds=folds, rows=10, bias=np.array([0.03, 0.01, 0.0]), variance=np.full(3, 1e-4)
        ),
        "fold_values": FoldValues(
            metric="accuracy", learners={HOSTILE: np.array([[0.7, 0.9], [0.8, 0.8]])}, means={HOSTILE: mean}
        ),
        "bias_variance": loss_parts(parts.to_dict()),
        "residuals, many rows": residual_cloud(many.batch),
    }
    of_results = {
        f"{name}, {what}": figure
        for what, result in (
            ("evaluation", evaluation),
            ("comparison", comparison),
            ("regression", regression),
            ("multiclass", multiclass),
            ("ranking", ranking),
        )
        for name, figure in result.plot.figures().items()
    }
    return own | of_results
