from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from jsonschema import Draft202012Validator, ValidationError
from scipy import stats

import heldout
from heldout.errors import HeldoutError
from heldout.report import rendered
from heldout.report.schema import schema

RNG = np.random.default_rng(3)
SCORES = RNG.normal(0.8, 0.05, (12, 1)) + np.array([0.0, 0.03, 0.031, 0.1]) + RNG.normal(0, 0.02, (12, 4))
TABLE = {"dataset": [f"set {i}" for i in range(12)], **dict(zip("abcd", SCORES.T, strict=True))}


def told(*arguments, **options):
    with pytest.raises(HeldoutError) as caught:
        heldout.compare_across_sets(*arguments, **options)
    return str(caught.value)


def codes(found):
    return [check.code for check in found.checks]


def test_two_learners_have_wilcoxons_test_alone():
    found = heldout.compare_across_sets({"set": list("abcdefgh"), "x": SCORES[:8, 0], "y": SCORES[:8, 1]})
    (pair,) = found.pairs
    expected = stats.wilcoxon(SCORES[:8, 1], SCORES[:8, 0])
    assert (found.friedman, found.groups, found.critical_difference) == (None, (), None)
    assert (pair.a, pair.b, pair.test) == ("y", "x", "Wilcoxon signed rank")
    assert pair.pvalue == pair.pvalue_adjusted == pytest.approx(expected.pvalue)
    assert pair.statistic == expected.statistic


def test_friedman_is_that_of_scipy():
    found = heldout.compare_across_sets(TABLE).friedman
    expected = stats.friedmanchisquare(*SCORES.T)
    assert (found.chi_square, found.chi_square_pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    f = 11 * found.chi_square / (12 * 3 - found.chi_square)
    assert (found.f, found.f_pvalue) == pytest.approx((f, stats.f.sf(f, 3, 33)))


def test_every_pair_has_difference_interval_and_verdict():
    found = heldout.compare_across_sets(TABLE)
    assert [(one.a, one.b) for one in found.pairs] == [tuple(pair) for pair in ("ba", "ca", "da", "cb", "db", "dc")]
    for one in found.pairs:
        d = np.array(TABLE[one.a]) - np.array(TABLE[one.b])
        walsh = [(d[i] + d[j]) / 2 for i in range(12) for j in range(i, 12)]
        assert one.value == pytest.approx(np.median(walsh))
        assert one.low < one.value < one.high
        assert (one.wins, one.ties, one.losses) == (np.sum(d > 0), 0, np.sum(d < 0))
        assert (one.verdict == "UNDECIDED") == (one.pvalue_adjusted >= 0.05)
    assert found["d", "a"].verdict == "BETTER"
    assert found["c", "b"].verdict == "UNDECIDED"


def test_all_turns_where_lower_is_better():
    found = heldout.compare_across_sets(TABLE, rope=0.01)
    losses = {name: column if name == "dataset" else -np.array(column) for name, column in TABLE.items()}
    turned = heldout.compare_across_sets(losses, better="lower", rope=0.01)
    assert turned.ranks == found.ranks
    assert turned.groups == found.groups
    for one, other in zip(found.pairs, turned.pairs, strict=True):
        assert (one.verdict, one.pvalue_adjusted, one.wins) == (other.verdict, other.pvalue_adjusted, other.wins)
        assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))
        assert one.practical.better == pytest.approx(other.practical.better, abs=0.02)


def test_the_order_of_data_sets_does_not_matter():
    order = RNG.permutation(12)
    shuffled = {name: [column[i] for i in order] for name, column in TABLE.items()}
    first, second = (heldout.compare_across_sets(table).to_dict() for table in (TABLE, shuffled))
    assert sorted(first["sets"]) == sorted(second["sets"])
    assert first["ranks"] == pytest.approx(second["ranks"])
    assert [one["pvalue_adjusted"] for one in first["pairs"]] == [one["pvalue_adjusted"] for one in second["pairs"]]


def test_nemenyi_agrees_with_its_critical_difference():
    found = heldout.compare_across_sets(TABLE, post_hoc="nemenyi")
    for one in found.pairs:
        apart = abs(found.ranks[one.a] - found.ranks[one.b])
        assert (one.verdict != "UNDECIDED") == (apart > found.critical_difference)
        together = any({one.a, one.b} <= set(group) for group in found.groups)
        assert together == (apart <= found.critical_difference)
        q = apart / np.sqrt(4 * 5 / (6 * 12)) * np.sqrt(2)
        assert one.pvalue_adjusted == pytest.approx(stats.studentized_range.sf(q, 4, np.inf), abs=1e-6)


def test_groups_are_the_largest_sets_not_told_apart():
    found = heldout.compare_across_sets(TABLE)
    apart = {frozenset((one.a, one.b)) for one in found.pairs if one.verdict != "UNDECIDED"}
    assert apart
    assert {name for group in found.groups for name in group} == set("abcd")
    for group in found.groups:
        assert not any(pair <= set(group) for pair in apart)
        for other in set("abcd") - set(group):
            assert any(frozenset((other, name)) in apart for name in group)
    assert found.groups == (("d",), ("b", "c"), ("a",))


