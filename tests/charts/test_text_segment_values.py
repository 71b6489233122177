from __future__ import annotations

import numpy as np
import pytest

from heldout.charts.text_segment_values import segment_values
from heldout.errors import UsageError


def test_differences_are_counted_and_zero_stands_in_the_middle_of_a_bin():
    values = np.array([-30.0, -0.4, 0, 0, 0.4, 7, 22])
    figure = segment_values("bleu", values, pair=("new", "old"))
    assert figure.shares == (3, 2, 2)
    assert figure.counts.sum() == len(values)
    middle = np.searchsorted(figure.edges, 0) - 1
    assert figure.edges[middle] == -figure.edges[middle + 1]
    assert figure.counts[middle] == 4
    assert figure.caption == (
        "new is better in 3 segments, equal in 2, worse in 2. "
        "bleu of a segment alone, as if it were all there is; bleu of all is not their mean."
    )
    assert figure.alt.endswith("new is better in 3 segments, equal in 2, worse in 2.")


def test_where_less_is_better_a_lower_value_is():
    figure = segment_values("ter", np.array([-3.0, 1, -2]), better="lower", pair=("new", "old"))
    assert figure.shares == (2, 0, 1)


@pytest.mark.parametrize("values", [[0.0, 100.0, 55.5], [12.0, 12.0], [0.61, 0.64, 0.7001], [-0.2, 1.0]])
def test_every_value_is_in_a_bin_with_round_ends(values):
    figure = segment_values("bleu", np.array(values))
    assert figure.counts.sum() == len(values)
    assert figure.edges[0] <= min(values)
    assert figure.edges[-1] >= max(values)
    assert len(figure.counts) <= 43
    width = figure.edges[1] - figure.edges[0]
    assert float(f"{width:.2g}") == pytest.approx(width)


def test_nothing_lies_above_a_hundred():
    assert segment_values("bleu", np.array([0.0, 100.0])).edges[-1] == 100


def test_undefined_segments_are_left_out_and_none_at_all_is_refused():
    assert segment_values("ter", np.array([np.nan, 3.0])).counts.sum() == 1
    with pytest.raises(UsageError) as caught:
        segment_values("ter", np.array([np.nan]))
    assert str(caught.value) == "no segment has a ter of its own\n  Fix: choose another metric, or leave out the chart"
