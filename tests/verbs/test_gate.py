from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import heldout
from heldout import testing
from heldout.errors import DataError, UsageError
from heldout.report.kinds.gate import junit
from heldout.verbs.gate import _decision, _hurdle, _rows_needed, _worst, assert_not_worse, check_budget, gate
from heldout.verbs.judgement import Difference

TRUTH = np.tile([0, 1], 200)


def flipped(wrong: int, start: int = 0) -> np.ndarray:
    """Predictions of which so many are wrong, from a row on."""
    found = TRUTH.copy()
    found[start : start + wrong] = 1 - found[start : start + wrong]
    return found


def judged(old, new, **options):
    models = {"old": old, "new": new}
    return gate(TRUTH, models, **{"primary": "accuracy", "margin": 0.02, **options})


def test_better_passes():
    found = judged(flipped(60), flipped(20))
    (one,) = found.hurdles
    assert (found.verdict, one.value, one.bound == one.low, one.rows_needed) == ("PASS", pytest.approx(0.1), True, None)
    assert one.level == pytest.approx(0.9)


def test_worse_fails():
    assert judged(flipped(20), flipped(60)).verdict == "FAIL"


def test_an_infinite_loss_fails():
    """A probability of 0 for what happened is worse whatever the other rows say."""
    score = np.where(TRUTH == 1, 0.8, 0.2)
    sure = score.copy()
    sure[:2] = 1.0, 0.0
    models = {"old": score, "new": sure}
    assert gate(TRUTH, models, primary="log_loss", margin=0.1).verdict == "FAIL"


def test_worse_by_less_than_the_margin_passes():
    """Shown to be worse, but not by more than is acceptable."""
    found = judged(flipped(20), flipped(30), margin=0.1)
    assert found.hurdles[0].high < 0
    assert found.verdict == "PASS"


def test_neither_is_shown():
    found = judged(flipped(40), flipped(40, start=100))
    assert (found.verdict, found.hurdles[0].value) == ("INCONCLUSIVE", 0.0)
    assert found.hurdles[0].rows_needed > 400


def test_signs_follow_better():
    """The error rate is the accuracy with its sign turned: the same decisions, from the other end of the interval."""
    pairs = [(flipped(60), flipped(20)), (flipped(20), flipped(60)), (flipped(40), flipped(40, start=100))]
    for baseline, candidate in pairs:
        accuracy, errors = (judged(baseline, candidate, primary=name) for name in ("accuracy", "error_rate"))
        assert accuracy.verdict == errors.verdict
        assert errors.hurdles[0].bound == errors.hurdles[0].high == pytest.approx(-accuracy.hurdles[0].low)
        assert errors.hurdles[0].rows_needed == accuracy.hurdles[0].rows_needed


@pytest.mark.parametrize("metric", ["accuracy", "error_rate"])
def test_identical_predictions_pass_where_enough_rows_show_it(metric):
    """400 rows without a difference: at most 1 - 0.05^(1/400) = 0.75% of all rows differ."""
    reach = 1 - 0.05 ** (1 / 400)
    for margin, verdict in ((reach + 1e-6, "PASS"), (reach - 1e-6, "INCONCLUSIVE"), (0, "INCONCLUSIVE")):
        found = judged(flipped(40), flipped(40), margin=margin, primary=metric)
        assert (found.verdict, found.hurdles[0].low, found.hurdles[0].high) == (verdict, -reach, reach)


def test_two_perfect_models_of_numbers_show_nothing():
    """No error was ever seen, so nothing says how large one would be."""
    truth = np.arange(30.0)
    for metric in ("mae", "rmse"):
        found = gate(truth, {"old": truth, "new": truth}, primary=metric, margin=0.1, task="regression")
        assert (found.verdict, np.isnan(found.hurdles[0].low)) == ("INCONCLUSIVE", True)


def test_the_rows_that_would_settle_identical_predictions():
    found = judged(flipped(40), flipped(40), margin=0.002)
    assert found.hurdles[0].rows_needed == np.ceil(400 * (1 - 0.05 ** (1 / 400)) / 0.002)
    assert judged(flipped(40), flipped(40), margin=0).hurdles[0].rows_needed is None


