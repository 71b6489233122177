from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics import BLEU, CHRF

from heldout.formulas import text_corpora as corpora


@st.composite
def sums(draw):
    length = draw(st.integers(0, 60))
    ngrams = [max(length - n * draw(st.integers(1, 3)), 0) for n in range(4)]
    ngrams = np.minimum.accumulate(ngrams)
    matches = np.minimum.accumulate([draw(st.integers(0, int(most))) for most in ngrams])
    return {"matches": matches, "ngrams": ngrams, "reference_length": np.array(draw(st.integers(1, 80)))}


@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize(("smoothing", "amount"), [("exp", None), ("floor", 0.1), ("add-k", 2.0), ("none", None)])
@given(found=sums())
def test_bleu_of_any_sums_is_that_of_sacrebleu(found, smoothing, amount, effective):
    wanted = BLEU.compute_bleu(
        correct=[int(x) for x in found["matches"]],
        total=[int(x) for x in found["ngrams"]],
        sys_len=int(found["ngrams"][0]),
        ref_len=int(found["reference_length"]),
        smooth_method=smoothing,
        smooth_value=amount,
        effective_order=effective,
    ).score
    metric = corpora.bleu(smoothing, amount, effective=effective)
    assert float(metric(found)) == wanted
    many = metric({name: np.stack([part, part]) for name, part in found.items()})
    assert many == pytest.approx([wanted, wanted], rel=1e-12)


@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
@pytest.mark.parametrize("matches", [(4, 2, 1, 0), (1, 0, 0, 0)])
def test_smoothing_adds_what_sacrebleu_adds_unless_said_otherwise(smoothing, matches):
    ngrams = np.array([5, 4, 3, 2])
    found = {"matches": np.minimum(matches, ngrams), "ngrams": ngrams, "reference_length": np.array(6)}
    counts = [found[name].tolist() for name in ("matches", "ngrams")]
    wanted = BLEU.compute_bleu(*counts, sys_len=5, ref_len=6, smooth_method=smoothing).score
    assert float(corpora.bleu(smoothing)(found)) == wanted


def test_bleu_looks_at_up_to_four_words_whatever_was_counted():
    found = {
        "matches": np.array([5, 3, 2, 1, 0]), "ngrams": np.array([6, 5, 4, 3, 2]), "reference_length": np.array(6),
    }  # fmt: skip
    assert float(corpora.bleu()(found)) == pytest.approx(100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)


def test_a_corpus_of_too_short_segments_has_no_bleu_unless_the_order_is_effective():
    short = {"matches": np.array([4, 2, 0, 0]), "ngrams": np.array([5, 3, 0, 0]), "reference_length": np.array(5)}
    assert float(corpora.bleu()(short)) == 0
    assert float(corpora.bleu(effective=True)(short)) == pytest.approx(100 * (4 / 5 * 2 / 3) ** 0.5)


def test_a_corpus_without_a_match_is_zero_beside_one_with_matches():
    some = {"matches": np.array([3, 2, 1, 0]), "ngrams": np.array([4, 3, 2, 1]), "reference_length": np.array(4)}
    none = {**some, "matches": np.zeros(4, int)}
    both = corpora.bleu()({name: np.stack([some[name], none[name]]) for name in some})
    assert both == pytest.approx([float(corpora.bleu()(some)), 0.0])
    assert both[0] > 0


def test_bleu_of_two_words_looks_at_two():
    found = {"matches": np.array([3, 1, 0, 0]), "ngrams": np.array([4, 3, 2, 1]), "reference_length": np.array(4)}
    assert float(corpora.bleu(order=2)(found)) == pytest.approx(100 * (3 / 4 * 1 / 3) ** 0.5)


def test_precision_divides_by_what_was_said_and_recall_by_what_was_wanted():
    found = {
        "matches": np.array([2.0, 1, 0, 0]), "ngrams": np.array([5.0, 4, 3, 2]),
        "recalled": np.array([2.0, 1, 0, 0]), "reference_ngrams": np.array([4.0, 3, 2, 0]),
    }  # fmt: skip
    values = [float(metric(found)) for metric in corpora.NGRAMS]
    assert values == pytest.approx([2 / 5, 1 / 4, 0, 0, 2 / 4, 1 / 3, 0, float("nan")], nan_ok=True)


def test_ter_of_empty_references_is_all_or_nothing():
    assert float(corpora.TER({"edits": np.array(3.0), "words": np.array(0.0)})) == 100
    assert float(corpora.TER({"edits": np.array(0.0), "words": np.array(0.0)})) == 0
    assert float(corpora.TER({"edits": np.array(1.0), "words": np.array(0.0)})) == 100
    assert float(corpora.TER({"edits": np.array(3.0), "words": np.array(1.0)})) == 300
    assert corpora.TER.better == "lower"


