"""Metrics of the user's own: what a definition takes, what it refuses, and what its functions are given."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import heldout
from heldout import UsageError
from heldout.formulas import METRICS, metric

RNG = np.random.default_rng(5)
TRUTH = RNG.normal(size=60)
MODELS = {"a": TRUTH + RNG.normal(size=60), "b": TRUTH + RNG.normal(size=60)}


@pytest.fixture(autouse=True)
def _forgotten():
    known = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(known)


def lateness(truth, prediction):
    """How late a prediction is."""
    return np.maximum(truth - prediction, 0)


def late_rows(truth, prediction):
    return truth > prediction


def early_rows(truth, prediction):
    return truth <= prediction


def late_share(late, early):
    """Share of late rows."""
    return late / (late + early)


def test_a_metric_can_be_pickled():
    for made in (
        heldout.define("late", lateness),
        heldout.define("late_share", sums={"late": late_rows, "early": early_rows}, formula=late_share, range=(0, 1)),
    ):
        again = pickle.loads(pickle.dumps(made))
        assert (again.name, again.needs, again.definition) == (made.name, made.needs, made.definition)
        found, known = (heldout.evaluate(TRUTH, MODELS["a"], metrics=one)[made.name] for one in (again, made))
        assert (found.value, found.low, found.high) == (known.value, known.low, known.high)


def test_a_loss_says_what_it_is():
    assert heldout.define("late", lateness).definition == "How late a prediction is."
    assert heldout.define("late", lambda truth, prediction: truth - prediction).definition == "Mean of late over rows."


NOT_A_NAME = "but must be a text without commas and without blanks at its ends"
REFUSED = [
    *(({"name": name}, f"the name of a metric is {name!r}, {NOT_A_NAME}") for name in ("", "a,b", " a", "a\nb", 3)),
    ({"name": "all"}, "'all' stands for all metrics"),
    ({"name": "f1"}, "'f1' is a built-in metric"),
    ({"name": "auc"}, "'auc' is another name of the built-in metric 'roc_auc'"),
    ({"name": "f1_score"}, "'f1_score' is another name of the built-in metric 'f1'"),
    ({"name": "lift@5%"}, "'lift@5%' is a built-in metric"),
    ({"name": "late", "better": "max"}, "better is 'max', but must be 'higher', 'lower' or None"),
    ({"name": "late", "uses": "scores"}, "uses is 'scores', but must be 'prediction' or 'score'"),
    ({"name": "late", "range": (1, 0)}, "range is (1, 0), but must be two numbers, the lower one first"),
    ({"name": "late", "range": 1}, "range is 1, but must be two numbers, the lower one first"),
]
FIXES = {
    "name": "choose another name", "better": "pass better='higher'", "uses": "pass uses='score'",
    "range": "pass range=(0, 1), or leave it out",
}  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), REFUSED)
def test_a_definition_that_makes_no_sense_is_refused(options, sentence):
    with pytest.raises(UsageError) as refused:
        heldout.define(**options, loss=lateness)
    assert str(refused.value) == f"{sentence}\n  Fix: {FIXES[list(options)[-1]]}"


@pytest.mark.parametrize(
    ("better", "fix"),
    [("min", "lower"), ("greater", "higher"), ("smaller", "lower"), ("maximize", "higher"), (1, "lower")],
)
def test_the_fix_is_the_direction_that_was_meant(better, fix):
    with pytest.raises(UsageError) as refused:
        heldout.define("late", lateness, better=better)
    assert refused.value.fix == f"pass better={fix!r}"


def test_a_definition_may_be_replaced_and_keeps_its_case():
    heldout.define("AUC", lateness)
    mine = heldout.define("AUC", lateness)
    assert metric("AUC") is mine
    assert metric("auc").name == "roc_auc"


def test_scores_come_with_labels_as_they_were_written():
    seen = []

    def look(truth, score):
        seen.append((truth, score))
        return np.zeros(len(truth))

    made = heldout.define("look", look, uses="score")
    heldout.evaluate(["yes", "no", "yes", "no"], y_score=[0.9, 0.4, 0.8, 0.1], metrics=made)
    truth, score = seen[0]
    assert truth.tolist() == ["yes", "no", "yes", "no"]
    assert score.tolist() == [0.9, 0.4, 0.8, 0.1]
    seen.clear()
    heldout.evaluate(["a", "b", "c"], y_proba=np.eye(3) * 0.7 + 0.1, metrics=made)
    truth, score = seen[0]
    assert truth.tolist() == ["a", "b", "c"]
    assert score.shape == (3, 3)


def test_a_comparison_takes_it_by_name():
    heldout.define("late", lateness)
    found = heldout.compare(TRUTH, MODELS, metrics="late")
    assert [one.metric for one in found.differences] == ["late"]
    found = heldout.compare(TRUTH, MODELS, metrics="mae", primary="late")
    assert found.primary == "late"


@pytest.mark.parametrize("given", [{"primary": "late"}, {"primary": "late", "metrics": "mae"}, {"metrics": "late"}])
def test_a_defined_metric_is_known_to_compare_by_its_name(given):
    heldout.define("late", lateness)
    models = {"old": TRUTH + np.resize([1.0, -1.0], 60), "new": TRUTH + 0.5}
    found = heldout.compare(TRUTH, models, **given)
    assert found["late"].value == pytest.approx(-0.5)
    assert found["late"].verdict == "BETTER"


def emptied(truth, prediction):
    loss = np.abs(truth - prediction)
    truth.sort()
    prediction[:] = 0
    return loss


def test_a_function_that_writes_to_what_it_is_given_changes_no_other_metric():
    truth, said = TRUTH.copy(), MODELS["a"].copy()
    truth.flags.writeable = said.flags.writeable = False
    found = heldout.evaluate(truth, said, metrics=[heldout.define("emptied", emptied), "mae", "r2"])
    plain = heldout.evaluate(TRUTH, MODELS["a"], metrics=["mae", "r2"])
    assert found["emptied"].value == plain["mae"].value
    assert [found[name].value for name in ("mae", "r2")] == [plain[name].value for name in ("mae", "r2")]


@pytest.mark.parametrize(
    ("loss", "options", "said"),
    [
        (
            lambda truth, prediction: (truth - prediction) * 1j,
            {},
            (
                "the metric 'odd' gave complex numbers\n"
                "  Fix: let its function give real numbers, such as their absolute values"
            ),
        ),
        (
            lambda truth, prediction: np.arange(60) / 59 + 0 * (truth + prediction),
            {"range": (0, 0.5)},
            (
                "'odd' gave 0.508475 in row 31, and its range is 0 to 0.5\n"
                "  Fix: correct its function, or give define() the range that its values can have"
            ),
        ),
    ],
)
def test_losses_that_cannot_be_are_refused(loss, options, said):
    with pytest.raises(UsageError) as caught:
        heldout.evaluate(TRUTH, MODELS["a"], metrics=heldout.define("odd", loss, **options))
    assert str(caught.value) == said


def test_a_loss_may_be_beyond_its_range_by_rounding():
    made = heldout.define("whole", lambda truth, _: np.full(len(truth), 1 + 1e-15), range=(0, 1))
    assert heldout.evaluate(TRUTH, MODELS["a"], metrics=made)["whole"].value == pytest.approx(1)
