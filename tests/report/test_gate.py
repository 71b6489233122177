from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator, ValidationError

from heldout.report import rendered
from heldout.report.kinds.gate import github, junit, sentence
from heldout.report.schema import schema

GATE = "heldout.gate/1"
TEST = "(DeLong, paired, n=2,000)"


def hurdle(value, low, high, verdict, **facts):
    return {
        "against": "baseline",
        "verdict": verdict,
        "value": value,
        "low": low,
        "high": high,
        "level": 0.9,
        "bound": low,
        "test": "DeLong, paired",
        "rows": 2000,
        "units": 2000,
        "rows_needed": None,
        "notes": [],
        **facts,
    }


def decided(*hurdles, **facts):
    return {
        "schema": GATE,
        "heldout": "0.1.0",
        "inputs": [],
        "unit": "row" if hurdles[0]["rows"] == hurdles[0]["units"] else "cluster",
        "verdict": hurdles[0]["verdict"],
        "primary": "roc_auc",
        "better": "higher",
        "margin": 0.01,
        "alpha": 0.05,
        "noise": None,
        "engine": "local",
        "chunks": 1,
        "hurdles": list(hurdles),
        "checks": [],
        **facts,
    }


PASSED = hurdle(0.0204, 0.0041, 0.0367, "PASS")
FAILED = hurdle(-0.021, -0.033, -0.009, "FAIL", against="anchor")
OPEN = hurdle(-0.004, -0.017, 0.009, "INCONCLUSIVE", rows_needed=22473)


def test_clusters_are_counted_where_rows_share_them():
    grouped = hurdle(0.0204, 0.0041, 0.0367, "PASS", units=1001)
    assert sentence(decided(grouped), grouped) == (
        "roc_auc +0.020 against the baseline, one-sided 95% lower bound +0.004 > -0.01 (DeLong, paired, 1,001 clusters)"
    )
    same = hurdle(0.0, 0.0, 0.0, "PASS", units=1001)
    assert sentence(decided(same), same) == "roc_auc 0.000 against the baseline: identical predictions (1,001 clusters)"


@pytest.mark.parametrize(
    ("one", "facts", "said"),
    [
        (PASSED, {}, f"roc_auc +0.020 against the baseline, one-sided 95% lower bound +0.004 > -0.01 {TEST}"),
        (
            {**PASSED, "value": -0.02, "low": -0.036, "high": -0.004, "bound": -0.004},
            {"better": "lower", "margin": 0, "primary": "brier"},
            f"brier -0.020 against the baseline, one-sided 95% upper bound -0.004 < 0 {TEST}",
        ),
        (FAILED, {}, f"roc_auc -0.021 against the anchor, 90% CI [-0.033, -0.009]: significantly worse {TEST}"),
        (
            OPEN,
            {},
            (
                f"roc_auc -0.004 against the baseline, 90% CI [-0.017, +0.009] reaches -0.01 {TEST}. "
                "About 22,500 rows would settle it (80% power)."
            ),
        ),
        (
            {**OPEN, "rows_needed": None},
            {},
            (
                f"roc_auc -0.004 against the baseline, 90% CI [-0.017, +0.009] reaches -0.01 {TEST}. "
                "How many rows would settle it cannot be said."
            ),
        ),
        (
            {**OPEN, "value": None, "low": None, "high": None, "bound": None},
            {},
            "roc_auc -- against the baseline: no interval could be computed, so nothing is shown.",
        ),
        (
            {**PASSED, "value": 0.0, "low": 0.0, "high": 0.0},
            {},
            "roc_auc 0.000 against the baseline: identical predictions (n=2,000)",
        ),
    ],
)
def test_what_decided(one, facts, said):
    assert sentence(decided(one, **facts), one) == said


def test_as_many_clusters_are_named_as_would_settle_it():
    assert "About 90 clusters would settle it" in sentence(decided(OPEN), {**OPEN, "units": 50, "rows_needed": 90})


