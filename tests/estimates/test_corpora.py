from __future__ import annotations

import numpy as np
import pytest

from heldout.estimates.choice import estimate
from heldout.formulas.corpora import bleu, chrf
from heldout.language import sacre
from heldout.tallies.units import tally_units
from tests.language.writings import garbled, sentences


def tally(count=60, share=0.3, unit=None):
    wanted = sentences(count)
    columns = sacre.bleu_columns(garbled(wanted, share), [[text] for text in wanted], sacre.Reading())
    return tally_units(columns, unit=unit)


def test_the_interval_is_t_on_what_leaving_out_a_segment_changes():
    whole = tally()
    metric = bleu()
    found = estimate(metric, whole)
    without = metric({name: whole.sums[name] - column for name, column in whole.added.items()})
    n = whole.units
    error = np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2))  # the jackknife's
    assert found.method == "t on influence"
    assert (found.high - found.low) / 2 == pytest.approx(2.0010 * error, rel=0.03)
    assert (found.low + found.high) / 2 == pytest.approx(float(found))


def test_documents_are_drawn_as_wholes():
    unit = np.repeat(np.arange(6), 10)
    found = estimate(bleu(), tally(unit=unit))
    assert (found.units, found.method) == (6, "t on influence, clustered")
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
    assert found.method == "bootstrap percentile, 2000 draws"
    assert found.notes[-1] == "no n-gram of some length matches: the value rests on smoothing, and so do the draws"


def test_segments_that_are_alike_say_nothing():
    columns = sacre.chrf_columns(["abcdefg hi"] * 4, [["abcdefg ho"]] * 4, words=0, lowercase=False)
    found = estimate(chrf(), tally_units(columns))
    assert (found.low, found.high) == (0, 100)
    assert found.notes == ("all 4 units are alike, so there is no spread to judge by",)
    alone = estimate(chrf(), tally_units({name: column[:1] for name, column in columns.items()}))
    assert alone.notes == ("one unit has no spread to judge by",)
