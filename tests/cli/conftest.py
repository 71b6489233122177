"""The command line apart from the arithmetic: `heldout.evaluate` and its kin only record their call."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import heldout

RESULT = {
    "schema": "heldout.evaluation/1",
    "heldout": "0.1.0",
    "inputs": [],
    "columns": {},
    "task": "binary",
    "rows": 40,
    "units": 40,
    "level": 0.95,
    "seed": 0,
    "threshold": None,
    "labels": [],
    "positive": None,
    "confusion": None,
    "estimates": {
        "error_rate": {
            "value": 0.3,
            "low": 0.18073,
            "high": 0.45384,
            "level": 0.95,
            "method": "Wilson",
            "target": "this model",
            "units": 40,
            "better": "lower",
            "card": None,
            "notes": [],
            "count": [12, 40],
            "printed": True,
        }
    },
    "classes": {},
    "segments": {},
    "baseline": None,
    "checks": [],
}


@pytest.fixture
def calls(monkeypatch):
    """What the command line called, as (name, arguments, options)."""
    seen = []

    def stand_in(name):
        def verb(*arguments, **options):
            seen.append((name, arguments, options))
            return SimpleNamespace(to_dict=lambda: RESULT)

        return verb

    for name in ("evaluate", "evaluate_confusion", "evaluate_counts"):
        monkeypatch.setattr(heldout, name, stand_in(name), raising=False)
    return seen
