"""Candidates from a file: a table per candidate in candidates.toml, or a dict called candidates in candidates.py."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heldout.errors import UsageError
from heldout.selection.candidates import Candidate, candidates_named
from heldout.validation import learner_at

NAME = "candidates"
"""What the dict is called in a Python file."""
EXAMPLE = 'a table per candidate: [lr], learner = "sklearn.linear_model:LogisticRegression", [lr.grid], C = [0.1, 1]'


def candidates_in(path: str | Path) -> tuple[Candidate, ...]:
    """The candidates of a file: TOML, Python, or an import path `module:name` of such a dict."""
    text = str(path)
    if not text.endswith(".toml"):
        return _from_python(text)
    try:
        read = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise UsageError(f"{path} cannot be read: {reason}", code="H100", fix="check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UsageError(f"{path} is no TOML: {problem}", code="H100", fix=f"write {EXAMPLE}") from None
    loose = [name for name, one in read.items() if not isinstance(one, Mapping)]
    if loose:
        raise UsageError(f"{path} has {loose[0]!r} outside of any candidate", fix=f"write {EXAMPLE}")
    if not read:
        raise UsageError(f"{path} has no candidate", fix=f"write {EXAMPLE}")
    return _named(path, read)


def _named(path: str | Path, read: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The candidates, and where they are wrong the file's name before the sentence."""
    try:
        return candidates_named(read)
    except UsageError as problem:
        raise UsageError(f"{path}: {problem.message}", code=problem.code, fix=problem.fix) from problem


def _from_python(path: str) -> tuple[Candidate, ...]:
    if not path.endswith(".py") and ":" not in path:
        raise UsageError(f"{path} is no file of candidates", fix="give candidates.toml, candidates.py or module:name")
    found: Any = learner_at(f"{path}:{NAME}" if path.endswith(".py") else path)
    if not isinstance(found, Mapping):
        raise UsageError(
            f"{path} gives a {type(found).__name__}, not a dict of candidates",
            fix='write candidates = {"lr": (LogisticRegression(), {"C": [0.1, 1, 10]})}',
        )
    return _named(path, found)
