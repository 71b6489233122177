"""The wheel, built once; environments, made once for every set of extras."""

from __future__ import annotations

from functools import cache

import pytest

from tests.tutorials.environments import built_wheel, environment


@pytest.fixture(scope="session")
def python_with(tmp_path_factory, testrun_uid):
    """What to install ("heldout[charts]", "matplotlib") → the Python of an environment that has it."""
    wheel = built_wheel(tmp_path_factory.mktemp("wheel"))
    return cache(lambda *targets: environment(wheel, targets, testrun_uid))
