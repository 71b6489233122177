"""Libraries that charts need and the package does not: named when they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from heldout.errors import UsageError

INSTALLED_BY = {
    "altair": "pip install 'heldout[charts]'",
    "vl_convert": "pip install 'heldout[charts]'",
    "matplotlib": "pip install matplotlib",
}


def needed(name: str) -> Any:
    """The library, or an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        shown = name.replace("vl_convert", "vl-convert-python")
        raise UsageError(f"charts need {shown}, which is not installed", fix=INSTALLED_BY[name]) from error
