"""The operating point explorer shows the library's numbers, and what it freezes comes back."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest

import heldout
from heldout.curves.threshold_table import thresholds_of
from heldout.report.schema import schema
from heldout.tallies.from_batch import score_order
from heldout.verbs.evaluate.chosen_rows import chosen_rows
from tests.browser.conftest import evaluated

pytestmark = pytest.mark.slow
RATES = ("recall", "specificity", "precision", "npv", "accuracy")


def number(page, name: str, fact: str = "exact") -> float:
    return float(page.locator(f'#explore [data-value="{name}"]').get_attribute(f"data-{fact}"))


def move(page, place: int) -> float:
    page.locator("#slider").evaluate("(one, x) => { one.value = x; one.dispatchEvent(new Event('input')); }", place)
    return float(page.locator("#threshold").input_value())


def type_in(page, name: str, value: object) -> None:
    page.locator(f"#{name}").fill(str(value))


def agree(page, result) -> None:
    """What is shown is what the library says at this threshold."""
    for name in RATES:
        assert number(page, name) == pytest.approx(result[name].value, abs=1e-9, nan_ok=True), name
    counts = {cell: page.locator(f'#explore [data-count="{cell}"]').inner_text() for cell in ("tn", "fp", "fn", "tp")}
    # weighted counts are shown with four digits
    assert [float(text) for text in counts.values()] == pytest.approx(np.ravel(result.confusion).tolist(), rel=1e-3)


def test_starts_at_the_threshold_of_the_evaluation(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    assert page.locator("#threshold").input_value() == "0.2"
    agree(page, evaluated(threshold=0.2))


@pytest.mark.parametrize("share", [0.02, 0.4, 0.75, 0.97])
def test_the_slider_shows_what_the_library_computes(opened, page_of_an_evaluation, share):
    page = opened(page_of_an_evaluation).page
    place = round(share * int(page.locator("#slider").get_attribute("max")))
    agree(page, evaluated(threshold=move(page, place)))


def test_a_typed_threshold_shows_what_the_library_computes(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    type_in(page, "threshold", 0.3337)
    agree(page, evaluated(threshold=0.3337))


def test_the_bands_are_the_librarys_and_hold_the_value(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    found = thresholds_of(score_order(evaluated(threshold=0.2).batch), at=(0.2,))
    place = len(found.threshold) // 2
    move(page, place)
    for name in ("recall", "specificity"):
        for end in ("low", "high"):
            wanted = getattr(found, f"{name}_{end}")[place]
            assert number(page, name, end) == pytest.approx(wanted, abs=1e-6)
    for name in (*RATES, "flagged", "cost", "benefit", "alerts"):
        assert number(page, name, "low") <= number(page, name) <= number(page, name, "high"), name


def test_rows_with_weights_count_by_them(opened, folder):
    rng = np.random.default_rng(8)
    truth, weight = rng.integers(0, 2, 150), rng.uniform(0.5, 2, 150).round(2)
    score = np.clip(0.3 * truth + 0.7 * rng.random(150), 0, 1).round(3)
    given = {"y_score": score, "sample_weight": weight, "n_resamples": 100}
    page = opened(heldout.evaluate(truth, threshold=0.5, **given).report(folder / "weights.html")).page
    agree(page, heldout.evaluate(truth, threshold=move(page, 40), **given))


def test_prevalence_costs_and_rows_a_day_are_followed_at_once(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    recall, specificity = number(page, "recall"), number(page, "specificity")
    for name, value in {"prevalence": 2, "miss": 30, "alarm": 2, "daily": 500}.items():
        type_in(page, name, value)
    hits, alarms = 0.02 * recall, 0.98 * (1 - specificity)
    assert number(page, "precision") == pytest.approx(hits / (hits + alarms))
    assert number(page, "alerts") == pytest.approx(500 * (hits + alarms))
    assert number(page, "cost") == pytest.approx(1000 * (0.02 * (1 - recall) * 30 + alarms * 2))
    assert number(page, "benefit") == pytest.approx(1000 * (hits - alarms * 2 / 30))


def costs(result, miss: float, alarm: float) -> float:
    (_, fp), (fn, _) = result.confusion
    return miss * fn + alarm * fp


def test_the_least_cost_is_the_least_over_all_thresholds(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    type_in(page, "miss", 8)
    page.get_by_role("radio", name="lowest expected cost").check()
    found = thresholds_of(score_order(evaluated(threshold=0.2).batch), at=(0.2,))
    least = np.min(8 * (found.positives - found.tp) + found.fp)
    chosen = evaluated(threshold=float(page.locator("#threshold").input_value()))
    assert costs(chosen, 8, 1) == pytest.approx(least)
    type_in(page, "miss", 1)  # the rule goes on to hold
    assert float(page.locator("#threshold").input_value()) > chosen.threshold


def test_capacity_and_least_recall_choose_the_extreme_threshold_that_keeps_them(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    page.get_by_role("radio", name="most alerts within the capacity").check()
    place = int(page.locator("#slider").input_value())
    assert number(page, "alerts") <= 80
    assert page.locator("#within").inner_text().startswith("Within the capacity")
    move(page, place - 1)
    assert number(page, "alerts") > 80
    assert page.locator("#within").inner_text().startswith("Over the capacity")
    assert page.get_by_role("radio", name="by hand").is_checked()
    page.get_by_role("radio", name="highest with the recall assured").check()
    place = int(page.locator("#slider").input_value())
    assert number(page, "recall", "low") >= 0.8
    move(page, place + 1)
    assert number(page, "recall", "low") < 0.8
    type_in(page, "least", 100)
    page.get_by_role("radio", name="highest with the recall assured").click()
    assert page.locator("#exact").inner_text() == "No threshold fulfils this rule with these settings."


def frozen(page, folder, name: str):
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Freeze this threshold").click()
    assert waiting.value.suggested_filename == "threshold.json"
    path = folder / name
    waiting.value.save_as(path)
    return path


def test_freeze_gives_a_file_that_evaluate_takes_on_other_rows_only(opened, page_of_an_evaluation, folder):
    page = opened(page_of_an_evaluation).page
    page.get_by_role("radio", name="lowest expected cost").check()
    path = frozen(page, folder, "threshold.json")
    said = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(said, schema("heldout.threshold/1"))
    assert said["rule"]["kind"] == "cost"
    assert said["rule"]["cost_of_miss"] == 5
    here = evaluated(threshold=said["threshold"])
    assert said["metrics"]["recall"]["value"] == pytest.approx(here["recall"].value)
    assert said["chosen_on"] == chosen_rows(here.batch)
    with pytest.raises(heldout.HeldoutError) as refused:
        evaluated(threshold_from=path)
    assert str(refused.value) == (
        f"[H302] the threshold {said['threshold']:g} of {path} was chosen on these 400 rows\n"
        "  Fix: judge it on other rows, or pass allow_overlap=True for a result that is flagged"
    )
    flagged = evaluated(threshold_from=path, allow_overlap=True)
    assert "H302" in [check.code for check in flagged.checks]
    elsewhere = evaluated(seed=6, threshold_from=path)
    assert elsewhere.threshold == said["threshold"]
    assert "H302" not in [check.code for check in elsewhere.checks]