@pytest.mark.parametrize(("n", "margin"), [(100, 0.01), (200, 0.01), (300, 0.005), (60, 0.05)])
def test_a_candidate_that_only_loses_rows_passes_at_its_margin_in_one_of_twenty(n, margin):
    """The margin is all that it loses: every count of lost rows that passes, by its binomial chance."""
    truth = np.arange(n) % 2
    passed = 0.0
    for lost in range(5):
        new = np.where(np.arange(n) < lost, 1 - truth, truth)
        verdict = gate(truth, {"old": truth, "new": new}, primary="accuracy", margin=margin).verdict
        passed += stats.binom.pmf(lost, n, margin) if verdict == "PASS" else 0.0
    assert passed <= 0.05


def test_the_rows_needed_settle_it():
    """The same differences that many rows over: the bound clears the margin with room for the power asked for."""
    once = judged(flipped(40), flipped(40, start=100))
    times = int(np.ceil(once.hurdles[0].rows_needed / 400))
    truth, old, new = (np.tile(x, times) for x in (TRUTH, flipped(40), flipped(40, start=100)))
    (one,) = gate(truth, {"old": old, "new": new}, primary="accuracy", margin=0.02).hurdles
    error = -one.low / 1.6449
    assert one.verdict == "PASS"
    assert 0.02 / error == pytest.approx(1.6449 + 0.8416, rel=0.05)


def test_steps_that_are_not_worse_do_not_add_up():
    """Against the last model it passes, against the released one it does not."""
    last, released, candidate = flipped(58), flipped(20), flipped(60)
    assert judged(last, candidate).verdict == "PASS"
    found = judged(last, candidate, anchor=released)
    assert [(one.against, one.verdict) for one in found.hurdles] == [("baseline", "PASS"), ("anchor", "FAIL")]
    assert found.verdict == "FAIL"


def test_a_margin_below_the_noise_floor_is_refused():
    with pytest.raises(DataError) as caught:
        judged(flipped(40), flipped(20), noise_floor=(flipped(40), flipped(50)), margin=0.02)
    assert str(caught.value) == (
        "the margin 0.02 is below the noise floor: two runs of one model differ by 0.025 in accuracy\n"
        "  Fix: choose a margin above the noise floor, or make the runs repeatable"
    )
    found = judged(flipped(40), flipped(20), noise_floor=(flipped(40), flipped(50)), margin=0.03)
    assert found.noise == pytest.approx(0.025)
    as_wide = judged(flipped(40), flipped(20), noise_floor=(flipped(40), flipped(50)), margin=found.noise)
    assert as_wide.margin == as_wide.noise


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": -0.1}, "margin is -0.1, but must be zero or more\n  Fix: say how much worse is still acceptable"),
        (
            {"margin": 2},
            (
                "the margin of accuracy is 2, but no two models can differ by more than 1\n"
                "  Fix: write 0.02 for two points in a hundred"
            ),
        ),
        (
            {"confidence_level": 0.5},
            "confidence_level is 0.5, but must lie between 0.5 and 1\n  Fix: leave it out for 0.95",
        ),
        (
            {"confidence_level": 1.0},
            "confidence_level is 1, but must lie between 0.5 and 1\n  Fix: leave it out for 0.95",
        ),
        (
            {"margin": float("nan")},
            "margin is nan, but must be zero or more\n  Fix: say how much worse is still acceptable",
        ),
        (
            {"baseline": "newer"},
            "no model is named 'newer'; did you mean 'new'?\n  Fix: choose one of old, new",
        ),
        (
            {"primary": "prevalence"},
            "prevalence has no better side, so it cannot decide\n  Fix: choose another with primary=",
        ),
        (
            {"primary": "ece"},
            (
                "ece cannot decide a gate: it has no paired test and no interval of a difference\n"
                "  Fix: choose another primary metric, such as brier or log_loss, which judge calibration too"
            ),
        ),
        (
            {"primary": "max_error"},
            (
                "max_error cannot decide a gate: it has no paired test and no interval of a difference\n"
                "  Fix: choose another primary metric, such as mae or rmse"
            ),
        ),
    ],
)
def test_what_cannot_be_asked(options, message):
    with pytest.raises(UsageError) as caught:
        judged(flipped(40), flipped(20), **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("models", "count"),
    [
        (None, "no models were given"),
        ({"old": TRUTH}, "1 model was given"),
        (dict.fromkeys("abc", TRUTH), "3 models were given"),
    ],
)
def test_a_gate_compares_two_models(models, count):
    with pytest.raises(UsageError) as caught:
        gate(TRUTH, models, primary="accuracy", margin=0.02)
    assert str(caught.value) == (
        f"{count}, and a gate compares two\n"
        "  Fix: give gate(y_true, {'old': …, 'new': …}, …), or gate({'old': file, 'new': file}, …)"
    )


