"""Comparisons of chunked tables are those of rows in memory: counts exactly, sums to rounding, order to its bound."""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, example, given, settings, strategies as st

import heldout
from heldout.formulas import METRICS, metric
from tests.laws.chunked_tables import table, written_in_files

BOUND = re.compile(r"binned: the exact difference lies within ±(\S+)")
NUMBERS = ("value", "low", "high", "pvalue", "pvalue_adjusted")
MODELS = {"old": "old", "new": "new"}
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def two_models(kind: str, seed: int, *, models: int = 2, weights: bool = False, groups: bool = False) -> pa.Table:
    """A table with a column per model; each says what the first does, apart from some rows."""
    rng = np.random.default_rng([seed, 9])
    whole = table(kind, seed, weights=weights, groups=groups)
    truth = whole.column("y_true").to_numpy(zero_copy_only=False)
    output = next(name for name in whole.column_names if name.startswith(("y_score", "y_pred", "p_")))
    said = whole.column(output).to_numpy(zero_copy_only=False)
    if kind == "scores" and weights:
        said = np.clip(said, 0.01, 0.99)  # an infinite loss of a row without weight is undefined either way
    if kind == "classes":
        said = np.where(rng.random(len(truth)) < 0.7, truth, np.roll(truth, 1))
    whole = whole.drop_columns([name for name in whole.column_names if name.startswith(("y_score", "y_pred", "p_"))])
    for name in ("old", "new", "third")[:models]:
        whole = whole.append_column(name, pa.array(said))
        other = rng.permutation(said)
        if kind in ("scores", "logits", "numbers", "flags"):
            said = ((3 * said + other) / 4).astype(said.dtype)
        else:
            said = np.where(rng.random(len(said)) < 0.1, other, said)
    return whole


def both(whole, seed, columns=MODELS, **options):
    """The comparison of the rows in memory, and of the same rows in chunks."""
    options = {"n_resamples": 100, **options}
    with TemporaryDirectory() as folder:
        streamed = heldout.compare(written_in_files(whole, Path(folder), seed), columns, engine="local", **options)
    return heldout.compare(whole, columns, **options), streamed


def bound(one) -> float:
    """The printed bound; rounding where there is none."""
    found = [BOUND.fullmatch(note) for note in one.notes if note.startswith("binned")]
    return float(found[0][1]) * 1.05 if found else 1e-9


def without_places(notes):
    """Notes without the places of rows, which a stream counts file by file."""
    return tuple(re.sub(r"row .+ gave probability 0", "rows gave probability 0", note) for note in notes)


def same_differences(exact, streamed):
    """Whether every difference of the stream is that of the rows."""
    known = {(one.metric, one.model): one for one in exact.differences}
    assert len(streamed.differences) > 3
    ranked = any(metric(one.metric).reads == "scores" for one in streamed.differences)
    for one in streamed.differences:
        same = known[one.metric, one.model]
        assert one.test == same.test, one.metric
        if metric(one.metric).reads == "scores":
            assert abs(one.value - same.value) <= bound(one), one.metric
            continue
        assert without_places(one.notes) == without_places(same.notes), one.metric
        # what is corrected for how many are tested depends on the order of all p-values, rankings included
        for name in NUMBERS[:4] if ranked else NUMBERS:
            known_value = pytest.approx(getattr(same, name), rel=1e-9, abs=1e-9, nan_ok=True)
            assert getattr(one, name) == known_value, (one.metric, name)
        assert ranked or one.verdict == same.verdict, one.metric


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("kind", ["scores", "labels", "strings", "classes", "numbers", "logits"])
@settings(max_examples=2, deadline=None, phases=PHASES)
@given(seed=st.integers(0, 10**6))
@example(seed=653343)  # the slope of a root lost digits
def test_a_stream_is_the_rows_in_memory(kind, weights, seed):
    exact, streamed = both(two_models(kind, seed, weights=weights), seed)
    same_differences(exact, streamed)
    assert (streamed.rows, streamed.units, streamed.task) == (exact.rows, exact.units, exact.task)


@pytest.mark.parametrize("kind", ["scores", "strings", "classes", "numbers"])
@settings(max_examples=2, deadline=None, phases=PHASES)
@given(seed=st.integers(0, 10**6), weights=st.booleans())
def test_units_that_lie_in_several_chunks(kind, weights, seed):
    exact, streamed = both(two_models(kind, seed, weights=weights, groups=True), seed)
    same_differences(exact, streamed)
    assert streamed.units == exact.units < exact.rows


