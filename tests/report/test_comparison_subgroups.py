from __future__ import annotations

import csv
import io

import pytest
from jsonschema import Draft202012Validator

from heldout.report import rendered
from heldout.report.schema import schema
from tests.report.comparisons import champions

TABLE = """\
roc_auc: challenger - champion by site, simultaneous: 97.5% each
subgroup  rows  difference  CI
north     1200      +0.040  [+0.010, +0.070]               |-------o-------|
south      780           ~  [-0.040, +0.010]  |------o-----|
tiny        60           ~  --
too small to judge: 2 subgroups, 20 rows
the difference does not vary significantly by site: p 0.240
"""


KEYS = ("north", "south", "tiny", "east")


def by_site(p: float | None = 0.24):
    def part(rows, value, low, high):
        one = {"value": value, "low": low, "high": high, "test": "DeLong, paired", "notes": []}
        return {"rows": rows, "units": rows, "differences": {"roc_auc": one}}

    found = {
        "model": "challenger",
        "baseline": "champion",
        "shown": {
            "north": part(1200, 0.04, 0.01, 0.07),
            "south": part(780, -0.015, -0.04, 0.01),
            "tiny": part(60, None, None, None),
        },
        "folded": {"segments": 2, "rows": 20},
        "level": 0.975,
        "heterogeneity": {"roc_auc": {"pvalue": p, "pvalue_adjusted": p, "test": "Q, segments permuted"}},
    }
    return champions() | {"segments": {"site": [found]}}


def test_a_table_per_model_with_what_is_not_significant_marked():
    text = rendered(by_site(), "text")
    assert TABLE in text
    assert max(map(len, text.splitlines())) <= 80


def test_that_it_varies_is_said_with_its_p_value():
    assert "\nthe difference varies by site: p 0.012\n" in rendered(by_site(0.012), "text")


def test_what_was_not_tested_is_not_said():
    assert "varies" not in rendered(by_site(None), "text")


def test_subgroups_that_are_all_too_small():
    d = by_site()
    d["segments"]["site"][0] |= {"shown": {}, "heterogeneity": {}}
    assert "\nchallenger - champion by site, simultaneous: 97.5% each\n" in rendered(d, "text")


@pytest.mark.parametrize("form", ["text", "md", "latex", "html", "csv", "json"])
def test_every_format_draws_it(form):
    assert rendered(by_site(), form).endswith("\n")


def test_csv_has_the_differences_of_every_subgroup_beside_those_of_all_rows():
    d = by_site()
    d["segments"]["site"][0]["small"] = [{"segment": "east", "rows": 20, "reason": "fewer than 30 rows"}]
    every = list(csv.DictReader(io.StringIO(rendered(d, "csv"))))
    assert [line["segment"] for line in every] == ["", "", "", "", *(f"site={name}" for name in KEYS)]
    north, _, tiny, east = every[4:]
    names = ("metric", "model", "baseline", "value", "low", "high", "level", "test", "better", "pvalue", "verdict")
    assert [north[name] for name in names] == [
        *("roc_auc", "challenger", "champion", "0.04", "0.01", "0.07", "0.975", "DeLong, paired", "higher", "", ""),
    ]
    assert (tiny["value"], tiny["low"]) == ("", "")
    assert (east["metric"], east["value"], east["notes"]) == ("too_small", "", "fewer than 30 rows")


def test_the_schema_knows_it():
    Draft202012Validator(schema("heldout.comparison/1")).validate(by_site())
