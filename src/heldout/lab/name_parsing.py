"""A word such as `sine:noise=0.3` as what it stands for: a name, and the parameters that differ from their defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeVar

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


class Range(NamedTuple):
    """From where to where a parameter may go, and which ends belong to it."""

    low: float
    high: float
    closed: Literal["both", "low", "high", "neither"] = "both"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, int | float) or not self.low <= value <= self.high:
            return False
        shut = {self.low: self.closed in ("both", "low"), self.high: self.closed in ("both", "high")}
        return shut.get(value, True)

    def __str__(self) -> str:
        if self.closed == "neither":
            return f"between {self.low:,g} and {self.high:,g}"
        if self.closed == "high":
            return f"above {self.low:,g} and at most {self.high:,g}"
        return f"from {self.low:,g} to {'below ' if self.closed == 'low' else ''}{self.high:,g}"


def within(word: str, ranges: Mapping[str, Range], chosen: Mapping[str, Any]) -> None:
    """Refuse parameters of a simulation that are out of their range.

    >>> within("coin", {"icc": Range(0, 1, closed="low")}, {"icc": 0.3})
    """
    for name, allowed in ranges.items():
        if chosen[name] not in allowed:
            raise UsageError(
                f"{name} of the world {word!r} is {chosen[name]:g}, but must be {allowed}",
                fix=f"give {name} another value, or leave it out; heldout lab world lists the parameters",
            )


def spelled(name: str, **parameters: float) -> str:
    """The word for a name and its parameters.

    >>> spelled("sine", noise=0.3), spelled("constant")
    ('sine:noise=0.3', 'constant')
    """
    return name + ":" * bool(parameters) + ",".join(f"{key}={value:g}" for key, value in parameters.items())


def _number(text: str, default: Any, place: str) -> float:
    """A number, whole where its default is."""
    kind = int if isinstance(default, int) else float
    wanted = "a whole number" if kind is int else "a number"
    try:
        number = kind(text)
    except ValueError:
        raise UsageError(f"{place} is {text!r}, which is not {wanted}", fix=f"such as {default}") from None
    if not isfinite(number):
        raise UsageError(f"{place} is {text}, which is not a finite number", fix=f"such as {default}")
    return number
