"""Mission H2, H4 and H5: known tables, version spaces, and overfitting as two hypotheses define it."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from heldout import lab
from heldout.cli import verbs
from heldout.lab import (
    bayes_classifier,
    bayes_error,
    drawn_batch,
    empty_because,
    first_found,
    joint_table,
    list_then_eliminate,
    overfitting_pair,
    true_error,
    unanimous,
    unanimous_coverage,
)

GRID = lab.domain({"a": range(4), "b": range(4)})
INSIDE = np.array([1 <= a <= 2 and b <= 2 for a, b in product(range(4), range(4))])  # the concept to be learned


def line(points):
    return lab.domain({"x": range(points)})


def space(name, where, **options):
    return lab.hypothesis_space(name, where, **options)


def wrong(hypotheses, point, label):
    """Rows that each hypothesis gets wrong."""
    return (hypotheses.members[:, point] != label).sum(axis=1)


def learned(*arguments):
    result = CliRunner().invoke(verbs, ["lab", "version-space", *map(str, arguments), "--format", "json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_H2_a_table_is_a_world_whose_errors_are_known():
    world = joint_table([[0.35, 0.05], [0.1, 0.5]])
    assert (float(true_error(world, [1, 0])), bayes_error(world)) == (pytest.approx(0.85), pytest.approx(0.15))
    batch = drawn_batch(world, bayes_classifier(world), 50_000, np.random.default_rng(2))
    assert np.mean(batch.truth != batch.prediction) == pytest.approx(0.15, abs=4 * np.sqrt(0.15 * 0.85 / 50_000))


def test_H4_list_then_eliminate_leaves_what_is_consistent():
    hypotheses = space("rectangles", GRID)
    point = np.random.default_rng(4).permutation(16)
    found = list_then_eliminate(hypotheses, point, INSIDE[point])
    assert (np.diff(found.remaining) <= 0).all()
    assert (found.members == INSIDE).all()  # all points seen: the concept alone is left
    for rows in range(16):
        left = list_then_eliminate(hypotheses, point[:rows], INSIDE[point[:rows]])
        agrees = (hypotheses.members[:, point[:rows]] == INSIDE[point[:rows]]).all(axis=1)
        assert left.kept.tolist() == np.flatnonzero(agrees).tolist()


@pytest.mark.parametrize("rows", range(0, 12, 2))
def test_H4_an_unbiased_space_predicts_nothing_unseen(rows):
    where = line(12)
    point, truth = np.random.default_rng(rows).permutation(12)[:rows], np.arange(12) % 3 == 0
    found = list_then_eliminate(space("all", where), point, truth[point])
    assert unanimous_coverage(found, unseen=True) == 0
    assert (found.members.mean(axis=0)[~found.seen] == 0.5).all()  # as many say yes as no, whatever was seen
    assert len(found.kept) == 2 ** (12 - rows)


def test_H4_a_unanimous_prediction_is_right_where_the_language_can_say_the_truth():
    for seed in range(30):
        point = np.random.default_rng(seed).integers(0, 16, 6)
        found = list_then_eliminate(space("rectangles", GRID), point, INSIDE[point])
        says = unanimous(found)
        assert (says[says >= 0] == INSIDE[says >= 0]).all()


def test_H4_language_bias_decides_and_search_bias_picks():
    point = np.array([5, 10, 0, 15])
    label = INSIDE[point]
    narrow, wide = (list_then_eliminate(space(name, GRID), point, label) for name in ("rectangles", "all"))
    assert unanimous_coverage(wide, unseen=True) == 0 < unanimous_coverage(narrow, unseen=True)
    small, large = (narrow.space.members[first_found(narrow, order)] for order in ("specific", "general"))
    assert (small != large).any()
    assert (unanimous(narrow)[small != large] == -1).all()
    assert (
        empty_because(list_then_eliminate(space("conjunctions", GRID), [5, 9, 13], [True, True, False])) == "language"
    )


def test_H4_noise_empties_the_version_space():
    point = np.arange(16)
    noisy = INSIDE.copy()
    noisy[0] = True  # one wrong label, in a corner
    found = list_then_eliminate(space("rectangles", GRID), point, noisy)
    assert (len(found.kept), empty_because(found)) == (0, "language")
    assert wrong(space("rectangles", GRID), point, noisy).min() == 1
    assert len(list_then_eliminate(space("unions", GRID, rectangles=2), point, noisy).kept) == 1
    both = list_then_eliminate(space("all", line(3)), [0, 1, 0], [True, False, False])
    assert (len(both.kept), empty_because(both)) == (0, "contradiction")


def test_H4_on_the_command_line(file):
    a, b = zip(*product(range(4), range(4)), strict=True)
    asked = ["" if i % 3 else ("yes" if inside else "no") for i, inside in enumerate(INSIDE)]
    path = file("grid.csv", a=a, b=b, inside=asked)
    biased = learned(path, "--space", "rectangles", "--target", "inside")
    assert biased["size"] == 101
    assert biased["unanimous"]["unseen_coverage"] > 0
    said = [(one["unanimous"], INSIDE[one["row"] - 1]) for one in biased["questions"] if one["unanimous"]]
    assert said
    assert all((label == "yes") == truth for label, truth in said)
    unbiased = learned(file("line.csv", a=a[:12], inside=["yes", "no"] * 2 + [""] * 8), *SPACE_OF_ALL)
    assert unbiased["empty"]["because"] == "contradiction"
    single = learned(file("single.csv", x=range(12), inside=["yes", "no"] * 2 + [""] * 8), *SPACE_OF_ALL)
    assert (single["unanimous"]["unseen"], single["unanimous"]["unseen_coverage"]) == (8, 0.0)


SPACE_OF_ALL = ("--space", "all", "--target", "inside")


def test_H5_overfitting_is_found_by_search_in_a_known_world():
    """h has a lower sample error than h′ and a higher true error: h overfits."""
    world = joint_table([[0.07, 0.03]] * 5 + [[0.03, 0.07]] * 5)  # Bayes error 0.3
    hypotheses = space("all", world.domain)
    found = 0
    for seed in range(20):
        point, label = world.draw(15, np.random.default_rng(seed))
        memoriser = int(wrong(hypotheses, point, label == 1).argmin())
        pair = overfitting_pair(world, hypotheses, point, label == 1, chosen=memoriser)
        if pair is None:
            continue
        found += 1
        h, other = hypotheses.members[pair.chosen], hypotheses.members[pair.better]
        sample = [np.mean(one[point] != (label == 1)) for one in (h, other)]
        true = true_error(world, np.stack([h, other]))
        assert sample[0] < sample[1]
        assert true[0] > true[1]
        assert pair.sample_errors == pytest.approx(tuple(sample))
        assert pair.true_errors == pytest.approx(tuple(true))
    assert found >= 12  # noise wins at one of the ten points or more in about four draws of five


def test_H5_a_narrow_language_overfits_less():
    world = joint_table([[0.09, 0.01]] * 5 + [[0.01, 0.09]] * 5)
    loss = {}
    for name in ("all", "rectangles"):
        hypotheses = space(name, world.domain)
        errors = []
        for seed in range(40):
            point, label = world.draw(15, np.random.default_rng(seed))
            learned_one = int(wrong(hypotheses, point, label == 1).argmin())
            errors.append(float(true_error(world, hypotheses.members[learned_one])))
        loss[name] = np.mean(errors) - bayes_error(world)
    assert 0 < loss["rectangles"] < loss["all"]


def test_H5_on_the_command_line(file):
    path = file(
        "noisy.csv", x=np.repeat(range(10), 2), **{"class": ["no", "yes"] * 10}, p=[0.07, 0.03] * 5 + [0.03, 0.07] * 5
    )
    answer = CliRunner().invoke(verbs, ["lab", "overfitting", str(path), "--n", "15", "--repeats", "100", "--json"])
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    h, other = found["pair"]
    assert h["sample_error"] < other["sample_error"]
    assert h["true_error"] > other["true_error"]
    assert found["overfits"]["value"] > 0.6
