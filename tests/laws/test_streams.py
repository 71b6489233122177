"""A table read in chunks gives what rows in memory give: counts bit for bit, sums to rounding, order within bounds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import heldout
from heldout.engines import units as engine_units
from heldout.formulas import METRICS, metric
from heldout.tallies import accumulation as adding, moments
from heldout.verbs import measurement
from tests.laws.chunked_tables import KINDS, table, written_in_files

BOUND = re.compile(r"binned: the exact value lies within ±(\S+)")
OF_ORDER = ("scores", "ordered")


def bound(e) -> float:
    """The printed bound, as far as its digits are wrong; rounding where there is none."""
    found = [BOUND.fullmatch(note) for note in e.notes if note.startswith("binned")]
    return float(found[0][1]) * 1.05 if found else 1e-9


def both(whole, seed, **options):
    """The evaluation of the rows in memory, and of the same rows in chunks."""
    options = {"n_resamples": 100, **options}
    with TemporaryDirectory() as folder:
        streamed = heldout.evaluate(written_in_files(whole, Path(folder), seed), engine="local", **options)
    return heldout.evaluate(whole, **options), streamed


def in_python(text: str) -> str:
    """A note on a file, with options as a note on a frame writes them: `--threshold (threshold=)` is `threshold=…`."""
    return re.sub(r"--[a-z-]+ \((\w+)=\)", r"\1=…", text)


def same_estimates(exact, streamed):
    """Whether all estimates of the stream are those of the rows."""
    for name, e in streamed.items():
        known = exact[name]
        if metric(name).reads in OF_ORDER:
            off, width = bound(e), known.high - known.low
            assert abs(known.value - e.value) <= off, name
            assert e.method == known.method, name
            for end in ("low", "high") if "bootstrap" not in e.method else ():
                apart = abs(getattr(e, end) - getattr(known, end))
                assert getattr(e, end) == getattr(known, end) or apart <= 2 * off + 0.05 * width, (name, end)
            continue
        assert e.method == known.method, name
        # rows are named by their file and their place in it
        assert [n for n in e.notes if n not in known.notes and not n.startswith("infinite")] == [], name
        for end in ("value", "low", "high"):
            assert getattr(e, end) == pytest.approx(getattr(known, end), rel=1e-9, abs=1e-12, nan_ok=True), (name, end)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_stream_is_the_rows_in_memory(kind, weights, seed):
    exact, streamed = both(table(kind, seed, weights=weights), seed)
    same_estimates(exact.estimates, streamed.estimates)
    for label, found in streamed.classes.items():
        same_estimates(exact.classes[label], found)
    for name in ("task", "rows", "units", "labels", "positive", "threshold", "columns"):
        assert getattr(exact, name) == getattr(streamed, name), name
    if exact.confusion is not None and not weights:
        assert np.array_equal(exact.confusion, streamed.confusion)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 10**6), weights=st.booleans())
def test_units_that_lie_in_several_chunks(kind, seed, weights):
    exact, streamed = both(table(kind, seed, weights=weights, groups=True), seed)
    assert exact.units == streamed.units < exact.rows
    same_estimates(exact.estimates, streamed.estimates)
    for label, found in streamed.classes.items():
        same_estimates(exact.classes[label], found)


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("kind", ["scores", "classes", "numbers"])
def test_so_many_rows_that_none_is_kept(kind, groups, monkeypatch):
    monkeypatch.setattr(adding, "FEW", 0)
    monkeypatch.setattr(moments, "FEW", 0)
    monkeypatch.setattr(engine_units, "KEPT", 0)
    monkeypatch.setattr(measurement, "MANY", 0)
    exact, streamed = both(table(kind, 8, groups=groups), 8, n_resamples=2000 if groups else 100)
    # means of losses look at the skewness of units, where these are kept
    skewed = {name for name, one in METRICS.items() if one.interval in ("mean", "spread", "explained")}
    drawn = skewed | {name for name, one in METRICS.items() if one.via and one.via[0] in skewed} if groups else set()
    same_estimates(exact.estimates, {name: e for name, e in streamed.estimates.items() if name not in drawn})
    for name in drawn & set(streamed.estimates):
        assert streamed[name].value == pytest.approx(exact[name].value, rel=1e-9)
        assert streamed[name].low == pytest.approx(exact[name].low, rel=0.02)


@pytest.mark.parametrize("kind", ["scores", "numbers"])
def test_draws_hang_on_ids_and_not_on_chunks(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(adding, "FEW", 0)
    monkeypatch.setattr(moments, "FEW", 0)
    whole = table(kind, 8)
    whole = whole.append_column("id", pa.array(np.arange(whole.num_rows)))
    turned = whole.take(np.arange(whole.num_rows)[::-1])
    found = [
        heldout.evaluate(
            written_in_files(rows, tmp_path / str(at), at, files=at + 1),
            engine="local",
            method="percentile",
            n_resamples=100,
        )
        for at, rows in enumerate((whole, whole, turned))
    ]
    for name, e in found[0].estimates.items():
        for other in found[1:]:
            assert other[name].low == pytest.approx(e.low, rel=1e-9, abs=1e-12), name
    if kind == "numbers":
        exact = heldout.evaluate(whole, method="percentile", n_resamples=200, metrics="mae")["mae"]
        drawn = found[0]["mae"]
        assert drawn.high - drawn.low == pytest.approx(exact.high - exact.low, rel=0.3)


def _choices():
    """Tables with the options that say what their columns mean."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 5200)
    score = 1 / (1 + np.exp(-rng.normal(2 * truth - 1)))
    words, decided = np.array(["bad", "good"])[truth], (score > 0.4).astype(int)
    any_class = pa.array(np.array(["a", "b", "c"])[rng.integers(0, 3, 5200)]).dictionary_encode()
    return {
        "the other class": ({"y_true": words, "y_score": 1 - score}, {"pos_label": "bad"}),
        "a threshold": ({"y_true": words, "y_score": score}, {"pos_label": "good", "threshold": 0.3}),
        "logits": ({"y_true": truth, "y_score": np.log(score / (1 - score))}, {"link": "logit"}),
        "two probabilities": ({"y_true": truth, "p_0": 1 - score, "p_1": score}, {}),
        "one of the other class": ({"y_true": truth, "p_0": 1 - score}, {}),
        "scores and decisions": ({"y_true": truth, "y_pred": decided, "y_score": score}, {}),
        "a class that never comes": ({"y_true": truth, "y_pred": decided}, {"labels": [0, 1, 2]}),
        "a task": ({"y_true": truth + 1, "y_pred": score}, {"task": "regression"}),
        "a bound": ({"y_true": truth, "y_score": score}, {"side": "lower", "confidence_level": 0.9}),
        "points": ({"y_true": truth, "y_score": rng.integers(300, 850, 5200) + 30 * truth}, {}),
        "dictionaries": ({"y_true": any_class, "y_pred": any_class.take(pa.array(rng.permutation(5200)))}, {}),
        "names": (
            {"t": truth, "m": score, "w": rng.random(5200)},
            {"truth": "t", "y_score": "m", "sample_weight": "w"},
        ),
        "numbers in names": ({"y_true": truth, "y_score": score}, {"metrics": "lift@5%,partial_auc@0.2,f3"}),
        "quantiles": ({"y_true": score * 10 + 3, "y_pred": score * 9}, {"metrics": "pinball@0.9,rmse"}),
        "deviances": (
            {"y_true": score * 10 + 3, "y_pred": score * 9 + 1},
            {"metrics": "msle,rmsle,poisson_deviance,gamma_deviance,tweedie_deviance@1.5,explained_variance"},
        ),
        "margins": ({"y_true": truth, "y_score": 3 * score - 1}, {"metrics": "hinge_loss,top_1_accuracy"}),
    }


