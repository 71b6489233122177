"""Packages that extras install are imported through one door, which says what to install where they are missing."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from heldout import UsageError
from heldout.optional_packages import OPTIONAL, needed, require

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "heldout"
BEHIND_THE_DOOR = {
    *("engines/on_dask.py", "engines/on_ray.py", "engines/on_spark.py", "engines/spark_work.py"),
    *(path.relative_to(SOURCE).as_posix() for path in (SOURCE / "charts" / "drawing").glob("[a-z]*.py")),
    "search/annealing.py",
}
"""Modules that are loaded only after the door has found what they import."""


def imported(tree: ast.AST) -> set[str]:
    """The packages that a module imports when it runs, not only for the type checker."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
        found |= imported(node)
    return found


def test_no_module_imports_an_optional_package_by_itself():
    wrong = {
        name: packages
        for path in SOURCE.rglob("*.py")
        if (name := path.relative_to(SOURCE).as_posix()) not in BEHIND_THE_DOOR
        and (packages := imported(ast.parse(path.read_text(encoding="utf-8"))) & set(OPTIONAL))
    }
    assert wrong == {}


def test_every_extra_that_a_message_names_exists_and_brings_the_package():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    distributions = {"PIL": "pillow", "sklearn": "scikit-learn", "vl_convert": "vl-convert-python"}
    for package, (_, target) in OPTIONAL.items():
        named = re.fullmatch(r"'heldout\[(\w+)\]'", target)
        if named is None:
            assert package in target.split()
            continue
        text = " ".join(extras[named[1]]).replace("dask[dataframe,distributed]", "dask distributed")
        assert distributions.get(package, package) in re.split(r"[^\w-]+", text)


def test_a_missing_package_is_one_sentence_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(UsageError) as caught:
        needed("polars.io", "lines need", "take pandas")
    assert str(caught.value) == (
        "lines need polars, which is not installed\n  Fix: pip install 'heldout[polars]', or take pandas"
    )


def test_a_package_that_cannot_be_imported_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "cmaes.py").write_text("import nobody_has_this\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cmaes", raising=False)
    require("cmaes", "the sampler needs")
    with pytest.raises(UsageError) as caught:
        needed("cmaes", "the sampler needs")
    assert str(caught.value) == (
        "the sampler needs the package cmaes, which is installed but cannot be imported: No module named "
        "'nobody_has_this'\n  Fix: pip install --upgrade 'heldout[search]'"
    )
