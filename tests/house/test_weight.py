"""`import heldout` is light: whoever imports it pays for the heavy packages only on first use."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = {"click", "joblib", "narwhals", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
LIMIT = 0.15
"""Seconds over `import numpy`. What is measured is near 0.01, so a loaded machine has ten times to spare."""


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def seconds(module: str) -> float:
    return float(python(f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"))


def test_import_loads_nothing_heavy():
    loaded = json.loads(
        python("import heldout, json, sys; print(json.dumps([m for m in sys.modules if '.' not in m]))")
    )
    assert "heldout" in loaded
    assert HEAVY & set(loaded) == set()


def test_import_costs_little_more_than_numpy():
    # the least of five: the only figure that load on the machine cannot lower
    pairs = [(seconds("numpy"), seconds("heldout")) for _ in range(5)]
    assert min(heldout for _, heldout in pairs) - min(numpy for numpy, _ in pairs) < LIMIT


def test_import_leaves_logging_to_the_program():
    names = "[type(h).__name__ for h in logging.getLogger('heldout').handlers]"
    assert python(f"import logging, heldout; print({names}, logging.root.handlers)").strip() == "['NullHandler'] []"
