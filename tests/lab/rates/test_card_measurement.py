"""Cards: repetitions end where rates are known well enough, settings are kept and resumed, lines are compact."""

from __future__ import annotations

import json

import numpy as np
import pytest

from heldout.cards.lookup import COLUMNS
from heldout.lab.rates.card_measurement import Effort, estimated_minutes, gathered, measured, measured_cards
from heldout.lab.rates.card_settings import Asked
from heldout.lab.rates.coverage import coverage

LABELS = "labels:prevalence=0.5,precision=0.7,recall=0.7"


def asked(**given):
    facts = {"kind": "intervals", "world": LABELS, "n": 100, "metrics": ("f1", "mcc"), "methods": ("auto",)}
    return Asked(**{**facts, "speed": "closed", **given})


def test_repetitions_go_on_until_the_error_is_small_enough():
    quick = Effort(closed=200, closed_error=0.02)
    for card in measured((asked(), quick)):
        near = min(abs(card["rate"] - bound) for bound in (0.93, 0.975)) < card["error"]
        assert card["error"] <= (0.0142 if near else 0.02) or card["repeats"] == 2000
        assert card["repeats"] >= 200
    first = measured((asked(), Effort(closed=200, closed_error=1.0)))
    assert {card["repeats"] for card in first} <= {200}


def test_near_a_bound_a_rate_has_to_be_known_better():
    effort = Effort(closed=100, closed_error=0.01)
    rates, counts = np.array([0.95, 0.932, 0.5]), np.array([900.0, 900.0, 900.0])
    assert effort.is_enough(asked(), rates, counts).tolist() == [True, False, False]
    assert effort.is_enough(asked(), rates, np.full(3, 1000.0)).all()  # at most ten times as many as the least


def test_a_rate_is_that_of_one_call_per_repetition():
    (fast,) = measured((asked(metrics=("f1",)), Effort(closed=4000, closed_error=0.004)))
    (slow,) = coverage("auto", LABELS, 100, metrics="f1", repeats=200, window=0.2, random_state=3)
    assert fast["rate"] == pytest.approx(slow.coverage, abs=4 * (slow.error**2 + fast["error"] ** 2) ** 0.5)
    assert fast["width"] == pytest.approx(slow.width, rel=0.02)


def test_what_can_be_enumerated_is_exact():
    cards = measured((asked(n=10), Effort(closed=50)))
    assert {(card["error"], card["repeats"]) for card in cards} == {(0.0, 0)}


@pytest.mark.parametrize(
    ("given", "design"),
    [
        ({"world": f"{LABELS},weights=1"}, "weighted"),
        ({"world": f"{LABELS},rho=0.5"}, "serial"),
        ({"world": f"clustered-{LABELS},size=5"}, "clustered"),
        ({"level": 0.8}, "levels"),
        ({"side": "lower"}, "levels"),
        ({}, "rows"),
    ],
)
def test_designs_are_kept_apart(given, design):
    cards = measured((asked(metrics=("accuracy",), **given), Effort(closed=20, closed_error=1.0)))
    assert [card["design"] for card in cards] == [design]
    assert cards[0]["n"] == (20 if design == "clustered" else 100)


def test_tests_and_procedures_have_cards():
    pair = asked(kind="tests", world="pair-labels", metrics=("accuracy",), n=40)
    (test,) = measured((pair, Effort(closed=30, closed_error=1.0)))
    assert (test["kind"], test["method"], test["repeats"]) == ("tests", "auto", 30)
    threshold = asked(kind="procedures", metrics=("certified_threshold",), world="binormal:auc=0.8,prevalence=0.3")
    (card,) = measured((threshold, Effort(closed=30, closed_error=1.0)))
    assert (card["metric"], card["truth"]) == ("certified_threshold", 0.05)


def test_settings_are_kept_resumed_and_gathered(tmp_path):
    path = tmp_path / "cards.jsonl"

    def chosen(one):
        return one.world == "coin:p=0.5" and one.n == 10 and one.methods == ("auto",)

    first = measured_cards(path, effort=Effort(closed=20), chosen=chosen)
    lines = path.read_text(encoding="utf-8")
    assert measured_cards(path, effort=Effort(closed=20), chosen=chosen) == first
    assert path.read_text(encoding="utf-8") == lines
    (line,) = first["intervals"]["rows"]["accuracy"]["auto"]
    card = dict(zip(COLUMNS, line, strict=False))
    assert (card["n"], card["repeats"]) == (10, 0)
    (features,) = first["features"]["accuracy"]
    assert features[:2] == [0, 10]
    assert 3 <= features[2] <= 5  # rows that are right, or wrong: the median of a few samples
    assert "level" not in card  # lines end where all that follows has its default
    assert json.loads(json.dumps(first)) == first


def test_other_levels_are_in_the_line():
    made = gathered([measured((asked(metrics=("accuracy",), level=0.9), Effort(closed=20, closed_error=1.0)))])
    (line,) = made["intervals"]["levels"]["accuracy"]["auto"]
    assert dict(zip(COLUMNS, line, strict=False))["level"] == 0.9


def test_the_estimate_counts_settings_and_minutes():
    found = estimated_minutes(
        effort=Effort(closed=20, drawn=20), chosen=lambda one: one.world.startswith("coin:p=0.5"), sampled=1
    )
    assert all(settings > 0 and minutes >= 0 for _, settings, minutes in found)
    assert {kind.partition(",")[0] for kind, _, _ in found} == {"intervals"}
