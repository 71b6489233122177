"""Whether two results say the same."""

from __future__ import annotations

from typing import Any

import pytest


def alike(found: Any, wanted: Any, place: str = "") -> None:
    """The same keys and words, the same counts, and numbers that agree to 1e-12."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), place
        for name, value in wanted.items():
            alike(found[name], value, f"{place}.{name}")
    elif isinstance(wanted, list | tuple):
        assert len(found) == len(wanted), place
        for at, (one, other) in enumerate(zip(found, wanted, strict=True)):
            alike(one, other, f"{place}[{at}]")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-13, nan_ok=True), place
    else:
        assert found == wanted, place
