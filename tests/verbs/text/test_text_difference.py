from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from heldout.errors import UsageError
from heldout.formulas.text_corpora import bleu, chrf
from heldout.intervals.resampling import percentile
from heldout.language import sacre
from heldout.tallies.units import Units, tally_units
from heldout.verbs.compare.permutation import pair_order, swapped_sums
from heldout.verbs.settings import settings
from heldout.verbs.text.text_difference import known_text_test, text_difference
from heldout.weights import bootstrap_units
from tests.language.writings import garbled, sentences

ASKED = settings()


def tally(share, count=60, seed=0, unit=None):
    wanted = sentences(count)
    said = garbled(wanted, share, seed=seed)
    return tally_units(sacre.bleu_columns(said, [[text] for text in wanted], sacre.Reading()), unit=unit)


def test_the_difference_is_that_of_the_values():
    a, b = tally(0.2), tally(0.4, seed=3)
    found = text_difference(bleu(), a, b, ASKED)
    assert found.value == float(bleu()(a.sums)) - float(bleu()(b.sums))
    assert found.low < found.value < found.high
    assert found.test == "swaps, interval by t"
    assert found.pvalue < 0.01


def test_turned_round_the_difference_changes_its_sign():
    a, b = tally(0.3), tally(0.35, seed=3)
    one, other = text_difference(bleu(), a, b, ASKED), text_difference(bleu(), b, a, ASKED)
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))
    assert one.pvalue == other.pvalue


def test_swaps_come_near_all_swaps_counted():
    a, b = tally(0.3, count=9), tally(0.45, count=9, seed=4)
    metric, seen, beyond = bleu(), abs(float(bleu()(a.sums)) - float(bleu()(b.sums))), 0
    for swap in product([0.0, 1.0], repeat=9):
        line = np.array(swap)
        one = {name: (1 - line) @ part + line @ b.added[name] for name, part in a.added.items()}
        other = {name: line @ part + (1 - line) @ b.added[name] for name, part in a.added.items()}
        beyond += abs(float(metric(one)) - float(metric(other))) >= seen - 1e-12
    drawn = swapped_sums(metric, a, b, draws=4000, seed=[1])
    assert drawn == pytest.approx(beyond / 2**9, abs=0.03)
    assert 0.02 < drawn < 0.98


def test_identical_texts_differ_by_nothing():
    found = text_difference(bleu(), tally(0.3), tally(0.3), ASKED)
    assert (found.value, found.pvalue, found.test) == (0, 1, "identical")
    unseen = 100 * 1.959964**2 / (tally(0.3).units + 1.959964**2)
    assert (found.low, found.high) == pytest.approx((-unseen, unseen), rel=1e-6)
    assert found.notes == ("identical texts",)


def test_documents_are_swapped_as_wholes():
    unit = np.repeat(np.arange(4), 15)
    found = text_difference(bleu(), tally(0.2, unit=unit), tally(0.4, seed=3, unit=unit), ASKED)
    assert found.test == "swaps, interval by t, whole documents"
    assert found.pvalue >= 2 / 2**4 - 0.03
    assert found.notes == ("4 units: no swap is rare enough to reject (needs 6)",)


def test_tests_by_name_agree_where_there_are_many_segments():
    a, b = tally(0.3, count=300), tally(0.32, count=300, seed=3)
    found = {name: text_difference(bleu(), a, b, ASKED, name) for name in ("permutation", "bootstrap", "t")}
    assert [one.test for one in found.values()] == ["swaps, interval by t", "paired bootstrap", "t on influence"]
    assert found["permutation"].pvalue == pytest.approx(found["t"].pvalue, abs=0.04)
    assert found["bootstrap"].pvalue == pytest.approx(found["t"].pvalue, abs=0.04)
    assert found["bootstrap"].low == pytest.approx(found["t"].low, abs=0.3)
    assert found["bootstrap"].notes == ()


@pytest.mark.parametrize("times", [1, 1_000_003, 0.1])
def test_draws_are_summed_exactly(times):
    """Also where sums are too large for single precision, or no whole numbers."""
    a, b = (
        tally_units({name: times * part for name, part in tally(share, seed=seed).added.items()})
        for share, seed in ((0.2, 0), (0.4, 3))
    )
    found = text_difference(bleu(), a, b, settings(n_resamples=200), "bootstrap")
    (block,) = bootstrap_units(a.units, 200, [ASKED.seed, 8])
    weights = np.empty_like(block())
    weights[:, pair_order(bleu(), a, b)] = block()
    values = bleu()(a.at(weights)) - bleu()(b.at(weights))
    assert (found.low, found.high) == pytest.approx(percentile(values, ASKED.level), rel=1e-12)
    assert found.error == pytest.approx(np.std(values), rel=1e-12)


def test_the_bootstrap_of_few_segments_says_so():
    found = text_difference(bleu(), tally(0.2), tally(0.4, seed=3), ASKED, "bootstrap")
    assert found.notes == ("60 units: below 100 a bootstrap tends to be too narrow",)


def test_without_a_match_of_some_length_units_are_drawn():
    wanted = [["a b c d"], ["e f g h"], ["i j k l"], ["m n o p"], ["q r s t"], ["u v w x"], ["y z 1 2"]]
    one = ["a b c x", "e f x h", "i x", "m n o x", "q r x", "u x", "y z"]
    other = ["a x", "e x", "i j", "m x", "q x", "u v", "y x"]
    a, b = (tally_units(sacre.bleu_columns(said, wanted, sacre.Reading())) for said in (one, other))
    found = text_difference(bleu(), a, b, ASKED)
    assert found.test == "swaps, interval by resamples"
    assert found.notes[-1] == "no n-gram of some length matches: the difference rests on smoothing"
    assert found.low <= found.value <= found.high


def test_one_segment_cannot_be_tested():
    found = text_difference(bleu(), tally(0.2, count=1), tally(0.6, count=1, seed=3), ASKED)
    assert (found.test, found.notes) == ("none", ("the variance of one unit cannot be estimated",))


def test_the_same_seed_gives_the_same_p_value():
    a, b = tally(0.3), tally(0.35, seed=3)
    first, again, other = (text_difference(bleu(), a, b, settings(random_state=seed)).pvalue for seed in (1, 1, 3))
    assert first == again
    assert first != other


@pytest.mark.simulation
def test_swaps_and_t_hold_their_level_with_twenty_segments():
    wanted = sentences(400)
    pool = [
        sacre.chrf_columns(garbled(wanted, 0.35, seed=seed), [[text] for text in wanted], words=0, lowercase=False)
        for seed in (1, 2)
    ]
    rng = np.random.default_rng(5)
    rejected = {"permutation": 0, "t": 0}
    for trial in range(200):
        chosen = rng.integers(0, 400, 20)
        a, b = (Units({k: v[chosen].astype(float) for k, v in one.items()}, {}) for one in pool)
        asked = settings(n_resamples=200, random_state=trial)
        for name in rejected:
            rejected[name] += text_difference(chrf(), a, b, asked, name).pvalue < 0.05
    assert all(2 <= count <= 20 for count in rejected.values()), rejected


def test_an_unknown_test_is_named():
    with pytest.raises(UsageError) as problem:
        known_text_test("bootstrp")
    assert str(problem.value) == (
        "no test of texts is named 'bootstrp'; did you mean 'bootstrap'?\n"
        "  Fix: choose one of permutation, bootstrap, t"
    )
