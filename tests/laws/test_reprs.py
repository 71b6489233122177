"""What a session prints of the smaller objects: a few lines and a hint, never a dump of all numbers."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.curves.bands import Curve
from heldout.formulas import METRICS
from heldout.verbs.judgement import Difference
from tests.laws.every_kind import MAKERS, result_of


def is_short(text: str, name: str, most: int = 5) -> None:
    lines = text.splitlines()
    assert 1 < len(lines) <= most
    assert max(map(len, lines)) < 200
    assert lines[-1].startswith(f"[{name}: ")
    assert "array(" not in text


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_plots_and_figures(kind):
    plot = result_of(kind).plot
    lines = repr(plot).splitlines()
    assert lines[-1].startswith("[Plot: ")
    assert len(lines) == len(plot.views) + 2
    for name in plot():
        is_short(repr(getattr(plot, name)), "chart")
        assert repr(getattr(plot, name)).startswith(f"{name}: ")
    for figure in plot.figures().values():
        is_short(repr(figure), type(figure).__name__)


def test_a_chart_is_as_short_as_its_figure():
    assert len(repr(result_of("evaluation").plot.roc())) < 400


def test_records_and_curves(tmp_path):
    evaluation = result_of("evaluation")
    record = evaluation.save(tmp_path / "store", name="first")
    is_short(repr(record), "Record")
    assert repr(record).startswith(f"{record.id}: evaluation 'first', ")
    assert "array(" not in repr(record)
    places = np.linspace(0, 1, 1200)
    curve = Curve(name="roc", x="fpr", y="recall", points={"fpr": places}, band={"x": places}, method="Wilson")
    is_short(repr(curve), "Curve")
    assert repr(curve).splitlines()[0] == "roc: recall against fpr, 1,200 points, 95% bands (Wilson)"


def test_metrics():
    for metric in METRICS.values():
        is_short(repr(metric), "Metric")
    assert repr(METRICS["recall"]).splitlines()[1] == "higher is better, from 0 to 1, for binary data"


def difference(**facts) -> Difference:
    given = {
        "metric": "f1", "model": "new", "baseline": "old", "value": 0.0204, "low": 0.0005, "high": 0.0402,
        "level": 0.95, "pvalue": 0.0442, "pvalue_adjusted": 0.0884,
        "test": "paired t", "verdict": "UNDECIDED", "correction": "holm",
        "tests": 2, "rows_needed": None, "margin": None, "better": "higher", "notes": (), "printed": True,
    }  # fmt: skip
    return Difference(**(given | facts))


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "p 0.088 adjusted (Holm) (paired t): UNDECIDED"),
        ({"correction": "none", "pvalue_adjusted": 0.0442}, "p 0.044 (paired t): UNDECIDED"),
        ({"correction": "max-t"}, "p 0.088 adjusted (max-T) (paired t): UNDECIDED"),
        ({"pvalue_adjusted": float("nan"), "verdict": None}, "p 0.044 unadjusted (paired t): not tested"),
    ],
)
def test_a_difference_says_which_p_it_prints(facts, said):
    one = difference(**facts)
    assert str(one) == f"f1 +0.020 [+0.001, +0.040], {said}"
    assert repr(one).startswith(f"new - old: {one}\n[Difference: ")


def test_differences_agree_with_their_table():
    result = result_of("comparison")
    for one in result.differences:
        is_short(repr(one), "Difference")
    pair = result_of("ranking").pairs[0]
    is_short(repr(pair), "LearnerPair")
    assert f"p {pair.pvalue_adjusted:.3f} adjusted" in str(pair) or pair.pvalue_adjusted < 0.001


def test_the_demonstration(tmp_path):
    is_short(repr(heldout.demo(tmp_path)), "Demonstration", most=10)


def test_an_end_that_rounds_to_zero_has_its_sign():
    one = difference(value=-0.07, low=-0.153, high=0.0002)
    assert str(one).startswith("f1 -0.070 [-0.153, +0.000], ")
    assert "[-0.000, +0.153]" in str(difference(value=0.07, low=-0.0002, high=0.153))
    assert "[0.000, 0.000]" in str(difference(value=0.0, low=0.0, high=0.0))
