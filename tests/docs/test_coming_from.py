"""Every call of ours on "Coming from other tools" runs, and gives what the other tool gives on the same data."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from tests.docs.page_blocks import ROOT, run_page

PAGE = ROOT / "docs" / "coming-from.md"
ORACLES = Path(__file__).parents[1] / "oracles" / "data"
CASES = {case["id"]: case for case in json.loads((ORACLES / "manifest.json").read_text(encoding="utf-8"))["cases"]}
SECTIONS = {
    part.partition("\n")[0].split(" (")[0]: re.findall(r"^\| (.+?) \| `([^|]+)` \|$", part, re.MULTILINE)
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
}
"""By tool: their call and ours."""
CALLS = [(tool, ours) for tool, lines in SECTIONS.items() for _, ours in lines]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the page defines, in the folder in which it has written its files."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path_factory.mktemp("coming"))
        yield run_page(PAGE)


def ours(tool, theirs):
    """Our call beside theirs."""
    (found,) = {call for call_of_theirs, call in SECTIONS[tool] if call_of_theirs.startswith(f"`{theirs}`")}
    return found


@pytest.mark.parametrize(("tool", "call"), CALLS, ids=lambda text: text[:60])
def test_our_call_runs(tool, call, names):
    if call.startswith("heldout "):
        ended = CliRunner().invoke(verbs, shlex.split(call)[1:], env={"NO_COLOR": "1"})
        assert ended.exit_code == 0, ended.output
    else:
        eval(call, names)


@pytest.mark.parametrize(("theirs", "call"), SECTIONS["scikit-learn"][:14], ids=lambda text: text[:60])
def test_the_value_is_that_of_scikit_learn(theirs, call, names):
    wanted = eval(theirs.strip("`"), {**names, **vars(sklearn.metrics)})
    assert float(eval(call, names)) == pytest.approx(wanted, rel=1e-12)


@pytest.fixture(scope="module")
def pima():
    """Predictions on which pROC and caret were run."""
    with (ORACLES / "data" / "pima_pred.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    column = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return {
        "heldout": heldout,
        "y": (column["y"] == "Yes").astype(int),
        "pred": (column["yhat_lr"] == "Yes").astype(int),
        "s": column["p_lr"].astype(float),
        "t": column["p_rf"].astype(float),
    }


def test_areas_and_their_intervals_are_those_of_proc(pima):
    wanted = CASES["roc.pima.p_lr"]["expected"]
    area = eval(ours("pROC", "auc(roc(y, s))"), pima)
    partial = eval(ours("pROC", "auc(roc(y, s), partial.auc = c(1, .9))"), pima)
    delong = eval(ours("pROC", "ci.auc(roc(y, s))"), pima)
    assert (float(area), float(partial)) == pytest.approx((wanted["auc"], wanted["pauc_spec_1_0.9"]), rel=1e-9)
    assert (delong.low, delong.high) == pytest.approx(wanted["ci95_delong"], rel=1e-9)


def test_the_test_of_two_areas_is_that_of_proc(pima):
    wanted = CASES["roctest.pima.p_lr_vs_p_rf"]["expected"]
    found = eval(ours("pROC", "roc.test(roc(y, s), roc(y, t))"), pima)
    assert (found.value, found.pvalue) == pytest.approx((wanted["diff"], wanted["p_two_sided"]), rel=1e-9)
    assert (found.low, found.high) == pytest.approx(wanted["ci95_diff"], rel=1e-9)


def test_values_and_the_exact_interval_are_those_of_caret(pima):
    wanted = CASES["caret.pima.yhat_lr"]["expected"]
    tool = "caret and yardstick"
    overall, by_class = wanted["overall"], wanted["byClass"]
    for call, value in {
        'confusionMatrix(pred, y)$overall["Accuracy"]': overall["Accuracy"],
        "kap(df, y, pred)": overall["Kappa"],
        "sens(df, y, pred)": by_class["Sensitivity"],
        "spec(df, y, pred)": by_class["Specificity"],
        "f_meas(df, y, pred)": by_class["F1"],
    }.items():
        assert float(eval(ours(tool, call), pima)) == pytest.approx(value, rel=1e-9), call
    exact = eval(ours(tool, 'confusionMatrix(pred, y)$overall[c("AccuracyLower", "AccuracyUpper")]'), pima)
    assert (exact.low, exact.high) == pytest.approx((overall["AccuracyLower"], overall["AccuracyUpper"]), rel=1e-9)


def test_ranks_are_those_of_autorank(names):
    wanted = CASES["py.friedman.demsar2006_printed"]["expected"]
    assert eval(ours("autorank", "autorank(df).pvalue"), names) == pytest.approx(wanted["autorank_pvalue"], rel=1e-9)
    assert eval(ours("autorank", "autorank(df).cd"), names) == pytest.approx(wanted["autorank_cd"], rel=1e-3)


@pytest.mark.parametrize("method", ["wilson", "beta", "jeffreys", "agresti_coull", "normal"])
def test_intervals_of_a_share_are_those_of_statsmodels(method, names):
    wanted = CASES["sm.prop1.450_of_500.0.05"]["expected"][method]
    found = eval(ours("statsmodels", f'proportion_confint(450, 500, method="{method}")'), names)
    assert found == pytest.approx(wanted, rel=1e-9)


def test_two_shares_and_mcnemar_are_those_of_statsmodels(names):
    two, paired = (CASES[f"sm.{name}"]["expected"] for name in ("prop2.30_100_20_100", "mcnemar.59_6_16_80"))
    for method, name in (("newcomb", "diff_newcomb"), ("agresti-caffo", "diff_agresti-caffo")):
        call = f'confint_proportions_2indep(30, 100, 20, 100, method="{method}")'
        assert eval(ours("statsmodels", call), names) == pytest.approx(two[name], rel=1e-9), method
    z = eval(ours("statsmodels", "proportions_ztest([30, 20], [100, 100])"), names)
    assert (z.statistic, z.pvalue) == pytest.approx(two["z_pooled_p"], rel=1e-9)
    for exact, name in (("True", "exact"), ("False", "asym_cc")):
        call = f"mcnemar([[59, 6], [16, 80]], exact={exact}).pvalue"
        assert eval(ours("statsmodels", call), names) == pytest.approx(paired[name][1], rel=1e-9)
