"""How Sphinx builds these pages. Tables of facts are written from the code before each build, so they cannot drift."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parents[1]))

import heldout
from docs import (  # found only after the line above
    chart_gallery,
    command_reference,
    docstrings,
    facts,
    links,
    pictures,
    python_reference,
    rates,
)

project = "heldout"
author = "The heldout developers"
copyright = author
release = version = heldout.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["_build", "_benchmarks", "_generated/*.md"]  # to be included; pages are in folders below
html_theme = "furo"
html_title = f"heldout {release}"
html_show_sourcelink = False
default_role = "code"
smartquotes = False  # a value such as 'auto' must be right when it is copied
html_static_path = ["_static"]
html_css_files = ["site.css"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autodoc_member_order = "alphabetical"
autodoc_typehints = "none"  # the docstring has the type of each parameter
autodoc_docstring_signature = False
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"


def write_facts(app: Sphinx) -> None:
    """Write docs/_generated, one file per table or picture, only where its text has changed."""
    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    cards = rates.read()
    shown, drawn = pictures.pages(cards, json.loads(facts.PEERS.read_text(encoding="utf-8")))
    tables = {**facts.pages(), **rates.pages(cards), **shown}
    files = {f"{name}.md": text for name, text in tables.items()} | {f"{name}.svg": svg for name, svg in drawn.items()}
    files |= python_reference.pages() | command_reference.pages() | {"gallery.md": chart_gallery.page()}
    for stale in {path for path in folder.rglob("*.*") if path.relative_to(folder).as_posix() not in files}:
        stale.unlink()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_facts)
    app.connect("autodoc-process-docstring", docstrings.as_plain_text, priority=100)  # before numpydoc
    app.connect("autodoc-process-signature", python_reference.without_constructor, priority=100)
    app.connect("doctree-read", links.anchor_sources)
    app.add_post_transform(links.Linked)
