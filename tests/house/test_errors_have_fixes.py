"""Every error of the package says what to do about it."""

from __future__ import annotations

import ast
from pathlib import Path

import heldout

ERRORS = ("HeldoutError", "UsageError", "DataError", "EngineError")


def test_every_error_has_a_fix():
    package = Path(heldout.__file__).parent
    bare = []
    for path in sorted(package.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ERRORS
            if named and not any(keyword.arg in ("fix", None) for keyword in call.keywords):
                bare.append(f"{path.relative_to(package)}:{call.lineno}")
    assert bare == []
