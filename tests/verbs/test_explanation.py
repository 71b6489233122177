from __future__ import annotations

import pytest

from heldout.errors import CODES, UsageError
from heldout.estimates.choice import METHODS
from heldout.formulas import ALIASES, METRICS
from heldout.intervals.shares import ALIASES as OTHER_NAMES
from heldout.verbs.explanation import WORDS, explain, known_names

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
    assert len(lines) <= 24
    assert ">>>" not in explain(name)


def test_codes_in_any_spelling():
    assert (
        explain("h305")
        == explain("[H305]")
        == explain("H305")
        == ("H305  (error or note)\n  Values are missing or infinite. They are never dropped silently.")
    )


def test_wald_is_the_normal_interval():
    assert explain("wald") == explain("normal")
    assert "covers too rarely" in " ".join(explain("wald").split())


def test_a_word_is_not_taken_for_a_method():
    assert explain("score").startswith("score  (word)\n")


def test_every_name_is_listed():
    listed = known_names().replace(",", " ").split()
    assert {*METRICS, *METHODS, *CODES, *WORDS} <= set(listed)


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
