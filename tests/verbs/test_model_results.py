"""Results with models side by side: one contract for what they share."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError, with_arguments
from heldout.verbs.model_results import ModelsResult

RNG = np.random.default_rng(9)
TRUTH = RNG.integers(0, 2, 200)
RIGHT = {name: RNG.random(200) < share for name, share in (("old", 0.7), ("new", 0.95), ("twin", 0.7))}
MODELS = {name: np.where(right, TRUTH, 1 - TRUTH) for name, right in RIGHT.items()}


@pytest.fixture(scope="module")
def compared():
    return heldout.compare(TRUTH, MODELS, metrics=["accuracy", "f1"], primary="accuracy", n_resamples=200)


def test_a_comparison_is_such_a_result(compared):
    assert isinstance(compared, ModelsResult)
    assert compared.models == ("old", "new", "twin")
    assert compared.baseline == "old"
    assert list(compared.estimates) == ["old", "new", "twin"]
    assert {one.model for one in compared.differences} == {"new", "twin"}
    assert {one.baseline for one in compared.differences} == {"old"}


def test_a_metric_and_a_model_give_a_difference(compared):
    for model in ("new", "twin"):
        found = compared["accuracy", model]
        assert (found.model, found.baseline, found.metric) == (model, "old", "accuracy")
        assert compared["F1", model] is compared["f1", model]
    with pytest.raises(UsageError) as refused:
        compared["acuracy", "new"]
    assert (
        str(refused.value) == "no difference is named 'acuracy'; did you mean 'accuracy'?\n"
        "  Fix: choose one of f1, accuracy"
    )
    with pytest.raises(UsageError) as refused:
        compared["accuracy", "old"]
    assert str(refused.value).startswith("no difference is of the model 'old'")


def test_of_several_models_one_must_be_named(compared):
    with pytest.raises(UsageError) as refused:
        compared["accuracy"]
    assert str(refused.value) == (
        "accuracy has a difference for each of new, twin\n  Fix: name the model: ['accuracy', 'new']"
    )


def test_of_two_models_the_metric_is_enough():
    alone = heldout.compare(TRUTH, {name: MODELS[name] for name in ("old", "new")}, metrics="accuracy", n_resamples=200)
    assert alone["accuracy"] is alone["accuracy", "new"]


def test_models_that_differ_in_their_verdict_share_none(compared):
    assert compared.verdicts == {"new": "BETTER", "twin": "UNDECIDED"}
    assert compared.verdict == "UNDECIDED"
    alone = heldout.compare(TRUTH, {name: MODELS[name] for name in ("old", "new")}, primary="accuracy", n_resamples=200)
    assert (alone.verdict, alone.verdicts) == ("BETTER", {"new": "BETTER"})


def test_the_dictionary_has_what_all_such_results_share(compared):
    d = compared.to_dict()
    assert {name: d[name] for name in ("models", "baseline", "primary", "verdict", "level", "seed")} == {
        "models": ["old", "new", "twin"], "baseline": "old", "primary": "accuracy", "verdict": "UNDECIDED",
        "level": 0.95, "seed": 0,
    }  # fmt: skip
    assert d["estimates"]["new"]["accuracy"]["value"] == RIGHT["new"].mean()
    assert [(one["model"], one["metric"]) for one in d["differences"]] == [
        (one.model, one.metric) for one in compared.differences
    ]
    assert compared.models_content().items() <= d.items()


def test_results_that_take_a_metric_list_their_metrics(compared):
    assert list(compared) == ["accuracy", "f1"]
    assert "f1" in compared
    assert "F1" in compared
    assert "f2" not in compared
    assert 3 not in compared
    assert [compared[name, "new"].metric for name in compared] == ["accuracy", "f1"]
    alone = heldout.evaluate(TRUTH, MODELS["old"])
    assert list(alone) == list(alone.estimates)
    assert "f1" in alone
    assert "nothing" not in alone
    assert {name: alone[name].value for name in alone}["accuracy"] == alone["accuracy"].value


INFINITE = np.where(np.arange(200) == 4, 1.0 - TRUTH, np.clip(0.5 + 0.3 * (2 * TRUTH - 1) * RIGHT["old"], 0.1, 0.9))
FINITE = np.clip(0.5 + 0.3 * (2 * TRUTH - 1) * RIGHT["new"], 0.1, 0.9)
WHY = (
    "log_loss is infinite for {}: row 5 gave probability 0 to the true class (1 row); probabilities are clipped only "
    "with --clip (clip=)"
)


@pytest.mark.parametrize("options", [{}, {"primary": "log_loss"}, {"metrics": ["log_loss", "brier", "accuracy"]}])
@pytest.mark.parametrize("order", [("good", "sure"), ("sure", "good")])
def test_a_metric_that_is_infinite_for_a_model_is_shown_untested(options, order):
    scores = {"good": FINITE, "sure": INFINITE}
    result = heldout.compare(TRUTH, {name: scores[name] for name in order}, **options)
    found = result["log_loss"]
    assert (found.printed, found.test, found.verdict) == (True, "none", "UNDECIDED" if "primary" in options else None)
    assert found.notes == (WHY.format("sure"),)
    text = " ".join(result.to_text().split())
    assert f"note log_loss {with_arguments(WHY.format('sure'))}" in text
    line = next(line for line in result.to_text().splitlines() if line.startswith("log_loss"))
    assert " inf " in line
    assert line.endswith("--")
    (row,) = [row for row in result.records() if row["metric"] == "log_loss"]
    assert (row["value"], row["pvalue_adjusted"]) == (None, None)
    assert row["notes"] == WHY.format("sure")
    assert "brier" in result
    assert result.figures()
    assert "inf" in result.to_html()


def test_an_infinite_metric_is_shown_among_many_models_and_subgroups():
    scores = {"good": FINITE, "sure": INFINITE, "third": FINITE**2}
    result = heldout.compare(TRUTH, scores, segments={"site": np.arange(200) % 2}, n_resamples=200)
    notes = {one.model: one.notes for one in result.differences if one.metric == "log_loss"}
    assert notes["sure"] == (WHY.format("sure"),)
    assert all("infinite" not in note for note in notes["third"])
    shown = [set(part[2]) for found in result.segments["site"] for part in found.shown.values()]
    assert shown
    assert result.to_text()
