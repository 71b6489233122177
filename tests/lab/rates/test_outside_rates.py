"""Error rates outside the lab's simulations: every area runs, seeds decide the numbers, bounds the outcome."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from heldout import lab, schema
from heldout.errors import UsageError
from heldout.lab.rates import outside_data as data, outside_images as images, outside_questions
from heldout.lab.rates.outside_questions import NOTHING, answered, held
from heldout.lab.rates.outside_rates import OutsideRate
from heldout.lab.rates.outside_settings import areas, outside_settings

QUICK = [area for area in areas() if area not in ("boxes", "masks", "texts", "clusters", "time")]
RATE = OutsideRate(
    area="losses", setting="lognormal", n="30", asks="coverage", metric="rmse", repeats=2000, measured=0.8, error=0.009,
    low=0.93, high=0.975, printed=0.95, noted=0.1, undefined=0.0,
)  # fmt: skip


@pytest.mark.parametrize("area", QUICK)
@pytest.mark.usefixtures("small")
def test_every_area_runs(area):
    """One sample of the first setting of each area gives an answer or none, never an error."""
    setting = next(one for one in outside_settings() if one.area == area)
    found = answered(setting, np.random.default_rng(3))
    assert tuple(found) == setting.lines
    assert all(happened in (0.0, 1.0) or np.isnan(happened) for happened, _, _ in found.values())


@pytest.fixture
def small(monkeypatch):
    """True values from few rows: quick, and not looked at."""
    monkeypatch.setattr(outside_questions, "POPULATION", 2000)
    for function in (outside_questions.population, outside_questions.true_value):
        function.cache_clear()
    yield
    for function in (outside_questions.population, outside_questions.true_value):
        function.cache_clear()


@pytest.mark.usefixtures("small")
def test_every_line_of_a_sample_is_asked_about():
    """Each setting's sample answers for its own lines: a wrong name would never be counted."""
    unanswered = []
    for setting in outside_settings():
        if setting.area not in ("boxes", "masks", "texts", "clusters", "looks", "subgroups", "time"):
            rng = np.random.default_rng(5)
            found = [answered(setting, rng)]
            unanswered += [
                (setting.key, line)
                for line in setting.lines
                if all(one[line] is NOTHING for one in found) and "1 " not in setting.name
            ]
    assert unanswered == []


def test_images_and_texts_have_their_lines():
    rng = np.random.default_rng(2)
    scenes = replace(images.SCENES[0], population=40)
    assert set(images.boxes_covered(scenes, 20)(rng)) == set(images.BOXES)
    assert set(images.boxes_rejected(scenes, 20)(rng)) == {"AP"}
    maps = images.MAPS[1]
    truth, found = maps.draw(rng, 12)
    assert truth.shape == (12, 24, 24)
    assert np.mean(truth != found["old"]) < 0.3
    assert set(images.maps_rejected(maps, 12)(rng)) == {"mean_iou"}
    assert set(images.texts_rejected(6)(rng)) == set(images.TEXTS)


def test_settings_that_meet_no_bound_say_why_and_all_bounds_are_shares():
    for setting in outside_settings():
        assert 0 <= setting.bound[0] <= setting.bound[1] <= 1, setting.key
        assert setting.asks == "coverage" or setting.bound[0] == 0


def test_same_seed_same_numbers_whatever_the_file(tmp_path):
    kept = tmp_path / "blocks.jsonl"
    first = lab.outside("verdicts", repeats=3, random_state=4)
    again = lab.outside("verdicts", repeats=3, random_state=4, into=kept)
    resumed = lab.outside("verdicts", repeats=3, random_state=4, into=kept)
    assert first.to_dict() == again.to_dict() == resumed.to_dict()
    assert len(kept.read_text(encoding="utf-8").splitlines()) == len(first)


def test_resumes_what_a_file_has(tmp_path):
    kept = tmp_path / "blocks.jsonl"
    lab.outside("verdicts", repeats=2, into=kept)
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    lines[0]["sums"][0] = 2.0  # the first setting happened on both samples: only the file can say so
    kept.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    assert lab.outside("verdicts", repeats=2, into=kept)[0].measured == 1.0


def test_a_result_in_every_format():
    result = lab.outside("thresholds", repeats=8)
    Draft202012Validator(schema("heldout.outside/1")).validate(json.loads(result.to_json()))
    assert "thresholds: violations, bound up to 5%" in result.to_text()
    assert result.to_frame()["metric"].tolist() == ["cost", "fpr", "cost", "fpr"]


def test_an_unknown_area_is_refused():
    with pytest.raises(UsageError, match=r"no area is named 'weight'; did you mean 'weights'\?"):
        lab.outside("weight")


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        ({}, "missed"),
        ({"measured": 0.92}, "met"),  # within two Monte-Carlo errors
        ({"reason": "no method holds"}, "missed"),  # the reader saw 95% and no note
        ({"reason": "no method holds", "noted": 0.8}, "missed"),  # a note does not make 95% true
        ({"reason": "no method holds", "printed": 0.81}, "explained"),
        ({"reason": "no method holds", "printed": float("nan")}, "explained"),
        ({"asks": "rejections", "low": 0.0, "high": 0.06, "measured": 0.05}, "met"),
        ({"asks": "violations", "low": 0.0, "high": 0.0, "measured": 0.001}, "missed"),
        ({"measured": float("nan")}, "refused"),
    ],
)
def test_the_outcome_of_a_rate(facts, outcome):
    assert replace(RATE, **facts).outcome == outcome


def test_generators_have_the_values_that_are_said_of_them():
    """Closed forms agree with a large draw, within five standard errors."""
    rng = np.random.default_rng(0)
    weighted = data.weighted_by_difficulty(rng, 200_000)
    right = weighted["y_true"] == weighted["y_pred"]
    assert abs(np.average(right, weights=weighted["sample_weight"]) - data.DIFFICULT) < 0.006
    pair = data.same_log_loss(rng, 200_000)
    losses = [-np.log(np.where(pair["y_true"] == 1, chance, 1 - chance)) for chance in pair["models"].values()]
    assert abs(losses[0].mean() - losses[1].mean()) < 5 * np.std(losses[0] - losses[1]) / 200_000**0.5
    given = data.operating_points(0.3, (0.9, 0.3), (0.6, 2 / 35))(rng, 200_000)
    truth = given["y_true"]
    f1 = [2 * np.sum(said & truth) / (said.sum() + truth.sum()) for said in given["models"].values()]
    assert abs(f1[0] - f1[1]) < 0.01
    series = data.autoregressive(rng, 100_000, 0.8)
    assert abs(np.corrcoef(series[1:], series[:-1])[0, 1] - 0.8) < 0.02
    assert abs(series.std() - 1) < 0.05


def test_an_interval_without_an_end_is_no_answer():
    from heldout import Estimate

    facts = {"level": 0.95, "method": "t", "units": 9}
    assert held(Estimate(0.5, low=float("-inf"), high=float("inf"), **facts), 0.5) == NOTHING
    assert held(Estimate(0.5, low=0.4, high=float("inf"), **facts), 0.5)[0] == 1.0