CHOICES = _choices()


@pytest.mark.parametrize(("kind", "name"), [("scores", "d2_log_loss"), ("labels", "kappa_linear"), ("scores", "ece")])
def test_metrics_that_need_all_rows_at_once_are_refused(kind, name, tmp_path):
    with pytest.raises(heldout.UsageError, match=f"{name} needs all rows in memory at once"):
        heldout.evaluate(written_in_files(table(kind, 3), tmp_path, 3), engine="local", metrics=name)


@pytest.mark.parametrize("name", CHOICES)
def test_what_the_columns_mean_is_the_same(name):
    columns, options = CHOICES[name]
    exact, streamed = both(pa.table(columns), 3, **options)
    same_estimates(exact.estimates, streamed.estimates)
    for fact in ("task", "rows", "labels", "positive", "positives", "threshold", "columns"):
        if (fact, name) != ("positives", "names"):
            assert getattr(exact, fact) == getattr(streamed, fact), fact
    notes = [replace(check, text=in_python(check.text)) for check in streamed.checks]
    assert [check for check in notes if not check.text.startswith("left out")] == [
        check for check in exact.checks if check.code != "H204"
    ]
    for metric_name, value in streamed.baseline.values.items():
        assert value == pytest.approx(exact.baseline.values[metric_name], abs=1e-9)
