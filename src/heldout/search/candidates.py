"""What may be chosen: learners, with the values of their parameters that may be tried."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, isfinite, log
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from heldout.errors import UsageError, did_you_mean
from heldout.inputs.formats.json_text import nesting
from heldout.inputs.limits import NESTING
from heldout.learners import learner_at, learners_named
from heldout.optional_packages import needed

NAME = "candidates"
"""What the dict is called in a Python file."""
TOML_EXAMPLE = (
    'a table per candidate: [lr], learner = "sklearn.linear_model:LogisticRegression", [lr.grid], C = [0.1, 1]'
)


def candidates_in(path: str | Path) -> tuple[Candidate, ...]:
    """The candidates of a file: TOML, Python, or an import path `module:name` of such a dict."""
    text = str(path)
    if not text.endswith(".toml"):
        return _from_python(text)
    try:
        text = Path(path).read_text(encoding="utf-8")
        read = tomllib.loads(text)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise UsageError(f"{path} cannot be read: {reason}", code="H100", fix="check the path") from None
    except RecursionError:
        raise NESTING.exceeded(max(nesting(text.encode()), NESTING.most + 1), str(path)) from None
    except ValueError as problem:  # not TOML, not UTF-8, or a number of thousands of digits
        raise UsageError(f"{path} is not valid TOML: {problem}", code="H100", fix=f"write {TOML_EXAMPLE}") from None
    NESTING.check(_depth(read), str(path))
    loose = [name for name, one in read.items() if not isinstance(one, Mapping)]
    if loose:
        raise UsageError(f"{path} has {loose[0]!r} outside of any candidate", fix=f"write {TOML_EXAMPLE}")
    if not read:
        raise UsageError(f"{path} has no candidate", fix=f"write {TOML_EXAMPLE}")
    return _named(path, read)


def _depth(value: Any) -> int:
    """How many tables and lists are in each other."""
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, Mapping | list)]:
        level = [inner for one in level for inner in (one.values() if isinstance(one, Mapping) else one)]
        depth += 1
    return depth


def _named(path: str | Path, read: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The candidates, and where they are wrong the file's name before the sentence."""
    try:
        return candidates_named(read)
    except UsageError as problem:
        raise UsageError(f"{path}: {problem.message}", code=problem.code, fix=problem.fix) from problem


def _from_python(path: str) -> tuple[Candidate, ...]:
    if not path.endswith(".py") and ":" not in path:
        raise UsageError(
            f"{path} is not a file of candidates", fix="give candidates.toml, candidates.py or module:name"
        )
    found: Any = learner_at(f"{path}:{NAME}" if path.endswith(".py") else path)
    if not isinstance(found, Mapping):
        raise UsageError(
            f"{path} gives a {type(found).__name__}, not a dict of candidates",
            fix='write candidates = {"lr": (LogisticRegression(), {"C": [0.1, 1, 10]})}',
        )
    return _named(path, found)


PARTS = ("learner", "parameters", "grid", "complexity")
"""What a candidate may be described by."""
ENDS = ("low", "high", "log")
DIGITS = 4
"""Significant digits of a number drawn from a range: what is printed is what was tried."""
EXAMPLE = '{"lr": (LogisticRegression(), {"C": [0.1, 1, 10]})}'


@dataclass(frozen=True, kw_only=True)
class Range:
    """Numbers from one end to the other, all equally likely; with `log`, all orders of magnitude equally likely."""

    low: float
    high: float
    log: bool = False
    whole: bool = False
    """Whole numbers only, both ends among them."""

    def at(self, share: float) -> float:
        """The number so far from the low end to the high one: 0 is the low end, 1 the high one.

        >>> Range(low=0.01, high=100, log=True).at(0.5), Range(low=1, high=3, whole=True).at(0.99)
        (1.0, 3)
        """
        low, high = (self.low - 0.5, self.high + 0.5) if self.whole else (self.low, self.high)
        found = exp(log(low) + share * log(high / low)) if self.log else low + share * (high - low)
        if self.whole:
            return int(min(max(round(found), self.low), self.high))
        return rounded(found)

    def rvs(self, random_state: Any = None) -> float:
        """A number drawn at random, by the name that scikit-learn asks for."""
        return self.at(float(np.random.default_rng(random_state.randint(2**31)).random()))


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A learner and what may be tried of its parameters: values one by one, ranges, distributions."""

    name: str
    estimator: Any
    space: Mapping[str, Any] = field(default_factory=dict)
    """Parameter → a tuple of values, a range, or a distribution of scipy's."""
    complexity: float = 0


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """A candidate with its parameters set: one learner among those to choose from."""

    name: str
    candidate: str
    parameters: Mapping[str, Any]
    estimator: Any = field(repr=False)
    simplicity: tuple[float, float] = (0, 0)
    """Complexity of the candidate, then how late its values stand in their lists: less is simpler."""


