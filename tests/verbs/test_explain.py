from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import CODES, UsageError
from heldout.estimates.interval_choice import METHODS
from heldout.formulas import ALIASES, METRICS
from heldout.formulas.image_metrics import IMAGE_FIGURES
from heldout.formulas.text_corpora import TEXTS
from heldout.intervals.shares import ALIASES as OTHER_NAMES
from heldout.verbs.compare.paired_difference import TESTS
from heldout.verbs.compare.unpaired_difference import INDEPENDENT_TESTS
from heldout.verbs.explain import explain, known_names
from heldout.verbs.glossary import LISTED, WORDS
from heldout.verbs.test_names import NAMED_TESTS, named_test

RECALL = """\
recall  (metric)
  Share of the positives that are found (sensitivity, TPR): TP / (TP + FN).
  range     0 to 1; higher is better
  from      decided labels; binary
  interval  Wilson's score interval for a share. --method: wilson, wilson_cc,
            clopper_pearson, midp, blaker, likelihood_ratio, logit, jeffreys,
            agresti_coull, normal, percentile, basic, bca
  also      sensitivity, tpr"""


def test_a_metric_by_any_of_its_names():
    assert explain("recall") == explain("sensitivity") == explain(" Sensitivity ") == RECALL


@pytest.mark.parametrize("name", [*METRICS, *ALIASES, "lift@5%", "f3", "pinball@0.9"])
def test_every_metric_has_a_definition_and_facts(name):
    head, definition, *facts = explain(name).splitlines()
    assert head.endswith("  (metric)")
    assert len(definition) > 10
    assert any(fact.startswith("  range ") for fact in facts)
    assert any(fact.startswith("  interval ") for fact in facts)


@pytest.mark.parametrize("name", [*METHODS, *OTHER_NAMES])
def test_every_method_is_explained(name):
    if name not in WORDS:
        assert "  (interval method)\n" in explain(name)


@pytest.mark.parametrize("name", [*METRICS, *METHODS, *CODES, *WORDS, "metrics", "methods", "codes", "words"])
def test_explanations_fit_on_a_screen(name):
    lines = explain(name).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24 or name in {"metrics", "words"}  # lists of more than a hundred names
    assert ">>>" not in explain(name)


AVERAGE = """\
AR100  (metric of detections)
  Recall with 100 detections per image and class, mean over classes [lin14].
  formula   mean over classes and IoU .50, .55, ..., .95 of objects found /
            objects
  range     0 to 1; higher is better
  from      objects and detections
  unit      an image
  interval  """


def test_figures_of_images_by_any_of_their_names():
    assert explain("AR100").startswith(AVERAGE)
    assert explain("mAP") == explain("mean average precision")
    assert explain("mIoU") == explain("mean_iou")
    assert "at IoU .60" in explain("AP60")


def test_the_intervals_of_masks_are_explained_as_they_are_made():
    rng = np.random.default_rng(0)
    truth = [rng.integers(0, 2, (6, 7)) for _ in range(12)]
    said = [np.where(rng.random(one.shape) < 0.2, 0, one) for one in truth]
    assert heldout.masks(truth, {"net": said})["mean_iou"].method == "jackknife t over images"
    assert "Student's t on the logit scale, from leaving out each image." in " ".join(explain("mean_iou").split())


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("AP", "AP", "average_precision"),
        ("IoU", "IoU", "jaccard"),
        ("dice", "f1", "Dice"),
        ("ap", "average_precision", "AP"),
    ],
)
def test_a_name_of_two_metrics_tells_both(name, first, second):
    heads = [line.partition("  (")[0] for line in explain(name).splitlines() if line and line[0] != " "]
    assert heads == [first, second]


@pytest.mark.parametrize("name", [*IMAGE_FIGURES, *TEXTS, "BLEU", "chrF", "chrF++", "TER", "BERTScore"])
def test_figures_of_images_and_texts_have_their_facts(name):
    text = explain(name)
    assert "\n  range " in text
    assert "\n  unit " in text
    assert "\n  interval  " in text
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 24


PRINTED = (
    *("McNemar mid-p, 32 vs 22", "McNemar exact, 3 vs 1", "McNemar asymptotic, 3 vs 1", "McNemar corrected, 3 vs 1"),
    *("DeLong, paired", "DeLong, paired, z", "DeLong, paired, clustered", "DeLong, unpaired", "swaps, counted"),
    *("paired influence", "rank swaps, paired BCa", "prediction swaps, paired BCa", "sign flips", "paired t"),
    *("paired t on influence", "paired BCa", "Newcombe", "Welch's t", "Welch's t on influence", "MOVER"),
    *("z, textbook", "max-T", "Holm", "identical"),
)