@pytest.mark.parametrize("kind", ["scores", "strings", "classes", "numbers"])
@pytest.mark.parametrize("uneven", [("weight",), ("group",), ("weight", "group")])
def test_heavy_rows_and_large_clusters(kind, uneven):
    """A few rows make up most of the weight, and a few clusters most of the rows: what they hide is added."""
    whole, rng = two_models(kind, 17, weights=True, groups=True), np.random.default_rng(17)
    rows = whole.num_rows
    heavy = np.where(rng.random(rows) < 0.002, 300.0, 1.0)
    large = np.where(rng.random(rows) < 0.7, rng.integers(0, 5, rows), rng.integers(0, rows // 8, rows))
    for name, column in (("weight", heavy), ("group", large)):
        whole = whole.drop_columns(name)
        whole = whole.append_column(name, pa.array(column)) if name in uneven else whole
    same_differences(*both(whole, 17))


@pytest.mark.parametrize(("kind", "primary"), [("scores", "brier"), ("classes", "accuracy"), ("numbers", "rmse")])
@settings(max_examples=2, deadline=None, phases=PHASES)
@given(seed=st.integers(0, 10**6), groups=st.booleans())
def test_three_models_are_judged_together(kind, primary, groups, seed):
    columns = {"old": "old", "new": "new", "third": "third"}
    whole = two_models(kind, seed, models=3, groups=groups)
    exact, streamed = both(whole, seed, columns, primary=primary, baseline="new")
    assert streamed.best_of_many.best == exact.best_of_many.best
    assert streamed.best_of_many.indistinguishable == exact.best_of_many.indistinguishable
    for name in ("value", "low", "high", "optimism", "wider"):
        assert getattr(streamed.best_of_many, name) == pytest.approx(
            getattr(exact.best_of_many, name), rel=1e-7, abs=1e-9
        ), name
    for one in streamed.differences:
        if one.metric == primary:
            same = next(known for known in exact.differences if (known.metric, known.model) == (primary, one.model))
            assert one.pvalue_adjusted == pytest.approx(same.pvalue_adjusted, rel=1e-9)


@settings(max_examples=3, deadline=None, phases=PHASES)
@given(seed=st.integers(0, 10**6), weights=st.booleans(), groups=st.booleans())
def test_the_ends_of_areas_move_no_more_than_they_may(seed, weights, groups):
    """DeLong's error comes from binned placements: it is off by a small part of itself."""
    exact, streamed = both(two_models("scores", seed, weights=weights, groups=groups), seed, metrics="roc_auc")
    one, same = streamed["roc_auc"], exact["roc_auc"]
    width = same.high - same.low
    for end in ("low", "high"):
        assert abs(getattr(one, end) - getattr(same, end)) <= bound(one) + 0.01 * width


@settings(max_examples=3, deadline=None, phases=PHASES)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["scores", "strings", "numbers"]), groups=st.booleans())
def test_tables_side_by_side_are_columns_of_one(kind, groups, seed):
    whole = two_models(kind, seed, groups=groups)
    shared = [name for name in whole.column_names if name not in MODELS]
    output = {"scores": "y_score", "strings": "y_pred", "numbers": "y_pred"}[kind]
    apart = {name: whole.select([*shared, name]).rename_columns([*shared, output]) for name in MODELS}
    with TemporaryDirectory() as folder:
        files = {
            name: written_in_files(rows, Path(folder) / name, seed + at)
            for at, (name, rows) in enumerate(apart.items())
        }
        beside = heldout.compare(files, engine="local")
        joined = heldout.compare(written_in_files(whole, Path(folder) / "one", seed), MODELS, engine="local")
    known = {one.metric: one for one in joined.differences}
    assert {one.metric for one in beside.differences} == set(known)
    for one in beside.differences:
        for name in NUMBERS:
            exact = getattr(known[one.metric], name)
            assert getattr(one, name) == pytest.approx(exact, rel=1e-9, abs=1e-12, nan_ok=True), (one.metric, name)


@pytest.mark.parametrize("kind", ["scores", "classes", "numbers"])
@pytest.mark.parametrize("groups", [False, True])
def test_nothing_differs_from_itself(kind, groups, tmp_path):
    whole = two_models(kind, 3, weights=True, groups=groups)
    found = heldout.compare(written_in_files(whole, tmp_path, 3), {"one": "old", "same": "old"}, engine="local")
    assert len(found.differences) > 3
    assert {(one.value, one.pvalue) for one in found.differences} == {(0.0, 1.0)}
    for one in found.differences:
        if all(map(isfinite, METRICS[one.metric].range)):
            assert one.low == -one.high < 0  # rows not seen may still differ
        else:
            assert one.notes[:2] == ("identical predictions", "the interval needs all rows in memory")


def test_counts_do_not_depend_on_the_chunks(tmp_path):
    whole = two_models("scores", 11)
    found = [
        heldout.compare(written_in_files(whole, tmp_path / str(seed), seed), MODELS, engine="local").to_dict()[
            "differences"
        ]
        for seed in range(4)
    ]
    for other in found[1:]:
        for one, same in zip(other, found[0], strict=True):
            assert {one["test"], one["verdict"]} == {same["test"], same["verdict"]}
            for name in NUMBERS:
                if one[name] is None or not isfinite(one[name]):
                    assert one[name] == same[name]
                else:
                    assert one[name] == pytest.approx(same[name], rel=1e-9, abs=1e-13), (one["metric"], name)
