"""A fitted model as a file for `joblib.load`."""

from __future__ import annotations

from pathlib import Path
from pickle import PicklingError
from typing import Any

from heldout.errors import UsageError
from heldout.file_writing import new_content
from heldout.optional_packages import needed


def write_model(model: Any, path: Path) -> None:
    """Write a fitted model."""
    joblib = needed("joblib", "files of models need")

    try:
        with new_content(path) as place:
            joblib.dump(model, place)
    except (PicklingError, AttributeError, TypeError) as problem:
        fix = "define its class and functions at the top of a module"
        raise UsageError(f"the model cannot be pickled: {problem}", fix=fix) from None
