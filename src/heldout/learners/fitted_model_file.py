"""A fitted model as a file for `joblib.load`."""

from __future__ import annotations

from pathlib import Path
from pickle import PicklingError
from typing import Any

from heldout.errors import UsageError


def write_model(model: Any, path: Path) -> None:
    """Write a fitted model in one step: a reader sees the old file or the new one, never half of it."""
    import joblib

    part = path.with_name(f".{path.name}.part")
    try:
        joblib.dump(model, part)
        part.replace(path)
    except OSError as problem:
        part.unlink(missing_ok=True)
        reason = problem.strerror or str(problem)
        raise UsageError(f"{path} cannot be written: {reason}", fix="choose a folder that may be written") from None
    except (PicklingError, AttributeError, TypeError) as problem:
        part.unlink(missing_ok=True)
        fix = "define its class and functions at the top of a module"
        raise UsageError(f"the model cannot be pickled: {problem}", fix=fix) from None
