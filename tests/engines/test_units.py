"""Sums by unit: in memory, on disk, and of whatever type units are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from heldout.engines.local import together
from heldout.engines.units import by_unit, plain, unit_moments


def tables(parts=6, units=500, kind=str):
    rng = np.random.default_rng(8)
    for _ in range(parts):
        unit = rng.integers(0, units, 300)
        names = [kind(number) for number in unit]
        yield by_unit(pa.table({"unit": names, "rows": np.ones(300, int), "loss": rng.random(300)}))


@pytest.mark.parametrize("kind", [str, int])
def test_what_goes_to_disk_gives_the_same(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (whole,) = together(tables(kind=kind))
    some = list(together(tables(kind=kind), gathered=1, most=4000))
    assert len(some) > 50
    assert list(tmp_path.iterdir()) == []  # nothing is left behind
    joined = pa.concat_tables(some)
    assert len(set(joined["unit"].to_pylist())) == len(joined) == len(whole)
    assert joined.sort_by("unit")["rows"].equals(whole.sort_by("unit")["rows"])
    assert np.allclose(joined.sort_by("unit")["loss"], whole.sort_by("unit")["loss"], rtol=1e-14)


def test_no_tables_are_no_sums():
    assert list(together([])) == []


@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        (pa.array([3, 1], pa.int8()), pa.int64()),
        (pa.array([2**64 - 1, 1], pa.uint64()), pa.string()),
        (pa.array(["a", "b"], pa.large_string()), pa.string()),
        (pa.array(["a", "b"]).dictionary_encode(), pa.string()),
        (pa.array([1.5, 2.5]), pa.string()),
        (pa.array([b"\xff", b"b"]), pa.binary()),
        (pa.array([0, 86400], pa.timestamp("s")), pa.string()),
    ],
)
def test_units_of_every_type_can_be_shuffled(unit, kind):
    found = plain(pa.table({"unit": unit, "hits": pa.array([True, False]), "loss": pa.array([1, 2], pa.float32())}))
    assert found.schema.field("unit").type == kind
    assert found["unit"].num_chunks == 1
    assert len(set(found["unit"].to_pylist())) == 2
    assert [str(one) for one in found.schema.types[1:]] == ["int64", "double"]


def test_moments_keep_few_units_and_sample_many():
    few = unit_moments(pa.table({"unit": ["b", "a"], "rows": [1, 2], "loss": [0.5, 1.5]}))
    assert few.unit_by_unit().added["rows"].tolist() == [2.0, 1.0]
    many = unit_moments(pa.table({"unit": np.arange(200_000), "rows": np.ones(200_000)}))
    assert many.kept is None
    assert 1000 < len(many.sample["rows"]) < 1100
    assert (many.units, many.total.tolist(), many.products.tolist()) == (200_000, [200_000.0], [[200_000.0]])
