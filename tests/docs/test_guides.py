"""What every guide and tutorial has, whatever it is about."""

from __future__ import annotations

import re

import pytest

from tests.docs.page_blocks import blocks
from tests.docs.test_docs import PAGES

TUTORIALS = [page for page in PAGES if page.parent.name == "tutorials"]
INSTALL = re.compile(r"\$ pip install (?:heldout|'heldout\[[a-z,]+\]')\n")
PUBLIC = {"lab", "metrics", "plan", "stats", "testing"}


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_begins_with_what_to_install(page):
    assert INSTALL.fullmatch(blocks(page.read_text(encoding="utf-8"))[0].text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_import_public_modules_only(page):
    imported = re.findall(r"^(?:>>> )?(?:from|import) heldout\.(\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(imported) <= PUBLIC


ASKING = {"faq", "which-interval-or-test"}


@pytest.mark.parametrize("page", [page for page in PAGES[1:] if page.stem not in ASKING], ids=lambda page: page.stem)
def test_headings_name_tasks_and_ask_nothing(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^#+ .*\?$", text, re.MULTILINE) == []
