"""`import heldout` is light, and so is a command: what is not needed is not loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys

HEAVY = {"click", "joblib", "narwhals", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
LIMIT = 0.15
"""Seconds over `import numpy`. What is measured is near 0.01, so a loaded machine has ten times to spare."""

MOST_MODULES = 120
"""Modules of heldout that `heldout evaluate small.csv` loads at most."""
NOT_FOR_A_SMALL_FILE = ("boxes", "curves", "engines", "inputs.chunked", "language", "learners", "stats", "store")


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


def modules_of(*arguments: str) -> list[str]:
    """The modules of heldout that are loaded when a command of the command line ends."""
    code = (
        "import atexit, json, sys\n"
        "names = lambda: json.dumps([m for m in sys.modules if m.startswith('heldout')])\n"
        "atexit.register(lambda: print(names(), file=sys.stderr))\n"
        "from heldout.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, *arguments]
    run = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=True, env={**os.environ, "NO_COLOR": "1"}
    )
    assert run.stdout
    return json.loads(run.stderr.splitlines()[-1])


def test_evaluating_a_small_file_loads_what_it_needs(tmp_path):
    file = tmp_path / "small.csv"
    file.write_text("y,p\n" + "1,0.75\n0,0.25\n1,0.5\n0,0.125\n" * 10, encoding="utf-8")
    loaded = modules_of("evaluate", str(file))
    assert "heldout.verbs.evaluate.evaluate" in loaded
    assert [name for name in loaded if name.startswith(tuple(f"heldout.{room}" for room in NOT_FOR_A_SMALL_FILE))] == []
    assert len(loaded) <= MOST_MODULES


def test_detecting_loads_no_other_command(tmp_path):
    image, label, box = {"id": 1, "width": 50, "height": 50}, {"id": 1, "name": "cat"}, [10, 10, 20, 20]
    here = {"image_id": 1, "category_id": 1, "bbox": box}
    truth = {"images": [image], "categories": [label], "annotations": [{"id": 1, "area": 400, "iscrowd": 0, **here}]}
    for name, content in (("truth.json", truth), ("model.json", [{"score": 0.9, **here}])):
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    loaded = modules_of("detect", str(tmp_path / "truth.json"), str(tmp_path / "model.json"))
    commands = {name for name in loaded if name.startswith("heldout.cli.")}
    assert "heldout.verbs.images.detect" in loaded
    assert commands == {
        f"heldout.cli.{name}"
        for name in (
            *("address_space", "chart_files", "detect", "groups", "model_files", "option_names", "options", "output"),
            *("output_paths", "problem_messages", "process_end", "standard_streams", "usage_fixes"),
        )
    }
