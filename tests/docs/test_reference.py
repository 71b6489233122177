"""The reference of the site: a page for every public name and every command, with everything on it described."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import click
import pytest
from numpydoc.docscrape import FunctionDoc

import heldout
from docs import chart_gallery, command_reference, links, python_reference
from heldout.charts.plot import VIEWS
from tests.docs.test_course import unknown

PAGES = python_reference.pages()
COMMANDS = command_reference.pages()
CONTEXTS = {one.command_path: one for one in command_reference.contexts()}
PUBLIC = python_reference.public()
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if not inspect.isclass(thing)}


def test_every_public_name_has_its_page_and_a_line_in_the_overview():
    rooms = ("heldout", *(f"heldout.{space}" for space in heldout.NAMESPACES))
    things = [getattr(import_module(room), name) for room in rooms for name in import_module(room).__all__]
    functions = [thing for thing in things if callable(thing)]
    assert [thing for thing in functions if not any(thing is known for known in PUBLIC.values())] == []
    assert [name for name in PUBLIC if f"python/{name}.rst" not in PAGES] == []
    overview = PAGES["python-overview.md"]
    assert [name for name in PUBLIC if f"[`{name}`](_generated/python/{name}.rst) | " not in overview] == []


def test_every_name_at_the_top_has_a_task():
    listed = [name for names in python_reference.TASKS.values() for name in names]
    assert sorted([*listed, *heldout.NAMESPACES, "__version__"]) == heldout.__all__
    assert sorted(python_reference.SPACES) == sorted(heldout.NAMESPACES)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_described_as_numpydoc_reads_it(name):
    function = inspect.unwrap(FUNCTIONS[name])
    entries = {one: entry for entry in FunctionDoc(function)["Parameters"] for one in re.split(", *", entry.name)}
    for parameter in inspect.signature(function).parameters:
        entry = entries.get(parameter) or entries.get(f"*{parameter}")
        assert entry is not None, parameter
        assert entry.type, parameter
        assert " ".join(entry.desc).strip(), parameter


def test_no_private_field_and_no_constructor_is_shown():
    shown = [text for name, text in PAGES.items() if name.endswith(".rst")]
    assert [text for text in shown if re.search(r"^\*\*_", text, re.MULTILINE)] == []
    assert python_reference.without_constructor(None, "class", "", None, None, "(_facts)", None) == ("", None)
    assert python_reference.without_constructor(None, "function", "", None, None, "(a)", None) is None


def test_every_field_of_a_result_is_described():
    empty = re.compile(r"^\*\*(\w+)\*\* : .*\n    –$", re.MULTILINE)
    assert {name: empty.findall(text) for name, text in PAGES.items() if empty.search(text)} == {}


@pytest.mark.parametrize("path", CONTEXTS)
def test_every_option_of_every_command_has_its_anchor(path):
    page = COMMANDS[f"commands/{path.replace(' ', '-')}.md"]
    every = [one for one in CONTEXTS[path].command.get_params(CONTEXTS[path]) if isinstance(one, click.Option)]
    options = [one for one in every if not one.hidden]
    assert options
    for option in options:
        for name in (*option.opts, *option.secondary_opts):
            assert f'<a id="option-{name.lstrip("-")}"></a>' in page, name
            assert f"`{name}" in page or f", {name}" in page, name
    for example in getattr(CONTEXTS[path].command, "examples", ()):
        assert f"$ {example}\n" in page


def test_every_command_is_in_the_overview():
    overview = COMMANDS["command-overview.md"]
    assert len(CONTEXTS) > 40
    linked = {path: f"[`{path}`](_generated/commands/{path.replace(' ', '-')}.md)" for path in CONTEXTS}
    assert [path for path, link in linked.items() if link not in overview] == []


def test_defaults_stand_in_their_column():
    page = COMMANDS["commands/heldout-evaluate.md"]
    assert "| 0.95 | Confidence level. |" in page
    assert "[default" not in page


def test_every_chart_is_in_the_gallery_with_a_small_picture():
    assert sorted(chart_gallery.GALLERY) == sorted(VIEWS)
    pictures = {path.stem: path.stat().st_size for path in chart_gallery.IMAGES.iterdir()}
    assert sorted(pictures) == sorted(VIEWS), "draw them with `make chart-pictures`, and look at them"
    assert {name: size for name, size in pictures.items() if size > 40_000} == {}
    assert sum(pictures.values()) < 800_000


@pytest.mark.parametrize("chart", chart_gallery.GALLERY)
def test_commands_of_the_gallery_exist(chart):
    assert unknown(f"{chart_gallery.GALLERY[chart]} --chart {chart}.svg") == []


def test_a_chart_is_drawn_by_its_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chart_gallery.inputs()
    assert chart_gallery.draw("confusion", chart_gallery.GALLERY["confusion"]).startswith(b"\x89PNG")


def test_keys_of_sources_and_public_names_have_targets():
    assert "wilson27" in links.source_keys()
    targets = links.targets()
    assert targets["heldout.evaluate"] == "_generated/python/heldout.evaluate"
    assert targets["heldout plan interval"] == "_generated/commands/heldout-plan-interval"
