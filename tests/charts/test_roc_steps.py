"""ROC steps: the highest score first, tied scores in one step, from (0, 0) to (1, 1)."""

from __future__ import annotations

import numpy as np

import heldout
from heldout.charts.roc_steps import MOST


def steps(truth, score, **options):
    return heldout.evaluate(truth, y_score=score, **options).plot.figure("roc_steps")


def test_counts_are_cumulative_and_ties_are_one_step():
    figure = steps([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8, 0.9, 0.8])
    assert figure.threshold.tolist() == [np.inf, 0.9, 0.8, 0.4, 0.35, 0.1]
    assert figure.tp.tolist() == [0, 1, 2, 3, 3, 3]
    assert figure.fp.tolist() == [0, 0, 1, 1, 2, 3]


def test_weights_count():
    figure = steps([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], sample_weight=[1, 2, 3, 4])
    assert (figure.positives, figure.negatives) == (6, 4)
    assert figure.tp.tolist() == [0, 4, 6, 6, 6]


def test_of_many_steps_some_are_shown_and_it_is_said():
    rng = np.random.default_rng(0)
    figure = steps(rng.integers(0, 2, 500), rng.random(500))
    assert (figure.steps, len(figure.tp)) == (500, MOST + 1)
    assert figure.caption.endswith("40 of 500 steps are shown.")


def test_a_report_shows_the_steps_of_few_rows_only(tmp_path):
    rng = np.random.default_rng(0)
    many = heldout.evaluate(rng.integers(0, 2, 100), y_score=rng.random(100))
    few = heldout.evaluate([0, 1, 0, 1, 1, 0], y_score=[0.1, 0.4, 0.35, 0.8, 0.9, 0.8])
    shown = [
        'data-figure="roc_steps"' in one.report(tmp_path / "page.html").read_text(encoding="utf-8")
        for one in (many, few)
    ]
    assert shown == [False, True]
