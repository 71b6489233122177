"""Mission A4 to A6: what is true under a known table p(x, c), exactly."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.lab import (
    bayes_classifier,
    bayes_error,
    class_given_x,
    class_marginal,
    domain,
    drawn_batch,
    estimated_table,
    joint_table,
    true_error,
    with_noise,
    x_given_class,
    x_marginal,
)

P = np.array([[0.10, 0.05, 0.05], [0.02, 0.20, 0.08], [0.15, 0.15, 0.00], [0.03, 0.07, 0.10]])
EVERY = np.array(list(product(range(3), repeat=4)))  # all 81 classifiers of four points


@pytest.fixture
def table(file):
    """Run `heldout lab table` on columns and give what its JSON says."""

    def run(*arguments, **columns):
        words = ["lab", "table", str(file("world.csv", **columns)), *map(str, arguments), "--format", "json"]
        result = CliRunner().invoke(verbs, words)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


LONG = {"x": np.repeat([1, 2, 3, 4], 3), "class": list("abc") * 4, "p": P.ravel()}


def test_A4_true_error_is_exact_on_a_table(table):
    world = joint_table(P)
    said = [0, 1, 0, 2]
    by_hand = (0.05 + 0.05) + (0.02 + 0.08) + (0.15 + 0.00) + (0.03 + 0.07)
    assert float(true_error(world, said)) == pytest.approx(by_hand, abs=1e-15)
    shown = table("--classifier", "h", **LONG, h=np.repeat(list("abac"), 3))
    assert {one["name"]: one["true_error"] for one in shown["classifiers"]}["h"] == pytest.approx(by_hand, abs=1e-15)


def test_A4_and_what_a_large_sample_shows():
    world = joint_table(P)
    batch = drawn_batch(world, [2, 1, 0, 2], 100_000, np.random.default_rng(4))
    found = heldout.evaluate(batch.truth, batch.prediction, metrics="error_rate", confidence_level=0.999)["error_rate"]
    assert found.low <= true_error(world, [2, 1, 0, 2]) <= found.high
    assert found.high - found.low < 0.011


def test_A4_continuous_classes_on_the_command_line():
    """Phi(-1) for the best rule of two normals 2 apart; a rule that is off by half a unit is worse, exactly known."""
    words = [
        "lab",
        "true-error",
        "--world",
        "gaussian:distance=2",
        "--linear",
        "1,0,-1",
        "--linear",
        "1,0,-0.5",
        "--json",
    ]
    answer = CliRunner().invoke(verbs, words)
    assert answer.exit_code == 0, answer.output
    found = {one["name"]: one["true_error"]["value"] for one in json.loads(answer.stdout)["rules"]}
    assert found["linear 1,0,-1"] == pytest.approx(0.158655, abs=1e-6) == found["Bayes"]
    assert found["linear 1,0,-0.5"] == pytest.approx((0.308538 + 0.066807) / 2, abs=1e-6)


def test_A5_each_sums_to_one_and_bayes_rule_holds(table):
    world = joint_table(P)
    assert x_marginal(world).sum() == pytest.approx(1)
    assert class_marginal(world).sum() == pytest.approx(1)
    assert class_given_x(world).sum(axis=1) == pytest.approx(1)
    assert x_given_class(world).sum(axis=0) == pytest.approx(1)
    rule = x_given_class(world) * class_marginal(world) / x_marginal(world)[:, None]
    assert class_given_x(world) == pytest.approx(rule)
    shown = table(**LONG)
    assert [one["p"] for one in shown["points"]] == pytest.approx([0.2, 0.3, 0.3, 0.2])
    assert shown["class_marginal"] == pytest.approx([0.30, 0.47, 0.23])
    assert shown["points"][0]["class_given_x"] == pytest.approx([0.5, 0.25, 0.25])
    assert shown["points"][1]["x_given_class"] == pytest.approx([0.02 / 0.30, 0.20 / 0.47, 0.08 / 0.23])


def test_A5_naive_bayes_estimate_from_data(table):
    """The product of one-attribute shares, by hand; exact where attributes are independent within classes."""
    colour, size = ["red", "red", "red", "blue", "blue", "red"], ["big", "big", "small", "small", "small", "small"]
    truth = ["yes", "yes", "yes", "no", "no", "no"]
    naive = estimated_table({"colour": colour, "size": size}, truth, naive_bayes=True)
    red_small = naive.domain.codes.tolist().index([1, 1])
    assert x_given_class(naive)[red_small] == pytest.approx([1 / 3 * 1, 1 * 1 / 3])  # p(red|c)·p(small|c)
    assert naive.p.sum() == pytest.approx(1)
    shown = table("--naive-bayes", colour=colour, size=size, **{"class": truth})
    last = next(one for one in shown["points"] if one["x"] == ["red", "small"])
    assert last["naive_x_given_class"] == pytest.approx([1 / 3, 1 / 3])


def test_A5_estimates_near_the_table_they_were_drawn_from():
    a, b, c = np.array([[0.2, 0.8], [0.6, 0.4]]), np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]), np.array([0.4, 0.6])
    p = np.einsum("c,ca,cb->abc", c, a, b).reshape(6, 2)
    world = joint_table(p, domain=domain({"a": [0, 1], "b": [0, 1, 2]}))
    off = {}
    for rows in (100, 10_000):
        point, label = world.draw(rows, np.random.default_rng(5))
        values = world.domain.codes[point]
        columns = {"a": values[:, 0].tolist(), "b": values[:, 1].tolist()}
        for name, naive in (("plain", False), ("naive", True)):
            found = estimated_table(columns, label.tolist(), naive_bayes=naive)
            off[name, rows] = np.abs(found.p - p).max()
    assert off["plain", 10_000] < 0.015 < off["plain", 100]
    assert off["naive", 10_000] < 0.015
    assert off["naive", 100] < off["plain", 100]  # fewer numbers to learn


@pytest.mark.parametrize("seed", range(20))
def test_A6_no_classifier_in_an_exhaustive_search_does_better(seed):
    world = joint_table(np.random.default_rng(seed).dirichlet(np.full(12, 0.7)).reshape(4, 3))
    errors = true_error(world, EVERY)
    assert len(errors) == 81
    assert errors.min() == pytest.approx(bayes_error(world), abs=1e-15)
    assert EVERY[errors.argmin()].tolist() == bayes_classifier(world).tolist()
    assert bayes_error(world) == pytest.approx(1 - world.p.max(axis=1).sum(), abs=1e-15)


def test_A6_on_the_command_line(table):
    shown = table(**LONG)
    assert shown["bayes_error"] == pytest.approx(1 - (0.10 + 0.20 + 0.15 + 0.10))
    assert [one["bayes"] for one in shown["points"]] == ["a", "b", "a", "c"]


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_A6_label_noise_is_what_nobody_can_go_below(noise, table):
    """Where the truth depends on x alone, the Bayes error is 0, and under noise it is the noise."""
    sure = joint_table([[0.5, 0.0], [0.0, 0.3], [0.2, 0.0]])
    assert bayes_error(sure) == 0
    assert bayes_error(with_noise(sure, noise)) == pytest.approx(noise)
    columns = {"x": [1, 2, 3], "class": ["no", "yes", "no"], "p": [0.5, 0.3, 0.2]}
    assert table("--noise", noise, **columns)["noise"]["bayes_error"] == pytest.approx(noise)


@pytest.mark.parametrize("seed", range(5))
def test_A6_no_classifier_does_better_under_any_noise(seed):
    rng = np.random.default_rng(seed)
    world = with_noise(joint_table(P), rng.dirichlet(np.ones(3), 3))
    assert true_error(world, EVERY).min() == pytest.approx(bayes_error(world), abs=1e-15)
