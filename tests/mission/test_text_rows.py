"""Mission I3 to I5: texts against references."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from sacrebleu.metrics import BLEU

import heldout
from heldout.cli import verbs
from tests.language.writings import garbled, sentences

REFERENCE = "people like foreign cars"
ALIKE = "people like visiting places abroad"
PARAPHRASE = "consumers prefer imported cars"


def values(candidate, **options):
    found = heldout.text([REFERENCE], [candidate], **options)
    return {name: float(one) for name, one in found.estimates["hypothesis"].items()}


def test_I3_precision_divides_by_the_candidate_and_recall_by_the_reference():
    found = values(ALIKE, metrics="ngrams")
    assert [found[f"ngram_precision_{n}"] for n in (1, 2)] == [2 / 5, 1 / 4]
    assert [found[f"ngram_recall_{n}"] for n in (1, 2)] == [2 / 4, 1 / 3]


def test_I3_a_repeated_word_counts_once_if_clipped_and_each_time_if_not():
    found = heldout.text(["the cat sat"], ["the the the"], metrics="ngrams,ngrams_unclipped")
    assert (found["ngram_precision_1"].value, found["ngram_precision_unclipped_1"].value) == (1 / 3, 1.0)
    assert (found["ngram_recall_1"].value, found["ngram_recall_unclipped_1"].value) == (1 / 3, 1 / 3)
    assert "(clipped)" in heldout.explain("ngram_precision_1")
    assert "(unclipped)" in heldout.explain("ngram_precision_unclipped_1")


@pytest.mark.parametrize("metric", ["bleu", "ngram_precision_1", "ngram_recall_1", "ngram_precision_2", "chrf"])
def test_I3_the_words_in_common_win(metric):
    assert values(ALIKE)[metric] > values(PARAPHRASE)[metric]


def test_I3_bleu_is_that_of_sacrebleu_and_signs_for_it():
    wanted = sentences(60)
    said = garbled(wanted, 0.3)
    theirs = BLEU()
    found = heldout.text(wanted, said)
    assert found["bleu"].value == theirs.corpus_score(said, [wanted]).score
    assert found.signatures["bleu"] == str(theirs.get_signature())


def test_I4_the_meaning_wins_with_an_encoder_that_is_on_this_machine():
    alike, paraphrase = (values(text, metrics="bertscore") for text in (ALIKE, PARAPHRASE))
    assert paraphrase["bertscore_f"] > alike["bertscore_f"]
    figures = [one[f"bertscore_{letter}"] for one in (alike, paraphrase) for letter in "prf"]
    # the same texts through bert-score and torch, last layer
    assert figures == pytest.approx([0.5906, 0.6275, 0.6085, 0.6317, 0.6317, 0.6317], abs=5e-5)


def test_I4_the_order_belongs_to_the_last_layer():
    alike, paraphrase = (values(text, metrics="bertscore", layer=5)["bertscore_f"] for text in (ALIKE, PARAPHRASE))
    assert [alike, paraphrase] == pytest.approx([0.7059, 0.7038], abs=5e-5)


def test_I4_any_embedder_will_do():
    def stems(texts):
        groups = {"people": 0, "consumers": 0, "like": 1, "prefer": 1, "foreign": 2, "imported": 2, "cars": 3}
        return [np.eye(8)[[groups.get(word, 4 + len(word) % 4) for word in text.split()]] for text in texts]

    assert values(PARAPHRASE, metrics="bertscore", embedder=stems)["bertscore_f"] == 1
    assert values(ALIKE, metrics="bertscore", embedder=stems)["bertscore_f"] < 1


def test_I5_two_systems_are_compared_on_the_same_segments(tmp_path):
    wanted = sentences(80)
    for name, lines in {"r": wanted, "a": garbled(wanted, 0.4), "b": garbled(wanted, 0.2, seed=3)}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [str(tmp_path / f"{name}.txt") for name in "rab"]
    result = CliRunner().invoke(verbs, ["text", *files, "--primary", "bleu", "--format", "json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["verdict"] == "BETTER"
    (bleu, _) = found["differences"]
    assert 0 < bleu["low"] < bleu["value"] < bleu["high"]
    assert all(one["bleu"]["low"] < one["bleu"]["value"] < one["bleu"]["high"] for one in found["estimates"].values())


@pytest.mark.simulation
def test_I5_intervals_over_segments_hold_the_value_of_the_population():
    """The population is 600 segments, whose BLEU is known; each test set is 40 of them, drawn at random."""
    wanted = sentences(600)
    said = garbled(wanted, 0.3)
    truth = heldout.text(wanted, said, metrics="bleu")["bleu"].value
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        chosen = rng.integers(0, 600, 40)
        found = heldout.text([wanted[k] for k in chosen], [said[k] for k in chosen], metrics="bleu")["bleu"]
        held += found.low <= truth <= found.high
    assert 0.92 <= held / 400 <= 0.98