def test_the_baseline_may_be_named():
    models = {"new": flipped(20), "old": flipped(60)}
    assert gate(TRUTH, models, baseline="old", primary="accuracy", margin=0.02).verdict == "PASS"
    assert gate(TRUTH, models, primary="accuracy", margin=0.02).verdict == "FAIL"


def test_assertions_say_what_was_found():
    assert_not_worse(judged(flipped(60), flipped(20)))
    with pytest.raises(AssertionError, match=r"^FAIL  accuracy -0\.100 against the baseline, 90% CI "):
        assert_not_worse(judged(flipped(20), flipped(60)))
    undecided = judged(flipped(40), flipped(40, start=100))
    with pytest.raises(AssertionError, match=r"^INCONCLUSIVE  accuracy 0\.000 against the baseline"):
        assert_not_worse(undecided)
    assert_not_worse(undecided, allow_inconclusive=True)


def test_the_example_for_test_suites_is_python():
    names = {}
    exec((testing.__doc__ or "").split("\n\n")[1], names)
    assert callable(names["test_the_new_model_is_not_worse"])


def test_the_gate_is_public():
    assert heldout.gate is gate
    assert str(judged(flipped(40), flipped(40))) == (
        "PASS  accuracy 0.0000 against the baseline, one-sided 95% lower bound -0.0075 >\n"
        "      -0.02 (identical predictions, n=400)\n"
        "\n"
        "note H111  400 rows matched by position\n"
    )


@pytest.mark.slow
def test_a_candidate_worse_by_the_margin_passes_no_more_often_than_alpha():
    rng = np.random.default_rng(3)
    passed = 0
    for _ in range(400):
        truth = np.zeros(400, dtype=int)
        truth[::2] = 1
        old, new = (np.where(rng.random(400) < wrong, 1 - truth, truth) for wrong in (0.15, 0.20))
        passed += gate(truth, {"old": old, "new": new}, primary="accuracy", margin=0.05).verdict == "PASS"
    assert passed / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_names_that_are_numbers():
    models = {1: flipped(60), 2: flipped(20)}
    assert gate(TRUTH, models, primary="accuracy", margin=0.02).verdict == "PASS"
    assert gate(TRUTH, models, primary="accuracy", margin=0.02, baseline=2).verdict == "FAIL"


def test_the_margin_of_the_primary_metric():
    found = judged(flipped(20), flipped(30), margin={"ACCURACY": 0.1})
    assert (found.verdict, found.margin) == ("PASS", 0.1)


@pytest.mark.parametrize("margin", [None, {}])
def test_no_margin(margin):
    with pytest.raises(UsageError) as error:
        judged(flipped(20), flipped(30), margin=margin)
    assert str(error.value) == (
        "a gate needs the margin of accuracy, and none was given\n"
        "  Fix: say how much worse is still acceptable: margin=0.01"
    )


def test_the_margin_of_another_metric():
    with pytest.raises(UsageError) as error:
        judged(flipped(20), flipped(30), margin={"f1": 0.1})
    assert str(error.value) == "the margin of f1 has no effect: f1 is not compared\n  Fix: choose one of accuracy"


def test_a_gate_is_true_where_it_passes_only():
    found = {judged(*models).verdict: bool(judged(*models)) for models in GATES}
    assert found == {"PASS": True, "FAIL": False, "INCONCLUSIVE": False}


GATES = [(flipped(60), flipped(20)), (flipped(20), flipped(60)), (flipped(20), flipped(22, start=100))]
"""Models of which the second is better, worse, or neither for sure."""


@pytest.mark.parametrize("reading", [{}, {"engine": "local"}])
@pytest.mark.parametrize("by", ["id", "position"])
def test_a_gate_says_how_rows_were_matched(tmp_path, by, reading):
    frame = pd.DataFrame({"id": range(400), "y_true": TRUTH, "y_pred": flipped(30)})
    for name in ("old", "new"):
        frame.drop(columns=[] if by == "id" else ["id"]).to_csv(tmp_path / f"{name}.csv", index=False)
    models = {name: tmp_path / f"{name}.csv" for name in ("old", "new")}
    found = gate(models, primary="accuracy", margin=0.02, anchor=models["new"], **reading)
    assert [check.text for check in found.checks] == [f"400 rows matched by {by}"]


