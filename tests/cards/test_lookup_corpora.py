"""Cards of the figures of pictures and the metrics of texts: all are there, and stand beside the numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

import heldout
from heldout.boxes.average_precision import FIGURES
from heldout.cards import CardKey, found_card
from heldout.cards.lookup import FILES, _known
from heldout.lab import corpus_rates
from heldout.lab.corpora.image_worlds import boxes
from heldout.lab.corpora.text_world import METRICS, segments

MASKS = ("mean_iou", "mean_dice", "pixel_accuracy")
BY_CLASS = ("AP by class", "AP50 by class", "iou by class")


@pytest.mark.parametrize("metric", [*FIGURES, *MASKS, *BY_CLASS, *METRICS])
def test_every_interval_has_a_card(metric):
    card = found_card("intervals", CardKey(metric), at=(50, 0.5)).card
    assert 0.8 < card.rate <= 1
    assert card.repeats >= 100


@pytest.mark.parametrize("metric", [*FIGURES, *MASKS, "bleu", "chrf", "ter"])
def test_every_test_has_a_card(metric):
    card = found_card("tests", CardKey(metric), at=(50, 0.5)).card
    assert 0 <= card.rate < 0.15


def test_documents_have_cards_of_their_own():
    card = found_card("intervals", CardKey("bleu", design="clustered"), at=(18, 46.0)).card
    assert (card.n, "size=8" in card.world) == (20, True)
    assert found_card("tests", CardKey("bleu", "bootstrap", "clustered"), at=(18, 46.0)).card.n == 20


def test_no_name_is_in_both_files():
    first, second = (
        {name for kind in ("intervals", "tests") for design in _known(file)[kind].values() for name in design}
        for file in FILES
    )
    assert first & second == set()


def test_a_card_comes_out_again_within_its_error():
    card = found_card("intervals", CardKey("mean_iou"), at=(10, 0.72)).card
    again = next(
        one for one in corpus_rates(card.world, card.n, repeats=40, random_state=5) if one.metric == "mean_iou"
    )
    assert again.rate == pytest.approx(card.rate, abs=4 * np.hypot(card.error, again.error))
    assert again.truth == pytest.approx(card.truth, abs=1e-5)


def table(scene, said=None):
    one = scene if said is None else said
    names = [f"{at:03d}" for at in one.image.tolist()]
    columns = {"image": names, "label": [f"c{at}" for at in one.label.tolist()]}
    columns |= {name: one.box[:, at].tolist() for at, name in enumerate("xywh")}
    return columns if said is None else {**columns, "score": one.score.tolist()}


def test_detect_prints_how_often_its_intervals_held():
    objects, (one, other) = boxes(classes=3, objects=2, blur=0.12).sample(40, np.random.default_rng(0))
    found = heldout.detect(table(objects), {"old": table(objects, one), "new": table(objects, other)}, n_resamples=100)
    assert found.estimates["old"]["AP"].card.n == 40
    assert found.classes["old"]["c1"]["AP"].card.world.startswith("boxes:")
    assert all(difference.card for difference in found.differences)
    text = str(found)
    assert "* simulated coverage in similar data (nominal 95%, Monte-Carlo error up to 0.8" in text
    assert re.search(r"simulated type I error in similar data: 2% \(\S+\) to 6%\s+\(\S+\); nominal 5%,", text)
    alone = str(heldout.detect(table(objects), table(objects, one), n_resamples=100))
    assert "coverage*" in alone
    together = " ".join(alone.partition("simulated coverage of all of them: ")[2].split())
    assert re.match(r"\d+% in similar data \(nominal 95%, Monte-Carlo error up to \d\.\d points\)", together)


def test_text_prints_how_often_its_intervals_held():
    one, other = segments().sample(30, np.random.default_rng(0))
    (old, references), (new, _) = one.texts(), other.texts()
    found = heldout.text(references, {"old": old, "new": new}, metrics="bleu", n_resamples=100)
    assert found.estimates["new"]["bleu"].card.n == 20
    assert found.differences[0].card.n == 20
    assert "* simulated coverage in similar data (nominal 95%, Monte-Carlo error up to 1.0" in str(found)
    other_level = heldout.text(
        references, {"old": old, "new": new}, metrics="bleu", n_resamples=100, confidence_level=0.9
    )
    assert (other_level.estimates["new"]["bleu"].card, other_level.differences[0].card) == (None, None)