def test_the_text():
    checks = [{"code": "H111", "text": "read as a probability", "labels": False}]
    d = decided(PASSED, {**FAILED, "notes": ["few rows"]}, checks=checks, verdict="FAIL")
    assert (
        rendered(d, "text")
        == """\
FAIL  PASS: roc_auc +0.020 against the baseline, one-sided 95% lower bound
      +0.004 > -0.01 (DeLong, paired, n=2,000)
      FAIL: roc_auc -0.021 against the anchor, 90% CI [-0.033, -0.009]:
      significantly worse (DeLong, paired, n=2,000)

note H111  read as a probability
note anchor  few rows
"""
    )


def test_one_model_is_one_sentence_after_its_word():
    assert (
        rendered(decided(PASSED), "text")
        == """\
PASS  roc_auc +0.020 against the baseline, one-sided 95% lower bound +0.004 >
      -0.01 (DeLong, paired, n=2,000)
"""
    )


@pytest.mark.parametrize(("one", "code"), [(PASSED, 32), (FAILED, 31), (OPEN, 33)])
def test_only_the_word_has_a_color(one, code):
    plain, colored = (rendered(decided(one), "text", color=color) for color in (False, True))
    assert colored.startswith(f"\x1b[{code}m{one['verdict']}\x1b[0m  roc_auc ")
    assert colored.replace(f"\x1b[{code}m", "", 1).replace("\x1b[0m", "", 1) == plain


@pytest.mark.parametrize("form", ["md", "latex", "html"])
def test_the_word_is_written_as_the_exit_code_is_named(form):
    assert "PASS" in rendered(decided(PASSED), form)
    assert "<b>x" not in rendered(decided(PASSED, primary="<b>x</b>"), form)


def test_annotations():
    d = decided(PASSED, FAILED, OPEN)
    lines = github(d).splitlines()
    assert [line.partition("::r")[0] for line in lines] == [
        "::notice title=heldout gate PASS",
        "::error title=heldout gate FAIL",
        "::error title=heldout gate INCONCLUSIVE",
    ]
    assert "one-sided 95%25 lower bound" in lines[0]
    assert github(d, allowed=True).splitlines()[2].startswith("::warning title=heldout gate INCONCLUSIVE::roc_auc ")


def test_an_annotation_is_one_line():
    assert github(decided(PASSED, primary="x\n::error::y")).count("\n") == 1


def test_junit():
    suite = ET.fromstring(junit(decided(PASSED, FAILED, OPEN)))
    assert suite.attrib == {"name": "heldout gate", "tests": "3", "failures": "2", "errors": "0", "skipped": "0"}
    assert [case.attrib["name"] for case in suite][:2] == ["roc_auc against the baseline", "roc_auc against the anchor"]
    assert [case[0].tag for case in suite] == ["system-out", "failure", "failure"]
    assert suite[1][0].attrib == {"type": "FAIL", "message": sentence(decided(FAILED), FAILED)}
    allowed = ET.fromstring(junit(decided(OPEN), allowed=True))
    assert (allowed[0][0].tag, allowed.attrib["failures"], allowed.attrib["skipped"]) == ("skipped", "0", "1")


def test_junit_is_xml_whatever_the_name():
    suite = ET.fromstring(junit(decided(FAILED, primary='<a>&"\x00\x1b')))
    assert suite[0].attrib["name"] == '<a>&"\\x00\\x1b against the anchor'
    assert len(suite[0]) == 1


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema(GATE))


@pytest.mark.parametrize("one", [PASSED, FAILED, OPEN])
def test_results_are_valid(one):
    Draft202012Validator(schema(GATE)).validate(decided(one))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(extra=1),
        lambda d: d.update(verdict="UNDECIDED"),
        lambda d: d.update(hurdles=[]),
        lambda d: d.update(alpha=0.5),
        lambda d: d.update(margin=-1),
        lambda d: d.update(hurdles=[{**PASSED, "against": "other"}]),
    ],
)
def test_what_is_wrong_is_refused(spoil):
    d = decided(PASSED)
    spoil(d)
    with pytest.raises(ValidationError):
        Draft202012Validator(schema(GATE)).validate(d)
