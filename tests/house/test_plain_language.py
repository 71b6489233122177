"""Every text that a user reads says things in the standard terms of the field: see plain_words.py."""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import tokenize
from contextlib import redirect_stdout
from pathlib import Path

import click
import pytest

import heldout
from heldout.cli import verbs

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "heldout"
RECORDS = ("docs/decisions", "docs/changelog.md", "docs/_generated", "docs/_build")
"""Pages that record what was said at the time, or are written from texts that are tested here."""
NAMES = {"lab*", "draw"}
"""Names that `explain` answers to, because earlier versions printed them."""


def _plain_words() -> dict[str, tuple[str, ...]]:
    """The list beside this file; tests are no package."""
    found = importlib.util.spec_from_file_location("plain_words", Path(__file__).with_name("plain_words.py"))
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.INSTEAD


PATTERNS = [(re.compile(one, re.IGNORECASE), instead) for instead, several in _plain_words().items() for one in several]


def private_words(text: str) -> list[str]:
    """Each private wording in a text, with what to write instead."""
    plain = " ".join(text.split())
    return [
        f"{plain[max(0, match.start() - 40) : match.end() + 30]!r}: write {instead}"
        for pattern, instead in PATTERNS
        for match in pattern.finditer(plain)
    ]


def commands(group: click.Command = verbs, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command and subcommand, as its words on the command line."""
    if not isinstance(group, click.Group):
        return [path]
    context = click.Context(group, info_name="heldout")
    return [path, *(one for name in group.list_commands(context)
                    for one in commands(group.get_command(context, name), (*path, name)))]  # fmt: skip


def texts_of_module(path: Path) -> list[str]:
    """All string literals, docstrings included, with … where an f-string has a value; and all comments."""
    source = path.read_text()
    inner, texts = set(), []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(one) for one in ast.walk(node) if one is not node}
            texts.append("".join(one.value if isinstance(one, ast.Constant) else "…" for one in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            texts += [] if NAMES & set(node.value.split(" | ")) else [node.value]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return texts + [one.string for one in tokens if one.type == tokenize.COMMENT]


def prose(page: str) -> str:
    """A page of Markdown without code: what its commands print is tested elsewhere."""
    return re.sub(r"`[^`\n]*`", "`…`", re.sub(r"^ *(`{3,}|~{3,}).*?^ *\1 *$", "", page, flags=re.MULTILINE | re.DOTALL))


def pages() -> list[str]:
    """README, CONTRIBUTING and the documentation, but for records."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = [one.relative_to(ROOT).as_posix() for one in found]
    return [name for name in names if not name.startswith(RECORDS)]


@pytest.mark.parametrize("words", commands(), ids=lambda words: " ".join(words) or "heldout")
def test_the_help_of_every_command_is_plain(words):
    shown = io.StringIO()
    with redirect_stdout(shown), pytest.raises(SystemExit):
        verbs.main([*words, "--help"])
    assert private_words(shown.getvalue()) == []


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_messages_notes_labels_docstrings_and_comments_are_plain(path):
    assert [said for text in texts_of_module(path) for said in private_words(text)] == []


def test_the_report_and_the_schemas_are_plain():
    files = [*(SOURCE / "report" / "html_report" / "assets").iterdir(), SOURCE / "report" / "schemas.json"]
    assert len(files) == 4
    assert {file.name: said for file in files if (said := private_words(file.read_text()))} == {}


def test_what_explain_prints_is_plain():
    kinds = ("metrics", "methods", "codes", "words")
    names = [name.strip() for kind in kinds for name in heldout.explain(kind).split("\n", 1)[1].split(",")]
    names += [name.strip() for name in heldout.explain("tests").split("\n", 1)[1].split(";")]
    assert len(names) > 300
    assert {name: said for name in names if (said := private_words(heldout.explain(" ".join(name.split()))))} == {}


@pytest.mark.parametrize("page", pages())
def test_the_documentation_is_plain(page):
    assert private_words(prose((ROOT / page).read_text())) == []


def test_private_words_are_found_and_ordinary_ones_are_not():
    found = private_words("This is no\nprobability, in 2,000 draws the interval held the truth.")
    assert [said.rpartition(": write ")[2] for said in found] == [
        "contains the true value; coverage", "resamples (bootstrap, permutation)", "must be …; is not a …",
    ]  # fmt: skip
    assert private_words("Draw a chart; a page of the documentation; there is no file; it is no longer held out.") == []
