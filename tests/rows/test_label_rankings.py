"""What a row that ranks its own labels adds, against scikit-learn's metrics of one row at a time."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peer

from heldout.batch import Batch
from heldout.rows.label_rankings import (
    discounted_gains,
    label_coverages,
    label_misorderings,
    label_precisions,
    normalized_gains,
    row_areas,
    row_average_precisions,
    row_has_both,
    row_has_relevant,
)

RNG = np.random.default_rng(5)
TRUTH = (RNG.random((60, 6)) < 0.4).astype(int)
TRUTH[0], TRUTH[1] = 0, 1
SCORE = np.round(RNG.random((60, 6)), 1)  # one digit, so that scores tie
RANKED = Batch(task="multilabel", truth=TRUTH, score=SCORE, labels=tuple("abcdef"))
GRADED = Batch(task="multilabel", truth=RNG.integers(0, 4, (60, 6)), score=SCORE, labels=tuple("abcdef"))
BOTH = np.flatnonzero(row_has_both(RANKED))


def by_row(metric, truth=TRUTH, rows=range(60), **options):
    return [metric(truth[[row]], SCORE[[row]], **options) for row in rows]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (label_precisions, peer.label_ranking_average_precision_score),
        (label_coverages, peer.coverage_error),
        (label_misorderings, peer.label_ranking_loss),
    ],
)
def test_rankings_of_labels_with_ties(ours, theirs):
    assert ours(RANKED) == pytest.approx(by_row(theirs), abs=1e-12)


@pytest.mark.parametrize("k", [None, 1, 3, 6])
@pytest.mark.parametrize("ties", [True, False])
def test_discounted_gains_of_graded_labels(k, ties):
    options = {"k": k, "ignore_ties": not ties}
    assert discounted_gains(GRADED, k, ties=ties) == pytest.approx(by_row(peer.dcg_score, GRADED.truth, **options))
    assert normalized_gains(GRADED, k, ties=ties) == pytest.approx(by_row(peer.ndcg_score, GRADED.truth, **options))


def test_the_base_of_the_logarithm():
    assert discounted_gains(GRADED, log_base=10) == pytest.approx(by_row(peer.dcg_score, GRADED.truth, log_base=10))


def test_areas_and_average_precisions_where_a_row_has_both_kinds_of_label():
    areas = [peer.roc_auc_score(TRUTH[row], SCORE[row]) for row in BOTH]
    assert row_areas(RANKED)[BOTH] == pytest.approx(areas, abs=1e-12)
    some = np.flatnonzero(row_has_relevant(RANKED))
    precisions = [peer.average_precision_score(TRUTH[row], SCORE[row]) for row in some]
    assert row_average_precisions(RANKED)[some] == pytest.approx(precisions, abs=1e-12)


def test_rows_without_or_with_all_labels():
    assert row_has_relevant(RANKED)[:2].tolist() == [0.0, 1.0]
    assert row_has_both(RANKED)[:2].tolist() == [0.0, 0.0]
    assert (row_areas(RANKED)[0], row_areas(RANKED)[1]) == (0.0, 0.0)
    assert label_precisions(RANKED)[:2].tolist() == [1.0, 1.0]
    assert (label_coverages(RANKED)[0], label_misorderings(RANKED)[0], normalized_gains(RANKED)[0]) == (0.0, 0.0, 0.0)
