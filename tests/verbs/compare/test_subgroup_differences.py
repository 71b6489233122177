"""Differences in subgroups: each is what `compare` says of its rows alone, at the level at which all hold together."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.intervals.simultaneous import bonferroni

RNG = np.random.default_rng
SITES = np.repeat(["north", "south", "tiny"], [150, 90, 3])


def rows(seed=0, moved=0.0):
    """Two scores; in the south the second one is better by `moved`."""
    rng = RNG(seed)
    truth = rng.integers(0, 2, len(SITES))
    old, new = (
        np.clip(0.5 + 0.2 * (truth - 0.5) + 0.25 * rng.standard_normal(len(SITES)), 0.01, 0.99) for _ in range(2)
    )
    new = np.where(SITES == "south", np.clip(new + moved * (truth - 0.5), 0.01, 0.99), new)
    return truth, {"old": old, "new": new, "third": np.clip(new + 0.01, 0.01, 0.99)}


def compared(truth, models, **options):
    return heldout.compare(truth, models, n_resamples=200, **options)


def test_every_subgroup_is_compared_by_itself_at_the_level_of_all():
    truth, models = rows()
    pair = {name: models[name] for name in ("old", "new")}
    names = ["accuracy", "roc_auc", "brier"]
    (found,) = compared(truth, pair, metrics=names, segments={"site": SITES}, confidence_level=0.9).segments["site"]
    assert (found.model, found.baseline, found.level) == ("new", "old", pytest.approx(bonferroni(0.9, 2)))
    assert list(found.shown) == ["north", "south"]
    assert (found.folded, list(found.small)) == ((1, 3), ["tiny"])
    for site, (count, units, differences) in found.shown.items():
        part = SITES == site  # noqa: SIM300 an array on the left, as in the rest of the file
        scores = {name: score[part] for name, score in pair.items()}
        alone = compared(truth[part], scores, metrics=names, confidence_level=bonferroni(0.9, 2))
        assert (count, units) == (part.sum(), part.sum())
        assert list(differences) == names
        for name, one in differences.items():
            want = alone[name]
            assert (one.value, one.low, one.high, one.test) == (want.value, want.low, want.high, want.test)


def test_a_test_by_name_is_used_in_every_subgroup():
    truth, models = rows()
    pair = {name: models[name] for name in ("old", "new")}
    (found,) = compared(truth, pair, metrics=["accuracy"], test="exact", segments={"site": SITES}).segments["site"]
    assert all(one["accuracy"].test.startswith("McNemar exact, ") for _, _, one in found.shown.values())


def test_one_entry_for_each_model_and_column():
    truth, models = rows()
    shift = np.where(np.arange(len(SITES)) % 2 == 0, "day", "night")
    found = compared(truth, models, metrics=["brier"], segments={"site": SITES, "shift": shift}, baseline="new")
    assert {column: [one.model for one in several] for column, several in found.segments.items()} == {
        "site": ["old", "third"],
        "shift": ["old", "third"],
    }
    assert {one.baseline for several in found.segments.values() for one in several} == {"new"}


def test_clusters_are_counted_in_subgroups():
    truth, models = rows()
    pair = {name: models[name] for name in ("old", "new")}
    groups = np.arange(len(SITES)) // 3
    (found,) = compared(truth, pair, metrics=["brier"], segments={"site": SITES}, groups=groups).segments["site"]
    assert [(count, units) for count, units, _ in found.shown.values()] == [(150, 50), (90, 30)]


def test_a_difference_that_varies_is_found_and_one_that_does_not_is_not():
    ps = {}
    for moved in (0.0, 1.2):
        truth, models = rows(seed=1, moved=moved)
        pair = {name: models[name] for name in ("old", "new")}
        (found,) = compared(truth, pair, metrics=["brier", "accuracy"], segments={"site": SITES}).segments["site"]
        assert set(found.heterogeneity) == {"brier", "accuracy"}
        ps[moved] = found.heterogeneity["brier"].pvalue
    assert ps[1.2] < 0.01
    assert ps[0.0] > 0.1


def test_one_subgroup_is_not_compared_with_others():
    truth, models = rows()
    pair = {name: models[name] for name in ("old", "new")}
    lone = np.repeat(["all", "tiny"], [240, 3])
    (found,) = compared(truth, pair, metrics=["brier"], segments={"site": lone}).segments["site"]
    assert (found.heterogeneity, found.level, list(found.shown)) == ({}, 0.95, ["all"])
    nothing = np.arange(len(SITES)).astype(str)
    (none,) = compared(truth, pair, metrics=["brier"], segments={"site": nothing}).segments["site"]
    assert (none.shown, none.level) == ({}, 0.95)


def test_a_subgroup_with_few_rows_of_a_class_has_metrics_of_all_rows_only():
    truth, models = rows()
    truth = np.where(SITES == "south", 0, truth)
    truth[-4:-3] = 1  # one positive row in the south
    pair = {name: models[name] for name in ("old", "new")}
    (found,) = compared(truth, pair, metrics=["brier", "recall"], segments={"site": SITES}).segments["site"]
    assert list(found.shown["north"][2]) == ["brier", "recall"]
    assert list(found.shown["south"][2]) == ["brier"]
    assert list(found.heterogeneity) == ["brier"]


def test_as_plain_values():
    truth, models = rows()
    pair = {name: models[name] for name in ("old", "new")}
    (found,) = compared(truth, pair, metrics=["brier"], segments={"site": SITES}).segments["site"]
    plain = found.to_dict()
    assert (plain["model"], plain["baseline"], plain["level"]) == ("new", "old", found.level)
    assert plain["folded"] == {"segments": 1, "rows": 3}
    north = plain["shown"]["north"]
    one = found.shown["north"][2]["brier"]
    assert (north["rows"], north["units"]) == (150, 150)
    assert north["differences"]["brier"] == {
        "value": one.value, "low": one.low, "high": one.high, "test": one.test, "notes": list(one.notes),
    }  # fmt: skip
    assert list(plain["heterogeneity"]) == ["brier"]
    assert plain["small"]
    twice = {"old": pair["old"], "new": pair["old"].copy()}
    flat = compared(truth, twice, metrics=["log_loss"], segments={"site": SITES})
    (same,) = flat.segments["site"]
    assert set(same.to_dict()["shown"]["north"]["differences"]["log_loss"]) == {"value", "low", "high", "test", "notes"}


def test_errors_that_both_models_share_do_not_hide_that_a_difference_varies():
    """Losses vary by 3, their difference by 0.1: in the south it is larger by 0.3."""
    rng = RNG(2)
    losses = 3 * rng.exponential(size=len(SITES)) + 1
    worse = losses + 0.3 * (SITES == "south") + 0.1 * rng.standard_normal(len(SITES))
    models = {"old": losses, "new": worse}
    (found,) = compared(
        np.zeros(len(SITES)), models, metrics=["mae"], segments={"site": SITES}, task="regression"
    ).segments["site"]
    assert found.heterogeneity["mae"].pvalue < 0.01


def test_a_value_that_is_infinite_for_one_model_in_one_subgroup_is_left_out_of_the_test():
    """The likelihood ratio of a subgroup without a false positive."""
    truth, models = rows()
    careful = np.where((SITES == "south") & (truth == 0), 0.01, models["new"])
    pair = {"old": models["old"], "new": careful}
    (found,) = compared(truth, pair, metrics=["lr_positive"], segments={"site": SITES}).segments["site"]
    assert np.isnan(found.shown["south"][2]["lr_positive"].value)
    assert np.isnan(found.heterogeneity["lr_positive"].pvalue)
