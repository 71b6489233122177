from __future__ import annotations

import csv
import io

import pytest
from jsonschema import Draft202012Validator, ValidationError

from heldout.report import FORMATS, rendered
from heldout.report.kinds import document
from heldout.report.schema import schema
from tests.report.comparisons import champions, compared, differing, three

COMPARISON = "heldout.comparison/1"
HOSTILE = 'evil\x1b[31m|<b>x</b>$_{"}\n'


def words(text):
    return " ".join(text.split())


def test_two_models_on_one_screen():
    assert (
        rendered(champions(), "text")
        == """\
2,000 rows matched by id (0 only in champion, 36 only in challenger)
task: binary

metric     champion  challenger  difference  95% CI              p
roc_auc *     0.796       0.816      +0.020  [+0.001, +0.040]    0.044
log_loss      0.796       0.816           ~  [-0.034, -0.001]    0.117h
brier        0.7960      0.8160           ~  [-0.0102, +0.0021]  0.383h
accuracy      0.796       0.816           ~  [-0.007, +0.018]    0.422h
tests: DeLong, paired (roc_auc); paired t (log_loss, brier); McNemar mid-p, 83
  vs 72 (accuracy)
* primary metric, tested alone at 5%
h: Holm-adjusted over the 3 secondary metrics
~ not significant at 5%
confidence intervals are not adjusted for the number of metrics

VERDICT  challenger is BETTER than champion on roc_auc (+0.020, 95% CI +0.001 to
         +0.040).
         The gain may be as small as 0.001.

note H111  y_score is read as a probability
"""
    )


def test_three_models_are_judged_against_the_baseline():
    assert (
        rendered(three(), "text")
        == """\
2,000 rows matched by position
task: binary

model       roc_auc *  difference  95% CI            p      test
champion        0.796   reference
challenger      0.816      +0.020  [+0.001, +0.040]  0.044  DeLong, paired
third           0.811           ~  [-0.004, +0.034]  0.120  DeLong, paired
* primary metric, tested alone at 5%; p is corrected for 2 models
~ not significant at 5%
1 more metric: see .to_markdown(), .to_csv() or .to_json()

VERDICT  challenger is BETTER than champion on roc_auc (+0.020, 95% CI +0.001 to
         +0.040).
         The gain may be as small as 0.001.
         UNDECIDED whether third is better than champion on roc_auc (95% CI
         -0.004 to +0.034).
         About 7,350 rows would settle a difference of this size (80% power).
         challenger has the best roc_auc, and is not significantly different
         from third.
         The best of 3 looks too good by about 0.0040; corrected for selection:
         0.812, at least 0.791 (97.5% bound).

note brier of third  few rows
"""
    )


def test_the_bound_of_the_best_is_on_the_worse_side():
    d = three()
    corrected = {"value": 0.331, "low": 0.3308, "high": 0.362}
    d["best_of_many"] |= {"optimism": 0.000123, "corrected": corrected, "better": "lower"}
    bound = "corrected for selection: 0.331, at most 0.362 (97.5% bound)."
    assert document(d).verdict[-1] == f"The best of 3 looks too good by about 0.00012; {bound}"
    d["best_of_many"]["optimism"] = 0.0
    assert document(d).verdict[-1] == f"The best of 3 looks no better than it is; {bound}"


def test_places_of_a_note_are_not_cut():
    d = champions()
    for one in d["differences"]:
        one["notes"] = ["no variance between units"]
    assert rendered(d, "text").endswith(
        "\nnote H111  y_score is read as a probability\n"
        "note no variance between units (roc_auc, log_loss, brier and 1 more)\n"
    )


def test_one_long_place_is_folded_with_its_note():
    d = three()
    for one in d["differences"]:
        one["model"] = one["model"].replace("third", "a model whose name fills much of a line")
    d["models"][2] = "a model whose name fills much of a line"
    assert rendered(d, "text").endswith("\nnote brier of a model whose name fills much of a line: few rows\n")


