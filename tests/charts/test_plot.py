"""What can be drawn of a result, and what is said of the rest."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import heldout
from heldout.charts import Chart, spec
from heldout.charts.plot import VIEWS
from heldout.charts.vega import embedded_json
from heldout.errors import UsageError

mpl.use("Agg")

LABELS = heldout.evaluate([0, 1, 1, 0], [0, 1, 0, 0])
NO_SCORES = "needs scores, and there are none\n  Fix: give y_score, or a file with a score column"
COUNTS = heldout.evaluate_counts(wrong=12, of=40)


def test_plot_lists_what_can_be_drawn(evaluation, comparison, regression, ranking):
    curves = ["roc", "precision_recall", "gain", "lift", "cost"]
    scores = {*curves, "roc_steps", "calibration", "scores"}
    assert set(evaluation.plot()) == {"metrics", "confusion", *scores, "segments", "more_data"}
    assert set(comparison.plot()) == {"metrics", "differences", *curves, "calibration", "segments", "more_data"}
    assert set(regression.plot()) == {"metrics", "predicted", "residuals", "quantiles", "more_data"}
    assert set(ranking.plot()) == {"ranks", "differences"}
    assert evaluation.plot()["roc"] == "recall against false positive rate, with bands"
    assert {"roc", "figures"} <= set(dir(evaluation.plot))


def test_figures_are_in_the_order_of_a_page(figures):
    given = [name.removesuffix(", evaluation") for name in figures if name.endswith(", evaluation")]
    names = [name.partition(":")[0] for name in given]
    assert names == sorted(names, key=list(VIEWS).index)
    assert names[0] == "metrics"


def test_metrics_on_other_scales_have_figures_of_their_own(evaluation, figures):
    own = figures["metrics:log_loss, evaluation"]
    assert (own.metrics, own.title) == (("log_loss",), "Metrics: log_loss")
    parts = [one for name, one in figures.items() if name.startswith("metrics") and name.endswith("evaluation")]
    assert sorted(metric for one in parts for metric in one.metrics) == sorted(
        evaluation.plot.figure("metrics").metrics
    )
    assert all("vconcat" not in spec(one) for one in parts)
    assert "vconcat" in spec(evaluation.plot.figure("metrics"))
    apart = figures["differences:log_loss, comparison"]
    assert {one["metric"] for one in apart.differences} == {"log_loss"}
    assert apart.caption.endswith("hollow, marked ~: undecided.")


def test_a_second_column_of_segments_has_a_figure_of_its_own(binary):
    truth, score, _, site = binary
    result = heldout.evaluate(truth, y_score=score, segments={"site": site, "half": np.arange(600) % 2})
    plot = result.plot
    assert plot.figure("segments").column == "site"
    assert plot.figure("segments:half").column == "half"
    assert result.plot.segments(column="half", metric="recall").figure.metric == "recall"


def test_a_chart_is_drawn_by_name(evaluation):
    chart = evaluation.plot.roc(dark=True)
    assert isinstance(chart, Chart)
    assert chart.dark
    assert chart.spec["title"]["text"] == "ROC curve"


@pytest.mark.parametrize(
    ("result", "name", "message"),
    [
        (LABELS, "roc", f"the roc chart {NO_SCORES}"),
        (
            LABELS,
            "calibration",
            "the calibration chart needs probabilities\n  Fix: give y_score between 0 and 1, or y_proba",
        ),
        (COUNTS, "gain", f"the gain chart {NO_SCORES}"),
        (heldout.evaluate(["a", "b", "c"] * 5, ["a", "b", "b"] * 5), "roc", f"the roc chart {NO_SCORES}"),
        (LABELS, "segments", "the segments chart needs segments\n  Fix: name columns with segments="),
        (LABELS, "residuals", "the residuals chart needs predicted numbers\n  Fix: give numbers as y_true and y_pred"),
        (
            heldout.evaluate([1.0, 2.5, 3.0], [1.0, 2.0, 3.5]),
            "confusion",
            (
                "the confusion chart needs predicted labels, and the task is regression\n"
                "  Fix: give y_pred, or a threshold for the scores"
            ),
        ),
        (
            heldout.evaluate([1.0, 2.5, 3.0], [1.0, 2.0, 3.5]),
            "roc",
            (
                "the roc chart is for two classes, and the task is regression\n"
                "  Fix: judge one class against the rest: y_true == label"
            ),
        ),
        (
            heldout.evaluate([1, 1, 1], y_score=[0.2, 0.6, 0.9], labels=[0, 1]),
            "roc",
            "the roc chart needs rows of both classes, and the truth has one\n  Fix: give rows of both classes",
        ),
    ],
)
def test_what_the_data_cannot_give_is_said(result, name, message):
    with pytest.raises(UsageError) as caught:
        getattr(result.plot, name)()
    assert str(caught.value) == message
    assert name not in result.plot()


def test_classes_are_drawn_each_against_the_rest():
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([2, 1, 1], 300)
    truth = np.array([rng.choice(3, p=p) for p in chances])
    result = heldout.evaluate(np.array(["a", "b", "c"])[truth], y_proba=chances, labels=["a", "b", "c"])
    figure = result.plot.figure("roc")
    assert list(figure.curves) == ["a", "b", "c"]
    assert figure.areas["b"]["value"] == pytest.approx(result.classes["b"]["roc_auc"].value)
    alone = heldout.curves.roc(truth == 1, chances[:, 1])
    np.testing.assert_allclose(figure.curves["b"].band["low"], alone.band["low"])
    recall = result.plot.figure("precision_recall")
    assert recall.prevalence is None
    assert recall.caption == "Band: 95% for the whole curve at once."
    assert "scores" not in result.plot()


def test_a_chart_that_only_the_numbers_rule_out_is_left_out_of_the_page(binary):
    truth, score, *_ = binary
    untested = heldout.compare(truth * 2.5, {"a": score, "b": 1 - score}, metrics="max_error", task="regression")
    assert "more_data" not in untested.plot.figures()
    with pytest.raises(UsageError) as caught:
        untested.plot.more_data()
    assert (
        str(caught.value) == "there is no interval that more rows would narrow\n"
        "  Fix: leave out the chart: no metric here has an interval of rows"
    )


def test_an_unknown_chart(evaluation):
    with pytest.raises(AttributeError, match=r"^no chart is named 'rok'; did you mean 'roc'\?; plot\(\) lists them$"):
        evaluation.plot.rok()
    assert not hasattr(evaluation.plot, "_ipython_display_")


def test_every_figure_survives_as_plain_values(figures):
    for figure in figures.values():
        d = figure.to_dict()
        assert d["kind"] == figure.kind
        assert d["alt"].endswith(".")
        assert all(d[words] for words in ("title", "caption", "alt"))
        for table in d["parts"].values():
            assert len({len(column) for column in table.values()}) == 1
        assert len(figure.data) == len(next(iter(next(iter(d["parts"].values())).values())))


def test_figures_of_many_rows_stay_small():
    rng = np.random.default_rng(0)
    truth = (rng.random(50_000) < 0.15).astype(int)
    result = heldout.evaluate(truth, y_score=1 / (1 + np.exp(2 - 1.3 * truth - rng.normal(size=50_000))))
    sizes = {name: len(embedded_json(spec(one, themed=False))) for name, one in result.plot.figures().items()}
    assert len(sizes) == 13
    assert sum(sizes.values()) < 400_000


def test_every_chart_is_written_to_a_folder(evaluation, tmp_path):
    written = evaluation.plot.save(tmp_path / "pictures")
    assert [path.stem for path in written] == sorted(evaluation.plot(), key=list(VIEWS).index)
    assert all(path.read_text(encoding="utf-8").startswith("<svg") for path in written)


def test_a_chart_by_a_name_that_is_not_known_beforehand(evaluation):
    assert evaluation.plot.chart("roc", dark=True).spec == evaluation.plot.roc(dark=True).spec


def test_the_numbers_of_a_chart_as_csv(multiclass, tmp_path):
    path = multiclass.plot.confusion().save(tmp_path / "cells.csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "truth,prediction,rows,share"
    assert len(lines) == 1 + 16