def test_a_baseline_leaves_the_pairs_with_it_and_corrects_for_those_only():
    every = heldout.compare_across_sets(TABLE)
    found = heldout.compare_across_sets(TABLE, baseline="b")
    assert [(one.a, one.b) for one in found.pairs] == [("a", "b"), ("c", "b"), ("d", "b")]
    assert found["a", "b"].pvalue == every["b", "a"].pvalue
    assert found["d", "b"].pvalue_adjusted == 3 * found["d", "b"].pvalue < every["d", "b"].pvalue_adjusted
    assert found["a", "b"].verdict == "WORSE"
    assert (found.groups, found.baseline) == ((), "b")
    control = heldout.compare_across_sets(TABLE, post_hoc="control")
    assert [(one.a, one.b) for one in control.pairs] == [("b", "a"), ("c", "a"), ("d", "a")]
    z = (control.ranks["a"] - control.ranks["d"]) / np.sqrt(4 * 5 / (6 * 12))
    assert control["d", "a"].statistic == pytest.approx(z)
    assert control["d", "a"].pvalue == pytest.approx(2 * stats.norm.sf(z))


def test_the_rope_gives_three_probabilities():
    found = heldout.compare_across_sets(TABLE, rope=0.02, random_state=1, n_resamples=2000)
    for one in found.pairs:
        assert one.practical.worse + one.practical.within + one.practical.better == pytest.approx(1)
    assert found["d", "a"].practical.better > 0.99
    assert found["c", "b"].practical.within > 0.5
    assert found == heldout.compare_across_sets(TABLE, rope=0.02, random_state=1, n_resamples=2000)
    assert heldout.compare_across_sets(TABLE).pairs[0].practical is None


def test_too_few_data_sets_are_told():
    few = {"set": list("abcde"), "x": [1, 2, 3, 4, 5], "y": [2, 4, 6, 8, 10]}
    found = heldout.compare_across_sets(few)
    (check,) = found.checks
    assert (check.code, check.text) == (
        "H304",
        "5 data sets are too few: Wilcoxon's test can never reject at 5%; it takes 6 or more",
    )
    (pair,) = found.pairs
    assert (pair.verdict, pair.low, pair.high) == ("UNDECIDED", -np.inf, np.inf)
    assert pair.notes == ("5 data sets are too few for an interval with ends at this level",)
    assert (pair.to_dict()["low"], pair.to_dict()["high"]) == (None, None)
    enough = {"set": list("abcdef"), "x": [1, 2, 3, 4, 5, 6], "y": [2, 4, 6, 8, 10, 12]}
    assert heldout.compare_across_sets(enough)["y", "x"].verdict == "BETTER"
    assert heldout.compare_across_sets(enough).checks == ()


def test_too_few_data_sets_for_many_pairs_are_told():
    seven = {name: column[:7] for name, column in TABLE.items()}
    (check,) = heldout.compare_across_sets(seven).checks
    assert check.text == (
        "7 data sets are too few: Wilcoxon's test after Holm's correction for 6 pairs can never reject at 5%; "
        "it takes 8 or more"
    )
    assert codes(heldout.compare_across_sets({name: column[:8] for name, column in TABLE.items()})) == []


def test_ranks_that_can_never_be_far_enough_apart_are_told():
    three = {name: column[:2] for name, column in TABLE.items()}
    (check,) = heldout.compare_across_sets(three, post_hoc="nemenyi").checks
    assert check.code == "H304"
    assert check.text == (
        "2 data sets are too few to reject at 5%: average ranks would have to be 3.32 apart, "
        "and 3 is the most they can be"
    )
    nine = {name: column[:9] for name, column in TABLE.items()}
    (check,) = heldout.compare_across_sets(nine, post_hoc="control").checks
    assert (check.code, check.text) == (
        "H310",
        "average ranks over 9 data sets are only roughly normal; holm counts exactly",
    )


def test_equal_learners():
    found = heldout.compare_across_sets({"set": list("abcdefg"), "x": range(7), "y": range(7)})
    (pair,) = found.pairs
    assert (pair.value, pair.low, pair.high, pair.pvalue, pair.verdict) == (0.0, 0.0, 0.0, 1.0, "UNDECIDED")
    assert pair.notes == ("equal on every data set",)
    same = heldout.compare_across_sets({"set": list("abcdefg"), **{name: range(7) for name in "xyz"}})
    assert (same.friedman.chi_square, same.friedman.f_pvalue, same.groups) == (0.0, 1.0, (("x", "y", "z"),))


def test_scores_that_hardly_differ_are_told():
    y = [1, 2, 3, 4, 5, 6, 7, 8]
    (pair,) = heldout.compare_across_sets({"set": list("abcdefgh"), "x": range(8), "y": [0, 1, 2, 3, *y[4:]]}).pairs
    assert (pair.ties, pair.pvalue) == (4, 0.125)
    assert pair.notes == ("the scores differ on 4 data sets only: the test can never reject",)


