from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator, ValidationError

from heldout.report import drawn
from heldout.report.kinds.textbook_test import decision_text, p_value, statistic
from heldout.report.schema import schema

TEST = "heldout.test/1"


def decided(**facts):
    return {
        "schema": TEST,
        "heldout": "0.1.0",
        "inputs": [],
        "test": "lr",
        "method": "likelihood ratio, normal variance",
        "null": "the standard deviation is 1",
        "alternative": "the standard deviation is 2",
        "decision": "reject",
        "alpha": 0.05,
        "p": 0.0206,
        "effect": {"name": "variance ratio", "value": 2.26, "low": 1.031, "high": 8.295, "level": 0.95},
        "symbol": "chi2",
        "statistic": 18.08,
        "df": 8,
        "power": 0.8679,
        "beta": 0.1321,
        "power_at": "the standard deviation is 2",
        "log_ratio": 1.2348,
        "critical": 15.507,
        "notes": ["few numbers"],
        **facts,
    }


def test_the_text():
    assert (
        drawn(decided(), "text")
        == """\
decision   reject that the standard deviation is 1, against: the standard
           deviation is 2 (alpha 0.05)
effect     variance ratio 2.3, 95% interval [1.0, 8.3]
p          0.0206 (likelihood ratio, normal variance, chi2 18.080, df 8)
power      0.868, beta 0.132, if the standard deviation is 2
log ratio  1.235; critical sum of squares 15.51
note       few numbers
"""
    )


def test_what_is_unknown_has_no_line():
    unknown = decided(power=None, beta=None, power_at=None, log_ratio=None, critical=None, notes=[])
    assert [line.split()[0] for line in decision_text(unknown, width=200).splitlines()] == ["decision", "effect", "p"]


def test_only_the_decision_is_bold():
    lines = decision_text(decided(), color=True).splitlines()
    assert lines[0].startswith("decision   \x1b[1mreject\x1b[0m that ")
    assert lines[1:] == decision_text(decided()).splitlines()[1:]


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.1002, "0.100"),
        (1.0, "1.00"),
        (0.0000123, "1.23e-05"),
        (0.05, "0.0500"),
        (0.050001, "0.050001"),
        (0.0499999, "0.0500"),
        (0.0, "<1e-300"),
    ],
)
def test_p_shows_on_which_side_it_lies(p, shown):
    assert p_value(p, 0.05) == shown


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ({"symbol": "x", "statistic": 15, "df": None}, "x 15"),
        ({"symbol": "z", "statistic": -1.63299, "df": None}, "z -1.633"),
        ({"symbol": "chi2", "statistic": 1999920.0018, "df": 2}, "chi2 1999920, df 2"),
    ],
)
def test_the_statistic(facts, shown):
    assert statistic(facts) == shown


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema(TEST))


def test_results_are_valid():
    Draft202012Validator(schema(TEST)).validate(decided())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(extra=1),
        lambda d: d.update(decision="accept"),
        lambda d: d.update(p=1.1),
        lambda d: d.update(alpha=0.5),
        lambda d: d.pop("effect"),
        lambda d: d["effect"].pop("low"),
        lambda d: d["effect"].update(high=None),
    ],
)
def test_what_is_wrong_is_refused(spoil):
    d = decided()
    spoil(d)
    with pytest.raises(ValidationError):
        Draft202012Validator(schema(TEST)).validate(d)
