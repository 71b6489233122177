"""Pages of the Python reference, one per public function or class, and the overview that lists them by task."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from sphinx.pycode import ModuleAnalyzer

import heldout
from docs.docstrings import escaped
from docs.result_fields import FIELDS, INTERNAL

FOLDER = "python"
TASKS = {
    "Evaluate predictions": (
        "evaluate", "evaluate_counts", "evaluate_confusion", "evaluate_class_counts", "choose_threshold", "define",
        "Evaluation", "Estimate", "ChosenThreshold", "ComparisonWarning",
    ),
    "Compare models": (
        "compare", "compare_fold_scores", "compare_across_sets", "Comparison", "Difference", "FoldComparison",
        "Ranking",
    ),
    "Cross-validate learners and choose a model": (
        "validate", "select", "learning_curve", "choose_folds", "split", "Validation", "Selection", "LearningCurve",
        "FoldsChoice", "RowSplit",
    ),
    "Evaluate detections, masks and texts": (
        "detect", "detect_ranked", "masks", "text", "box_iou", "ImageEvaluation", "DetectionEvaluation",
        "MaskEvaluation", "TextEvaluation",
    ),
    "Decide in CI": ("gate", "Gate"),
    "Results and look-up": ("Result", "Plan", "TextbookTest", "explain", "schema", "demo"),
    "Errors": ("HeldoutError", "UsageError", "DataError", "EngineError"),
}  # fmt: skip
"""Task → the names at the top of the package that serve it."""
SPACES = {
    "metrics": "Single metrics by scikit-learn's names",
    "curves": "Curves with confidence bands",
    "plan": "Sample size and power",
    "test": "Textbook tests",
    "stats": "Tests, p-values and confidence intervals of numbers",
    "testing": "Assertions for test suites",
    "charts": "Charts",
    "lab": "Simulations",
}
"""Namespace → its heading."""
HOOKS = {"charts", "content", "report_contents", "kind"}
"""Methods by which a kind of result tells the package what it is made of."""


def public() -> dict[str, Any]:
    """Full name → public function or class; one that two modules offer has the shorter name."""
    rooms = ("heldout", *(f"heldout.{space}" for space in SPACES))
    found: dict[str, Any] = {}
    for room in rooms:
        module = import_module(room)
        for name in module.__all__:
            thing = getattr(module, name)
            is_new = not any(thing is known for known in found.values())
            if is_new and callable(thing) and not inspect.ismodule(thing):
                found[f"{room}.{name}"] = thing
    return found


def pages() -> dict[str, str]:
    """File name → text: a page per name, a page per namespace, and the overview."""
    things = public()
    found = {f"{FOLDER}/{name}.rst": page(name, thing) for name, thing in things.items()}
    for space in SPACES:
        found[f"{FOLDER}/heldout.{space}.rst"] = namespace_page(f"heldout.{space}", things)
    found["python-overview.md"] = overview(things)
    return found


def overview(things: dict[str, Any]) -> str:
    """Every public name with its line: those at the top by task, then the namespaces."""
    parts = []
    for task, names in TASKS.items():
        lines = [overview_line(f"heldout.{name}", things[f"heldout.{name}"]) for name in names]
        parts.append(f"## {task}\n\n{table(lines)}\n" + toctree([f"heldout.{name}" for name in names]))
    for space, title in SPACES.items():
        lines = [overview_line(name, things[name]) for name in within(f"heldout.{space}", things)]
        parts.append(
            f"## {title}\n\nModule [`heldout.{space}`](_generated/{FOLDER}/heldout.{space}.rst).\n\n{table(lines)}\n"
            + toctree([f"heldout.{space}"])
        )
    return "\n".join(parts)


def table(lines: list[str]) -> str:
    return "\n".join(["| name | what it does |", "|---|---|", *lines]) + "\n"


def toctree(names: list[str]) -> str:
    listed = "\n".join(f"{name.partition('.')[2]} <_generated/{FOLDER}/{name}>" for name in names)
    return f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def overview_line(name: str, thing: Any) -> str:
    summary = first_line(thing).replace("|", "\\|").replace("*", "\\*")
    return f"| [`{name}`](_generated/{FOLDER}/{name}.rst) | {summary} |"


def within(space: str, things: dict[str, Any]) -> list[str]:
    """Names of a namespace, functions before classes."""
    names = [name for name in things if name.rpartition(".")[0] == space]
    return sorted(names, key=lambda name: (inspect.isclass(things[name]), name))


def namespace_page(space: str, things: dict[str, Any]) -> str:
    """What a module is for, and its names with a line each."""
    names = within(space, things)
    rows = "".join(f"   * - :py:obj:`~{name}`\n     - {escaped(first_line(things[name]))}\n" for name in names)
    head = f"{space}\n{'=' * len(space)}\n\n{escaped(first_line(import_module(space)))}\n\n"
    return head + f".. list-table::\n   :widths: 35 65\n\n{rows}"


def page(name: str, thing: Any) -> str:
    """The page of one function or class; autodoc fills it from the docstring."""
    room = name.rpartition(".")[0]
    # 200 names in the side bar of 300 pages would help nobody and take most of the time of a build
    above = "" if room == "heldout" else f":orphan:\n\n:doc:`Python API </api>` / :doc:`{room} <{room}>`\n\n"
    head = f"{above}{name}\n{'=' * len(name)}\n\n.. currentmodule:: {room}\n\n"
    if not inspect.isclass(thing):
        return f"{head}.. autofunction:: {name}\n"
    kind = "exception" if issubclass(thing, Exception) else "class"
    members = methods(thing)
    listed = f"   :members: {', '.join(members)}\n" if members else ""
    return f"{head}.. auto{kind}:: {name}\n{listed}\n{attributes(thing)}{shared(thing)}"


def methods(owner: type) -> list[str]:
    """Public methods and properties of a class; those that all results share stand on the page of `Result`."""
    homes = [home for home in owner.__mro__ if home.__module__.startswith("heldout")]
    if heldout.Result in homes and owner is not heldout.Result:
        homes = homes[: homes.index(heldout.Result)]
    found = {
        name: None
        for home in homes
        for name, thing in vars(home).items()
        if not name.startswith("_") and name not in HOOKS and described(thing)
    }
    return sorted(found)


def described(thing: Any) -> bool:
    """Whether it is a method or a property with a docstring."""
    made = isinstance(thing, property | classmethod | staticmethod) or inspect.isfunction(thing)
    return made and bool(inspect.getdoc(thing))


def attributes(owner: type) -> str:
    """The fields of a dataclass, with types and descriptions."""
    if not dataclasses.is_dataclass(owner):
        return ""
    told = {name: text for home in reversed(owner.__mro__) for name, text in field_texts(home)}
    lines = []
    for one in dataclasses.fields(owner):
        if not one.name.startswith("_") and one.name not in INTERNAL:
            here = f"{owner.__name__}.{one.name}"
            text = told.get(one.name) or FIELDS.get(here) or FIELDS.get(one.name, "")
            lines.append(f"**{escaped(one.name)}** : {escaped(str(one.type))}\n    {escaped(text) or '–'}\n")
    return ".. rubric:: Attributes\n\n" + "\n".join(lines) + "\n" if lines else ""


def field_texts(home: type) -> Iterator[tuple[str, str]]:
    """The texts that stand below the fields of a class."""
    if home.__module__.startswith("heldout"):
        found = ModuleAnalyzer.for_module(home.__module__).find_attr_docs()
        for (owner, name), lines in found.items():
            if owner == home.__qualname__:
                yield name, " ".join(lines).strip()


def shared(owner: type) -> str:
    """Where the methods of all results are described."""
    if not issubclass(owner, heldout.Result) or owner is heldout.Result:
        return ""
    return "Every result also has the methods of :py:class:`heldout.Result`: tables, JSON, reports and charts.\n"


def first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def without_constructor(
    _app: object, what: str, _name: str, _obj: object, _options: object, signature: str | None, _returns: object
) -> tuple[str, None] | None:
    """Classes are what functions return: how they are made is no part of the page."""
    return ("", None) if what in {"class", "exception"} and signature is not None else None