def test_interval_and_test_that_disagree_are_told():
    (pair,) = heldout.compare_across_sets({"set": list("abcdefghijkl"), "x": [0] * 12, "y": [1] * 6 + [0] * 6}).pairs
    assert (pair.pvalue, pair.verdict, pair.low) == (0.03125, "BETTER", 0.0)
    assert pair.notes == ("the interval and the p-value disagree by a hair; the p-value decides",)


def test_ranks_given_as_scores_are_told():
    ranks = {"set": list("abcdefgh"), "x": [1] * 8, "y": [2, 3] * 4, "z": [3, 2] * 4}
    texts = [check.text for check in heldout.compare_across_sets(ranks).checks]
    assert texts[-1] == (
        "the scores look like ranks, of which the lowest is the best, but higher is read as better here: "
        "use --lower-is-better (better='lower')"
    )
    assert len(heldout.compare_across_sets(ranks, better="lower").checks) == len(texts) - 1


def test_a_perfect_order_has_an_infinite_f():
    found = heldout.compare_across_sets([[i, i + 1.0, i + 2.0] for i in range(8)])
    assert (found.friedman.f, found.friedman.f_pvalue) == (np.inf, 0.0)
    assert found.to_dict()["friedman"]["f"] is None
    assert "Iman-Davenport: F inf" in str(found)


def test_what_cannot_be_understood():
    assert told(TABLE, post_hoc="nemeny") == (
        "post_hoc is 'nemeny', which is not known; did you mean 'nemenyi'?\n  Fix: choose one of holm, nemenyi, control"
    )
    assert (
        told(TABLE, better="more") == "better is 'more', but must be 'higher' or 'lower'\n"
        "  Fix: leave it out if higher scores are better"
    )
    assert told(TABLE, tie_correction=float("nan")) == (
        "tie_correction is nan, but must be True or False\n  Fix: leave it out to correct for ties"
    )
    assert json.loads(heldout.compare_across_sets(TABLE, tie_correction=np.False_).to_json())["tie_correction"] is False
    assert told(TABLE, rope=-0.1) == (
        "rope is -0.1, but must be zero or more\n  Fix: such as 0.01, in units of the scores"
    )
    assert told(TABLE, baseline="e") == "no learner is named 'e'\n  Fix: the learners are a, b, c, d"
    assert told(TABLE, baseline="a", post_hoc="nemenyi") == (
        "Nemenyi's test is of all pairs and takes no baseline\n"
        "  Fix: choose control (ranks) or holm (Wilcoxon) to judge learners against one"
    )
    assert told({name: TABLE[name] for name in ("dataset", "a", "b")}, post_hoc="control") == (
        "post_hoc is 'control', which is for three or more learners\n"
        "  Fix: leave post_hoc out: two learners have Wilcoxon's test"
    )
    assert (
        told(TABLE, confidence_level=95) == "the level is 95, but must lie between 0 and 1\n  Fix: for 95% write 0.95"
    )
    with pytest.raises(HeldoutError) as caught:
        heldout.compare_across_sets(TABLE)["a", "b"]
    assert str(caught.value) == (
        "there is no pair ('a', 'b')\n"
        "  Fix: the pairs are ('b', 'a'), ('c', 'a'), ('d', 'a'), ('c', 'b'), ('d', 'b'), ('d', 'c')"
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"post_hoc": "nemenyi", "rope": 0.0}, {"post_hoc": "control"}, {"baseline": "d", "rope": 0.01}],
    ids=["holm", "nemenyi", "control", "baseline"],
)
def test_the_json_is_valid_and_every_format_draws_it(options):
    found = heldout.compare_across_sets(TABLE, **options).to_dict()
    Draft202012Validator(schema("heldout.ranking/1")).validate(json.loads(rendered(found, "json")))
    for form in ("text", "md", "latex", "html"):
        text = rendered(found, form)
        assert all(name in text for name in ("average rank", "interval", "erdict" if form != "text" else "VERDICT"))
    assert rendered(found, "csv").count("\n") == len(found["pairs"]) + 1


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(schema="heldout.ranking/2"),
        lambda d: d["pairs"][0].update(low=None),  # infinite without a note
        lambda d: d["pairs"][0].pop("high"),
        lambda d: d["pairs"][0].update(pvalue=1.5),
        lambda d: d.update(post_hoc="tukey"),
    ],
)
def test_what_is_wrong_is_refused(spoil):
    found = heldout.compare_across_sets(TABLE).to_dict()
    Draft202012Validator.check_schema(schema("heldout.ranking/1"))
    spoil(found)
    with pytest.raises(ValidationError):
        Draft202012Validator(schema("heldout.ranking/1")).validate(found)


def test_a_frame_has_a_line_per_pair():
    frame = heldout.compare_across_sets(TABLE).to_frame("polars")
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == [
        *("a", "b", "rank_a", "rank_b", "value", "low", "high", "level", "pvalue", "pvalue_adjusted"),
        *("wins", "ties", "losses", "test", "verdict", "p_worse", "p_within", "p_better", "notes"),
    ]
    assert frame.shape == (6, 19)
    assert frame["verdict"].to_list() == [one.verdict for one in heldout.compare_across_sets(TABLE).pairs]
