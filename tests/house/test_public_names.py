"""What is public is listed in one place, and documents import nothing else."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import heldout

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCED = re.compile(
    r"^(?P<indent> *)```(?:python|\{code-block\} python|\{code-cell\}.*)\n(?P<code>.*?)^ *```", re.MULTILINE | re.DOTALL
)
BUILT = {"_build", "_generated", "decisions"}
"""Folders of documents that are generated, or that are about the inside of the package."""


def public() -> set[str]:
    """Every public name with its module: heldout.evaluate, heldout.stats, heldout.stats.wilson ..."""
    names = {f"heldout.{name}" for name in heldout.__all__}
    for space in heldout.NAMESPACES:
        names |= {f"heldout.{space}.{name}" for name in import_module(f"heldout.{space}").__all__}
    return names


def python_in(text: str) -> list[ast.AST]:
    """The nodes of all Python in a document: doctests and blocks of code."""
    blocks = [match["code"] for match in FENCED.finditer(text) if ">>>" not in match["code"]]
    examples = [example.source for example in doctest.DocTestParser().get_examples(text)]
    nodes: list[ast.AST] = []
    for code in (*blocks, *examples):
        try:
            nodes += ast.walk(ast.parse(inspect.cleandoc(code)))
        except SyntaxError:  # an excerpt, with dots for what is left out
            continue
    return nodes


def used(nodes: list[ast.AST]) -> set[str]:
    """Whatever is imported from the package, or reached as an attribute of it."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "heldout":
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.name.startswith("heldout.")}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "heldout":
            names.add(f"heldout.{node.attr}")
    return names


def test_what_is_public_is_listed_in_one_place():
    listed = [name for names in heldout.PUBLIC.values() for name in names]
    assert sorted([*listed, *heldout.NAMESPACES, "__version__"]) == heldout.__all__
    assert len(listed) == len(set(listed))
    spaces = {space: import_module(f"heldout.{space}") for space in heldout.NAMESPACES}
    assert [space for space, module in spaces.items() if not getattr(module, "__all__", None)] == []


def test_public_names_work_right_after_the_import():
    for name in public():
        thing = heldout
        for part in name.split(".")[1:]:
            thing = getattr(thing, part)


def test_type_checkers_see_the_same_names():
    """What is loaded lazily is written a second time for type checkers; both say the same."""
    for module in (heldout, heldout.charts, heldout.lab, heldout.stats):
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        guarded = next(node for node in tree.body if isinstance(node, ast.If))
        imports = [node for node in guarded.body if isinstance(node, ast.ImportFrom)]
        seen = {str(node.module): {alias.asname for alias in node.names} for node in imports}
        seen.pop("heldout", None)
        assert seen == {home: set(names) for home, names in module.PUBLIC.items()}


def test_the_documents_are_read():
    assert len(DOCUMENTS) > 30
    text = "```python\nfrom heldout.verbs.gate import gate\n```\n>>> heldout.evaluate([1], [1])\n"
    assert used(python_in(text)) == {"heldout.verbs.gate.gate", "heldout.evaluate"}


@pytest.mark.parametrize(
    "path",
    [one for one in DOCUMENTS if not BUILT & set(one.relative_to(ROOT).parts)],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_documents_use_only_public_names(path):
    assert used(python_in(path.read_text(encoding="utf-8"))) - public() == set()


@pytest.mark.parametrize(
    "path",
    [one for one in DOCUMENTS if not BUILT & set(one.relative_to(ROOT).parts)],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_calls_in_sentences_and_pages_of_reference_are_of_public_names(path):
    text = path.read_text(encoding="utf-8")
    called = set(re.findall(r"`(heldout(?:\.\w+)+)\(", text))
    described = set(re.findall(r"^\.\. auto(?:function|class|exception):: (\S+)", text, re.MULTILINE))
    modules = set(re.findall(r"^\.\. automodule:: (\S+)", text, re.MULTILINE))
    assert (called | described) - public() == set()
    assert modules - {"heldout", *(f"heldout.{space}" for space in heldout.NAMESPACES)} == set()
