"""One small result of every kind, made by the verb that gives it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import heldout
from heldout import lab, plan, test
from heldout.verbs.result import Result

TEXTS = ["people like foreign cars", "the cat sat on the mat", "rain falls in spring", "he reads a good book"] * 3


@cache
def binary() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 120)
    scores = [np.clip(truth * gain + rng.random(120) * (1 - gain), 0, 1) for gain in (0.35, 0.2)]
    return truth, scores[0], scores[1]


@cache
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(90, 3))
    return X, (X[:, 0] + rng.normal(size=90) > 0).astype(int)


def boxes(shift: float) -> dict[str, list[object]]:
    images = [f"i{k}" for k in range(8)]
    return {
        "image": images, "label": ["cat", "dog"] * 4, "x": [shift] * 8, "y": [0] * 8, "w": [40] * 8, "h": [40] * 8,
        "score": [0.9 - 0.05 * k for k in range(8)],
    }  # fmt: skip


def maps(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.where(rng.random((6, 6)) < 0.8, np.arange(36).reshape(6, 6) // 18, 0) for _ in range(5)]


def written(name: str, text: str) -> str:
    path = Path(mkdtemp()) / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def evaluation() -> Result:
    truth, score, _ = binary()
    return heldout.evaluate(truth, y_score=score, segments={"site": np.arange(120) % 3}, max_fpr=0.3)


def comparison() -> Result:
    truth, first, second = binary()
    return heldout.compare(truth, {"a": first, "b": second, "c": second**2})


def gate() -> Result:
    truth, first, second = binary()
    return heldout.gate(truth, {"old": second, "new": first}, primary="roc_auc", margin=0.02)


def validation() -> Result:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    return heldout.validate({"nb": GaussianNB(), "lr": LogisticRegression()}, *rows(), cv=5)


def learning_curve() -> Result:
    from sklearn.naive_bayes import GaussianNB

    return heldout.learning_curve(GaussianNB(), *rows(), train_sizes=(20, 40), repeats=3)


def folds_choice() -> Result:
    from sklearn.naive_bayes import GaussianNB

    return heldout.choose_folds(GaussianNB(), *rows(), folds=(2, 5), repeats=2)


def selection() -> Result:
    from sklearn.tree import DecisionTreeClassifier

    return heldout.select({"tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]})}, *rows(), cv=3)


def detection() -> Result:
    found = {name: boxes(shift) for name, shift in (("near", 2), ("far", 12))}
    return heldout.detect({k: v for k, v in boxes(0).items() if k != "score"}, found, n_resamples=200)


def runs() -> Result:
    from heldout.store import open_store
    from heldout.verbs.runs import runs as listed

    folder = mkdtemp()
    evaluation().save(folder, name="first")
    comparison().save(folder)
    return listed(open_store(folder))


def joint_table() -> Result:
    from heldout.lab.concepts.joint_table_file import read_table
    from heldout.lab.concepts.joint_table_result import table_result

    return table_result(read_table(written("t.csv", "x,class,p\na,yes,0.3\na,no,0.2\nb,yes,0.1\nb,no,0.4\n")))


def version_space() -> Result:
    from heldout.lab.concepts.concept_rows import read_concept
    from heldout.lab.concepts.hypotheses import hypothesis_space
    from heldout.lab.concepts.version_space_result import version_space_result

    read = read_concept(written("c.csv", "sky,warm,play\nsunny,yes,yes\nrainy,no,no\nsunny,no,\n"), target="play")
    return version_space_result(read, hypothesis_space("conjunctions", read.domain))


def world() -> Result:
    from heldout.lab.world_catalogue import one_world

    return one_world("binormal:auc=0.8")


SPEND = {"repeats": 20, "random_state": 1}
MAKERS: dict[str, Callable[[], Result]] = {
    "evaluation": evaluation,
    "comparison": comparison,
    "fold-comparison": lambda: heldout.compare_fold_scores(
        {"old": [0.90, 0.91, 0.87, 0.90, 0.88], "new": [0.92, 0.92, 0.86, 0.93, 0.90]}, n_train=80, n_test=20
    ),
    "ranking": lambda: heldout.compare_across_sets(
        {"dataset": list("abcdef"), "tree": [5, 6, 5, 7, 8, 6], "forest": [6, 8, 8, 9, 9, 9], "knn": [4, 6, 5, 8, 7, 5]}
    ),
    "gate": gate,
    "validation": validation,
    "learning-curve": learning_curve,
    "folds-choice": folds_choice,
    "split": lambda: heldout.split({"x": np.arange(30), "y": np.arange(30) % 3}, strata="y"),
    "selection": selection,
    "threshold-choice": lambda: heldout.choose_threshold(binary()[0], binary()[1], fp=1, fn=5),
    "detection": detection,
    "masks": lambda: heldout.masks(maps(1), {"one": maps(2), "two": maps(3)}),
    "text": lambda: heldout.text(
        TEXTS, {"a": TEXTS[1:] + TEXTS[:1], "b": [text[:12] for text in TEXTS]}, n_resamples=200
    ),
    "plan": lambda: plan.difference("accuracy", 0.85, gain=0.02, disagree=0.08),
    "look-plan": lambda: plan.looks(3, rows=500),
    "test": lambda: test.binomial(15, 20, against=0.8),
    "runs": runs,
    "coverage": lambda: lab.coverage(["normal", "wilson"], "coin:p=0.01", 50),
    "size": lambda: lab.size("mcnemar", "pair-coin:p=0.8", 50),
    "held-out": lambda: lab.held_out(halves=1),
    "outside": lambda: lab.outside("verdicts", repeats=4),
    "corpus-rates": lambda: lab.corpus_rates("segments:quality=0.8", 20, repeats=10, n_resamples=30),
    "split-coverage": lambda: lab.split_coverage("naive_fold_interval@shuffle:25x0.1", **SPEND),
    "split-size": lambda: lab.split_size("naive_fold_t@10x10", models="linear", n=60, **SPEND),
    "failures": lambda: lab.failures(repeats=5),
    "selection-bias": lambda: lab.selection_bias(40, 10, repeats=20, n_resamples=200),
    "threshold-bias": lambda: lab.threshold_bias(60, repeats=20),
    "estimation-bias": lambda: lab.estimation_bias("linear", n=40, folds=(2, 5), repeats=20),
    "bias-variance": lambda: lab.bias_variance("poly:degree=1", world="sine:noise=0.3", n=10, repeats=20),
    "learner-tests": lambda: lab.compare(["linear", "knn:k=1"], n=40, tests="mcnemar@10", repeats=20),
    "true-error": lambda: lab.rule_errors("gaussian:distance=2", ["linear", "knn:k=1"], n=30),
    "overfitting": lambda: lab.overfitting(lab.joint_table([[0.4, 0.1], [0.4, 0.1]]), n=5, repeats=40),
    "sweep": lambda: lab.sweep("bias_variance", "poly", "degree", [0, 3], world="sine:noise=0.3", n=10, repeats=20),
    "ceiling": lambda: lab.ceiling(*rows()),
    "table": joint_table,
    "version-space": version_space,
    "world": world,
}
"""Kind → a call that gives a result of it."""


@cache
def result_of(kind: str) -> Result:
    """The result of a kind, made once."""
    return MAKERS[kind]()
