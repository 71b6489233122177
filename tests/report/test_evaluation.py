from __future__ import annotations

import pytest

import heldout
from heldout.report import rendered
from heldout.report.plain_text import columns_of

BINARY = """\
challenger.csv   2,000 rows, 298 positive (14.9%)   task: binary
columns  truth=y_true  score=y_prob  positive="readmitted"  threshold=0.2

metric             value  95% CI          method        dummy
roc_auc            0.816  [0.791, 0.839]  delong_logit  0.500
log_loss           0.337  [0.310, 0.365]  student
calibration_slope  0.801  [0.701, 0.901]  delta

at threshold 0.2  value  95% CI          counts     method  dummy
accuracy          0.790  [0.772, 0.807]  1580/2000  wilson  0.851
recall            0.621  [0.565, 0.674]  185/298    wilson
dummy: always "no"

confusion matrix: rows are the truth, columns the prediction
truth         no  readmitted
no          1395         307
readmitted   113         185

note H204  the calibration slope is below 1: scores are overconfident
"""

GROUPED = """\
challenger.csv   2,000 rows, 1,000 clusters   task: binary
columns  truth=y_true  score=y_prob  group=patient_id

metric   value  95% CI          method
roc_auc  0.816  [0.791, 0.839]  delong_logit

roc_auc by site, simultaneous: 97.5% each
subgroup         rows  clusters  value  CI
(all rows, 95%)  2000      1000  0.816  [0.791, 0.839]           |---o---|
north            1200       600  0.830  [0.770, 0.880]        |--------o-------|
south             780       390  0.790  [0.730, 0.840]  |--------o-------|
too small to judge: 3 subgroups, 20 rows
roc_auc differs by site: p 0.024 (Holm)
largest significant gap +0.040 [+0.004, +0.076]: north - south
"""

UNDEFINED = """\
metric    value  95% CI  method
log_loss    inf  --      none

at threshold 0.5      value  95% CI          method
precision         undefined  [0.000, 1.000]  none
npv               undefined  [0.000, 1.000]  none
lr_positive             3.2  [1.1, inf]      log

note log_loss  the log loss is infinite: row 7 gave 0 to the true class
note nothing was predicted positive, so 0/0 (precision, npv)
note lr_positive  no false positives: the upper end is infinite
"""


def test_binary(binary):
    assert rendered(binary, "text") == BINARY


def test_clusters_and_subgroups(grouped):
    assert rendered(grouped, "text") == GROUPED


def test_subgroups_that_do_not_differ_significantly(grouped):
    site = grouped["segments"]["site"]
    site["heterogeneity"]["roc_auc"] = {"pvalue": 0.31, "pvalue_adjusted": 0.31, "test": "Q, segments permuted"}
    assert rendered(grouped, "text").endswith("20 rows\nroc_auc does not differ significantly by site: p 0.310\n")
    site["heterogeneity"]["roc_auc"] = {"pvalue": None, "pvalue_adjusted": None, "test": "none"}
    assert rendered(grouped, "text").endswith("20 rows\n")


def test_subgroups_that_differ_without_a_significant_gap(grouped):
    grouped["segments"]["site"]["gap"] = {}
    assert rendered(grouped, "text").endswith("p 0.024 (Holm)\nno gap between two subgroups is significant\n")


def test_a_metric_without_a_table_that_differs_is_named(grouped):
    tests = grouped["segments"]["site"]["heterogeneity"]
    tests["brier"] = {"pvalue": 0.001, "pvalue_adjusted": 0.003, "test": "Q, segments permuted"}
    tests["mcc"] = {"pvalue": 0.2, "pvalue_adjusted": 0.2, "test": "Q, segments permuted"}
    assert rendered(grouped, "text").endswith("north - south\nalso significantly different by site: brier\n")


def test_a_result_of_before_there_was_a_test_is_drawn_without(grouped):
    for later in ("heterogeneity", "gap"):
        del grouped["segments"]["site"][later]
    assert rendered(grouped, "text").endswith("too small to judge: 3 subgroups, 20 rows\n")


def test_subgroups_that_are_all_too_small_have_a_plain_heading(grouped):
    grouped["segments"]["site"] = {"shown": {}, "folded": {"segments": 2, "rows": 40}, "level": 0.95}
    assert rendered(grouped, "text").endswith(
        "\nby site, simultaneous: 95% each\nsubgroup  rows  clusters  value  CI\n"
        "too small to judge: 2 subgroups, 40 rows\n"
    )


