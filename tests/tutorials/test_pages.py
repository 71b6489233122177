"""Every page of the documentation works with what it says to install: its blocks run where nothing else is.

A page names its extras in its first lines, `pip install 'heldout[learn,pandas]'`; those that name none need none. The
pages of the course are told by their first one.
"""

from __future__ import annotations

import re

import pytest

from tests.docs import page_blocks
from tests.docs.page_blocks import ROOT, blocks
from tests.docs.test_docs import PAGES
from tests.tutorials.environments import run

INSTALL = re.compile(r"pip install '?heldout(?:\[(?P<extras>[a-z,]+)\])?")
FIRST_LINES = 12


def extras_of(page):
    """The extras that a page names at its beginning, sorted."""
    begin = "\n".join(page.read_text(encoding="utf-8").splitlines()[:FIRST_LINES])
    named = INSTALL.search(begin)
    return ",".join(sorted((named["extras"] or "").split(","))) if named else ""


def runs(page):
    return any(block.language in ("python", "console") for block in blocks(page.read_text(encoding="utf-8")))


READ = [page for page in PAGES if page.name != "CONTRIBUTING.md" and page.parent.name != "course" and runs(page)]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.relative_to(ROOT).as_posix(), marks=pytest.mark.xdist_group(extras_of(page) or "none"))
     for page in READ],
)  # fmt: skip
def test_a_page_runs_with_the_extras_that_it_names(page, python_with, tmp_path):
    ended = run([python_with(extras_of(page)), "-I", page_blocks.__file__, page], tmp_path, OMP_NUM_THREADS="1")
    assert ended.returncode == 0, ended.stdout + ended.stderr
