"""Whatever heldout prints can be explained: metrics, methods, tests, verdicts, codes and column heads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import heldout
from heldout.errors import UsageError
from heldout.report.kinds import KINDS
from tests.laws.every_kind import result_of

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*DOCS.glob("tutorials/*.md"), *DOCS.glob("course/*.md"), DOCS.parent / "README.md"])
NAMED = ("method", "test", "metric", "verdict", "code")
COURSE = """
true error; sample error; training error; holdout; cross-validation; stratified; leave-one-out; .632; .632+; bootstrap;
overfitting; Bayes error; Bayes classifier; label noise; version space; hypothesis; concept; confusion matrix; p-value;
power; type I error; type II error; null hypothesis; alternative; confidence interval; standard error; bias; variance;
noise; learning curve; dummy model; micro average; macro average; cost matrix; ROC curve; precision-recall curve; lift;
gain; calibration; threshold; Neyman-Pearson; zero-frequency problem; nested cross-validation; validation set; test set;
training set; sample selection bias; data leakage; list-then-eliminate; language bias; search bias; marginal;
conditional; joint; naive Bayes; degrees of freedom; critical value; rope; critical difference; primary; margin;
verdict; UNDECIDED; EQUIVALENT; clustered; F-beta; fbeta
"""


def explained(name: str) -> bool:
    try:
        return bool(heldout.explain(name))
    except UsageError:
        return False


def named(d: Any) -> Iterator[str]:
    """Every name of a metric, method, test, verdict or code in a result."""
    if isinstance(d, dict):
        for key, content in d.items():
            if key in NAMED and isinstance(content, str) and content:
                yield content
            yield from named(content)
    elif isinstance(d, list | tuple):
        for content in d:
            yield from named(content)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_name_in_a_result_is_explained(kind):
    result = result_of(kind)
    heads = {cell.text for table in result.document().tables for cell in table.head if cell.text and not cell.given}
    assert sorted(name for name in {*named(result.to_dict()), *heads} if not explained(name)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_method_test_and_code_on_a_page_is_explained(page):
    text = page.read_text(encoding="utf-8")
    printed = re.findall(r"^(?:intervals|tests): ((?:.|\n  (?=\S))+)$", text, re.MULTILINE)
    # "tests: a (metric, metric); b": several with the metrics that they are of
    methods = {part for line in printed for part in re.split(r" \([^)]*\)(?:; |$)|; ", " ".join(line.split())) if part}
    assert sorted(name for name in methods if not explained(name)) == []
    codes = set(re.findall(r"\bH[1-9]\d\d\b", text))
    assert sorted(code for code in codes if not explained(code)) == []


@pytest.mark.parametrize("word", [word.strip() for word in COURSE.split(";")])
def test_the_vocabulary_of_a_course_is_explained(word):
    assert explained(word)
