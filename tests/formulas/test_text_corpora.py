from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics import BLEU

from heldout.formulas import text_corpora as corpora


@st.composite
def sums(draw):
    length = draw(st.integers(0, 60))
    ngrams = [max(length - n * draw(st.integers(1, 3)), 0) for n in range(4)]
    ngrams = np.minimum.accumulate(ngrams)
    matches = np.minimum.accumulate([draw(st.integers(0, int(most))) for most in ngrams])
    return {"matches": matches, "ngrams": ngrams, "reference_length": np.array(draw(st.integers(1, 80)))}


@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize(("smoothing", "amount"), [("exp", None), ("floor", 0.1), ("add-k", 1.0), ("none", None)])
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
    assert corpora.TER.better == "lower"


def test_no_text_metric_is_in_the_table_of_batches():
    from heldout.formulas import METRICS

    assert not {"bleu", "chrf", "ter", *(metric.name for metric in corpora.NGRAMS)} & set(METRICS)
