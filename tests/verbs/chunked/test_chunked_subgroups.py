from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heldout
from heldout.errors import DataError
from heldout.verbs.chunked import chunked_subgroups as segmentation

ROWS = 6000


def rows(weights=False):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, ROWS)
    site = rng.choice(["east", "north", "west"], ROWS, p=[0.4, 0.4, 0.2]).astype(object)
    site[:40] = None
    score = 1 / (1 + np.exp(-rng.normal((2.2 - (site == "west")) * truth - 1)))
    columns = {
        "y_true": truth,
        "y_score": np.round(score, 3),
        "site": pa.array(site.tolist()),
        "size": rng.choice([2, 10, 33], ROWS, p=[0.5, 0.498, 0.002]),
    }
    return pa.table(columns | ({"weight": rng.choice([1.0, 2.0], ROWS)} if weights else {}))


def streamed(table, folder, **options):
    for at in range(5):
        pq.write_table(table.slice(at * 1200, 1200), folder / f"{at}.parquet")
    return heldout.evaluate(folder, engine="local", **options)


@pytest.mark.parametrize("weights", [False, True])
def test_segments_are_those_of_rows_in_memory(tmp_path, weights):
    table = rows(weights)
    found = streamed(table, tmp_path, segments=["site", "size"]).segments
    exact = heldout.evaluate(table, segments=["site", "size"]).segments
    assert list(found["site"].shown) == ["east", "north", "west", "(missing)"]
    assert list(found["size"].shown) == ["2", "10"]
    for column, parts in exact.items():
        mine = found[column]
        assert (mine.folded, mine.level, list(mine.shown)) == (parts.folded, parts.level, list(parts.shown))
        for name, (count, units, estimates) in parts.shown.items():
            assert mine.shown[name][:2] == (count, units)
            for metric, e in mine.shown[name][2].items():
                assert e.value == pytest.approx(estimates[metric].value, abs=2e-3), metric
                assert e.low == pytest.approx(estimates[metric].low, abs=5e-3), metric
                assert e.method == estimates[metric].method, metric


def test_one_test_per_metric(tmp_path):
    table = rows().filter(pa.compute.is_valid(rows()["site"]))
    table = pa.concat_tables([table, table])  # so many that no segment needs to be handed out at random
    folder = tmp_path
    pq.write_table(table, folder / "a.parquet")
    found = heldout.evaluate(folder, engine="local", segments="site").segments["site"]
    exact = heldout.evaluate(table, segments="site").segments["site"]
    assert found.heterogeneity["accuracy"] == exact.heterogeneity["accuracy"]
    assert found.heterogeneity["roc_auc"].test == "Q, chi-square"
    for name, known in exact.heterogeneity.items():
        if name in found.heterogeneity and name != "calibration_slope":
            assert found.heterogeneity[name].pvalue == pytest.approx(known.pvalue, rel=0.05, abs=1e-6), name
    assert (found.gap["roc_auc"].more, found.gap["roc_auc"].less) == (
        exact.gap["roc_auc"].more,
        exact.gap["roc_auc"].less,
    )


def test_small_segments_stay_out_of_the_test(tmp_path):
    found = streamed(rows(), tmp_path, segments="site", metrics="roc_auc").segments["site"]
    assert found.heterogeneity["roc_auc"].test == "Q, chi-square, the 2 of 4 segments with 1,000 rows"


def test_too_many_values(tmp_path, monkeypatch):
    monkeypatch.setattr(segmentation, "MOST", 2)
    with pytest.raises(DataError) as refused:
        streamed(rows(), tmp_path, segments="site")
    assert str(refused.value) == (
        "[H111] site has more than 2 values, too many for segments of rows that are read in chunks\n"
        "  Fix: name a column with fewer values, or give the rows all the memory they need: memory='2M' and no engine"
    )
