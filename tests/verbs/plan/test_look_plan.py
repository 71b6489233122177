"""Planned looks: what `plan.looks` gives, prints and refuses."""

from __future__ import annotations

import pytest

from heldout import plan
from heldout.errors import UsageError


def test_five_looks():
    found = plan.looks(5, rows=1000)
    assert found.boundaries == pytest.approx((4.877, 3.357, 2.680, 2.290, 2.031), abs=0.001)
    assert [one.rows for one in found.looks] == [205, 410, 615, 820, 1025]
    assert found.looks[-1].alpha_spent == pytest.approx(0.05, abs=1e-6)
    assert found.looks[-1].power == pytest.approx(0.8, abs=1e-6)
    assert found.rows == 1025
    assert found.inflation == pytest.approx(1.0247, abs=0.001)
    assert found.expected < 0.85


def test_without_rows_there_are_shares_only():
    found = plan.looks([0.5, 1], spending="pocock", power=0.9, confidence_level=0.9)
    assert (found.rows, [one.fraction for one in found.looks]) == (None, [0.5, 1.0])
    assert "rows" not in [cell.text for cell in found.document().tables[0].head]
    assert found.to_frame()["look"].tolist() == [1, 2]


def test_it_prints_what_it_costs():
    assert str(plan.looks(2, rows=1000)).splitlines()[:3] == [
        "2 looks, O'Brien-Fleming spending: error rate 5% over all looks, 80% power",
        "planned: 1,004 rows, 1.004 times the rows of a single look (1,000); on average",
        "  0.921 times where the difference is there",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"looks": 1}, "looks is 1, but must be from 2 to 50"),
        ({"looks": [0.5, 0.9]}, "the last look has 0.9 of the planned rows, but must have all"),
        ({"looks": 3, "power": 0.01}, "power is 0.01, but must lie between 0.05 and 0.999999"),
        ({"looks": 3, "rows": 0}, "rows is 0, but must be a whole number of 1 or more"),
        ({"looks": 3, "confidence_level": 1.0}, "confidence_level is 1, but must lie between 0 and 1"),
        ({"looks": 3, "spending": "haybittle"}, "no spending function is named 'haybittle'"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(UsageError) as caught:
        plan.looks(**options)
    assert str(caught.value).splitlines()[0] == message
