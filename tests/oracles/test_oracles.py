"""heldout agrees with outside tools, and the runner that says so can fail."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import heldout
from tests.oracles.answers import AREAS, NOT_PUBLIC
from tests.oracles.reader import Case, Mismatch
from tests.oracles.run import main, run, summary, told

HERE = Path(__file__).parent
COPIES = HERE / "data"
TIGHT = {"abs": 1e-9, "rel": 1e-9}


def folder(goal: Path, case: dict[str, Any], table: str | None = None) -> Path:
    """An oracle folder with one case, whose data is `table`."""
    made = {"id": "one", "params": {}, "data": ["rows"] if table else [], "tol": TIGHT, "oracle": "a tool", **case}
    data = {"rows": {"file": "rows.csv"}} if table else {}
    goal.mkdir(exist_ok=True)
    (goal / "manifest.json").write_text(json.dumps({"data": data, "cases": [made]}), encoding="utf-8")
    if table:
        (goal / "rows.csv").write_text("\n".join(table.split()) + "\n", encoding="utf-8")
    return goal


def endings(where: Path) -> dict[str, str]:
    return {verdict.entry: verdict.ending for verdict in run(where)}


def agrees(where: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every entry of the folder is answered and agrees, or a list says why not; how many cases ran is printed."""
    found = run(where)
    with capsys.disabled():
        print(f"\n{where.parent.name}/{where.name}: {summary(found)}")
    wrong = [verdict for verdict in found if verdict.ending in ("differ", "not answered")]
    assert not wrong, told(wrong)
    assert sum(verdict.ending == "agree" for verdict in found) > len(found) / 3


@pytest.mark.slow
def test_heldout_agrees_on_the_copies(capsys):
    agrees(COPIES, capsys)


@pytest.mark.slow
@pytest.mark.oracles
def test_heldout_agrees_on_all_cases(capsys):
    named = os.environ.get("HELDOUT_ORACLES")
    if not named:
        pytest.skip("HELDOUT_ORACLES does not name a folder: only the cases that may be copied were compared")
    agrees(Path(named) / "open", capsys)


def test_a_wrong_number_is_reported(tmp_path, capsys):
    case = {"area": "proportion-ci", "params": {"x": 12, "n": 40, "level": 0.95}, "expected": {"wilson": [0.18, 0.45]}}
    assert main([str(folder(tmp_path, case))]) == 1
    said = capsys.readouterr().out
    assert "differ: one: wilson[0]: got 0.18074845229746528, want 0.18, off by 0.000748 (and 1 more)" in said
    assert said.splitlines()[-1] == (
        "1 of 1 cases ran; of 1 entries 0 agree, 0 convention, 1 differ, 0 not answered, 0 out of scope, 0 later"
    )


def test_a_right_number_is_not(tmp_path, capsys):
    expected = {"wilson": [0.180748452297465, 0.454300188181449], "a new one": 1.0}
    case = {"area": "proportion-ci", "params": {"x": 12, "n": 40, "level": 0.95}, "expected": expected}
    assert main([str(folder(tmp_path, case))]) == 0
    said = capsys.readouterr().out
    assert "not answered: 1 x proportion-ci (a tool): a new one" in said


def test_a_crash_is_a_difference_and_the_rest_is_still_compared(tmp_path):
    case = {"area": "proportion-ci", "params": {"x": 50, "n": 40}, "expected": {"wilson": [0, 1], "bayes": [0, 1]}}
    found = run(folder(tmp_path, case))
    assert [(verdict.entry, verdict.ending) for verdict in found] == [("wilson", "differ"), ("bayes", "out of scope")]
    assert found[0].why.startswith("wilson: DataError: [H110] 50 wrong of 40 cannot be")


def test_a_name_that_an_answer_does_not_find_is_a_difference(tmp_path, monkeypatch):
    monkeypatch.setitem(AREAS, "proportion-ci", {"wilson": lambda case: {"pvalue": 0.5}["p"], "exact": lambda case: {}})
    case = {"area": "proportion-ci", "expected": {"wilson": 0.5, "exact": {"low": 0.1}}}
    found = run(folder(tmp_path, case))
    assert [verdict.ending for verdict in found] == ["differ", "not answered"]
    assert found[0].why == "wilson: KeyError: 'p'"


def test_an_unknown_area_is_not_answered(tmp_path):
    assert endings(folder(tmp_path, {"area": "astrology", "expected": {"luck": 1}})) == {"luck": "not answered"}