@pytest.mark.parametrize(("beta", "words"), [(2, 0), (1, 0), (3, 2)])
@pytest.mark.parametrize("seed", range(5))
def test_chrf_of_any_sums_is_that_of_sacrebleu(beta, words, seed):
    """Sacrebleu's statistics are hypothesis, reference and matching n-grams of every n in turn."""
    rng = np.random.default_rng(seed)
    size = 6 + words
    said, wanted = (rng.integers(0, 30, size) * (rng.random(size) < 0.8) for _ in range(2))
    matched = rng.integers(0, 30, size) % (np.minimum(said, wanted) + 1)
    peer = CHRF(beta=beta, word_order=words)
    want = peer._compute_f_score([int(x) for line in zip(said, wanted, matched, strict=True) for x in line])
    metric = corpora.chrf(beta, words)
    found = {"matched": matched, "said": said, "wanted": wanted}
    assert float(metric(found)) == pytest.approx(want)
    assert metric({name: np.stack([part, part]) for name, part in found.items()}) == pytest.approx([want, want])
    assert (metric.name, metric.range, metric.printed) == ("chrf" + "+" * words, (0.0, 100.0), True)


def test_chrf_of_nothing_in_common_is_zero():
    nothing = {"matched": np.zeros(6), "said": np.zeros(6), "wanted": np.full(6, 3.0)}
    assert float(corpora.chrf()(nothing)) == 0.0
    apart = {"matched": np.zeros(6), "said": np.ones(6), "wanted": np.ones(6)}
    assert float(corpora.chrf()(apart)) == 0.0
    single = {"matched": np.array([1.0]), "said": np.array([1.0]), "wanted": np.array([1.0])}
    assert float(corpora.chrf()(single)) == 100.0


def test_unclipped_shares_count_every_ngram_that_is_there():
    found = {
        "present": np.array([5.0, 3, 1, 0]), "ngrams": np.array([6.0, 5, 4, 3]),
        "recalled_present": np.array([4.0, 2, 1, 1]), "reference_ngrams": np.array([8.0, 7, 6, 5]),
    }  # fmt: skip
    values = [float(metric(found)) for metric in corpora.UNCLIPPED]
    assert values == pytest.approx([5 / 6, 3 / 5, 1 / 4, 0, 4 / 8, 2 / 7, 1 / 6, 1 / 5])
    assert [one.name for one in corpora.UNCLIPPED[::4]] == ["ngram_precision_unclipped_1", "ngram_recall_unclipped_1"]


def test_the_three_figures_of_bertscore_are_means_over_segments():
    found = {"bert_p": np.array(3.0), "bert_r": np.array(2.0), "bert_f": np.array(2.4), "rows": np.array(4.0)}
    assert [float(metric(found)) for metric in corpora.BERTSCORE] == pytest.approx([0.75, 0.5, 0.6])
    assert [(one.name, one.aliases, one.printed) for one in corpora.BERTSCORE] == [
        ("bertscore_p", (), False), ("bertscore_r", (), False), ("bertscore_f", ("bertscore",), True),
    ]  # fmt: skip
    assert {one.range for one in corpora.BERTSCORE} == {(-1.0, 1.0)}


def test_no_text_metric_is_in_the_table_of_batches():
    from heldout.formulas import METRICS

    assert not {"bleu", "chrf", "ter", *(metric.name for metric in corpora.NGRAMS)} & set(METRICS)


def test_chrf_counts_recall_twice_as_much_unless_said_otherwise():
    """The F measure of P = 1/2 and R = 1/4 with beta 2: 5 P R / (4 P + R)."""
    found = {"matched": np.full(6, 1.0), "said": np.full(6, 2.0), "wanted": np.full(6, 4.0)}
    assert float(corpora.chrf()(found)) == pytest.approx(100 * 5 * 0.5 * 0.25 / (4 * 0.5 + 0.25))


def test_what_is_known_of_every_metric_of_texts():
    shares = [f"ngram_{kind}_{n}" for kind in ("precision", "recall") for n in range(1, 5)]
    unclipped = [f"{name[:-1]}unclipped_{name[-1]}" for name in shares]
    means = ["ter", "bertscore_p", "bertscore_r", "bertscore_f"]
    assert set(corpora.TEXTS) == {"bleu", "chrf", "chrf++", *shares, *unclipped, *means}
    assert [name for name, one in corpora.TEXTS.items() if one.printed] == [
        "bleu", "chrf", "chrf++", "ter", "bertscore_f",
    ]  # fmt: skip
    for name, one in corpora.TEXTS.items():
        # nothing is read from classes, so that no class can be too small
        assert (one.name, one.reads, one.rests_on, one.carriers) == (name, "numbers", "all rows", ())
        assert one.interval == ("mean" if name in means else "corpus")
    ranges = {name: corpora.TEXTS[name].range for name in ("bleu", "chrf", "chrf++", "ter", "ngram_recall_1")}
    percent = (0.0, 100.0)
    assert ranges == {
        "bleu": percent, "chrf": percent, "chrf++": percent, "ter": (0.0, np.inf), "ngram_recall_1": (0.0, 1.0),
    }  # fmt: skip
