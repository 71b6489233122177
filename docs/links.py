"""Links that nobody writes: keys of sources, and names of functions and commands in code, lead to their entries."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from docs import command_reference, python_reference
from heldout import NAMESPACES

SOURCES = Path(__file__).parent / "sources.md"
NAME = r"([a-z]+\d\d[a-z]?)"
KEY = re.compile(rf"\[{NAME}\]")


def source_keys() -> set[str]:
    """The keys that docs/sources.md has."""
    return set(re.findall(rf"^\| {NAME} \|", SOURCES.read_text(encoding="utf-8"), re.MULTILINE))


def targets() -> dict[str, str]:
    """Words in code → the page that describes them."""
    functions = {name: f"_generated/{python_reference.FOLDER}/{name}" for name in python_reference.public()}
    spaces = {f"heldout.{name}": f"_generated/{python_reference.FOLDER}/heldout.{name}" for name in NAMESPACES}
    commands = {
        one.command_path: f"_generated/{command_reference.FOLDER}/{command_reference.name(one)}"
        for one in command_reference.contexts()
    }
    return functions | spaces | commands


def anchor_sources(app: Sphinx, doctree: nodes.document) -> None:
    """Give each line of the table of sources an anchor of its key."""
    if app.env.docname == "sources":
        for row in doctree.findall(nodes.row):
            first = row[0].astext()
            if re.fullmatch(NAME, first):
                row["ids"].append(first)


class Linked(SphinxPostTransform):
    """Turn keys and names into links, except in headings, links and code blocks."""

    default_priority = 400
    formats = ("html",)
    known: ClassVar[tuple[set[str], dict[str, str]] | None] = None

    def run(self, **_options: Any) -> None:
        if Linked.known is None:
            Linked.known = source_keys(), targets()
        sources, pages = Linked.known
        here = self.env.docname
        for text in list(self.document.findall(nodes.Text)):
            if KEY.search(text) and not inside(text, nodes.literal, nodes.literal_block, nodes.reference, nodes.title):
                split = enumerate(KEY.split(text))
                parts = [self.key(part, sources) if at % 2 else nodes.Text(part) for at, part in split if part]
                text.parent.replace(text, parts)
        for literal in list(self.document.findall(nodes.literal)):
            name = re.sub(r"\(.*", "", literal.astext(), flags=re.DOTALL)
            page = pages.get(name)
            if page and page != here and not inside(literal, nodes.reference, nodes.title, nodes.literal_block):
                link = nodes.reference("", "", literal.deepcopy(), refuri=self.address(page), internal=True)
                literal.parent.replace(literal, link)

    def key(self, key: str, known: set[str]) -> nodes.Node:
        if key not in known:
            return nodes.Text(f"[{key}]")
        return nodes.reference("", f"[{key}]", refuri=f"{self.address('sources')}#{key}", internal=True)

    def address(self, page: str) -> str:
        return self.app.builder.get_relative_uri(self.env.docname, page)


def inside(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    """Whether one of its ancestors is of these kinds."""
    parent = node.parent
    while parent is not None:
        if isinstance(parent, kinds):
            return True
        parent = parent.parent
    return False
