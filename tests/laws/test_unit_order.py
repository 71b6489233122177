"""The order of images, segments, data sets and rows changes no result but in the last digits of sums."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from tests.fuzz.forms import different

ROUNDING = 1e-9
"""Sums of the same numbers in another order differ by less, relative to their size; docs/faq.md says so."""
OF_PLACES = ("inputs", "segments", "sets", "checks")
"""What names images, segments, data sets or rows by their place."""


def boxes(rng, order):
    """Objects in images, and two detectors, with lines in an order; no two overlaps are equal."""
    corner = 40 * rng.random((48, 2))
    names = {"image": [f"i{k % 12}" for k in range(48)], "label": ["cat", "dog"] * 24}

    def table(shift, scores=None):
        x, y = (corner + shift * rng.standard_normal(corner.shape)).T
        made = {
            **names,
            "x": x,
            "y": y,
            "w": [12] * 48,
            "h": [12] * 48,
            **({} if scores is None else {"score": scores}),
        }
        return {name: [values[k] for k in order(48)] for name, values in made.items()}

    return (table(0), {"near": table(2, rng.random(48)), "far": table(5, rng.random(48))}), {"n_resamples": 200}


def maps(rng, order):
    truth = [rng.integers(0, 3, (8, 8)) for _ in range(12)]
    models = {
        name: [np.where(rng.random((8, 8)) < share, rng.integers(0, 3, (8, 8)), one) for one in truth]
        for name, share in (("old", 0.4), ("new", 0.3))
    }
    return ([truth[k] for k in order(12)], {name: [one[k] for k in order(12)] for name, one in models.items()}), {}


def texts(rng, order):
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "rain"])
    lines = {name: [" ".join(rng.choice(words, 7)) for _ in range(20)] for name in ("refs", "one", "two")}
    moved = {name: [one[k] for k in order(20)] for name, one in lines.items()}
    return (moved.pop("refs"), moved), {"n_resamples": 200}


def sets(rng, order):
    scores = {"dataset": [f"s{k}" for k in range(9)], **{name: rng.random(9).round(3) for name in ("a", "b", "c")}}
    return ({name: [values[k] for k in order(9)] for name, values in scores.items()},), {"rope": 0.05}


def rows(rng, order):
    truth = rng.integers(0, 2, 200)
    models = {name: np.clip(0.3 * truth + rng.random(200), 0, 1)[order(200)] for name in ("old", "new")}
    return (truth[order(200)], models), {"n_resamples": 200}


def gated(rng, order):
    (truth, models), options = rows(rng, order)
    return (truth, models), {**options, "primary": "roc_auc", "margin": 0.05}


def thresholds(rng, order):
    (truth, models), _ = rows(rng, order)
    return (truth, models["old"]), {"fp": 1, "fn": 5}


CALLS = {
    "detect": (heldout.detect, boxes, {}),
    "masks": (heldout.masks, maps, {}),
    "text": (heldout.text, texts, {}),
    "text by bootstrap": (heldout.text, texts, {"test": "bootstrap"}),
    "compare_across_sets": (heldout.compare_across_sets, sets, {}),
    "compare": (heldout.compare, rows, {}),
    "compare by permutation": (heldout.compare, rows, {"test": "permutation"}),
    "compare in sequence": (heldout.compare, rows, {"sequential": True}),
    "gate": (heldout.gate, gated, {}),
    "choose_threshold": (heldout.choose_threshold, thresholds, {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_order_of_units_changes_no_result(name):
    verb, made, more = CALLS[name]
    results = []
    for order in (np.arange, lambda count: np.random.default_rng(7).permutation(count)):
        given, options = made(np.random.default_rng(3), order)
        result = verb(*given, **options, **more).to_dict()
        results.append({part: value for part, value in result.items() if part not in OF_PLACES})
    assert list(different(*results, ROUNDING)) == []
