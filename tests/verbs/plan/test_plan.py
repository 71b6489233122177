from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout import plan
from heldout.errors import HeldoutError
from heldout.verbs.demo import clinic_csv


@pytest.fixture
def pilot():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    first, second = (np.where(rng.random(400) < share, truth, 1 - truth) for share in (0.8, 0.85))
    return truth, first, second


def test_rows_for_an_interval():
    found = plan.interval("accuracy", 0.85, half_width=0.02)
    assert (found.rows, found["worst case"].rows, found.range) == (1225, 1535, (0.8, 0.9))
    assert found.half_width <= 0.02
    assert plan.interval("accuracy", 0.85, half_width=0.02, range=(0.2, 0.9))["worst case"].rows == 2398


def test_rows_of_one_class():
    inside = plan.interval("recall", 0.9, half_width=0.05)
    assert "rows are those of the positive class; with --prevalence (prevalence=), all rows" in inside.assumptions
    for name, part in (("recall", 0.2), ("specificity", 0.8)):
        rows = plan.interval(name, 0.9, half_width=0.05, prevalence=0.2).rows
        assert rows == pytest.approx(inside.rows / part, abs=1 / part)
    assert "rows are those that precision is a share of, not all rows" in (
        plan.interval("precision", 0.9, half_width=0.05).assumptions
    )


def test_rows_for_a_difference_of_shares():
    found = plan.difference("accuracy", 0.85, gain=0.02, disagree=0.08)
    assert (found.rows, found["unpaired"].rows) == (1556, 4722)
    assert found.power == pytest.approx(0.8, abs=0.002)
    lower = plan.difference("error_rate", 0.15, gain=0.02, disagree=0.08)
    assert [one.rows for one in lower.designs] == [one.rows for one in found.designs]


def test_unrelated_models_need_about_as_many_rows_as_two_samples():
    found = plan.difference("accuracy", 0.7, gain=0.05)
    assert found.rows == pytest.approx(found["unpaired"].rows, rel=0.02)


@pytest.mark.parametrize(
    ("metric", "value", "known"),
    [
        ("accuracy", 0.85, {"disagree": 0.1}),
        ("accuracy", 0.85, {}),
        ("recall", 0.85, {"prevalence": 0.3}),
        ("roc_auc", 0.8, {"prevalence": 0.3, "correlation": 0.5}),
        ("mae", 1.0, {"sd": 0.4, "correlation": 0.6}),
    ],
)
def test_power_of_the_planned_rows_is_what_was_planned(metric, value, known):
    planned = plan.difference(metric, value, gain=0.04, power=0.9, **known)
    for one in planned.designs:
        again = plan.power(metric, value, gain=0.04, rows=one.rows, **known)
        assert again[one.name].power == one.power >= 0.9
        less = plan.power(metric, value, gain=0.04, rows=int(one.rows * 0.9), **known)
        assert less[one.name].power < 0.9


def test_rows_for_a_limit_beyond_a_bound():
    found = plan.bound("sensitivity", 0.9, lower_bound=0.8, prevalence=0.15)
    assert (found.metric, found.rows, found["on average"].rows) == ("recall", 721, 410)
    assert found.power == pytest.approx(0.8, abs=1e-3)
    assert found["on average"].power == pytest.approx(0.52, abs=1e-3)
    assert "0.15 of all rows are positive" in found.assumptions
    inside = plan.bound("recall", 0.9, lower_bound=0.8)
    assert inside["on average"].rows == 62
    others = plan.bound("fpr", 0.1, upper_bound=0.2)
    assert [one.rows for one in others.designs] == [one.rows for one in inside.designs]
    assert (others.lower_bound, others.upper_bound) == (None, 0.2)
    stronger = plan.bound("precision", 0.9, lower_bound=0.8, power=0.9, confidence_level=0.99)
    assert stronger.rows > inside.rows
    assert "rows are those that precision is a share of, not all rows" in stronger.assumptions


def test_areas_by_another_method():
    known = {"gain": 0.03, "prevalence": 0.2}
    normal, other = (plan.difference("roc_auc", 0.8, method=name, **known) for name in (None, "hanley_mcneil"))
    assert (normal.method, other.method) == ("DeLong, binormal", "Hanley-McNeil")
    assert normal.rows < other.rows
    assert "the models' scores, within a class, are uncorrelated" in normal.assumptions[-1]
    assert "the models' areas are uncorrelated" in other.assumptions[-1]
    assert plan.difference("roc_auc", 0.8, method="binormal", **known) == normal
    assert normal.assumptions[2] == (
        "scores are normal, with equal spread in both classes; where they are not and the classes uneven, the "
        "simulated power is 64% to 94% (planned 80%): a pilot is safer"
    )
    width = plan.interval("roc_auc", 0.8, half_width=0.05, prevalence=0.2, method="hanley_mcneil")
    assert width.method == "Hanley-McNeil"


