"""Every keyword of a public function is in its signature and described in its docstring, in numpydoc's form."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest

import heldout

ROOMS = ("heldout", *(f"heldout.{space}" for space in heldout.NAMESPACES))
ENTRY = re.compile(r"^(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .+)?$")
HOOKS = {"charts", "content", "report_contents"}
"""Methods by which a kind of result tells the package what it is made of; users call what is derived from them."""
OLD_NAMES = {
    "level": "confidence_level", "confidence": "confidence_level", "seed": "random_state", "draws": "n_resamples",
    "n_draws": "n_resamples", "group": "groups", "jobs": "n_jobs", "scoring": "metrics", "learner": "model",
    "learners": "models", "systems": "models", "candidates": "models", "p_value": "pvalue",
}  # fmt: skip
"""One name per thing: what a parameter must not be called → what it is called."""


def public_things():
    """Every public function and class by its full name, as `help` shows it."""
    for room in ROOMS:
        module = import_module(room)
        for name in module.__all__:
            thing = inspect.unwrap(getattr(module, name))  # a cached function is a function
            if inspect.isfunction(thing) or inspect.isclass(thing):
                yield f"{room}.{name}", thing


def methods():
    """Every method that a public class defines or inherits from the package, by its full name."""
    for _, owner in public_things():
        for home in owner.__mro__ if inspect.isclass(owner) else ():
            for name, method in vars(home).items():
                if home.__module__.startswith("heldout") and not name.startswith("_") and inspect.isfunction(method):
                    yield f"{home.__module__}.{home.__qualname__}.{name}", method


FUNCTIONS = {name: thing for name, thing in public_things() if inspect.isfunction(thing)}
CLASSES = {name: thing for name, thing in public_things() if inspect.isclass(thing)}
METHODS = {name: method for name, method in methods() if name.rpartition(".")[2] not in HOOKS}
PUBLIC = FUNCTIONS | METHODS


def documentation(thing) -> str:
    return inspect.getdoc(thing) or ""


def section(thing, title: str) -> str:
    """The body of one section of a numpydoc docstring."""
    pattern = rf"^{title}\n-+\n(?P<body>.*?)(?=^\w[\w ]*\n-{{3,}}\n|\Z)"
    match = re.search(pattern, documentation(thing), re.MULTILINE | re.DOTALL)
    return match["body"] if match else ""


def described(function) -> set[str]:
    """The names under `Parameters`."""
    lines = (ENTRY.match(line) for line in section(function, "Parameters").splitlines())
    return {name.strip().lstrip("*") for line in lines if line for name in line["names"].split(",")}


def parameters(function) -> dict[str, inspect.Parameter]:
    return {name: one for name, one in inspect.signature(function).parameters.items() if name != "self"}


def test_there_are_public_functions_and_methods():
    assert len(FUNCTIONS) > 150
    assert len(METHODS) > 60
    assert "heldout.lab.world" in FUNCTIONS
    assert "heldout.verbs.result.Result.to_frame" in METHODS


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_described(name):
    missing = [one for one in parameters(PUBLIC[name]) if one not in described(PUBLIC[name])]
    assert not missing, f"{name}: no description of {', '.join(missing)}"
    gone = described(PUBLIC[name]) - set(parameters(PUBLIC[name]))
    assert not gone, f"{name}: {', '.join(sorted(gone))} is described, but is no parameter"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_has_a_type_and_a_default(name):
    function, body = FUNCTIONS[name], section(FUNCTIONS[name], "Parameters")
    entries = [line for line in body.splitlines() if line and not line.startswith(" ")]
    assert [line for line in entries if " : " not in line] == []
    optional = {one for one, known in parameters(function).items() if known.default is not inspect.Parameter.empty}
    for line in entries:
        names, _, kind = line.partition(" : ")
        if set(names.split(", ")) & optional:
            text = body[body.index(line) :].partition("\n")[2]
            until = re.search(r"^\S", text, re.MULTILINE)
            rest = text[: until.start()] if until else text
            assert "default" in kind or "optional" in kind or "default" in rest, f"{name}: the default of {names}"


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_returned_is_described(name):
    returns = inspect.signature(PUBLIC[name]).return_annotation
    one_line = name in METHODS and not parameters(PUBLIC[name])  # the line says what it gives
    assert documentation(PUBLIC[name])
    assert one_line or returns in (None, "None") or section(PUBLIC[name], "(Returns|Yields)"), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_an_example(name):
    assert ">>>" in section(FUNCTIONS[name], "Examples"), name


@pytest.mark.parametrize("name", [*PUBLIC, *CLASSES])
def test_the_first_line_is_a_sentence_of_its_own(name):
    first, _, rest = documentation((PUBLIC | CLASSES)[name]).partition("\n")
    assert first.endswith("."), name
    assert not rest or rest.startswith("\n"), name


@pytest.mark.parametrize("name", PUBLIC)
def test_no_keyword_is_hidden_behind_options(name):
    kinds = parameters(PUBLIC[name]).values()
    assert not [one.name for one in kinds if one.kind is inspect.Parameter.VAR_KEYWORD], name


@pytest.mark.parametrize("name", PUBLIC)
def test_one_name_per_thing(name):
    old = {one: OLD_NAMES[one] for one in parameters(PUBLIC[name]) if one in OLD_NAMES}
    assert old == {}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_closed_choices_are_literals(name):
    """What the docstring lists as {"a", "b"} a type checker knows too."""
    for line in section(FUNCTIONS[name], "Parameters").splitlines():
        names, _, kind = line.partition(" : ")
        if ENTRY.match(line) and kind.startswith("{"):
            for one in names.split(", "):
                annotation = str(parameters(FUNCTIONS[name])[one].annotation)
                assert annotation.partition(" | ")[0] not in ("str", "Any"), f"{name}: {one} is {annotation}"