def test_undefined_and_infinite_say_so(undefined):
    assert rendered(undefined, "text").endswith(UNDEFINED)


def test_three_classes(multiclass):
    text = rendered(multiclass, "text")
    assert "300 rows, 3 classes   task: multiclass\n" in text
    assert (
        "most often confused\ntruth  predicted as  rows\ncat    dog             15\ndog    cat              9\n" in text
    )
    assert "class  rows  recall                precision             f1\ncat     100  0.800 [0.750, 0.850]" in text


def test_regression(regression):
    text = rendered(regression, "text")
    assert "mae      123.4  [117.0, 129.8]   bootstrap_t    150.2\n" in text
    assert text.endswith("dummy: the mean\n")


def test_a_hundred_classes_are_summarised(crowded):
    text = rendered(crowded, "text")
    assert "by class, 95% CI each, worst first\n" in text
    assert text.endswith("90 more classes: see .to_markdown(), .to_csv() or .to_json()\n")
    assert "class 009" in text
    assert "class 011" not in text
    assert "and 90 other pairs of classes\n" in text


@pytest.mark.parametrize("name", ["binary", "multiclass", "regression", "grouped", "undefined", "hostile", "crowded"])
def test_eighty_columns_of_printable_text(name, request):
    text = rendered(request.getfixturevalue(name), "text")
    assert max(columns_of(line) for line in text.splitlines()) <= 80
    assert all(line.isprintable() for line in text.splitlines())
    assert text.endswith("\n")


def test_our_own_words_are_ascii(binary, multiclass, grouped, undefined):
    assert all(rendered(d, "text").isascii() for d in (binary, multiclass, grouped, undefined))


def test_an_endless_label_does_not_hide_the_sentence(hostile):
    text = rendered(hostile, "text")
    assert "look alike\n" in text
    assert "xxx..." in text


def test_what_is_not_printed_stays_out(binary):
    assert "prevalence" not in rendered(binary, "text")


def test_a_narrow_page_leaves_out_columns_and_says_so(multiclass):
    text = rendered(multiclass, "text", width=60)
    assert max(len(line) for line in text.splitlines()) <= 60
    assert "f1: see .to_markdown(), .to_csv() or .to_json()\n" in text


def test_color_is_only_added(binary):
    colored = rendered(binary, "text", color=True)
    assert "\x1b[33mnote\x1b[0m H204" in colored
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[33m"):
        colored = colored.replace(code, "")
    assert colored == BINARY


def test_threshold_of_a_score_metric_is_not_its_own(binary):
    """A metric that is not in the table, such as the user's own, is not said to belong to the threshold."""
    binary["estimates"]["profit"] = binary["estimates"]["log_loss"]
    text = rendered(binary, "text")
    assert text.index("profit") < text.index("at threshold")


def test_what_a_check_says_is_not_said_again(undefined):
    undefined["checks"] = [
        {"code": "H308", "text": "log_loss: the log loss is infinite: row 7 gave 0 to the true class"}
    ]
    text = rendered(undefined, "text")
    assert text.count("the log loss is infinite") == 1


def test_what_all_methods_have_in_common_stands_in_the_head(binary):
    for e in binary["estimates"].values():
        e["method"] += ", clustered"
    text = rendered(binary, "text")
    assert "metric             value  95% CI          method, clustered  dummy\n" in text
    assert "roc_auc            0.816  [0.791, 0.839]  delong_logit       0.500\n" in text


def test_notes_that_differ_in_their_numbers_only_are_said_once(crowded):
    for i, estimates in enumerate(crowded["classes"].values()):
        estimates["recall"]["notes"] = [f"fewer than 30 rows: the exact interval is [0.{i:03}, 1]"]
        estimates["npv"] = estimates["recall"] | {"notes": ["not shown, so not said"]}
    assert rendered(crowded, "text").endswith(
        'note recall of "class 000"  fewer than 30 rows: the exact interval is [0.000,\n'
        "     1]; 99 more like this, all in the JSON\n"
    )
    assert "not shown, so not said; 99 more like this, all in the JSON" in rendered(crowded, "md")  # npv has a column


def test_several_files_are_counted_in_the_head(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text("y_true,y_pred\n" + "0,0\n1,1\n1,0\n" * 20)
    found = heldout.evaluate(tmp_path / "*.csv", metrics="accuracy")
    for form in (found.to_text, found.to_markdown, found.to_latex, found.to_html):
        assert "a.csv and 2 more" in " ".join(form().split())
    assert "a.csv and" not in heldout.evaluate(tmp_path / "a.csv", metrics="accuracy").to_text()
