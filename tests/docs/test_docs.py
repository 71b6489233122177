"""Every code block in the documentation runs, page by page, in an empty folder.

Pictures that a page draws and shows must be as they are drawn today; `make course-pictures` draws them again.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.page_blocks import ROOT, blocks, commands, run_page, run_python

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if not {"_build", "_generated"} & set(p.parts)),
]


def pictures(page: Path) -> list[Path]:
    """Pictures on a page that its own blocks draw: those in images/course."""
    linked = re.findall(r"^!\[[^\]]*\]\((\S+)\)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [page.parent / link for link in linked if "/images/course/" in link]


NUMBER = re.compile(r"[-−]?\d+\.?\d*(?:e[-+]?\d+)?")


def content(svg: str) -> tuple[str, list[float]]:
    """What an SVG shows: its words and shapes without numbers, and the numbers. Fonts change neither."""
    shown = "\n".join(re.findall(r' (?:aria-label|d)="[^"]*"|>[^<]+<', svg))
    return NUMBER.sub("#", shown), [float(number.replace("−", "-")) for number in NUMBER.findall(shown)]


def agree(kept: Path, drawn: Path) -> bool:
    """Whether a picture shows what is drawn today; of a PNG, only that it is drawn."""
    if kept.suffix == ".png":
        return True
    (words, numbers), (words_now, numbers_now) = (content(path.read_text(encoding="utf-8")) for path in (kept, drawn))
    return words == words_now and numbers == pytest.approx(numbers_now, rel=1e-3, abs=0.1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)
    stale = [kept.name for kept in pictures(page) if not agree(kept, tmp_path / kept.name)]
    assert stale == [], "draw them again with `make course-pictures`, and look at them"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_fence_is_closed_and_has_a_language(page):
    fences = re.findall(r"^```.*$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(fences) % 2 == 0
    assert all(fence != "```" for fence in fences[::2])
    assert all(fence == "```" for fence in fences[1::2])


def test_the_first_screen_of_the_readme_says_what_it_is_shows_it_and_installs_it():
    screen = "\n".join(PAGES[0].read_text(encoding="utf-8").splitlines()[:40])
    for part in (
        "confidence intervals and significance tests",
        "](docs/images/",
        "$ pip install heldout",
        "heldout.compare(",
    ):
        assert part in screen


def test_the_tutorials_show_code():
    tutorials = [page for page in PAGES if page.parent.name == "tutorials"]
    assert len(tutorials) >= 2
    for page in tutorials:
        languages = {block.language for block in blocks(page.read_text(encoding="utf-8"))}
        assert {"python", "console"} & languages, page.name


def test_a_wrong_block_is_found():
    code = "text\n```python\nx = 1\n```\n\n```python\n>>> x\n2\n```\n"
    page = code + "<!-- exit: 2 -->\n```console\n$ ls\n$ heldout a\nb\n```\n"
    first, second, third = blocks(page)
    names: dict[str, object] = {}
    run_python(first, names, "page")
    with pytest.raises(AssertionError, match=r"page:7: x\nwanted:\n2\ngot:\n1"):
        run_python(second, names, "page")
    assert (third.exit, commands(third.text)) == (2, [("ls", ""), ("heldout a", "b\n")])


def test_a_picture_that_shows_something_else_is_stale(tmp_path):
    svg = '<svg width="{}"><clipPath id="clip{}"/><path aria-label="share: {}" d="M0,{}h5"/><text>Joint</text></svg>'
    kept, drawn = tmp_path / "kept.svg", tmp_path / "drawn.svg"
    kept.write_text(svg.format(700, 1, 0.3, 12), encoding="utf-8")
    for width, share, height, same in ((710, 0.3, 12, True), (700, 0.5, 12, False), (700, 0.3, 30, False)):
        drawn.write_text(svg.format(width, 7, share, height), encoding="utf-8")
        assert agree(kept, drawn) is same
