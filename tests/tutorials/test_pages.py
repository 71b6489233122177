"""Every page of the documentation works with what it says to install: its blocks run where nothing else is.

A page says in its first lines what to install, as in `pip install 'heldout[learn,pandas]'`; one that does not needs
heldout alone. The pages of the course take all extras, which is what `make test` has.
"""

from __future__ import annotations

import re
import shlex

import pytest

from tests.docs import page_blocks
from tests.docs.page_blocks import ROOT, blocks
from tests.docs.test_docs import PAGES
from tests.tutorials.environments import run

INSTALL = re.compile(r"pip install (?P<targets>'?heldout[^`\n]*)")
FIRST_LINES = 12


def installed_for(page):
    """What a page tells at its beginning to install, in one order: ("heldout[charts]", "matplotlib")."""
    begin = "\n".join(page.read_text(encoding="utf-8").splitlines()[:FIRST_LINES])
    named = INSTALL.search(begin)
    first, *others = shlex.split(named["targets"]) if named else ["heldout"]
    extras = ",".join(sorted(re.findall(r"\w+", first.removeprefix("heldout"))))
    return (f"heldout[{extras}]" if extras else "heldout", *sorted(others))


def runs(page):
    return any(block.language in ("python", "console") for block in blocks(page.read_text(encoding="utf-8")))


READ = [page for page in PAGES if page.name != "CONTRIBUTING.md" and page.parent.name != "course" and runs(page)]


@pytest.mark.parametrize("page", [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in READ])
def test_a_page_runs_with_what_it_says_to_install(page, python_with, tmp_path):
    ended = run([python_with(*installed_for(page)), "-I", page_blocks.__file__, page], tmp_path, OMP_NUM_THREADS="1")
    assert ended.returncode == 0, ended.stdout + ended.stderr
