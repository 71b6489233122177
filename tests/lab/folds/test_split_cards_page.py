"""The tables of the page on learners and splits are those of the runs that it names."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import pytest

from heldout.cards import split_interval_card, split_test_card
from heldout.lab.folds.split_interval_methods import METHODS
from heldout.lab.folds.split_test_methods import RIVALS

DOCS = Path(__file__).parents[3] / "docs"
LEARNERS = ("linear", "knn", "tree")
NAMES = ("training", "holdout", "2-fold", "3-fold", "5-fold", "10-fold", "20-fold", "leave-one-out", "out of bag (e0)")


def stored(name):
    return json.loads((DOCS / "measured" / f"{name}.json").read_text(encoding="utf-8"))


def table(head, lines):
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def percent(share):
    return f"{100 * share:.1f}"


def signed(value, digits=3):
    return f"{value:+.{digits}f}".replace("-", "−")


def split_coverage():
    lines = [
        [
            f"`{one['method']}`", f"`{one['splits']}`", f"{one['mean']:.3f}", f"{one['half_width']:.3f}",
            *(percent(one[f"covers_{name}"]) for name in ("learner", "model", "target")),
        ]
        for one in stored("split-coverage")["results"]
    ]  # fmt: skip
    head = ["interval", "splits", "mean", "half-width", "covers the learner, %", "the model, %", "its target, %"]
    return table(head, lines)


def split_size():
    rates = {(one["test"], one["splits"], one["learner"]): one for one in stored("split-size")["results"]}
    pairs = dict.fromkeys(pair[:2] for pair in rates)
    lines = [
        [f"`{test}`", f"`{splits}`", *(percent(rates[test, splits, name]["rejected"]) for name in LEARNERS[:2])]
        for test, splits in pairs
    ]
    return table(["test", "splits", "linear, %", "nearest neighbour, %"], lines)


def split_cards():
    def cell(card):
        return f"{percent(card.rate)} ({percent(card.error)})"

    lines = []
    for one in METHODS:
        found = [card for n in (100, 300) for card in split_interval_card(one.method, n, splits=one.splits)]
        lines.append([f"`{one.method}`", f"`{one.splits}`", one.target, "95", *map(cell, found)])
    for one in RIVALS:
        found = [card for n in (100, 300) for card in split_test_card(one.test, n, splits=one.splits)]
        lines.append([f"`{one.test}`", f"`{one.splits}`", "two learners", "5", *map(cell, found)])
    sizes = [f"{name}, {n}" for n in (100, 300) for name in LEARNERS]
    return table(["interval or test", "splits", "about", "nominal", *sizes], lines)


def selection_bias():
    lines = []
    for n, configurations in ((20, 50), (20, 500), (40, 500), (100, 500), (500, 500)):
        d = stored(f"selection-bias-n{n}-c{configurations}")
        biases = [signed(one["value"]) for one in d["biases"].values()]
        lines.append([str(n), str(configurations), *biases, percent(d["coverage"]["value"])])
    head = ["rows", "configurations", "winner's own score", "Tibshirani", "other folds", "BBC-CV"]
    head.append("coverage of BBC-CV, %")
    return table(head, lines)


def threshold_bias():
    lines = []
    for n in (50, 200, 1000):
        d = stored(f"threshold-bias-n{n}")
        costs = [f"{d[name]['value']:.3f}" for name in ("apparent", "truth", "cross_fitted")]
        lines.append([f"{n:,}", *costs, percent(d["coverage"]["value"])])
    return table(
        [
            "rows",
            "cost on the rows that chose it",
            "true cost",
            "cross-validated cost",
            "coverage of its 95% interval, %",
        ],
        lines,
    )


def of_all_rows(learner):
    estimators = stored(f"estimation-bias-{learner}")["estimators"]
    return {one["name"]: one for one in estimators if "tested" not in one["target"]}


def estimation_bias():
    found = [of_all_rows(learner) for learner in LEARNERS]
    lines = []
    for name in (*NAMES, ".632", ".632+"):
        cells = [(100 * one[name]["bias"]["value"], 100 * sqrt(one[name]["variance"]["value"])) for one in found]
        lines.append([name, *(f"{signed(bias, 1)} ({spread:.1f})" for bias, spread in cells)])
    truths = [percent(one["training"]["truth"]["value"]) for one in found]
    head = [f"{learner}, true error {truth}%" for learner, truth in zip(LEARNERS, truths, strict=True)]
    return table(["estimate", *head], lines)


def choice_of_k():
    lines = []
    for learner in LEARNERS:
        by_folds = [one for one in of_all_rows(learner).values() if one["folds"]]
        ordered = sorted(by_folds, key=lambda one: one["folds"])
        lines.append([learner, *(f"{100 * sqrt(one['squared']['value']):.1f}" for one in ordered)])
    return table(["learner", *(f"K = {k}" for k in (2, 3, 5, 10, 20, 60))], lines)


TABLES = {
    "split-coverage": split_coverage,
    "split-size": split_size,
    "split-cards": split_cards,
    "selection-bias": selection_bias,
    "threshold-bias": threshold_bias,
    "estimation-bias": estimation_bias,
    "choice-of-k": choice_of_k,
}


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_figures_that_were_measured(name):
    page = (DOCS / "lab-learners-and-splits.md").read_text(encoding="utf-8")
    shown = page.partition(f"<!-- table: {name} -->\n\n")[2].partition("\n\n")[0]
    assert shown == TABLES[name]()
