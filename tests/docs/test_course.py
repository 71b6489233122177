"""Every page of the course has exercises with solutions and ends with a table of questions and commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from heldout.cli import verbs
from tests.docs.page_blocks import blocks, commands
from tests.docs.test_docs import pictures

COURSE = Path(__file__).parents[2] / "docs" / "course"
PAGES = sorted(page for page in COURSE.glob("*.md") if page.name != "index.md")
PICTURES = COURSE.parent / "images" / "course"
HEAD = "## Question and command\n\n| question | command |\n|---|---|\n"
OPENS, CLOSES = "<details><summary>Solution</summary>\n\n", "\n\n</details>\n"


def faults(page: str) -> list[str]:
    """What a page of the course lacks."""
    found = []
    if "\n## Exercises\n" not in page:
        found.append("no exercises")
    exercises = re.findall(r"^\*\*Exercise (\d+)\.\*\* ", page, re.MULTILINE)
    if not 2 <= len(exercises) <= 4 or exercises != [str(at + 1) for at in range(len(exercises))]:
        found.append(f"exercises numbered {exercises}, not 1 to 2, 3 or 4")
    if not len(exercises) == page.count(OPENS) == page.count(CLOSES) == page.count("<details>"):
        found.append("not one hidden solution for each exercise")
    solutions = [part.partition(CLOSES)[0] for part in page.split(OPENS)[1:]]
    if not all(blocks(solution) for solution in solutions):
        found.append("a solution that runs nothing")
    if "\n## Common slips\n" not in page:
        found.append("no common slips")
    if not {"console", "python"} <= {block.language for block in blocks(page)}:
        found.append("no command, or no Python")
    if len(listed(page)) < 5 or re.search("^(?!\\|)", page.partition(HEAD)[2].strip(), re.MULTILINE):
        found.append("does not end with a table of questions and commands")
    return found


def undrawn(text: str) -> list[str]:
    """Pictures that no command or line of Python of the page writes."""
    code = "".join(block.text for block in blocks(text))
    links = re.findall(r"\]\(\.\./images/course/(\S+)\)", text)
    return [name for name in links if not re.search(rf'[="]{re.escape(name)}\b', code)]


def listed(page: str) -> list[str]:
    """The commands of the table at the end."""
    lines = page.partition(HEAD)[2].splitlines()
    return [command for line in lines for command in re.findall(r"^\| [^|]+ \| `([^`|]+)` \|$", line)]


def unknown(line: str) -> list[str]:
    """Verbs and options of a command that the command line does not have."""
    _, *words = shlex.split(line)
    command: click.Command | None = verbs
    while isinstance(command, click.Group):
        name = words.pop(0)
        command = command.get_command(click.Context(command), name)
    if command is None:
        return [name]
    options = {name for option in command.params for name in option.opts}
    return [word for word in words if word.startswith("--") and word not in options]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_exercises_solutions_and_a_table(page):
    assert faults(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_the_table_exist(page):
    lines = listed(page.read_text(encoding="utf-8"))
    assert {line: unknown(line) for line in lines if unknown(line)} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_can_be_pasted_into_a_shell(page):
    text = page.read_text(encoding="utf-8")
    run = [command for block in blocks(text) if block.language == "console" for command, _ in commands(block.text)]
    for line in [*run, *listed(text)]:
        assert not {*shlex.shlex(line, posix=True, punctuation_chars=True)} & set("()<>|&;"), line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_draws_the_pictures_that_it_shows(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("](../images/course/") == len(pictures(page)) >= 1
    assert undrawn(text) == []
    assert [kept.name for kept in pictures(page) if not kept.exists()] == []
    assert re.findall(r"!\[(?:.{0,30}|[^\]]*[^.])\]", text) == [], "alt text says in a sentence what is to be seen"


def test_every_picture_is_small_and_on_one_page():
    shown = sorted(kept.name for page in PAGES for kept in pictures(page))
    kept = sorted(PICTURES.iterdir())
    assert shown == [path.name for path in kept]
    assert {path.name: path.stat().st_size for path in kept if path.stat().st_size > 200_000} == {}


def test_the_index_has_a_line_for_every_page_in_order():
    index = (COURSE / "index.md").read_text(encoding="utf-8")
    assert len(PAGES) == 13
    rows = re.findall(r"^\| \[(\d+)\]\((\S+)\) \| ", index, re.MULTILINE)
    assert rows == [(str(at + 1), page.name) for at, page in enumerate(PAGES)]
    assert [line for line in index.splitlines() if re.match(r"\d\d-", line)] == [page.stem for page in PAGES]


def test_what_a_page_lacks_is_found():
    page = PAGES[0].read_text(encoding="utf-8")
    assert faults(page.replace("## Exercises", "## Tasks")) == ["no exercises"]
    assert faults(page.replace(OPENS, "", 1)) == ["not one hidden solution for each exercise"]
    assert faults(page.replace("**Exercise 1.** ", "", 1))[0].startswith("exercises numbered ['2', '3']")
    assert faults(page.partition(HEAD)[0]) == ["does not end with a table of questions and commands"]
    assert faults(page + "\nMore text.\n") == ["does not end with a table of questions and commands"]
    assert unknown("heldout evaluate a.csv --wrongly 3") == ["--wrongly"]
    assert unknown("heldout lab nothing") == ["nothing"]
