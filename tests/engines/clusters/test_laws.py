"""Every engine gives what local streaming gives: counts bit for bit, other numbers to 1e-12."""

from __future__ import annotations

import pytest

import heldout
from heldout.engines import engine, units
from heldout.inputs.chunked.chunked_table import open_chunks
from tests.engines import works
from tests.engines.alike import alike


def told(source, **options):
    found = heldout.evaluate(source, **options).to_dict()
    found.pop("inputs")
    return found


@pytest.fixture(scope="module")
def locally(folders):
    return {name: told(folders["even"], engine="local", **options) for name, options in ASKED.items()}


ASKED = {
    "rows": {},
    "groups": {"groups": "patient"},
    "weights": {"sample_weight": "counts"},
    "resamples": {
        "groups": "patient", "sample_weight": "counts", "method": "percentile", "metrics": ["log_loss", "accuracy"],
    },
}  # fmt: skip


@pytest.mark.parametrize("chunks", ["even", "uneven"])
@pytest.mark.parametrize("asked", ASKED)
def test_evaluate_gives_the_same_numbers(cluster, folders, locally, asked, chunks):
    found = told(folders[chunks], **ASKED[asked], **cluster)
    assert found.pop("engine") == cluster["engine"]
    assert found.pop("chunks") == {"even": 4, "uneven": 6}[chunks]
    alike(found, {name: value for name, value in locally[asked].items() if name not in ("engine", "chunks")})


def test_compare_gives_the_same_numbers(cluster, folders):
    models = {"score": "score", "other": "other"}
    here, there = (
        heldout.compare(folders["even"], models=models, truth="label", groups="patient", **where)
        for where in ({"engine": "local"}, cluster)
    )
    one, other = (
        {name: value for name, value in found.to_dict().items() if name not in ("inputs", "engine")}
        for found in (here, there)
    )
    alike(other, one)


def test_progress_ends_with_all_parts(cluster, folders):
    seen = []
    made = engine(cluster["engine"], cluster.get("engine_address"))
    total = made.summed(
        open_chunks(folders["even"]), ["label", "score"], works.summing, lambda *some: seen.append(some)
    )
    assert total.rows == 4000
    assert seen[-1] == (4, 4)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("meet", [0, units.MEET])
def test_units_meet_wherever_they_lie(cluster, folders, table, monkeypatch, meet):
    monkeypatch.setattr(units, "MEET", meet)  # few bytes meet on one worker, more of them in the engine's shuffle
    made = engine(cluster["engine"], cluster.get("engine_address"))
    found = made.grouped(open_chunks(folders["uneven"]), ["patient", "score"], works.by_group)
    here = engine("local").grouped(open_chunks(folders["uneven"]), ["patient", "score"], works.by_group)
    assert found.units == here.units == len(table["patient"].unique())
    alike(found.products.tolist(), here.products.tolist())
    few, same = found.unit_by_unit().added, here.unit_by_unit().added
    assert few["rows"].tolist() == same["rows"].tolist()
    alike(few["score"].tolist(), same["score"].tolist())
