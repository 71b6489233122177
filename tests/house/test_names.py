"""Public names: sorted, importable, documented, and never also the name of a module."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import heldout
from heldout.errors import CODES

SOURCE = Path(heldout.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BANNED_STARTS = ("get_", "compute_", "calc_", "calculate_")
BANNED_WORDS = {"utils", "util", "helpers", "helper", "base", "manager", "common", "misc"}


@cache
def trees() -> dict[Path, ast.Module]:
    """Every file of the package, parsed: in the tests that look at it, not while tests are collected."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


@cache
def modules() -> list[ModuleType]:
    """Every module of heldout that says what is public, the package itself first."""
    names = [m.name for m in pkgutil.walk_packages(heldout.__path__, "heldout.") if m.name != "heldout.__main__"]
    return [m for m in (heldout, *map(importlib.import_module, names)) if hasattr(m, "__all__")]


def public_functions() -> dict[str, object]:
    return {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in modules()
        for name in module.__all__
        if inspect.isfunction(getattr(module, name))
    }


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_all_is_sorted_and_importable(module):
    assert list(module.__all__) == sorted(set(module.__all__))
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


def test_the_package_lists_its_public_names():
    assert "evaluate" in heldout.__all__
    assert set(heldout.__all__) <= set(dir(heldout))


def test_every_public_function_opens_with_a_definition():
    first_lines = {
        name: (inspect.getdoc(function) or "").partition("\n")[0] for name, function in public_functions().items()
    }
    assert first_lines
    assert {name: line for name, line in first_lines.items() if not line.endswith(".")} == {}


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_no_module_bears_the_name_of_a_public_function(module):
    # heldout.evaluate would be the function or the module, depending on what was imported first
    inside = {found.name for found in pkgutil.iter_modules(getattr(module, "__path__", []))}
    functions = {name for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
    assert inside & functions == set()


def test_names_say_what_things_are():
    stems = {path.relative_to(SOURCE).as_posix() for path in FILES if path.stem in BANNED_WORDS}
    defined = {
        f"{path.relative_to(SOURCE).as_posix()}: {node.name}"
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, DEFINITIONS) and not (node.name.startswith("__") or path.parts[-2] == "cli")
        if node.name.lstrip("_").startswith(BANNED_STARTS)
        or set(node.name.lower().strip("_").split("_")) & BANNED_WORDS
    }
    assert stems | defined == set()


def test_every_error_code_is_explained():
    used = {
        keyword.value.value
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant) and keyword.value.value
    }
    assert used - set(CODES) == set()


def test_text_is_utf8_everywhere():
    """On Windows a file opened without an encoding is read in another one."""
    bare = {
        f"{path.relative_to(SOURCE).as_posix()}:{node.lineno}"
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and opens_text(node) and "encoding" not in {k.arg for k in node.keywords}
    }
    assert bare == set()


def opens_text(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in {"read_text", "write_text"}
    if not (isinstance(call.func, ast.Name) and call.func.id == "open"):
        return False
    modes = [
        a
        for a in [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")]
        if isinstance(a, ast.Constant)
    ]
    return not any("b" in str(mode.value) for mode in modes)
