"""How often intervals and tests of pictures and texts are right: what is measured, and how it is told."""

from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from heldout import lab
from heldout.errors import UsageError
from heldout.lab.corpora import corpus_rates as rates
from heldout.lab.corpora.corpus_cards import SETTINGS, all_corpus_rates, corpus_cards
from heldout.lab.corpora.one_sample import lines_of, set_world
from heldout.report.schema import schema

QUICK = {"repeats": 6, "n_resamples": 40}
BOXES = "boxes:classes=2,objects=1,wrong=1,blur=0.1"


@pytest.fixture
def few_images(monkeypatch):
    """A rough truth of boxes is enough where no rate is looked at."""
    monkeypatch.setattr(rates, "MANY", 300)
    monkeypatch.setattr(rates, "SAMPLES", 3)


@pytest.mark.parametrize("world", [BOXES, "boxes:classes=1", "pixels", "segments", "segments:size=3"])
def test_every_line_of_a_world_is_measured(world, few_images):
    found = lab.corpus_rates(world, 8, **QUICK)
    named = [(one.kind, one.metric, one.method) for one in found]
    assert named == [(line.kind, line.metric, line.method) for line in lines_of(set_world(world))]
    assert all(one.repeats == 6 and 0 <= one.rate <= 1 for one in found)
    for one in found:
        if one.kind != "test":
            assert one.rate + one.below + one.above >= 1 - 1e-9 or one.undefined == 1
    result = found.to_dict()
    assert (result["level"], result["n_resamples"], result["seed"]) == (0.95, 40, 0)
    assert result["results"] == [one.to_dict() for one in found]
    Draft202012Validator(schema("heldout.corpus-rates/1")).validate(result)


def test_the_truth_of_boxes_has_an_error_and_the_others_none(few_images):
    first, *_ = lab.corpus_rates(BOXES, 5, **QUICK)
    assert 0 < first.truth_error < 0.05
    assert {one.truth_error for one in lab.corpus_rates("pixels", 5, **QUICK)} == {0.0}
    again = rates.true_values(set_world(BOXES))
    assert (first.truth, first.truth_error) == (again[0].value, again[0].error)


def test_the_same_seed_gives_the_same_rates_with_and_without_a_file(tmp_path):
    asked = {"world": "segments", "n": 6, **QUICK}
    first = lab.corpus_rates(**asked)
    assert lab.corpus_rates(**asked, into=tmp_path / "kept.jsonl") == first
    assert lab.corpus_rates(**asked, into=tmp_path / "kept.jsonl") == first
    assert len((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()) == 1
    assert lab.corpus_rates(**asked, random_state=1) != first


@pytest.mark.parametrize(
    ("kind", "rate", "word"),
    [("interval", 0.9, "too low"), ("interval", 0.94, "ok"), ("interval", 0.99, "wide"), ("classes", 0.9, "too low"),
     ("test", 0.09, "too high"), ("test", 0.05, "ok"), ("test", 0.005, "timid")],
)  # fmt: skip
def test_a_word_for_each_rate(kind, rate, word):
    facts = {"metric": "m", "method": "auto", "world": "w", "n": 9, "level": 0.95, "truth": 0.5, "truth_error": 0.0}
    rest = {"bias": 0.0, "error": 0.005, "below": 0.0, "above": 0.0, "width": 0.1, "undefined": 0.0, "repeats": 2000}
    assert rates.CorpusRate(kind=kind, rate=rate, **facts, **rest).word == word


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 1}, ("n is 1, but must be two images, segments or documents, or more\n  Fix: write n=50")),
        ({"n": 9, "confidence_level": 1.0}, "the level is 1, but must lie between 0 and 1\n  Fix: for 95% write 0.95"),
    ],
)
def test_messages(given, message):
    with pytest.raises(UsageError, match=f"^{message}$"):
        lab.corpus_rates("segments", **given)


def test_cards_have_a_line_per_rate_and_stand_by_the_true_value():
    found = all_corpus_rates(repeats=3, n_resamples=20, chosen=lambda world, n: "size=8" in world and n == 5)
    stored = corpus_cards(found)
    assert stored["schema"] == "heldout.corpus-cards/1"
    assert set(stored["intervals"]) == set(stored["tests"]) == {"clustered"}
    (line,) = stored["tests"]["clustered"]["bleu"]["auto"]
    truth = set_world(found[0].world).truths["bleu"]
    assert line[:3] == [0, 5, round(truth, 5)]
    assert all(set_world(world).name == world for world in SETTINGS)


@pytest.mark.slow
@pytest.mark.simulation
def test_intervals_of_bleu_and_mean_iou_hold_and_swaps_keep_their_level():
    found = [one for one in lab.corpus_rates("segments", 20, repeats=100, n_resamples=99) if one.method == "auto"]
    tested = [one for one in found if one.kind == "test"]
    held = [one for one in found if one.kind == "interval"]
    assert all(one.rate > 0.95 - 3.5 * np.sqrt(0.05 * 0.95 / 100) for one in held)
    assert all(one.rate < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 100) for one in tested)
    pictured = [one for one in lab.corpus_rates("pixels", 20, repeats=100) if one.kind == "interval"]
    assert all(one.rate > 0.95 - 3.5 * np.sqrt(0.05 * 0.95 / 100) for one in pictured)
