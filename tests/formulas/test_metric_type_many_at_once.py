"""Formulas take the sums of many resamples at once: each line gives what it gives alone."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.formulas import MARK_METRICS, METRICS, metric
from heldout.formulas.regression import over_targets, pooled_explained
from heldout.formulas.text_corpora import TEXTS

NAMES = ("partial_auc_standardized@0.1-0.4", "partial_auc@0.2", "tweedie_deviance@1.5", "f3", "f3_weighted")
EVERY = {
    **METRICS,
    **{f"{name} over labels": one for name, one in MARK_METRICS.items()},
    **{name: metric(name) for name in NAMES},
    "r2 over targets": over_targets(METRICS["r2"]),
    "r2 by variance": pooled_explained(METRICS["r2"]),
    **{name: one for name, one in TEXTS.items() if name != "bleu"},
}
LISTS = {"labels": 4, "marks": 4, "scores": 7, "reliability": 5}
"""Entries of the last axis of a sum: classes, labels, scores, bins."""


def entries(one) -> int | None:
    if one.joint or one in TEXTS.values():
        return 3 if one.joint else 6
    if one.reads == "columns":
        return 4
    if one.one_class:
        return None
    return LISTS.get(one.reads)


@pytest.mark.parametrize("name", [name for name, one in EVERY.items() if one.reads != "ordered"])
def test_lines_of_sums_give_what_each_gives_alone(name):
    one = EVERY[name]
    rng = np.random.default_rng(7)
    size = entries(one)
    of_a_text = {"reference_length", "edits", "words", "rows", "bert_p", "bert_r", "bert_f"}
    scalars = of_a_text if one in TEXTS.values() else set()
    shape = {part: (3,) if size is None or part in scalars else (3, size) for part in one.needs}
    sums = {part: rng.uniform(2, 9, shape[part]) for part in one.needs}
    if "squared_targets" in sums:
        sums["squared_targets"] += 30
    together = one(sums)
    alone = [one({part: total[line] for part, total in sums.items()}) for line in range(3)]
    assert together == pytest.approx(np.array(alone), rel=1e-12)
    assert np.shape(together) == np.shape(alone)


@pytest.mark.parametrize("name", ["median_absolute_error", "max_error"])
def test_lines_of_masses_give_what_each_gives_alone(name):
    ordered, mass = np.array([0.5, 1.0, 4.0, 9.0]), np.array([[1.0, 1, 1, 1], [3, 1, 0, 0], [0, 0, 2, 2]])
    found = METRICS[name]({"ordered": ordered, "mass": mass})
    alone = [float(METRICS[name]({"ordered": ordered, "mass": line})) for line in mass]
    assert found.tolist() == alone
    repeated = [np.repeat(ordered, line.astype(int)) for line in mass]
    assert alone == [float(np.median(one) if name.startswith("median") else one.max()) for one in repeated]