def rounded(number: float) -> float:
    """A number to four significant digits.

    >>> rounded(0.051794746)
    0.05179
    """
    return float(f"{number:.{DIGITS}g}")


def candidates_named(given: Any) -> tuple[Candidate, ...]:
    """Candidates by name: a learner, a pair of a learner and its grid, or the parts of a candidates file.

    In a grid a list holds values, from simple to complex; {"low": 0.01, "high": 100, "log": True} is a range, and
    scipy's distributions are ranges too. Without a complexity candidates stand from simple to complex.

    >>> from sklearn.linear_model import LogisticRegression
    >>> (one,) = candidates_named({"lr": (LogisticRegression(), {"C": [0.1, 1]})})
    >>> one.name, dict(one.space)
    ('lr', {'C': (0.1, 1)})
    """
    if isinstance(given, str | Path):
        return candidates_in(given)
    if not isinstance(given, Mapping):
        given = learners_named(given)
    if not given:
        raise UsageError("there is no candidate", fix=f"give some by name, as in {EXAMPLE}")
    return tuple(_candidate(str(name), one, at) for at, (name, one) in enumerate(given.items(), 1))


def _candidate(name: str, given: Any, place: int) -> Candidate:
    if isinstance(given, Candidate):
        return given
    parts = _parts(name, given)
    (estimator,) = learners_named({name: parts["learner"]}).values()
    fixed, space = parts.get("parameters", {}), parts.get("grid", {})
    known = _known(name, estimator, [*fixed, *space])
    twice = sorted(set(fixed) & set(space))
    if twice:
        raise UsageError(f"{name} has {twice[0]} among its parameters and in its grid", fix="leave one of them out")
    for parameter in (*fixed, *space):
        if parameter not in known:
            raise UsageError(
                f"{name} has no parameter {parameter!r}{did_you_mean(parameter, known)}",
                fix=f"{type(estimator).__name__} has {_some(known)}",
            )
    return Candidate(
        name=name,
        estimator=with_parameters(estimator, fixed),
        space={parameter: _values(name, parameter, values) for parameter, values in space.items()},
        complexity=_complexity(name, parts.get("complexity", place)),
    )


def _parts(name: str, given: Any) -> Mapping[str, Any]:
    """A candidate by its parts, however it was given."""
    if isinstance(given, tuple | list):
        if len(given) != 2 or not isinstance(given[1], Mapping):
            raise UsageError(f"{name} is not a pair (learner, grid)", fix=f"write {EXAMPLE}")
        return {"learner": given[0], "grid": given[1]}
    if not isinstance(given, Mapping):
        return {"learner": given}
    for part in given:
        if part not in PARTS:
            hint = did_you_mean(str(part), PARTS)
            raise UsageError(f"{name} has an unknown key {part!r}{hint}", fix=f"the keys are {', '.join(PARTS)}")
    if "learner" not in given:
        fix = 'write learner = "sklearn.linear_model:LogisticRegression"'
        raise UsageError(f"{name} names no learner", fix=fix)
    for part in ("parameters", "grid"):
        if not isinstance(given.get(part, {}), Mapping):
            raise UsageError(f"{part} of {name} is not a table of parameters", fix=f"write [{name}.{part}], then C = …")
    return given


def _known(name: str, estimator: Any, wanted: Sequence[str]) -> list[str]:
    """The parameters that a learner has; refused where it has no way to set them."""
    if not wanted:
        return []
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        fix = "give get_params and set_params, or one candidate per setting"
        raise UsageError(f"{name} has no parameters that can be set by name, and {wanted[0]} is to be set", fix=fix)
    return list(estimator.get_params(deep=True))


