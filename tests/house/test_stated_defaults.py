"""The defaults of public functions are those that their documentation states."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from heldout import stats

FUNCTIONS = [name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))]


def stated(documentation: str) -> dict[str, str]:
    """Parameter → what follows the word default in its line."""
    lines = re.findall(r"^(\w+(?:, \w+)*) : .*, default (.+)$", inspect.cleandoc(documentation), flags=re.MULTILINE)
    return {name: value for names, value in lines for name in names.split(", ")}


def shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_defaults(name):
    function = getattr(stats, name)
    given = {
        one.name: shown(one.default)
        for one in inspect.signature(function).parameters.values()
        if one.default is not inspect.Parameter.empty
    }
    assert given == stated(function.__doc__)


def test_there_are_defaults():
    assert sum(len(stated(getattr(stats, name).__doc__)) for name in FUNCTIONS) > 20
