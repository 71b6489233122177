"""What every test and doctest shares."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from copy import deepcopy
from importlib.util import find_spec
from typing import Any

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


_STATES: dict[Any, list[tuple[np.random.Generator, dict[str, Any]]]] = {}
"""Module → its generators, and the states in which its import left them."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remember what every module's generators draw first."""
    for module in {getattr(item, "module", None) for item in session.items}:
        things = vars(module).values() if module else ()
        generators = [thing for thing in things if isinstance(thing, np.random.Generator)]
        _STATES[module] = [(generator, deepcopy(generator.bit_generator.state)) for generator in generators]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Under `make coverage`: write what was covered before xdist ends its processes, with a kill after 10 seconds.

    The process that hands out tests has run nothing of the package; a warning about that would be an error here.
    """
    coverage = sys.modules.get("coverage")
    running = coverage and coverage.Coverage.current()
    if running and hasattr(session.config, "workerinput"):
        running.save()


@pytest.fixture(autouse=True)
def every_test_draws_the_same(request: pytest.FixtureRequest) -> None:
    """A module's generators start anew for every test: what it draws does not depend on which tests ran before."""
    for generator, state in _STATES.get(getattr(request, "module", None), ()):
        generator.bit_generator.state = state
