"""One judgement for all verbs: the table of verdicts, families, corrections, and what every verb makes of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import heldout
from heldout.stats.multiplicity import holm
from heldout.stats.outcome import Outcome
from heldout.verbs.judgement import judge, overall

WORDS = ("BETTER", "WORSE", "UNDECIDED", "EQUIVALENT")
VALUES = {"BETTER": 0.3, "WORSE": -0.3, "UNDECIDED": 0.05, "EQUIVALENT": 0.0}
ERRORS = {"BETTER": 0.05, "WORSE": 0.05, "UNDECIDED": 0.05, "EQUIVALENT": 0.001}
MARGIN = 0.01


def outcome(word: str) -> Outcome:
    """A difference that, tested alone or with one other, has this verdict."""
    from scipy.special import ndtr

    value, error = VALUES[word], ERRORS[word]
    return Outcome(
        value=value, low=value - 1.96 * error, high=value + 1.96 * error, pvalue=float(2 * ndtr(-abs(value) / error)),
        error=error, test="z",
    )  # fmt: skip


def judged(words, *, primary=None, models=("new",)):
    outcomes = {(model, f"m{k}"): outcome(word) for model in models for k, word in enumerate(words)}
    better = {f"m{k}": "higher" for k in range(len(words))}
    margin = dict.fromkeys(better, MARGIN)
    return judge(outcomes, baseline="old", level=0.95, units=100, better=better, primary=primary, margin=margin)


def expected(first: str, second: str) -> str:
    """The overall verdict of two metrics without a primary one, as docs/decisions/0012 has it."""
    words = {first, second}
    if words == {"EQUIVALENT"}:
        return "EQUIVALENT"
    significant = words & {"BETTER", "WORSE"}
    return significant.pop() if len(significant) == 1 else "UNDECIDED"


@pytest.mark.parametrize(("first", "second"), list(product(WORDS, WORDS)))
def test_the_table_of_verdicts(first, second):
    alone = judged((first, second))
    assert [one.verdict for one in alone.differences] == [first, second]
    assert alone.verdict == expected(first, second)
    assert judged((first, second), primary="m0").verdict == first
    assert judged((first, second), primary="m1").verdict == second


def test_lower_is_better_turns_the_words():
    found = judge(
        {("new", "loss"): outcome("BETTER")}, baseline="old", level=0.95, units=100, better={"loss": "lower"},
        primary="loss",
    )  # fmt: skip
    assert found.verdict == "WORSE"


def test_the_family_is_corrected_and_the_primary_metric_is_not():
    words = ("UNDECIDED", "BETTER", "UNDECIDED")
    p = [outcome(word).pvalue for word in words]
    alone = judged(words).differences
    assert [one.pvalue_adjusted for one in alone] == pytest.approx(holm(np.array(p)).tolist())
    assert {(one.correction, one.tests) for one in alone} == {("holm", 3)}
    first, *rest = judged(words, primary="m0").differences
    assert (first.pvalue_adjusted, first.correction, first.tests) == (p[0], "none", 1)
    assert [one.pvalue_adjusted for one in rest] == pytest.approx(holm(np.array(p[1:])).tolist())


def test_rows_needed_counts_the_tests_of_the_family():
    one = judged(("UNDECIDED",)).differences[0]
    three = judged(("UNDECIDED",) * 3).differences[0]
    assert three.rows_needed > one.rows_needed
    assert judged(("UNDECIDED",) * 3, primary="m0").differences[0].rows_needed == one.rows_needed
    assert judged(("BETTER",)).differences[0].rows_needed is None


def test_accuracy_and_error_rate_are_one_test():
    better = {"accuracy": "higher", "error_rate": "lower", "f1": "higher"}
    values = {"accuracy": 0.1, "error_rate": -0.1, "f1": 0.1}
    outcomes = {
        ("new", name): Outcome(value=value, low=value - 0.1, high=value + 0.1, pvalue=0.03, error=0.05, test="z")
        for name, value in values.items()
    }
    found = judge(outcomes, baseline="old", level=0.95, units=100, better=better)
    assert {one.metric: (one.pvalue_adjusted, one.tests) for one in found.differences} == {
        "accuracy": (0.06, 2), "error_rate": (0.06, 2), "f1": (0.06, 2),
    }  # fmt: skip


def test_what_could_not_be_tested_is_no_part_of_the_family():
    outcomes = {
        ("new", "m0"): outcome("UNDECIDED"),
        ("new", "m1"): Outcome(value=0.1, low=np.nan, high=np.nan, pvalue=np.nan, test="none"),
    }
    found = judge(outcomes, baseline="old", level=0.95, units=100, better={"m0": "higher", "m1": "higher"})
    assert [(one.tests, one.verdict) for one in found.differences] == [(1, "UNDECIDED"), (1, None)]


def test_several_models_share_a_verdict_or_are_undecided():
    outcomes = {("a", "m"): outcome("BETTER"), ("b", "m"): outcome("BETTER"), ("c", "m"): outcome("WORSE")}
    two = dict(list(outcomes.items())[:2])
    given = {"baseline": "old", "level": 0.95, "units": 100, "better": {"m": "higher"}, "primary": "m"}
    assert judge(two, **given).verdict == "BETTER"
    every = judge(outcomes, **given)
    assert every.verdicts == {"a": "BETTER", "b": "BETTER", "c": "WORSE"}
    assert every.verdict == "UNDECIDED"
    assert judge({}, **given).verdict is None


TRUTH = np.arange(400) % 2
SHARES = {"BETTER": (0.4, 0.1), "WORSE": (0.1, 0.4), "UNDECIDED": (0.3, 0.3), "EQUIVALENT": (0.2, 0.22)}
"""Verdict → the share of wrong rows of the reference model and of the other."""
MARGINS = {"text": 20.0, "validate": 0.15, "detect": 0.3}
"""How far apart equivalent models may be; 0.1 where nothing is said."""


def wrong(share: float, seed: int) -> np.ndarray:
    """Predictions of TRUTH, with a share of rows that are wrong."""
    chosen = np.random.default_rng(seed).random(len(TRUTH)) < share
    return np.where(chosen, 1 - TRUTH, TRUTH)


def both(word: str, make) -> dict[str, object]:
    """The reference model and another whose verdict is the word; equivalent ones are wrong in the same places."""
    old, new = SHARES[word]
    return {"old": make(old, 1), "new": make(new, 1 if word == "EQUIVALENT" else 2)}


def margin(word: str, verb: str = "") -> float | None:
    return MARGINS.get(verb, 0.1) if word == "EQUIVALENT" else None


def through_compare(word, primary):
    return heldout.compare(TRUTH, both(word, wrong), metrics="accuracy,mcc", primary=primary, margin=margin(word))


def through_validate(word, primary):
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    learners = {
        "BETTER": (DummyClassifier(), LogisticRegression()),
        "WORSE": (LogisticRegression(), DummyClassifier()),
        "UNDECIDED": (LogisticRegression(), GaussianNB()),
        "EQUIVALENT": (LogisticRegression(), GaussianNB()),
    }[word]
    return heldout.validate(
        dict(zip(("old", "new"), learners, strict=True)), X, y, metrics=["accuracy", "balanced_accuracy"],
        primary=primary, margin=margin(word, "validate"),
    )  # fmt: skip


def spoiled(share: float, seed: int) -> list[str]:
    """Sentences, of which a share has other words in the middle."""
    chosen = np.random.default_rng(seed).random(40) < share
    texts = [f"sentence number {at} has some words in it" for at in range(40)]
    return [text.replace("some words", "a thing") if spoil else text for text, spoil in zip(texts, chosen, strict=True)]


def through_text(word, primary):
    return heldout.text(
        spoiled(0, 0), both(word, spoiled), primary=primary, margin=margin(word, "text"), metrics="bleu,chrf",
        n_resamples=200,
    )  # fmt: skip


def blurred(share: float, seed: int) -> dict[str, list[object]]:
    """Boxes of 40 images, a share of them moved."""
    moved = np.random.default_rng(seed).random(40) < share
    images, labels = [f"i{at}" for at in range(40)], ["cat", "dog"] * 20
    columns = {"image": images, "label": labels, "y": [0] * 40, "w": [40] * 40, "h": [40] * 40}
    return {**columns, "x": np.where(moved, 30, 1).tolist(), "score": np.linspace(0.9, 0.5, 40).tolist()}


def through_detect(word, primary):
    truth = {name: column for name, column in blurred(0, 0).items() if name != "score"}
    return heldout.detect(truth, both(word, blurred), primary=primary, margin=margin(word, "detect"), n_resamples=200)


def painted(share: float, seed: int) -> list[np.ndarray]:
    """Label maps of ten images, a share of pixels wrong."""
    rng = np.random.default_rng(seed)
    whole = np.arange(64).reshape(8, 8) // 32
    return [np.where(rng.random((8, 8)) < share, 1 - whole, whole) for _ in range(10)]


def through_masks(word, primary):
    return heldout.masks(painted(0, 0), both(word, painted), primary=primary, margin=margin(word))


def scored(share: float, seed: int) -> list[float]:
    return (1 - share + np.random.default_rng([seed, int(1000 * share)]).normal(0, 0.02, 10)).tolist()


def through_fold_scores(word, primary):
    assert primary in (None, "accuracy")  # there is one metric, and it decides
    return heldout.compare_fold_scores(
        both(word, scored), n_train=90, n_test=10, metric="accuracy", margin=margin(word)
    )


VERBS = {
    "compare": (through_compare, "accuracy", None),
    "compare_fold_scores": (through_fold_scores, "accuracy", "accuracy"),
    "validate": (through_validate, "accuracy", None),
    "text": (through_text, "bleu", None),
    "detect": (through_detect, "AP50", "AP"),
    "masks": (through_masks, "mean_dice", "mean_iou"),
}
"""Verb → a call, a metric to name as primary, and the primary metric where none is named."""


@pytest.mark.parametrize("verb", sorted(VERBS))
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("word", WORDS)
def test_every_verb_judges_by_the_same_table(word, named, verb):
    call, metric, usual = VERBS[verb]
    result = call(word, metric if named else None)
    assert result.primary == (metric if named else usual)
    assert (result.verdict, result.verdicts) == (word, {"new": word})
    deciding = [one for one in result.differences if (one.metric == result.primary if result.primary else one.printed)]
    words = {one.verdict for one in deciding}
    assert word in words
    assert words <= {word, "UNDECIDED"}
    assert judged_again(result) == word
    d = result.to_dict()
    assert (d["verdict"], d["verdicts"], d["primary"]) == (word, {"new": word}, result.primary)
    assert result.document().word == word
    assert any(word in sentence for sentence in result.document().verdict)
    assert {one.verdict for one in result.differences if one.rows_needed is not None} <= {"UNDECIDED"}


def judged_again(result) -> str:
    """The overall verdict and the corrected p-values, from the differences alone."""
    others = [one for one in result.differences if one.printed and one.metric != result.primary]
    known = [one for one in others if not np.isnan(one.pvalue)]
    corrected = holm(np.array([one.pvalue for one in known])).tolist() if known else []
    assert [one.pvalue_adjusted for one in known] == pytest.approx(corrected)
    return overall(result.differences, result.primary)


@pytest.mark.parametrize(
    ("word", "decision"),
    [("BETTER", "PASS"), ("EQUIVALENT", "PASS"), ("WORSE", "FAIL"), ("UNDECIDED", "INCONCLUSIVE")],
)
def test_a_gate_decides_as_the_comparison_does(word, decision):
    result = heldout.gate(TRUTH, both(word, wrong), primary="accuracy", margin=margin(word) or 0.01)
    assert (result.verdict, result.document().word) == (decision, decision)