def test_a_folder_without_a_manifest_is_refused(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == "usage: python tests/oracles/run.py DIR, where DIR holds a manifest.json\n"


def test_the_runner_is_a_command(tmp_path):
    case = {"area": "proportion-ci", "params": {"x": 12, "n": 40, "level": 0.95}, "expected": {"wilson": [0.18, 0.45]}}
    command = [sys.executable, str(HERE / "run.py"), str(folder(tmp_path / "cases", case))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "differ: one: wilson[0]" in done.stdout


def test_numbers_agree_within_abs_plus_rel_times_what_is_wanted():
    case = Case(id="one", area="", oracle="", params={}, expected={}, files={}, tolerance={"abs": 0.1, "rel": 0.01},
                tolerances={"loose": {"abs": 1.0, "rel": 0.0}})  # fmt: skip
    assert case.mismatches("a", 10.19, 10.0) == []
    assert case.mismatches("a", 10.21, 10.0) == [Mismatch(path="a", got=10.21, want=10.0)]
    assert case.mismatches("loose", 10.9, 10.0) == case.mismatches("loose.part", 10.9, 10.0) == []
    assert case.mismatches("a", [float("nan"), float("inf"), 1], ["NaN", "Infinity", 1]) == []
    assert [str(one) for one in case.mismatches("a", {"b": [1.0, float("inf")]}, {"b": ["NaN", "-Infinity"]})] == [
        "a.b[0]: got 1.0, want nan",
        "a.b[1]: got inf, want -inf",
    ]
    assert [str(one) for one in case.mismatches("a", {"b": [1]}, {"b": [1, 2], "c": 3})] == [
        "a.b: got '1 values', want '2 values'",
        "a.c: got 'nothing', want 3",
    ]


LABELS = {"truth": "y", "predicted": "h"}
TWO = {**LABELS, "labels": ["n", "p"], "positive": "p"}
ONE = {**LABELS, "positive": "p"}
THREE = {**LABELS, "labels": ["a", "b", "c"]}
SCORES = {"truth": "y", "score": "s", "positive": "p"}
PAIR = {"truth": "y", "predicted1": "a", "predicted2": "b", "positive": "p", "level": 0.95}
BOTH = "y,a,b p,p,p p,p,n p,n,p p,n,p n,n,n n,p,n"


def limits(low: float, high: float) -> dict[str, Any]:
    return {"sesp_diff_ci_tango": {"sensitivity": {"diff.lcl": low, "diff.ucl": high}}}


EXCUSED = [
    ("multiclass-labels", "scikit-learn", THREE, "y,h a,a b,b c,b", {"precision_macro": 0.5}),
    ("labels", "scikit-learn", ONE, "y,h p,p p,n n,n", {"lr_plus_minus": ["NaN", 0.5]}),
    ("confusion", "caret", TWO, "y,h p,n n,p n,n", {"byClass": {"F1": "NaN"}}),
    ("agreement", "psych", TWO, "y,h p,p p,p n,n n,n n,p", {"psych_ci95_unweighted": {"upper": 1.2}}),
    ("roc", "pROC", SCORES, "y,s p,3 p,4 n,1 n,2", {"var_delong": 0.0}),
    ("roc", "hmeasure", SCORES, "y,s p,1 p,2 n,3 n,4", {"AUC": 1.0}),
    ("regression", "scikit-learn", LABELS, "y,h 0,1 2,2", {"mape": 1e15}),
    ("paired-diagnostic", "DTComPair", PAIR, BOTH, limits(-0.778337953, 0.504687238)),
    ("power", "statsmodels", {}, "", {"power_2indep": 0.37116152000490343}),
    ("power", "statsmodels", {}, "", {"samplesize_ci_halfwidth_05": 322.6825409383066}),
    ("bias-variance", "mlxtend", {}, "0 1 1 0", {"expected_loss_bias_variance": [2 / 3, 1, 1 / 3]}),
    ("bias-variance", "mlxtend", {}, "0.5 1.5 0.5", {"expected_loss_bias_variance": [0.5, 0.25, 0.25]}),
]
NOT_EXCUSED = [
    ("multiclass-labels", "scikit-learn", THREE, "y,h a,a b,b c,c", {"precision_macro": 0.5}),
    ("labels", "scikit-learn", ONE, "y,h p,p p,n n,n", {"lr_plus_minus": ["NaN", 0.6]}),
    ("confusion", "caret", TWO, "y,h p,n n,p n,n", {"byClass": {"Recall": "NaN"}}),
    ("agreement", "psych", TWO, "y,h p,p p,p n,n n,n n,p", {"psych_ci95_unweighted": {"upper": 0.9}}),
    ("roc", "pROC", SCORES, "y,s p,3 p,1 n,0 n,2", {"var_delong": 0.0}),
    ("roc", "hmeasure", SCORES, "y,s p,1 p,2 n,0 n,0", {"AUC": 0.75}),
    ("regression", "scikit-learn", LABELS, "y,h 1,1 2,2", {"mape": 1e15}),
    ("paired-diagnostic", "DTComPair", PAIR, BOTH, limits(-0.504687238, 0.79)),
    ("power", "statsmodels", {}, "", {"power_2indep": 0.376}),
    ("power", "statsmodels", {}, "", {"samplesize_ci_halfwidth_05": 321.5}),
    ("bias-variance", "mlxtend", {}, "0 1 1 0", {"expected_loss_bias_variance": [2 / 3, 1, 0.3]}),
    ("bias-variance", "mlxtend", {}, "0.5 1.5 0.5", {"expected_loss_bias_variance": [0.5, 0.2, 0.3]}),
]


@pytest.mark.parametrize(
    ("asked", "ending"), [(asked, "convention") for asked in EXCUSED] + [(asked, "differ") for asked in NOT_EXCUSED]
)
def test_a_convention_excuses_only_what_it_explains(tmp_path, asked, ending):
    area, oracle, params, table, expected = asked
    case = {"area": area, "oracle": oracle, "params": params, "expected": expected}
    assert list(endings(folder(tmp_path, case, table)).values()) == [ending]


@pytest.mark.parametrize(("tp", "ending"), [(3, "differ"), (0, "convention")])
def test_a_ratio_with_an_empty_cell_is_excused(tmp_path, tp, ending):
    counts = {**TWO, "tp": tp, "fp": 2, "fn": 3, "tn": 4, "level": 0.95}
    case = {"area": "confusion-ci", "oracle": "epiR", "params": counts, "expected": {"exact": {"lr.pos": [0, 0, 0]}}}
    assert endings(folder(tmp_path, case)) == {"exact.lr.pos": ending}


def test_counts_of_one_case_are_the_rows_of_another_on_the_same_columns(tmp_path):
    counted = {"id": "a", "area": "confusion-ci", "oracle": "epiR", "data": [], "tol": TIGHT, "expected": {},
               "params": {**TWO, "tp": 6, "fp": 1, "fn": 2, "tn": 3, "level": 0.95}}  # fmt: skip
    asked = {**counted, "id": "b", "area": "confusion", "params": TWO, "expected": {"acc": 0.75}}
    (tmp_path / "manifest.json").write_text(json.dumps({"data": {}, "cases": [counted, asked]}), encoding="utf-8")
    assert endings(tmp_path) == {"acc": "agree"}


@pytest.mark.parametrize(("high", "ending"), [(0.757838829, "convention"), (0.7, "differ")])
def test_the_normal_quantile_of_a_holdout_is_excused(tmp_path, high, ending):
    """Four losses of mean .4 and standard error .18257: the limits of the tool are .4 -+ 1.96 x .18257."""
    asked = {"id": "a", "area": "ci-generalisation-error", "oracle": "mlr3inferr", "data": ["x_holdout"], "tol": TIGHT,
             "params": {"level": 0.95}, "expected": {"est_lower_upper": [0.4, 0.042161171, high]}}  # fmt: skip
    made = {"data": {"x_holdout": {"file": "rows.csv"}}, "cases": [asked]}
    (tmp_path / "manifest.json").write_text(json.dumps(made), encoding="utf-8")
    (tmp_path / "rows.csv").write_text("loss\n0.0\n0.2\n0.6\n0.8\n", encoding="utf-8")
    assert endings(tmp_path) == {"est_lower_upper": ending}


def asked_inside() -> set[str]:
    """What answers import of heldout that is in no public namespace."""
    public = {"heldout", *(f"heldout.{name}" for name in heldout.NAMESPACES)}
    found = set()
    for path in (Path(__file__).parent / "answers").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "heldout":
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                home = heldout if node.module == "heldout" else import_module(str(node.module))
                known = {f"{node.module}.{name}" for name in getattr(home, "__all__", ())}
                found |= {f"{path.stem}: {name}" for name in names - (known if node.module in public else set())}
    return found - {"asking: heldout.cli.verbs"}  # the command line itself


def test_answers_come_from_what_is_public_or_say_why_not():
    assert asked_inside() == set(NOT_PUBLIC)
    assert all(NOT_PUBLIC.values())