def test_one_area_against_chance():
    found = plan.power("roc_auc", 0.73, rows=113, prevalence=41 / 113)
    assert found.power == pytest.approx(0.9897453, abs=5e-8)


def test_any_metric_through_a_pilot(pilot):
    truth, first, _ = pilot
    one = heldout.evaluate(truth, first, metrics="mcc")["mcc"]
    found = plan.interval("mcc", pilot=truth, y_pred=first, half_width=(one.high - one.low) / 4)
    assert found.rows == pytest.approx(4 * len(truth), rel=0.01)
    assert found.value == one.value


def test_a_pilot_with_groups_is_planned_in_clusters_at_its_threshold(tmp_path):
    path = tmp_path / "clinic.csv"
    path.write_text(clinic_csv(rows=600), encoding="utf-8")
    half = plan.interval("f1", pilot=str(path), groups="patient_id", half_width=0.05)
    assert (half.unit, half.to_dict()["unit"]) == ("cluster", "cluster")
    assert str(half) == (
        f"n = {half.rows:,} clusters (95% CI, Wilson of jaccard, clustered, half-width 0.05 at f1\n"
        f"  {half.value:.4g})\n"
        "\n"
        "note assumed  clusters are independent of each other\n"
        "note assumed  the interval narrows with 1 / sqrt(clusters) from the one of the\n"
        "     pilot (Wilson of jaccard, clustered)\n"
        "note assumed  rows with y_prob of 0.5 or more are predicted positive; threshold=\n"
        "     sets another threshold\n"
    )
    fifth = plan.interval("f1", pilot=str(path), half_width=0.05, threshold=0.2)
    assert fifth.value != half.value
    assert fifth.assumptions == (
        "rows are independent of each other",
        "the interval narrows with 1 / sqrt(rows) from the one of the pilot (Wilson of jaccard)",
        "rows with a score of 0.2 and more are predicted positive",
    )
    area = plan.interval("average_precision", pilot=str(path), half_width=0.05)
    assert area.method == heldout.evaluate(str(path), metrics="average_precision")["average_precision"].method
    assert not any("predicted positive" in one for one in area.assumptions)


