"""A word such as `sine:noise=0.3` as what it stands for: a name, and the parameters that differ from their defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, TypeVar

from heldout.errors import UsageError, did_you_mean

Made = TypeVar("Made")


def meant(word: str, families: Mapping[str, Callable[..., Made]], what: str, *, also: str = "") -> Made:
    """What a word stands for: the family's maker called with the parameters after the colon.

    `also` is what else may be given, for the message about an unknown name.

    >>> meant("half:of=3", {"half": lambda of=1.0: of / 2}, "number")
    1.5
    """
    name, _, rest = word.partition(":")
    if name not in families:
        hint = did_you_mean(name, families)
        raise UsageError(f"no {what} is named {name!r}{hint}", fix=f"choose one of {', '.join(sorted(families))}{also}")
    known = {key: one.default for key, one in signature(families[name]).parameters.items()}
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, _, text = (piece.strip() for piece in part.partition("="))
        if key not in known:
            hint = did_you_mean(key, known)
            fix = f"choose of {', '.join(known)}" if known else f"write {name} alone"
            raise UsageError(f"the {what} {name} has no parameter {key!r}{hint}", fix=fix)
        if key in given:
            raise UsageError(f"the {what} {name} has the parameter {key!r} twice", fix=f"give {key}= once")
        given[key] = _number(text, known[key], f"{what} {word}: {key}")
    return families[name](**given)


def spelled(name: str, **parameters: float) -> str:
    """The word for a name and its parameters.

    >>> spelled("sine", noise=0.3), spelled("constant")
    ('sine:noise=0.3', 'constant')
    """
    return name + ":" * bool(parameters) + ",".join(f"{key}={value:g}" for key, value in parameters.items())


def _number(text: str, default: Any, place: str) -> float:
    """A number, whole where its default is."""
    kind = int if isinstance(default, int) else float
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise UsageError(f"{place} is {text!r}, which is not {wanted}", fix=f"such as {default}") from None
