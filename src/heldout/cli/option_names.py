"""Options and the arguments of Python that they are: values under their Python names, messages with option names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import click

from heldout.errors import PYTHON_NAMES, UsageError, with_options

NEGATED = {"no_stratify": "stratified", "no_checks": "checks", "unpaired": "paired", "class_agnostic": "by_class"}
"""Flags that turn off what an argument of Python turns on."""
SPEAKS = r"(?= (?:has|is|needs|names|says|means|cannot|and \S+ exclude)\b)"
"""What follows the argument that a message begins with; a plural verb follows a word of the sentence."""


def python_names(values: dict[str, Any], names: dict[str, str] | None = None) -> dict[str, Any]:
    """Options under their names in Python; --level and --alpha exclude each other."""
    if "level" in values and "alpha" in values:
        raise UsageError("--level and --alpha exclude each other", fix="give one of them")
    known = {**PYTHON_NAMES, **(names or {})}
    return {known.get(name, name): value for name, value in values.items()}


def in_options(parameters: Iterable[click.Parameter], text: str, *, bare: bool = True) -> str:
    """A message with options where it names arguments of Python that are options of this command, also `bare` ones.

    Names of one word may also be words of the sentence or columns of the user: they are replaced where only an
    argument can stand.

    >>> group = click.Option(["--group"])
    >>> in_options([group], "groups says how to read a pilot, but there is none; leave out groups")
    '--group says how to read a pilot, but there is none; leave out --group'
    """
    text = with_options(text)
    options = {one.name or "": _flag(one) for one in parameters if isinstance(one, click.Option)}
    others = {**PYTHON_NAMES, **NEGATED}
    in_python = {others[name]: flag for name, flag in reversed(options.items()) if name in others}
    for name, option in (in_python | options).items():
        # the value of --chart is a chart and a file, as in metrics=FILE
        given = rf"(?<!--chart )(?<![\w'\".-]){name}=(?P<quote>['\"]?)([^\s'\",;()]+)(?P=quote)"
        text = re.sub(given, rf"{option} \2", text)
        if bare:
            plain = rf"(?<=leave out ){name}\b|(?<=leave ){name}(?= out\b)|^{name}{SPEAKS}|(?<=and ){name}(?= exclude)"
            own = "_" in name and name in options  # y_pred is also what a column is called
            text = re.sub(rf"(?<![\w'\".(-]){name}(?![\w'\"(=.])" if own else plain, option, text)
    return text


def _flag(option: click.Option) -> str:
    """The option as it is typed: by the name of its argument where it has that one."""
    plain = f"--{(option.name or '').replace('_', '-')}"
    return plain if plain in option.opts else max(option.opts, key=len)