def test_a_check_on_labels_stands_where_labels_are_shown():
    d = three()
    d["checks"] = [{"code": "H111", "text": "0.5 and more are predicted positive", "labels": True}]
    assert "predicted positive" not in rendered(d, "text")
    for one in d["differences"]:
        one["metric"] = one["metric"].replace("roc_auc", "recall")
    d["primary"] = "recall"
    assert "note H111  0.5 and more are predicted positive\n" in rendered(d, "text")


def test_markdown_has_every_metric_and_its_test():
    text = rendered(three(), "md")
    assert "| model | roc_auc \\* | difference | 95% CI | p | test |" in text
    assert "| third | 0.8110 | \\~ | [-0.0102, +0.0041] | 0.500h | paired t |" in text
    assert "**Verdict** challenger is BETTER than champion on roc_auc" in text
    assert text.startswith(
        "## Comparison of champion, challenger and third\n\n2,000 rows matched by position\n\ntask: binary\n"
    )


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (
            {"verdict": "WORSE", "better": "lower"},
            (
                "challenger is WORSE than champion on brier (+0.020, 95% CI +0.001 to +0.040). "
                "The loss may be as small as 0.001."
            ),
        ),
        (
            {"verdict": "EQUIVALENT", "margin": 0.05},
            (
                "challenger is EQUIVALENT to champion on brier: within 0.05 either way "
                "(+0.020, 95% CI +0.001 to +0.040)."
            ),
        ),
        (
            {"verdict": "BETTER", "low": -0.0005},
            "challenger is BETTER than champion on brier (+0.020, 95% CI -0.001 to +0.040).",
        ),
        (
            {"rows_needed": 22473},
            (
                "UNDECIDED whether challenger is better than champion on brier (95% CI +0.001 to +0.040). "
                "About 22,500 rows would settle a difference of this size (80% power)."
            ),
        ),
        (
            {},
            (
                "UNDECIDED whether challenger is better than champion on brier (95% CI +0.001 to +0.040). "
                "The difference seen is too small to say how many rows would settle it."
            ),
        ),
        (
            {"value": 0.0, "low": 0.0, "high": 0.0},
            (
                "UNDECIDED whether challenger is better than champion on brier (95% CI 0.000 to 0.000). "
                "No difference was seen, so no number of rows can be named."
            ),
        ),
        (
            {"value": None, "low": None, "high": None, "pvalue": None, "pvalue_adjusted": None},
            ("UNDECIDED whether challenger is better than champion on brier (no interval). It could not be tested."),
        ),
    ],
)
def test_the_verdict_on_a_primary_metric(facts, said):
    one = {**differing("brier", 0.0204, 0.0005, 0.0402), **facts}
    text = rendered(compared(one, primary="brier"), "text")
    assert words(text).endswith(f"VERDICT {said}")


def test_without_a_primary_metric_what_passes_is_named():
    found = [
        differing("roc_auc", 0.02, 0.01, 0.03, verdict="BETTER"),
        differing("f1", -0.02, -0.03, -0.01, verdict="WORSE"),
        differing("recall", 0.0, -0.01, 0.01, verdict="EQUIVALENT", margin=0.02),
    ]
    assert words(rendered(compared(*found), "text")).endswith(
        "VERDICT challenger is BETTER than champion on roc_auc. challenger is WORSE than champion on f1. "
        "challenger is EQUIVALENT to champion on recall."
    )


def test_without_a_primary_metric_and_nothing_significant():
    found = [
        differing("roc_auc", 0.02, -0.01, 0.05, pvalue_adjusted=0.156, rows_needed=87),
        differing("f1", 0.0, -0.1, 0.1),
    ]
    found[1]["pvalue_adjusted"] = 1.0
    assert words(rendered(compared(*found, units=80), "text")).endswith(
        "VERDICT UNDECIDED whether challenger is better than champion: no difference is significant "
        "(smallest p 0.156, roc_auc). About 87 clusters would settle a difference of this size (80% power)."
    )


