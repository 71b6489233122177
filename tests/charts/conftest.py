from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

import heldout
from heldout import lab, plan, test
from heldout.charts.learner_figures import FoldChoice, FoldValues, LearningCurve, loss_parts
from heldout.charts.residuals import residual_cloud
from heldout.lab.concepts.concept_rows import read_concept
from heldout.lab.concepts.hypotheses import hypothesis_space
from heldout.lab.concepts.joint_table_file import read_table
from heldout.lab.concepts.joint_table_result import table_result
from heldout.lab.concepts.version_space_result import version_space_result
from heldout.lab.world_catalogue import one_world

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
def boxes():
    """Objects of three classes and sizes in 20 images, and two detectors."""
    rng = np.random.default_rng(8)
    count = 80
    truth = {
        "image": [f"{HOSTILE} {at // 4}" for at in range(count)],
        "label": rng.choice(["cat", "dog", HOSTILE], count, p=[0.5, 0.3, 0.2]).tolist(),
        "x": (200.0 * (np.arange(count) % 4)).tolist(),
        "y": [0.0] * count,
        "w": (side := rng.choice([20.0, 60.0, 130.0], count)).tolist(),
        "h": side.tolist(),
    }
    said = {
        name: {
            **truth,
            "x": (np.array(truth["x"]) + blur * side * rng.normal(size=count)).tolist(),
            "score": rng.random(count).round(3).tolist(),
        }
        for name, blur in (("sharp", 0.08), (HOSTILE, 0.2))
    }
    return truth, said


@pytest.fixture(scope="session")
def detector(boxes):
    truth, said = boxes
    return heldout.detect(truth, {"sharp": said["sharp"]}, n_resamples=200)


@pytest.fixture(scope="session")
def detectors(boxes):
    return heldout.detect(*boxes, n_resamples=200)


@pytest.fixture(scope="session")
def label_maps():
    rng = np.random.default_rng(9)
    truth = [rng.integers(0, 3, (8, 9)) for _ in range(12)]
    wrong = [np.where(rng.random(one.shape) < 0.3, rng.integers(0, 3, one.shape), one) for one in truth]
    worse = [np.where(rng.random(one.shape) < 0.5, rng.integers(0, 3, one.shape), one) for one in truth]
    return heldout.masks(truth, {"net": wrong, HOSTILE: worse}, labels={0: "road", 1: HOSTILE, 2: "sky"})


@pytest.fixture(scope="session")
def texts():
    wanted = [f"the {n} cat sat on the mat and it stayed there" for n in "abcdefghijkl"]
    good = [text.replace("stayed", "was") if at % 2 else text for at, text in enumerate(wanted)]
    poor = [text.replace("cat sat", "dog lay") for text in wanted]
    return heldout.text(wanted, {"good": good, HOSTILE: poor}, primary="bleu", n_resamples=200)


@pytest.fixture(scope="session")
def of_images_and_texts(detector, detectors, label_maps, texts):
    return {"detector": detector, "detectors": detectors, "masks": label_maps, "texts": texts}


@pytest.fixture(scope="session")
def figures(evaluation, comparison, regression, multiclass, ranking, of_images_and_texts):  # noqa: PLR0917 fixtures
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
    of_lab = {
        f"{name}, {what}": figure for what, result in lab_results().items() for name, figure in result.figures().items()
    }
    of_results = {
        f"{name}, {what}": figure
        for what, result in (
            ("evaluation", evaluation),
            ("comparison", comparison),
            ("regression", regression),
            ("multiclass", multiclass),
            ("ranking", ranking),
            ("rows compared", rows_compared()),
            ("split", heldout.split({"x": range(40), HOSTILE: ["a", HOSTILE] * 20}, strata=HOSTILE)),
            ("three ways", three_ways()),
            *of_images_and_texts.items(),
        )
        for name, figure in result.plot.figures().items()
    }
    return own | of_results | of_lab


def rows_compared():
    """An evaluation beside training rows."""
    rng = np.random.default_rng(12)
    train, rows = (
        {HOSTILE: rng.normal(at, 1, 90), "site": rng.choice(["a", HOSTILE], 90), "y": rng.integers(0, 2, 90)}
        for at in (0, 1)
    )
    return heldout.evaluate({**rows, "y_pred": rows["y"]}, truth="y", train=train, metrics="accuracy")


def three_ways():
    """A learner measured on its training rows, on a holdout and over folds."""
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(13)
    return heldout.validate({HOSTILE: GaussianNB()}, rng.normal(size=(60, 2)), np.arange(60) % 2, cv=3, holdout=0.33)


def lab_results():
    """One small result of each kind that only the lab, a test or a plan draws."""
    return {
        "coverage": lab.coverage(["normal", "wilson"], "coin:p=0.01", 50),
        "binomial": test.binomial(15, 20, against=0.8),
        "chi-square": test.chi_square([10, 15, 8, 20]),
        "likelihood ratio": test.likelihood_ratio([0.3, -1.2, 2.2, 0.8], 1, 2),
        "proportions": test.proportions(45, 100, 60, 100),
        "plan": plan.difference("accuracy", 0.85, gain=0.02, disagree=0.08),
        "predictions": lab.bias_variance("poly:degree=1", world="sine:noise=0.3", n=10, repeats=20),
        "estimation": lab.estimation_bias("linear", n=30, folds=(2, 5), repeats=20),
        "plane": one_world("gaussian:distance=2"),
        "line": one_world("gaussian:distance=2,dimensions=1"),
        "table": table_result(read_table(written(f"x,class,p\n{HOSTILE},yes,0.3\na,no,0.2\nb,yes,0.1\nb,no,0.4\n"))),
        "version space": of_rectangles(),
        "two learners": lab.compare(["linear", "knn:k=1"], n=40, tests=["mcnemar@10", "all_pairs"], repeats=20),
        "rules": lab.rule_errors("gaussian:distance=2", ["linear", "knn:k=1"], n=30),
        "overfitting": lab.overfitting(lab.joint_table([[0.4, 0.1], [0.4, 0.1]]), n=5, repeats=40),
        "parts": lab.sweep("bias_variance", "poly", "degree", [0, 3], world="sine:noise=0.3", n=10, repeats=20),
        "errors": lab.sweep("estimation_bias", "poly", "degree", [0, 6], world="sine:noise=0.3", n=12, repeats=20),
        "few rows": heldout.evaluate([0, 1, 0, 1, 1, 0], y_score=[0.1, 0.4, 0.35, 0.8, 0.9, 0.8]),
    }


def written(text):
    path = Path(mkdtemp()) / "rows.csv"
    path.write_text(text, encoding="utf-8")
    return path


def of_rectangles():
    read = read_concept(written("x,y,c\n1,1,no\n2,2,yes\n3,3,yes\n5,5,no\n4,2,\n"), target="c")
    return version_space_result(read, hypothesis_space("rectangles", read.domain), concept="x=2..4,y=2..3")