def test_a_difference_through_a_pilot(pilot, tmp_path):
    truth, first, second = pilot
    for name, said in (("a", first), ("b", second)):
        lines = [f"{i},{t},{s}" for i, (t, s) in enumerate(zip(truth, said, strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y_true,y_pred", *lines]) + "\n", encoding="utf-8")
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    found = plan.difference("accuracy", pilot=files, gain=0.05)
    disagree = np.mean(first != second)
    shares = plan.difference("accuracy", np.mean(first == truth), gain=0.05, disagree=disagree)
    assert found.rows == pytest.approx(shares.rows, rel=0.05)
    assert [one.name for one in found.designs] == ["paired"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: plan.interval("f1", 0.8, half_width=0.1),
            (
                "how far rows move f1 does not follow from its value\n"
                "  Fix: give sd=, the spread of one row's value, or pilot=: predictions from which "
                "it is found"
            ),
        ),
        (
            lambda: plan.interval("accuracy", half_width=0.1),
            "the value of accuracy to plan for is missing\n  Fix: say what you expect, such as 0.85",
        ),
        (
            lambda: plan.interval("roc_auc", 0.8, half_width=0.1),
            (
                "the rows for roc_auc depend on how many of them are positive\n"
                "  Fix: give prevalence=, the share of positive rows"
            ),
        ),
        (
            lambda: plan.interval("accuracy", 1.2, half_width=0.1),
            "accuracy cannot be 1.2\n  Fix: it lies between 0 and 1",
        ),
        (
            lambda: plan.interval("accuracy", 0.8, half_width=0),
            "half_width is 0, but must be above zero\n  Fix: such as 0.02",
        ),
        (
            lambda: plan.interval("accuracy", 0.8, half_width=0.1, confidence_level=95),
            "confidence_level is 95, but must lie between 0 and 1\n  Fix: for 95% write 0.95",
        ),
        (
            lambda: plan.interval("accuracy", 0.8, half_width=0.1, truth="y"),
            "truth says how to read a pilot, but there is none\n  Fix: give pilot=",
        ),
        (
            lambda: plan.interval("accuracy", 0.8, half_width=0.1, pilot="x.csv"),
            "value is found from the pilot, so it cannot be given\n  Fix: leave value out",
        ),
        (
            lambda: plan.interval("mae", 1.0, half_width=0.1, sd=-1.0),
            "sd is -1, but must be above zero\n  Fix: give a standard deviation such as 1.5",
        ),
        (
            lambda: plan.interval("mae", 1.0, half_width=0.1, sd=1.0, prevalence=0.2),
            "prevalence says nothing about mae here\n  Fix: leave prevalence out",
        ),
        (
            lambda: plan.interval("accuracy", 0.9, half_width=0.1, prevalence=0.2),
            "prevalence says nothing about accuracy here\n  Fix: leave prevalence out",
        ),
        (
            lambda: plan.interval("roc_auc", 0.9, half_width=0.1, prevalence=0.2, method="binormial"),
            (
                "no method for areas is named 'binormial'; did you mean 'binormal'?\n"
                "  Fix: give one of binormal, hanley_mcneil"
            ),
        ),
        (
            lambda: plan.interval("accuracy", 0.9, half_width=0.1, method="binormal"),
            "method says nothing about accuracy here\n  Fix: leave method out",
        ),
        (
            lambda: plan.bound("recall", 0.9, lower_bound=0.95),
            (
                "recall is expected to be 0.9, so its limit cannot be above 0.95\n"
                "  Fix: expect more than the bound, or ask for a lower one"
            ),
        ),
        (
            lambda: plan.bound("fpr", 0.1, upper_bound=0.05),
            (
                "fpr is expected to be 0.1, so its limit cannot be below 0.05\n"
                "  Fix: expect less than the bound, or ask for a higher one"
            ),
        ),
        (
            lambda: plan.bound("recall", 0.9),
            "no bound was given\n  Fix: give the one that the interval must clear",
        ),
        (
            lambda: plan.bound("recall", 0.9, lower_bound=0.8, upper_bound=0.95),
            "a lower and an upper bound was given\n  Fix: give the one that the interval must clear",
        ),
        (
            lambda: plan.bound("recall", 0.9, lower_bound=-0.1),
            "the bound is -0.1, but is a share between 0 and 1\n  Fix: such as 0.8",
        ),
        (
            lambda: plan.bound("roc_auc", 0.9, lower_bound=0.8, prevalence=0.2),
            "roc_auc is not a share, so its limits cannot be planned\n  Fix: plan an interval of it instead",
        ),
        (
            lambda: plan.bound("recall", 0.9, lower_bound=0.8, power=1),
            "power is 1, but must lie between 0 and 0.999999\n  Fix: leave it out for 0.8",
        ),
        (
            lambda: plan.difference("accuracy", 0.99, gain=0.02),
            "accuracy cannot be 1.01\n  Fix: it lies between 0 and 1",
        ),
        (
            lambda: plan.difference("accuracy", 0.9, gain=-0.02),
            "gain is -0.02, but must be above zero\n  Fix: say how much better",
        ),
        (
            lambda: plan.difference("accuracy", 0.9, gain=0.02, power=80),
            "power is 80, but must lie between 0 and 0.999999\n  Fix: leave it out for 0.8",
        ),
        (
            lambda: plan.difference("accuracy", 0.9, gain=0.02, disagree=0.01),
            (
                "models with accuracy 0.9 and 0.92 cannot disagree on 0.01 of the rows\n"
                "  Fix: give disagree= between 0.02 and 0.18"
            ),
        ),
        (
            lambda: plan.difference("accuracy", 0.9, gain=0.02, disagree=1.5),
            "disagree is 1.5, but must be a share above 0 and below 1\n  Fix: for 10% write 0.1",
        ),
        (
            lambda: plan.difference("mae", 1.0, gain=0.02, sd=1.0, correlation=1.0),
            "correlation is 1, but must be at least -1 and below 1\n  Fix: give a number such as 0.5",
        ),
        (
            lambda: plan.difference("precision", 0.9, gain=0.02),
            ("precision of two models is not a share of the same rows\n  Fix: give pilot=: predictions of two models"),
        ),
        (
            lambda: plan.difference("mean_error", 0.0, gain=0.02, sd=1.0),
            (
                "mean_error has no better side, so nothing can gain in it\n"
                "  Fix: plan an interval of it, or choose a metric that can be better"
            ),
        ),
        (
            lambda: plan.difference("accuracy", pilot=["a.csv"], gain=0.02),
            "the pilot of a difference has 1 models\n  Fix: give the predictions of two",
        ),
        (
            lambda: plan.power("accuracy", 0.9, rows=100),
            (
                "gain is missing: the power of accuracy is that to find a gain\n"
                "  Fix: say by how much the better model is better, such as gain=0.02"
            ),
        ),
        (
            lambda: plan.power("accuracy", 0.9, gain=0.02, rows=0),
            "rows is 0, but must be a whole number of 1 or more\n  Fix: write rows=1000",
        ),
    ],
)
def test_mistakes_are_named(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said
