from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator, ValidationError

from heldout.report import rendered
from heldout.report.kinds.textbook_test import p_value, statistic
from heldout.report.schema import schema

TEST = "heldout.test/1"


def decided(**facts):
    return {
        "schema": TEST,
        "heldout": "0.1.0",
        "inputs": [],
        "unit": "row",
        "test": "lr",
        "method": "likelihood ratio, normal variance",
        "null": "the standard deviation is 1",
        "alternative": "the standard deviation is 2",
        "decision": "reject",
        "alpha": 0.05,
        "pvalue": 0.0206,
        "effect": {"name": "variance ratio", "value": 2.26, "low": 1.031, "high": 8.295, "level": 0.95},
        "symbol": "chi2",
        "statistic": 18.08,
        "standard_error": None,
        "df": 8,
        "power": 0.8679,
        "beta": 0.1321,
        "power_at": "the standard deviation is 2",
        "log_ratio": 1.2348,
        "critical": 15.507,
        "notes": ["few numbers"],
        "checks": [],
        **facts,
    }


def test_the_text():
    assert (
        rendered(decided(), "text")
        == """\
effect          value  95% CI      p
variance ratio    2.3  [1.0, 8.3]  0.0206
tests: likelihood ratio, normal variance, chi2 18.080, df 8 (variance ratio)

DECISION  reject that the standard deviation is 1, against: the standard
          deviation is 2 (alpha 0.05)

note power  0.868, beta 0.132, if the standard deviation is 2
note log likelihood ratio  1.235, alternative over null hypothesis: the data are
     likelier under the alternative; critical sum of squares 15.51
note few numbers
"""
    )


def test_what_is_unknown_has_no_line():
    unknown = decided(power=None, beta=None, power_at=None, log_ratio=None, critical=None, notes=[])
    lines = rendered(unknown, "text", width=200).splitlines()
    assert [line.split()[0] for line in lines if line] == ["effect", "variance", "DECISION"]


def test_in_color_the_label_of_the_decision_is_bold():
    colored = rendered(decided(), "text", color=True)
    assert "\n\x1b[1mDECISION\x1b[0m  reject that " in colored
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[33m"):
        colored = colored.replace(code, "")
    assert colored == rendered(decided(), "text")


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
        lambda d: d.update(pvalue=1.1),
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
