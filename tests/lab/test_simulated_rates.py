"""Simulated rates are a sequence of rates, and a result in every format."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from heldout import lab
from heldout.lab.simulated_rates import (
    CorpusErrorRates,
    CoverageRates,
    FailureRates,
    RejectionRates,
    SplitCoverageRates,
    SplitRejectionRates,
)
from heldout.report.kinds import KINDS
from heldout.report.schema import schema

METHODS = ["normal", "wilson", "clopper_pearson"]


@pytest.fixture(scope="module")
def rates():
    return lab.coverage(METHODS, "coin:p=0.9", 20)


def test_they_are_a_sequence_of_rates(rates):
    first, *others = rates
    assert len(rates) == 3
    assert [one.method for one in rates] == METHODS
    assert (rates[0], rates[-1], rates[1:]) == (first, others[-1], tuple(others))
    assert first in rates


def test_the_dictionary_has_the_setting_and_every_rate(rates):
    d = rates.to_dict()
    setting = {name: d[name] for name in ("world", "n", "level", "window", "seed")}
    assert setting == {"world": "coin:p=0.9", "n": 20, "level": 0.95, "window": None, "seed": 0}
    assert d["results"] == [one.to_dict() for one in rates]
    Draft202012Validator(schema(d["schema"])).validate(json.loads(rates.to_json()))


def test_a_record_per_rate_in_frames_and_in_text(rates):
    frame = rates.to_frame()
    assert frame["method"].tolist() == METHODS
    assert frame["coverage"].tolist() == [one.coverage for one in rates]
    lines = str(rates).splitlines()
    assert lines[0] == "coin:p=0.9, n = 20, level 0.95; every sample enumerated"
    assert [line.split()[0] for line in lines[-3:]] == METHODS
    assert f"{rates[0].coverage:.1%}" in lines[-3]


def test_every_kind_of_rates_can_be_shown():
    every = (
        CorpusErrorRates,
        CoverageRates,
        FailureRates,
        RejectionRates,
        SplitCoverageRates,
        SplitRejectionRates,
    )
    assert {one.kind for one in every} <= set(KINDS)
    assert len({one.kind for one in every}) == len(every)
    assert isinstance(lab.size("exact", "pair-coin:p=0.8", 20), RejectionRates)