def _some(known: Sequence[str]) -> str:
    """The first parameters by name, not those of their parts."""
    plain = [one for one in known if "__" not in one] or list(known)
    return ", ".join(plain[:8]) + (", …" if len(plain) > 8 else "")


def _values(name: str, parameter: str, given: Any) -> Any:
    """Values as a tuple, ends as a range, a distribution as it is."""
    if isinstance(given, Range) or hasattr(given, "rvs"):
        return given
    if isinstance(given, Mapping):
        return _range(f"{parameter} of {name}", given)
    if isinstance(given, str) or not hasattr(given, "__len__"):
        fix = f"write a list such as [{given!r}], or a range such as {{low = 0.01, high = 100}}"
        raise UsageError(f"{parameter} of {name} is {given!r}, which is neither a list of values nor a range", fix=fix)
    values = tuple(given.tolist() if isinstance(given, np.ndarray) else given)
    if not values:
        raise UsageError(f"{parameter} of {name} has no value to try", fix="give some, or leave the parameter out")
    return values


def _range(where: str, given: Mapping[str, Any]) -> Range:
    for end in given:
        if end not in ENDS:
            hint = did_you_mean(str(end), ENDS)
            raise UsageError(f"{where} has an unknown key {end!r}{hint}", fix="a range has low, high and log")
    low, high, logarithmic = given.get("low"), given.get("high"), given.get("log", False)
    if not all(isinstance(end, Real) and not isinstance(end, bool) and isfinite(end) for end in (low, high)):
        raise UsageError(f"{where} is a range from {low!r} to {high!r}", fix="give two numbers, low and high")
    if not isinstance(logarithmic, bool):
        raise UsageError(f"{where} has log = {logarithmic!r}", fix="write log = true or log = false")
    assert isinstance(low, Real)
    assert isinstance(high, Real)
    whole = isinstance(low, int) and isinstance(high, int)
    if low >= high or (logarithmic and low <= 0):
        room = "a range on a log scale starts above 0" if logarithmic and low <= 0 else "low must lie below high"
        raise UsageError(f"{where} is a range from {low} to {high}", fix=room)
    return Range(low=float(low), high=float(high), log=logarithmic, whole=whole)


def _complexity(name: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, Real) or not isfinite(given):
        fix = "give a number: the simpler of two has the lower one"
        raise UsageError(f"complexity of {name} is {given!r}", fix=fix)
    return float(given)


def with_parameters(estimator: Any, parameters: Mapping[str, Any]) -> Any:
    """A fresh copy of a learner with some parameters set; learners among the values are copied too."""
    if not parameters:
        return estimator
    clone = needed("sklearn.base", "learners need").clone
    return clone(estimator).set_params(**{name: clone(value, safe=False) for name, value in parameters.items()})


def configuration(candidate: Candidate, parameters: Mapping[str, Any]) -> Configuration:
    """A candidate with these parameters, under a name that tells it from all others.

    >>> from sklearn.linear_model import LogisticRegression
    >>> (one,) = candidates_named({"lr": (LogisticRegression(), {"C": [0.1, 1]})})
    >>> configuration(one, {"C": 0.1}).name
    'lr(C=0.1)'
    """
    told = {name: parameters[name] for name in candidate.space}
    late = [_place(value, candidate.space[name]) for name, value in told.items()]
    said = ", ".join(f"{name}={_said(value, place)}" for (name, value), place in zip(told.items(), late, strict=True))
    return Configuration(
        name=f"{candidate.name}({said})" if said else candidate.name,
        candidate=candidate.name,
        parameters=told,
        estimator=with_parameters(candidate.estimator, told),
        simplicity=(candidate.complexity, float(sum(late))),
    )


def _place(value: Any, values: Any) -> int:
    """Where a value stands in its list, counted from 0; 0 in a range, which has no order of this kind."""
    if not isinstance(values, tuple):
        return 0
    return next((at for at, one in enumerate(values) if one is value), 0)


def _said(value: Any, place: int) -> str:
    """A value in a name: numbers, words and short collections as they are; others by their class and place."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, str):
        return value
    plain = (type(None), bool, int, float, str)
    if isinstance(value, tuple | list) and all(isinstance(one, plain) for one in value):
        return repr(value).replace("'", "")
    return f"{getattr(value, '__name__', type(value).__name__)}#{place + 1}"
