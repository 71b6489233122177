"""Answers by table: the same numbers as without keeping them, and exact where there are few tables."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.formulas import METRICS
from heldout.lab.rates import coverage as coverages, many_samples
from heldout.lab.rates.coverage import Holding, coverage, every_table, few_tables, is_of_tables
from heldout.lab.rates.many_samples import Asked, Samples, every_end
from heldout.lab.worlds import one_model
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

NAMES = ("accuracy", "precision", "f1", "f2", "mcc", "youden_j", "lr_positive", "balanced_accuracy")


@pytest.mark.parametrize(
    ("word", "names", "methods"),
    [
        ("labels", NAMES, ("auto",)),
        ("labels:fixed=1", ("accuracy", "recall", "precision"), ("wilson", "normal", "blaker")),
        ("classes", ("accuracy", "mcc", "f1_macro", "recall_macro"), ("auto",)),
        ("coin:p=0.9", ("accuracy", "error_rate", "recall"), ("auto", "wilson", "jeffreys")),
    ],
)
def test_what_is_kept_changes_no_number(word, names, methods, monkeypatch):
    job = Holding(word, 12, names, methods, 0.95, 100)
    kept = job(np.random.default_rng(4), 30)
    monkeypatch.setattr(coverages, "is_of_tables", lambda *_: False)
    again = job(np.random.default_rng(4), 30)
    np.testing.assert_array_equal(again[..., :3], kept[..., :3])
    np.testing.assert_allclose(again, kept, rtol=1e-14)  # alone or together, a tanh may differ in its last bit


def test_equal_tables_are_answered_once(monkeypatch):
    asked = []
    ends = many_samples._ends
    monkeypatch.setattr(many_samples, "_ends", lambda samples, *rest: asked.append(samples) or ends(samples, *rest))
    sums = Holding("coin:p=0.9", 10, ("accuracy",), ("wilson",), 0.95, 100)(np.random.default_rng(0), 50)
    assert [one.count <= 11 for one in asked] == [True]
    assert sums[0, 0, -1] == 50


@pytest.mark.parametrize(
    ("word", "methods", "metric", "known"),
    [
        ("labels", ("auto", "wilson"), "accuracy", True),
        ("labels", ("wilson", "bca"), "accuracy", False),
        ("labels:weights=0.5", ("auto",), "accuracy", False),
        ("clustered-labels", ("auto",), "accuracy", False),
        ("binormal", ("auto",), "roc_auc", False),
        ("classes", ("auto",), "kappa", True),
        ("classes", ("auto",), "kappa_linear", False),
    ],
)
def test_where_a_table_is_all_that_is_needed(word, methods, metric, known):
    assert is_of_tables(one_model(word), methods, (metric,)) is known


def test_every_label_metric_is_one_of_tables():
    """Otherwise a draw of rows and a table could have different answers."""
    for word in ("coin", "labels", "classes"):
        reads = {METRICS[name].reads for name in one_model(word).values if not name.startswith("kappa_")}
        assert reads == {"labels"}


@pytest.mark.parametrize("n", [1, 10, 20])
def test_all_tables_have_all_the_probability(n):
    chances = one_model("labels").recipe.chances
    tables, likely = every_table(chances, n)
    assert len(tables) == (n + 1) * (n + 2) * (n + 3) // 6 == len({table.tobytes() for table in tables})
    assert np.all(tables.sum(axis=(1, 2)) == n)
    assert likely.sum() == pytest.approx(1, abs=1e-12)
    assert np.tensordot(likely, tables, axes=1) == pytest.approx(n * chances, abs=1e-10)


def test_few_tables_are_those_of_up_to_20_rows_in_two_classes():
    assert few_tables(one_model("labels"), 20)
    assert not few_tables(one_model("labels"), 21)
    assert not few_tables(one_model("labels:fixed=1"), 10)
    assert not few_tables(one_model("classes"), 10)
    assert not few_tables(one_model("binormal"), 10)


@pytest.mark.parametrize("n", [10, 20])
def test_counting_all_tables_of_a_share_is_the_binomial_count(n):
    """Accuracy is right in 0.9 of the rows: the same as a coin."""
    (one,) = coverage("wilson", "labels:prevalence=0.5,precision=0.9,recall=0.9", n, metrics="accuracy")
    (coin,) = coverage("wilson", "coin:p=0.9", n)
    assert (one.error, one.repeats, one.undefined) == (0, 0, pytest.approx(0, abs=1e-12))
    assert one.truth == pytest.approx(0.9)
    assert one.coverage == pytest.approx(coin.coverage, abs=1e-12)
    assert one.width == pytest.approx(coin.width, abs=1e-12)


def test_counting_all_tables_agrees_with_drawing():
    names = ("precision", "f1", "mcc")
    exact = coverage("auto", "labels", 10, metrics=names)
    sums = Holding("labels", 10, names, ("auto",), 0.95, 100)(np.random.default_rng(1), 2000)[0]
    for one, (held, below, above, width, answered) in zip(exact, sums, strict=True):
        assert held / answered == pytest.approx(one.coverage, abs=4 * np.sqrt(0.25 / 2000))
        assert (below / answered, above / answered) == pytest.approx((one.below, one.above), abs=0.03)
        assert width / answered == pytest.approx(one.width, rel=0.05)
        assert 1 - answered / 2000 == pytest.approx(one.undefined, abs=0.04)


def test_a_table_is_answered_as_its_rows_are():
    batch = one_model("labels").draw(30, np.random.default_rng(8))
    measured = Measurement(batch, Settings(level=0.9, metrics=tuple(METRICS[name] for name in NAMES)))
    table = measured.labels.counts.astype(int)[None]
    samples = Samples(count=1, rows=30, tables=table, facts={"positive": 1}, asked=Asked(level=0.9))
    ends = every_end(samples, NAMES, ("auto",))[0, 0]
    assert ends.tolist() == [[one.low, one.high] for one in measured.overall().values()]