@pytest.mark.parametrize("name", [*TESTS, *INDEPENDENT_TESTS, *PRINTED])
def test_every_test_is_explained(name):
    text = explain(name)
    assert "  (test)\n" in text
    assert "\n  formula   " in text
    assert "\n  default   " in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_names_that_compare_prints_are_all_known():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 90)
    score = {name: np.round(1 / (1 + np.exp(-truth - rng.normal(size=90))), 3) for name in ("a", "b")}
    some = "accuracy,precision,f1,log_loss,roc_auc,average_precision"
    apart, forecasts = {name: (truth, said) for name, said in score.items()}, "diebold_mariano"
    results = [
        heldout.compare(truth, score, n_resamples=200),
        heldout.compare(truth, score, groups=np.arange(90) // 3, n_resamples=200),
        heldout.compare(None, apart, paired=False, n_resamples=200),
        *(
            heldout.compare(truth, score, test=name, metrics=some, n_resamples=200)
            for name in TESTS
            if name != forecasts
        ),
        heldout.compare(truth, score, test=forecasts, metrics=some, time=range(90), horizon=2),
        *(heldout.compare(None, apart, paired=False, test=name, metrics=some) for name in INDEPENDENT_TESTS),
    ]
    tests = {one.test for result in results for one in result.differences}
    assert len(tests) > 12
    assert [test for test in tests if named_test(test) is None] == []


def test_the_default_of_each_metric_is_told_where_its_test_is():
    assert "roc_auc" in NAMED_TESTS["delong"].default
    assert "recall" in NAMED_TESTS["mcnemar"].default
    assert [name for name in TESTS if name not in NAMED_TESTS] == []


def test_codes_in_any_spelling():
    assert (
        explain("h305")
        == explain("[H305]")
        == explain("H305")
        == (
            "H305  (error or note)\n  Values are missing or infinite. They are never dropped silently.\n"
            "  docs      docs/errors.md#h305"
        )
    )


def test_wald_is_the_normal_interval():
    assert explain("wald") == explain("normal")
    assert "its coverage is below its level" in " ".join(explain("wald").split())


def test_a_method_is_explained_without_its_parameters():
    told = explain("normal")
    assert "Parameters" not in told
    assert ">>>" not in told
    assert "  source    L. D. Brown, T. T. Cai, A. DasGupta (2001)." in told


def test_a_word_is_not_taken_for_a_method():
    assert explain("score").startswith("score  (word)\n")


def test_every_name_is_listed():
    words = " ".join(known_names().split())
    listed = {name.split(" ")[-1] for name in words.split(",")} | set(words.replace(",", " ").split())
    assert {*METRICS, *TEXTS, *IMAGE_FIGURES, *METHODS, *CODES} <= listed
    assert [name for name in LISTED if name not in words] == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "wilsn",
            "nothing is named 'wilsn'; did you mean 'wilson'?\n  Fix: heldout explain without a name lists all names",
        ),
        ("§§", "nothing is named '§§'\n  Fix: heldout explain without a name lists all names"),
    ],
)
def test_unknown_names(name, message):
    with pytest.raises(UsageError) as caught:
        explain(name)
    assert str(caught.value) == message


def test_metrics_of_texts_are_explained():
    found = " ".join(explain("bleu").split())
    assert "Geometric mean of n-gram precisions" in found
    assert "texts and references" in found
    assert "lower is better" in explain("ter")


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("chi-square, goodness of fit, chi2 6.547, df 3", "chi-square, goodness of fit"),
        ("exact binomial, greater, x 15", "exact binomial"),
        ("z, unpooled, greater, z -1.644", "z, unpooled"),
        ("k-fold paired t (approximate)", "k-fold paired t (approximate)"),
        ("5x2cv F", "5x2cv f"),
    ],
)
def test_a_test_is_explained_as_it_is_printed(printed, name):
    assert explain(printed).startswith(f"{name}  (method)\n")


PRINTED = (
    "effective-n Wilson", "DeLong, logit", "logistic, sandwich", "Wilson of jaccard", "Newcombe score",
    "corrected resampled t", "k-fold paired t", "jackknife t, logit scale", "MOVER over Wilson", "out of bag (e0)",
    "clustered", "coverage*", "lab*", "~", "primary", "margin", "verdict", "UNDECIDED", "INCONCLUSIVE", "rope",
    "counts", "dummy", "95% CI", "at threshold 0.5", "h",
)  # fmt: skip
OF_COURSES = (
    "true error", "sample error", "overfitting", "Bayes error", "p-value", "power", "type I error", "holdout",
    "cross-validation", "stratified", "leave-one-out", "version space", "confusion matrix", "label noise", ".632",
    "lift", "fbeta", "false positive", "false positive rate", "hypothesis test", "t-test", "multiple testing",
    "normal approximation", "prevalence", "prior", "regression", "standard error", "bootstrap", "n-gram",
)  # fmt: skip


@pytest.mark.parametrize("name", [*PRINTED, *OF_COURSES])
def test_words_that_heldout_prints_and_courses_use_are_explained(name):
    assert explain(name)


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("margn", "margin"), ("overfiting", "overfitting"), ("acuracy", "accuracy"), ("precison", "precision"),
        ("crossvalidation", "cross-validation"), ("bootstap", "bootstrap"), ("confusion matix", "confusion matrix"),
        ("clopper_person", "clopper_pearson"), ("mcnemmar", "mcnemar"),
    ],
)  # fmt: skip
def test_a_misspelt_name_gets_the_name_that_was_meant(misspelt, meant):
    with pytest.raises(UsageError, match=f"; did you mean {meant!r}\\?"):
        explain(misspelt)


@pytest.mark.parametrize("name", ["weather", "pandas", "§§"])
def test_what_is_like_no_name_gets_no_suggestion(name):
    with pytest.raises(UsageError) as caught:
        explain(name)
    assert "did you mean" not in str(caught.value)
