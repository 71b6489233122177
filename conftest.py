"""What every test and doctest shares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

# Before NumPy is loaded: tests run side by side, one process to a core. Linear algebra that takes all cores for itself
# in each of them made the suite many times slower wherever anything else was running.
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402

if find_spec("hypothesis"):  # the environment of the engines is without it
    from hypothesis import HealthCheck, settings

    # how long an example takes depends on what else the machine does
    settings.register_profile("heldout", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("heldout")


@pytest.fixture(autouse=True)
def the_table_of_metrics_stays_as_it_is() -> Iterator[None]:
    """Metrics that a test defines are gone after it."""
    from heldout.formulas import METRICS

    before = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(before)


@pytest.fixture(autouse=True)
def every_test_draws_the_same(request: pytest.FixtureRequest) -> None:
    """A module's `rng` starts anew for every test: what it draws does not depend on which tests ran before."""
    module = getattr(request, "module", None)
    if hasattr(module, "rng"):
        module.rng = np.random.default_rng(0)
