from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.estimates.interval_choice import estimate
from heldout.estimates.text_corpora import jackknife_logit
from heldout.formulas.text_corpora import TER, bleu, chrf, ngram_precision
from heldout.language import sacre
from heldout.tallies.units import tally_units
from tests.language.writings import garbled, sentences


def tally(count=60, share=0.3, unit=None):
    wanted = sentences(count)
    columns = sacre.bleu_columns(garbled(wanted, share), [[text] for text in wanted], sacre.Reading())
    return tally_units(columns, unit=unit)


def test_the_interval_is_t_on_the_logit_scale_from_leaving_out_each_segment():
    whole = tally()
    metric = bleu()
    found = estimate(metric, whole)
    without = metric({name: whole.sums[name] - column for name, column in whole.added.items()})
    n, part = whole.units, np.log(without / (100 - without))
    error = np.sqrt((n - 1) / n * np.sum((part - part.mean()) ** 2))
    low, high = (np.log(end / (100 - end)) for end in (found.low, found.high))
    assert found.method == "jackknife t, logit scale"
    assert (low + high) / 2 == pytest.approx(n * np.log(found / (100 - found)) - (n - 1) * part.mean())
    assert 2.0010 <= (high - low) / 2 / error < 2.2  # Student's quantile with 59 degrees of freedom, or a few less


def test_a_unit_that_makes_most_of_the_spread_leaves_few_degrees_of_freedom():
    alike = 0.5 + 0.01 * np.array([1, -1, 1, -1, 1, -1, 1, -1])
    one = np.append(alike[:-1], 0.2)
    even, led = (jackknife_logit(0.5, without, 0.95) for without in (alike, one))
    spread = [np.log(without / (1 - without)) for without in (alike, one)]
    errors = [np.sqrt(7 / 8 * np.sum((part - part.mean()) ** 2)) for part in spread]
    reach = [np.diff(np.log(np.array(ends) / (1 - np.array(ends)))).item() / 2 for ends in (even, led)]
    assert reach[0] / errors[0] == pytest.approx(2.3646, abs=1e-4)  # 7 degrees of freedom
    assert reach[1] / errors[1] == pytest.approx(3.18, abs=0.01)  # 3


def test_the_edit_rate_of_few_segments_is_in_percent_and_so_is_its_interval():
    edits, words = np.array([2.0, 5.0, 1.0, 8.0, 4.0, 3.0]), np.array([10.0, 12.0, 9.0, 14.0, 11.0, 10.0])
    found = estimate(TER, tally_units({"edits": edits, "words": words}), draws=500)
    assert found.method == "Hall t, ratio"
    assert float(found) == pytest.approx(100 * 23 / 66)
    assert 10 < found.low < 30
    assert 40 < found.high < 80


def test_of_two_segments_their_influence_is_all_that_is_known():
    counts = {"matches": np.array([[3, 2, 1, 1], [4, 2, 1, 1]]), "ngrams": np.array([[5, 4, 3, 2], [8, 7, 6, 5]])}
    found = estimate(ngram_precision(4), tally_units(counts))
    assert (float(found), found.low, found.high) == (pytest.approx(2 / 7), 0.0, 1.0)
    assert found.method == "t on influence"


def test_documents_are_drawn_as_wholes():
    unit = np.repeat(np.arange(6), 10)
    found = estimate(bleu(), tally(unit=unit))
    assert (found.units, found.method) == (6, "jackknife t, logit scale, clustered")
    assert found.value == estimate(bleu(), tally()).value


@pytest.mark.parametrize("method", ["t", "percentile", "basic", "bca", "normal", "log", "wilson"])
def test_other_intervals_hold_the_value_and_are_about_as_wide(method):
    auto, found = (estimate(bleu(), tally(), method=name) for name in ("auto", method))
    assert found.low < found < found.high
    assert (found.high - found.low) / (auto.high - auto.low) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize(("texts", "end"), [(["a b c d e"] * 3, 100.0), (["x y z"] * 3, 0.0)])
def test_at_the_ends_of_the_range_the_number_of_units_counts(texts, end):
    tally = tally_units(sacre.bleu_columns(texts, [["a b c d e"]] * 3, sacre.Reading()))
    found = estimate(bleu(), tally)
    assert found.value == end
    assert found.method == "effective-n Wilson"
    assert found.high - found.low == pytest.approx(56.1497, abs=1e-4)
    assert found.notes == ("at the end of its range; the interval rests on 3 units (all rows)",)


def test_where_a_length_never_matches_units_are_drawn():
    texts, wanted = ["a b c x", "a b y", "a b c"], [["a b c d"], ["a b c"], ["a b z w"]]
    found = estimate(bleu(), tally_units(sacre.bleu_columns(texts, wanted, sacre.Reading())))
    assert 0 < found < 100
    assert found.method == "bootstrap percentile, 2000 resamples"
    assert found.notes[-1] == "no n-gram of some length matches: the value rests on smoothing, and so do the resamples"


def test_segments_that_are_alike_say_nothing():
    columns = sacre.chrf_columns(["abcdefg hi"] * 4, [["abcdefg ho"]] * 4, words=0, lowercase=False)
    found = estimate(chrf(), tally_units(columns))
    assert (found.low, found.high) == (0, 100)
    assert found.notes == ("all 4 units are alike: no variance",)
    alone = estimate(chrf(), tally_units({name: column[:1] for name, column in columns.items()}))
    assert alone.notes == ("the variance of one unit cannot be estimated",)


def test_a_share_of_ngrams_is_bounded_by_the_segments_that_match():
    """In 1,500 samples of 30 segments, of which 7% match, the interval covers 98% at a third of its former width."""
    rng, words = np.random.default_rng(0), np.array(list("abcde"))
    truth, said = ([" ".join(rng.choice(words, rng.integers(3, 12))) for _ in range(30)] for _ in range(2))
    found = heldout.text(truth, said, metrics="ngrams")["ngram_precision_4"]
    assert found.notes == ("n-grams match in 2 of 30 segments: the interval is rough",)
    assert found.low <= found.value == pytest.approx(6 / 115)
    assert found.high < 0.3  # 0.788 by the jackknife alone
    assert heldout.text(truth, said, metrics="ngrams")["ngram_precision_1"].notes == ()
