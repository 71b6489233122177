"""How Sphinx builds these pages. Tables of facts are written from the code before each build, so they cannot drift."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parents[1]))

import heldout
from docs import docstrings, facts, pictures, rates  # found only after the line above

project = "heldout"
author = "The heldout developers"
copyright = author
release = version = heldout.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_title = f"heldout {release}"
html_show_sourcelink = False
default_role = "code"
myst_heading_anchors = 3
autodoc_member_order = "alphabetical"
autodoc_typehints = "description"
autodoc_preserve_defaults = True


def write_facts(app: Sphinx) -> None:
    """Write docs/_generated, one file per table or picture, only where its text has changed."""
    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    cards = rates.read()
    shown, drawn = pictures.pages(cards, json.loads(facts.PEERS.read_text(encoding="utf-8")))
    tables = {**facts.pages(), **rates.pages(cards), **shown}
    files = {f"{name}.md": text for name, text in tables.items()} | {f"{name}.svg": svg for name, svg in drawn.items()}
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_facts)
    app.connect("autodoc-process-docstring", docstrings.as_plain_text)
