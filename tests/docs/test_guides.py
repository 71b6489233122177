"""What every guide and tutorial has, whatever it is about."""

from __future__ import annotations

import ast
import doctest
import re
from types import ModuleType

import pytest

import heldout
from tests.docs.page_blocks import ROOT, blocks
from tests.docs.test_docs import PAGES

TUTORIALS = [page for page in PAGES if page.parent.name == "tutorials"]
INSTALL = re.compile(r"\$ pip install (?:heldout|'heldout\[[a-z,]+\]')\n")


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_begins_with_what_to_install(page):
    assert INSTALL.fullmatch(blocks(page.read_text(encoding="utf-8"))[0].text)


HOW_TO = [page for page in TUTORIALS if page.stem != "reading-the-table"]
HOW_TO += [page for page in PAGES if page.stem in ("html-report", "large-files", "many-data-sets", "runs")]


@pytest.mark.parametrize("page", HOW_TO, ids=lambda page: page.stem)
def test_a_how_to_page_names_pitfalls(page):
    assert "\n## Pitfalls\n" in page.read_text(encoding="utf-8")


def python_of(page):
    """The Python of a page, prompts and output taken off."""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "python":
            examples = doctest.DocTestParser().get_examples(block.text)
            yield ast.parse("".join(one.source for one in examples) or block.text)


def public_names(module):
    """The public names under a module, whole: "heldout.lab.world"."""
    for name in module.__all__:
        yield f"{module.__name__}.{name}"
        if isinstance(found := getattr(module, name), ModuleType):
            yield from public_names(found)


PUBLIC = set(public_names(heldout))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_import_public_names_only(page):
    used = set()
    for tree in python_of(page):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "heldout":
                used |= {f"{node.module}.{name.name}" for name in node.names}
            elif isinstance(node, ast.Import):
                used |= {name.name for name in node.names if name.name.startswith("heldout.")}
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "heldout":
                used.add(f"heldout.{node.attr}")
    assert used - PUBLIC == set()


CLUSTERED = re.compile(r"heldout (?:evaluate|compare|gate|plan) .*(?:champion|challenger|released|candidate)\.csv")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_visits_of_one_patient_are_never_taken_for_independent(page):
    """The demo's visits are clustered: whatever evaluates them names the patients."""
    text = "".join(one.text for one in blocks(page.read_text(encoding="utf-8")) if one.language in ("console", "yaml"))
    shown = [line for line in text.splitlines() if CLUSTERED.search(line)]
    assert [command for command in shown if "--group patient_id" not in command] == []


def test_every_tutorial_is_in_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [page.stem for page in TUTORIALS if f"tutorials/{page.stem}" not in index] == []


ASKING = {"faq", "which-interval-or-test"}


@pytest.mark.parametrize("page", [page for page in PAGES[1:] if page.stem not in ASKING], ids=lambda page: page.stem)
def test_headings_name_tasks_and_ask_nothing(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^#+ .*\?$", text, re.MULTILINE) == []
