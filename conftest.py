"""What every test and doctest shares."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def the_table_of_metrics_stays_as_it_is() -> Iterator[None]:
    """Metrics that a test defines are gone after it."""
    from heldout.formulas import METRICS

    before = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(before)