def test_rows_without_a_partner_are_told(tmp_path):
    """In words, as JSON and for a build; a hint at groups is made once, though the files differ in length."""
    paths = {}
    for name, rows in (("a", 300), ("b_lr", 400)):
        paths[name] = tmp_path / f"{name}.csv"
        lines = [f"{at},{TRUTH[at]},{flipped(30)[at]},{at // 3}" for at in range(rows)]
        paths[name].write_text("\n".join(["id,y_true,y_pred,patient", *lines]), encoding="utf-8")
    found = gate(paths, primary="accuracy", margin=0.02, on_missing="intersect")
    note = "300 rows matched by id (0 only in a, 100 only in b_lr)"
    assert [check.code for check in found.checks] == ["H101", "H114"]
    assert note in str(found)
    assert note in [check["text"] for check in found.to_dict()["checks"]]
    for allowed in (True, False):
        assert note in junit(found.to_dict(), allowed=allowed)
    assert note in junit({**found.to_dict(), "hurdles": [{**found.hurdles[0].to_dict(), "verdict": "FAIL"}]})
    compared = heldout.compare(paths, on_missing="intersect", metrics=["accuracy"])
    assert [check.code for check in compared.checks].count("H114") == 1


# What is decided from numbers alone, without data.


def difference(value, low, high, **facts):
    defaults = {"metric": "f1", "model": "new", "baseline": "old", "level": 0.9, "pvalue": 0.5, "pvalue_adjusted": 0.5}
    rest = {"test": "t", "verdict": None, "correction": "none", "tests": 1, "rows_needed": None, "margin": None}
    given = {**defaults, **rest, "better": "higher", "notes": (), "printed": True, **facts}
    return Difference(value=value, low=low, high=high, **given)


@pytest.mark.parametrize(
    ("low", "high", "margin", "decision"),
    [
        (-0.019, 0.05, 0.02, "PASS"),
        (-0.02, 0.05, 0.02, "INCONCLUSIVE"),  # a bound on the margin does not clear it
        (-0.021, 0.0, 0.02, "INCONCLUSIVE"),
        (-0.021, -0.001, 0.02, "FAIL"),
        (-0.019, -0.001, 0.02, "PASS"),
        (0.001, 0.05, 0.0, "PASS"),
        (0.0, 0.05, 0.0, "INCONCLUSIVE"),
    ],
)
def test_the_bound_on_the_worse_side_decides(low, high, margin, decision):
    assert _decision(difference(0.0, low, high), margin) == decision
    assert _decision(difference(0.0, -high, -low, better="lower"), margin) == decision


@pytest.mark.parametrize(("value", "margin"), [(-0.01, 0.02), (0.003, 0.02), (-0.03, 0.02), (-0.009, 0.02)])
@pytest.mark.parametrize("better", ["higher", "lower"])
def test_the_rows_that_would_settle_it_have_eighty_percent_power(value, margin, better):
    """A difference of this size passes if it is above the margin by more than the bound, or fails if it is below 0."""
    z, error, units = stats.norm.ppf(0.95), 0.02, 300
    one = difference(value, value - z * error, value + z * error)
    if better == "lower":
        one = replace(one, value=-one.value, low=-one.high, high=-one.low, better="lower")
    needed = _rows_needed(one, margin, units)

    def power(n):
        scaled = error * np.sqrt(units / n)
        passes = stats.norm.sf(z - (value + margin) / scaled)
        fails = stats.norm.sf(z + value / scaled)
        return max(passes, fails)

    assert power(needed - 1) < 0.8 <= power(needed) + 1e-9
    reach = 1.5 * z * error
    wider = _rows_needed(replace(one, wider=1.5, low=value - reach, high=value + reach), margin, units)
    assert better == "lower" or wider == pytest.approx(
        units * ((1.5 * z + stats.norm.ppf(0.8)) * error / max(value + margin, -value)) ** 2, abs=1
    )