def test_nothing_that_could_be_tested():
    untested = differing("roc_auc", 0.0, 0.0, 0.0, printed=False, pvalue_adjusted=None)
    assert (
        rendered(compared(untested), "text")
        == """\
2,000 rows matched by id (0 only in champion, 36 only in challenger)
task: binary

VERDICT  UNDECIDED whether challenger is better than champion: no metric could
         be tested.
"""
    )


def test_accuracy_and_error_rate_are_one_test():
    together = {"correction": "holm", "tests": 2}
    found = [differing(name, 0.02, 0.01, 0.03, **together) for name in ("accuracy", "error_rate", "roc_auc")]
    assert "\nh: Holm-adjusted over the 2 metrics\n" in rendered(compared(*found), "text")


def test_independent_samples_are_not_matched():
    sizes = {"champion": {"rows": 1200, "units": 1200}, "challenger": {"rows": 800, "units": 90}}
    shown = compared(differing("f1", 0.01, -0.1, 0.1, rows_needed=4000), paired=False, samples=sizes)
    text = rendered(shown, "text")
    assert text.startswith(
        "1,200 rows in champion, 800 rows in challenger (90 clusters); rows are not\n"
        "  matched: two independent samples\n"
    )
    assert "About 4,000 rows in each sample would settle" in " ".join(text.split())


def test_csv_has_every_difference_in_full():
    table = list(csv.DictReader(io.StringIO(rendered(champions(), "csv"))))
    assert [line["metric"] for line in table] == ["log_loss", "brier", "roc_auc", "accuracy"]
    assert table[0] == {
        "metric": "log_loss",
        "model": "challenger",
        "baseline": "champion",
        "segment": "",
        "model_value": "0.816",
        "baseline_value": "0.796",
        "value": "-0.017",
        "low": "-0.034",
        "high": "-0.001",
        "level": "0.95",
        "pvalue": "0.039",
        "pvalue_adjusted": "0.117",
        "test": "paired t",
        "verdict": "UNDECIDED",
        "rows_needed": "4123",
        "better": "lower",
        "notes": "",
    }


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("json", "csv")])
@pytest.mark.parametrize("primary", ["roc_auc", None])
def test_names_are_escaped(form, primary):
    one = differing("roc_auc", 0.02, 0.01, 0.03, model=HOSTILE, verdict="BETTER", notes=[f"seen in {HOSTILE}"])
    d = compared(one, primary=primary, models=["champion", HOSTILE])
    d["matched"]["only"] = {"champion": 0, HOSTILE: 0}
    text = rendered(d, form)
    assert "\x1b" not in text
    if form != "text":
        assert "<b>x" not in text
    if form == "latex":
        assert "$_{" not in text
    if form == "md":
        assert "31m|" not in text


@pytest.mark.parametrize("width", [60, 80])
def test_long_names_stay_in_their_columns(width):

    d = champions()
    d["models"] = ["champion", "x" * 200]
    d["estimates"]["x" * 200] = d["estimates"].pop("challenger")
    for one in d["differences"]:
        one["model"] = "x" * 200
    assert max(map(len, rendered(d, "text", width=width).splitlines())) <= 80


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema(COMPARISON))


@pytest.mark.parametrize("made", [champions, three])
def test_results_are_valid(made):
    Draft202012Validator(schema(COMPARISON)).validate(made())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(schema="heldout.comparison/2"),
        lambda d: d.update(extra=1),
        lambda d: d.pop("verdict"),
        lambda d: d.update(verdict="MAYBE"),
        lambda d: d.update(models=["champion"]),
        lambda d: d["differences"][0].pop("low"),  # never a p-value without its interval
        lambda d: d["differences"][0].update(pvalue=1.5),
        lambda d: d["differences"][0].update(rows_needed=0.5),
        lambda d: d["matched"].update(by="name"),
        lambda d: d["best_of_many"].pop("best"),
    ],
)
def test_what_is_wrong_is_refused(spoil):
    d = three()
    spoil(d)
    with pytest.raises(ValidationError):
        Draft202012Validator(schema(COMPARISON)).validate(d)
