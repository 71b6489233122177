"""What must not change a number: the order of rows, the scale of weights, rows of weight zero, names, who is first.

Every metric and every interval that may be asked for is tried, resampled ones included, and every test of `compare`.
Numbers agree to rounding: sums of the same rows in another order differ in their last digits.
"""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.estimates.interval_choice import KINDS, METHODS
from heldout.formulas import METRICS
from heldout.verbs.compare.paired_difference import TESTS
from tests.laws.data import COLUMNS, WORLDS, binary, multiclass, regression, taken
from tests.laws.test_evaluations import evaluated

ROWS = 60
TOLERANCE = {"rtol": 1e-9, "atol": 1e-9}
DESIGNS = ("plain", "weights", "groups", "weights and groups")
TURNED = {"BETTER": "WORSE", "WORSE": "BETTER"}


def designed(rows, design, rng):
    """Rows with coarse weights (so that many are equal) and unequal groups, where the design has them."""
    size = len(rows["y_true"])
    made = dict(rows)
    if "weights" in design:
        made["sample_weight"] = np.round(3 * rng.random(size) + 0.5) / 3 + 1 / 3
    if "groups" in design:
        made["groups"] = rng.integers(0, size // 4, size)
    return made


def with_weightless(rows, world, rng):
    """The same rows with some between them that weigh nothing, some of them in groups of their own."""
    more = world(rng, 12)
    size = len(rows["y_true"])
    added = {name: np.concatenate([rows[name], more[name]]) for name in COLUMNS if name in more and name in rows}
    weight = rows.get("sample_weight", np.ones(size))
    added["sample_weight"] = np.concatenate([weight, np.zeros(12)])
    if "groups" in rows:
        added["groups"] = np.concatenate([rows["groups"], rng.integers(0, size // 2, 12)])
    return taken({**rows, **added}, rng.permutation(size + 12))


def same_estimates(first, second):
    assert first.keys() == second.keys()
    for name, one in first.items():
        other = second[name]
        assert (one.method, one.units) == (other.method, other.units), name
        ends = [[part.value, part.low, part.high] for part in (one, other)]
        np.testing.assert_allclose(*ends, **TOLERANCE, err_msg=f"{name}: {one.method}")


def suited(names):
    """Every method other than the default, with those of the metrics that it suits, and a design in turn."""
    kinds = {name: METRICS[METRICS[name].via[0] if METRICS[name].via else name].interval for name in names}
    for at, method in enumerate(method for method in METHODS if method != "auto"):
        chosen = [name for name, kind in kinds.items() if method in KINDS[kind]]
        if chosen:
            yield DESIGNS[at % len(DESIGNS)], {"method": method, "metrics": chosen}


def cases(task):
    """The default of every metric in every design, then the other methods."""
    yield from ((design, {}) for design in DESIGNS)
    yield from suited([name for name in evaluated(WORLDS[task](np.random.default_rng(1), ROWS)) if name in METRICS])


@pytest.mark.parametrize("task", WORLDS)
def test_order_scale_and_weightless_rows_change_no_interval(task):
    rng = np.random.default_rng(1)
    for design, asked in cases(task):
        rows = designed(WORLDS[task](rng, ROWS), design, rng) | asked
        expected = evaluated(rows)
        if "sample_weight" not in rows:  # in another order; rows of weight zero would make them weighted
            same_estimates(expected, evaluated(taken(rows, rng.permutation(ROWS))))
        more = with_weightless(rows, WORLDS[task], rng)  # in another order, too
        same_estimates(expected, evaluated(more | {"sample_weight": 0.137 * more["sample_weight"]}))


@pytest.mark.parametrize("task", ["multiclass", "multiclass by name"])
def test_other_names_of_classes_change_no_interval(task):
    """Renamed classes stand in another order."""
    rng = np.random.default_rng(2)
    for design, asked in cases(task):
        rows = designed(WORLDS[task](rng, ROWS), design, rng) | asked
        named = dict(enumerate(["zebra", "ant", "mule"]))
        order = sorted(named, key=named.get)
        turned = rows | {
            "y_true": np.array([named[label] for label in rows["y_true"]]),
            "y_proba": rows["y_proba"][:, order],
        }
        expected = {_renamed(name, named): one for name, one in evaluated(rows).items() if name not in OF_ORDER}
        found = {name: one for name, one in evaluated(turned).items() if name not in OF_ORDER}
        same_estimates(expected, found)


OF_ORDER = ("kappa_linear", "kappa_quadratic")
"""Metrics of ordered classes: how wrong a prediction is hangs on the order, which other names change."""


def _renamed(name, named):
    label, _, metric = name.partition(" ")
    return f"{named[int(label)]} {metric}" if metric else name


@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
def test_other_names_of_two_classes_change_no_interval(method):
    """Also where the positive class comes first."""
    rng = np.random.default_rng(3)
    for design in DESIGNS:
        rows = designed(binary(rng, ROWS), design, rng) | {"method": method}
        turned = rows | {"y_true": np.array(["well", "ill"])[rows["y_true"]], "pos_label": "ill"}
        same_estimates(evaluated(rows), evaluated(turned))


def two_models(world, rng):
    rows = world(rng, ROWS)
    output = rows["y_pred"] if "y_pred" in rows else rows["y_proba"]
    options = {"task": rows["task"]} if "task" in rows else {}
    keep = rng.random(ROWS) < 0.6
    other = output[rng.permutation(ROWS)]
    mixed = np.where(keep if output.ndim == 1 else keep[:, None], output, other)
    return rows["y_true"], output, mixed, options


def compared(truth, models, options):
    return heldout.compare(truth, models, n_resamples=100, **options)


def numbers(one):
    return [one.value, one.low, one.high, one.pvalue, np.nan if one.pvalue_adjusted is None else one.pvalue_adjusted]


def same_differences(first, second):
    known = {(one.metric, one.model): one for one in second.differences}
    assert len(known) == len(first.differences) > 1
    for one in first.differences:
        other = known[one.metric, one.model]
        assert (one.test, one.verdict) == (other.test, other.verdict), one.metric
        np.testing.assert_allclose(
            numbers(one), numbers(other), rtol=1e-7, atol=1e-9, err_msg=f"{one.metric}: {one.test}"
        )
    assert first.verdict == second.verdict


ERRORS = ("accuracy", "error_rate", "recall", "specificity")
SUITED = {
    **dict.fromkeys(("mcnemar", "exact", "asymptotic", "corrected"), ERRORS),
    "kosinski": ("precision", "npv"),
    "delong": ("roc_auc", "gini"),
}
"""Tests of some metrics of two classes only; those of counts need rows without groups and weights."""
IN_ANY_ORDER = [None, *(test for test in TESTS if test != "diebold_mariano")]  # that one is about the order of rows
PAIRS = [(binary, test) for test in IN_ANY_ORDER]
PAIRS += [(world, test) for world in (multiclass, regression) for test in IN_ANY_ORDER if test not in SUITED]


def asked_by(test, world):
    """The options of a test, and the designs that it is for: two of four where other worlds have the others.

    Every test meets every design, and so does every world.
    """
    options = {} if test is None else {"test": test}
    if test in SUITED:
        return options | {"metrics": list(SUITED[test])}, DESIGNS if test == "delong" else DESIGNS[:1]
    half = (IN_ANY_ORDER.index(test) + (binary, multiclass, regression).index(world)) % 2
    return options, DESIGNS[half::2]


@pytest.mark.parametrize(("world", "test"), PAIRS)
def test_order_scale_and_weightless_rows_change_no_comparison(world, test):
    rng = np.random.default_rng(4)
    asked, designs = asked_by(test, world)
    for design in designs:
        truth, old, new, options = two_models(world, rng)
        rows = designed({"y_true": truth, "old": old, "new": new}, design, rng)
        options = options | asked

        def comparison(rows, options=options):
            beside = {name: rows[name] for name in ("sample_weight", "groups") if name in rows}
            return compared(rows["y_true"], {name: rows[name] for name in ("old", "new")}, options | beside)

        expected = comparison(rows)
        if "sample_weight" not in rows:
            order = rng.permutation(ROWS)
            same_differences(expected, comparison({name: column[order] for name, column in rows.items()}))
        more = {name: np.concatenate([column, column[:9]]) for name, column in rows.items()}
        more["sample_weight"] = 0.137 * np.concatenate([rows.get("sample_weight", np.ones(ROWS)), np.zeros(9)])
        order = rng.permutation(ROWS + 9)
        same_differences(expected, comparison({name: column[order] for name, column in more.items()}))


@pytest.mark.parametrize("world", [binary, multiclass, regression])
@pytest.mark.parametrize("test", [None, "permutation"])
def test_rounding_of_weights_decides_no_comparison(world, test):
    """Sums of weights as people have them, with two digits, differ in their last bits: models may be equal but for it.

    In these samples they have the same lift.
    """
    for seed in (3, 14):
        rng = np.random.default_rng(seed)
        truth, old, new, options = two_models(world, rng)
        if world is binary:  # of scores that are tied with each other eer hangs on rounding
            options["metrics"] = [name for name in heldout.evaluate(truth, y_proba=new).names if name != "eer"]
        weight, order = np.round(3 * rng.random(ROWS) + 0.1, 2), rng.permutation(ROWS)
        options |= {"test": test} if test else {}
        expected = compared(truth, {"old": old, "new": new}, options | {"sample_weight": weight})
        shuffled = {"old": old[order], "new": new[order]}
        same_differences(expected, compared(truth[order], shuffled, options | {"sample_weight": weight[order]}))
        for scale in (3, 1 / 3):
            scaled = {"sample_weight": scale * weight}
            same_differences(expected, compared(truth, {"old": old, "new": new}, options | scaled))


@pytest.mark.parametrize(("world", "test"), PAIRS)
def test_swapped_models_are_the_mirror_image(world, test):
    rng = np.random.default_rng(5)
    asked, designs = asked_by(test, world)
    for design in designs:
        truth, old, new, options = two_models(world, rng)
        rows = designed({"y_true": truth}, design, rng)
        options = options | asked
        options |= {name: rows[name] for name in ("sample_weight", "groups") if name in rows}
        one = compared(truth, {"old": old, "new": new}, options)
        turned = {found.metric: found for found in compared(truth, {"new": new, "old": old}, options).differences}
        for found in one.differences:
            other = turned[found.metric]
            assert other.test.split(",")[0] == found.test.split(",")[0]
            assert other.verdict == TURNED.get(found.verdict, found.verdict), found.metric
            value, low, high, *p = numbers(other)
            mirrored = [-value, -high, -low, *p]
            np.testing.assert_allclose(
                mirrored, numbers(found), rtol=1e-7, atol=1e-9, err_msg=f"{found.metric}: {found.test}"
            )


@pytest.mark.parametrize("test", [None, "permutation", "bootstrap", "t"])
def test_other_names_of_classes_change_no_comparison(test):
    """Renamed classes stand in another order, for two classes with the positive one first."""
    rng = np.random.default_rng(6)
    asked, designs = asked_by(test, multiclass)
    for design in designs:
        truth, old, new, _ = two_models(multiclass, rng)
        beside = designed({"y_true": truth}, design, rng)
        options = asked | {name: column for name, column in beside.items() if name != "y_true"}
        order = [1, 2, 0]  # ant, mule, zebra
        one = compared(truth, {"old": old, "new": new}, options)
        named = np.array(["zebra", "ant", "mule"])[truth]
        same_differences(one, compared(named, {"old": old[:, order], "new": new[:, order]}, options))
        truth, old, new, _ = two_models(binary, rng)
        one = compared(truth, {"old": old, "new": new}, options)
        named = np.array(["well", "ill"])[truth]
        same_differences(one, compared(named, {"old": old, "new": new}, options | {"pos_label": "ill"}))