def test_rows_that_nothing_settles():
    assert _rows_needed(difference(0.0, -0.1, 0.1), 0.0, 300) is None  # neither above the margin nor below zero
    assert _rows_needed(difference(0.0, 0.0, 0.0), 0.02, 300) is None
    assert _rows_needed(difference(0.0, np.nan, np.nan), 0.02, 300) is None
    assert _rows_needed(difference(1e-9, -0.1, 0.1), 0.0, 300) is None  # more than a million times as wide
    assert _rows_needed(difference(1e-6, -0.1, 0.1), 0.0, 300) > 10**11
    assert _rows_needed(difference(0.0, -0.05, 0.05, test="identical"), 0.02, 300) == 750


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [("P", "PASS"), ("PP", "PASS"), ("PI", "INCONCLUSIVE"), ("IF", "FAIL"), ("PF", "FAIL"), ("F", "FAIL")],
)
def test_the_worst_of_the_hurdles_decides(verdicts, worst):
    words = {"P": "PASS", "I": "INCONCLUSIVE", "F": "FAIL"}
    hurdle = judged(flipped(60), flipped(20)).hurdles[0]
    assert _worst(tuple(replace(hurdle, verdict=words[one]) for one in verdicts)) == worst


def test_every_fact_of_the_deciding_difference_reaches_its_hurdle():
    found = heldout.compare(
        TRUTH, {"baseline": flipped(40), "candidate": flipped(40, start=100)}, primary="accuracy", metrics=["accuracy"],
        confidence_level=0.9,
    )  # fmt: skip
    one = replace(found["accuracy"], notes=("so few rows", "the p-value decides"), wider=1.5, time={"lag": 0.1})
    hurdle = _hurdle("baseline", found, one, 0.01)
    assert (hurdle.against, hurdle.verdict, hurdle.value, hurdle.low, hurdle.high) == (
        "baseline", "INCONCLUSIVE", one.value, one.low, one.high,
    )  # fmt: skip
    assert (hurdle.level, hurdle.bound, hurdle.rows, hurdle.units) == (0.9, one.low, 400, 400)
    assert (hurdle.test, hurdle.notes) == ("Tango score, 40 vs 40", ("so few rows",))  # here the interval decides
    assert (hurdle.wider, hurdle.time, hurdle.rows_needed) == (1.5, {"lag": 0.1}, _rows_needed(one, 0.01, 400))
    turned = _hurdle("baseline", found, replace(one, better="lower"), 0.01)
    assert turned.bound == one.high


def test_an_infinite_loss_of_both_is_not_a_failure_of_one():
    score = np.where(TRUTH == 1, 0.8, 0.2)
    score[:2] = 1.0, 0.0
    found = gate(TRUTH, {"old": score, "new": score.copy()}, primary="log_loss", margin=0.1)
    assert found.verdict == "INCONCLUSIVE"


NO_NUMBER_OF_LOOKS = (
    "but must be a whole number of 1 or more\n  Fix: say how many looks at one test set are allowed, such as 5"
)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            (None, "folder", False),
            ("store has no effect without looks_budget\n"
            "  Fix: add looks_budget, or record the result with its method save"),
        ),
        ((0, None, False), f"looks_budget is 0, {NO_NUMBER_OF_LOOKS}"),
        ((True, None, False), f"looks_budget is True, {NO_NUMBER_OF_LOOKS}"),
        ((1.5, None, False), f"looks_budget is 1.5, {NO_NUMBER_OF_LOOKS}"),
        (
            (5, None, True),
            ("a budget of looks is for one test set, and sequential and looks are for rows that are added\n"
            "  Fix: leave out looks_budget=, or sequential= and looks="),
        ),
    ],
)  # fmt: skip
def test_budgets_that_make_no_sense(given, said):
    budget, store, growing = given
    with pytest.raises(UsageError) as error:
        check_budget(budget, store, growing=growing)
    assert str(error.value) == said


def test_budgets_that_make_sense():
    check_budget(None, None, growing=True)
    check_budget(1, "folder", growing=False)
    check_budget(np.int64(3), None, growing=False)


@pytest.mark.parametrize(
    "options",
    [
        {"looks_budget": 5, "sequential": True},
        {"looks_budget": 5, "looks": 3, "look": 1},
        {"looks_budget": 0},
        {"margin": "0.02"},
        {"confidence_level": "0.95"},
        {"noise_floor": 3},
        {"margin": float("inf")},
        {"confidence_level": 0.5},
        {"confidence_level": 1.0},
    ],
)
def test_a_gate_refuses_what_makes_no_sense(options):
    with pytest.raises(UsageError):
        judged(flipped(60), flipped(20), **options)


