"""The tables of "Which confidence interval or test should I use?" and the glossary, written from the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import decision_table, facts, rates
from docs.goals import behind
from heldout.formulas import METRICS
from heldout.verbs.glossary import LISTED

FOLDER = Path(facts.__file__).parent


@pytest.fixture(scope="module")
def tables():
    stored = rates.read()
    return decision_table.pages(rates.by_design(stored, "intervals"), rates.by_design(stored, "tests"))


def test_every_kind_of_interval_has_its_line():
    assert set(decision_table.FAMILIES) == {behind(metric).interval for metric in METRICS.values()}
    assert [kind for kind, one in decision_table.FAMILIES.items() if behind(METRICS[one.metric]).interval != kind] == []


def test_the_default_interval_is_the_one_that_evaluate_prints(tables):
    shares = tables["choice-intervals"].splitlines()[2]
    assert shares.startswith("| shares of rows: `accuracy`, ")
    assert " | Wilson | 9" in shares
    area = next(line for line in tables["choice-intervals"].splitlines() if "`roc_auc`" in line)
    assert " | DeLong, logit; with 40 rows Newcombe score | " in area


def test_rates_are_those_of_the_cards(tables):
    stored = rates.read()
    named = rates.cards(stored, "intervals", "serial")
    kinds = {"r2", "explained_variance", "d2_absolute_error", "d2_log_loss", "d2_brier"}
    worst = min(one.rate for name in kinds & set(named) for one in named[name]["auto"])
    explained = next(line for line in tables["choice-designs"].splitlines() if "`r2`" in line)
    assert f"({100 * worst:.1f} to " in explained


def test_every_default_test_says_why(tables):
    lines = tables["choice-tests"].splitlines()[2:]
    assert len(lines) > 10
    assert all(line.split(" | ")[-1].removesuffix(" |") in decision_table.WHY_TESTS.values() for line in lines)
    assert {line.split(" | ")[2] for line in lines} == set(decision_table.WHY_TESTS)


def test_the_glossary_has_every_word_and_its_links_lead_somewhere():
    text = facts.glossary(facts.WORDS, LISTED)
    assert [name for name in LISTED if f"\n{name}\n" not in text] == []
    assert [name for names in facts.PAGES_OF_WORDS.values() for name in names if name not in LISTED] == []
    for link in facts.PAGES_OF_WORDS:
        page, _, anchor = link.partition("#")
        headings = [line.strip("# ").lower() for line in (FOLDER / page).read_text(encoding="utf-8").splitlines()]
        assert not anchor or anchor.replace("-", " ") in headings, link
