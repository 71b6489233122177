"""The only places of the package that run, import or unpickle what somebody else wrote; docs/security.md lists them."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "heldout"
RUNS_CODE = {
    *("eval", "exec", "compile", "__import__", "import_module", "exec_module", "run_path", "run_module"),
    *("loads", "load", "system", "popen", "Popen", "run", "call", "check_call", "check_output", "execv", "spawnv"),
}
HARMLESS = ("json.", "tomllib.", "re.")
KNOWN = {
    "charts/drawing/__init__.py: import_module": "our own drawings",
    "charts/drawing/__init__.py: loads": "JSON that altair made",
    "cli/groups.py: import_module": "our own verbs",
    "cli/validate.py: call": "our own learning_curve or choose_folds",
    "engines/__init__.py: import_module": "our own engines",
    "engines/on_ray.py: pickle.loads": "sums that our own workers made",
    "engines/on_spark.py: pickle.loads": "sums that our own workers made",
    "engines/spark_work.py: pickle.loads": "sums that our own workers made",
    "inputs/__init__.py: import_module": "our own readers",
    "inputs/formats/label_map_files.py: np.load": "arrays, without pickles",
    "inputs/formats/label_map_files.py: picture.load": "pixels of an image",
    "lab/rates/vectorised_modules.py: compile": "our own modules, once more",
    "lab/rates/vectorised_modules.py: exec": "our own modules, once more",
    "lab/rates/vectorised_modules.py: importlib.__import__": "our own modules, once more",
    "lab/rates/vectorised_modules.py: importlib.import_module": "our own modules, once more",
    "lab/world_catalogue.py: import_module": "our own simulations",
    "lab/worlds/registry.py: import_module": "our own simulations",
    "language/bertscore.py: transformers.AutoModel.from_pretrained(name).eval": "a switch of torch; --embedder",
    "lazy.py: import_module": "our own modules",
    "learners/by_name.py: importlib.import_module": "learners by import path, as typed or in candidates.toml",
    "learners/by_name.py: spec.loader.exec_module": "learners of a file, as typed or in candidates.toml",
    "optional_packages.py: import_module": "packages of a fixed list",
    "report/__init__.py: import_module": "our own renderers",
    "report/html_report/sections.py: import_module": "our own blocks",
    "report/kinds/__init__.py: import_module": "our own kinds",
    "verbs/own_metric.py: runpy.run_path": "--define",
}
"""File and call → whose code it runs."""


def name_of(call: ast.Call) -> str:
    return ast.unparse(call.func)


def calls() -> set[str]:
    found = set()
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and name_of(node).rpartition(".")[2] in RUNS_CODE:
                name = name_of(node)
                if not name.startswith(HARMLESS):
                    found.add(f"{path.relative_to(SOURCE).as_posix()}: {name}")
    return found


def test_code_of_others_runs_in_the_places_that_are_documented_only():
    assert calls() == set(KNOWN)