def test_a_gate_has_the_facts_of_its_comparisons(tmp_path):
    paths = {}
    for name, said in (("old", flipped(60)), ("new", flipped(20)), ("anchor", flipped(70))):
        paths[name] = tmp_path / f"{name}.csv"
        rows = [f"{at},{truth},{guess}" for at, (truth, guess) in enumerate(zip(TRUTH, said, strict=True))]
        paths[name].write_text("\n".join(["id,y_true,y_pred", *rows]))
    found = gate(
        {"old": paths["old"], "new": paths["new"]}, primary="accuracy", margin=0.02, anchor=paths["anchor"],
        noise_floor=(paths["old"], paths["old"]), confidence_level=0.9,
    )  # fmt: skip
    assert [one.against for one in found.hurdles] == ["baseline", "anchor"]
    assert [Path(source.path).name for source in found.sources] == ["old.csv", "new.csv", "anchor.csv"]
    assert (found.primary, found.better) == ("accuracy", "higher")
    assert (found.margin, found.alpha, found.noise) == (0.02, 0.1, 0.0)
    assert (found.engine, found.chunks, found.looks, len(found.batch.truth)) == ("local", 1, None, 400)


def test_a_gate_counts_its_looks_in_the_store_it_is_given(tmp_path):
    found = [judged(flipped(60), flipped(20), looks_budget=2, store=tmp_path / "looks") for _ in range(2)]
    assert [one.budget for one in found] == [{"look": at, "of": 2, "store": str(tmp_path / "looks")} for at in (1, 2)]
    with pytest.raises(UsageError, match="budget"):
        judged(flipped(60), flipped(20), looks_budget=2, store=tmp_path / "looks")


def test_a_gate_of_rows_in_chunks_says_who_read_them_and_does_not_resample(tmp_path):
    for name, said in (("old", flipped(60)), ("new", flipped(20))):
        (tmp_path / name).mkdir()
        for half in range(2):
            part = slice(200 * half, 200 * half + 200)
            rows = [f"{t},{p}" for t, p in zip(TRUTH[part], said[part], strict=True)]
            (tmp_path / name / f"{half}.csv").write_text("\n".join(["y_true,y_pred", *rows]), encoding="utf-8")
    models = {name: tmp_path / name for name in ("old", "new")}
    found = gate(models, primary="accuracy", margin=0.02, engine="local")
    in_memory = judged(flipped(60), flipped(20))
    assert (found.hurdles[0].low, found.hurdles[0].high) == (in_memory.hurdles[0].low, in_memory.hurdles[0].high)
    assert (found.engine, found.chunks > 1, found.batch, found.verdict) == ("local", True, None, "PASS")
    with pytest.raises(UsageError) as caught:
        gate(models, primary="accuracy", margin=0.02, engine="local", n_resamples=100)
    assert str(caught.value) == (
        "n_resamples has no effect on rows that are read in chunks: their tests do not resample\n"
        "  Fix: leave out n_resamples"
    )
    assert judged(flipped(60), flipped(20), n_resamples=100).verdict == "PASS"


@pytest.mark.parametrize(("positives", "noted"), [(9, False), (10, True), (49, True), (50, False)])
def test_a_gate_of_a_ranking_that_passes_with_few_rows_of_a_class_has_a_note(positives, noted):
    """Below 10 the test itself has one."""
    rng = np.random.default_rng(0)
    truth = (np.arange(300) < positives).astype(int)
    score = rng.normal(2.0 * truth)
    for truths, kind in ((truth, "positive"), (1 - truth, "negative")):
        scores = score if kind == "positive" else -score
        models = {"old": scores, "new": scores + 0.01 * rng.standard_normal(300)}
        found = heldout.gate(truths, models, primary="roc_auc", margin=0.1, pos_label=1)
        said = [note for note in found.hurdles[0].notes if "worse by the margin passed" in note]
        words = "with fewer than 50, a simulated candidate that is worse by the margin passed in up to"
        assert (found.verdict, bool(said)) == ("PASS", noted)
        assert not noted or said[0].startswith(f"{positives} {kind} rows: {words}")
        wrong = heldout.gate(truths, {"old": models["new"], "new": -scores}, primary="roc_auc", margin=0.1, pos_label=1)
        assert (wrong.verdict, [note for note in wrong.hurdles[0].notes if "passed in up to" in note]) == ("FAIL", [])
    at_zero = heldout.gate(1 - truth, models, primary="roc_auc", margin=0, pos_label=1)
    assert not any("passed in up to" in note for note in at_zero.hurdles[0].notes)
