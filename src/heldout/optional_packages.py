"""Packages that extras install. They are imported here only, so that a missing one is one sentence everywhere."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from heldout.errors import UsageError

OPTIONAL = {
    "PIL": ("Pillow", "'heldout[images]'"),
    "altair": ("altair", "'heldout[charts]'"),
    "cmaes": ("the package cmaes", "'heldout[search]'"),
    "dask": ("the package dask", "'heldout[dask]'"),
    "distributed": ("the package distributed", "'heldout[dask]'"),
    "duckdb": ("duckdb", "duckdb"),
    "joblib": ("joblib", "'heldout[learn]'"),
    "joblibspark": ("the package joblibspark", "'heldout[spark]'"),
    "matplotlib": ("matplotlib", "matplotlib"),
    "optuna": ("Optuna", "'heldout[search]'"),
    "pandas": ("pandas", "'heldout[pandas]'"),
    "polars": ("polars", "'heldout[polars]'"),
    "pyspark": ("the package pyspark", "'heldout[spark]'"),
    "ray": ("the package ray", "'heldout[ray]'"),
    "sacrebleu": ("the package sacrebleu", "'heldout[text]'"),
    "sklearn": ("scikit-learn", "'heldout[learn]'"),
    "torch": ("the package torch", "transformers torch"),
    "transformers": ("the package transformers", "transformers torch"),
    "vl_convert": ("vl-convert-python", "'heldout[charts]'"),
}
"""Package → what it is called in messages, and what `pip install` takes to get it."""


READ_THEIR_DOCSTRINGS = ("altair",)
"""Packages that cannot be imported under python -OO, which removes docstrings."""


def installed(package: str) -> bool:
    """Whether a package is there and can be used; it is not loaded.

    >>> installed("numpy")
    True
    """
    if package in READ_THEIR_DOCSTRINGS and sys.flags.optimize > 1:
        return False
    if package in sys.modules:
        return sys.modules[package] is not None
    return find_spec(package) is not None


def require(package: str, need: str, otherwise: str = "") -> None:
    """Refuse to go on without an optional package: "charts need altair, which is not installed", and the command.

    `need` is the beginning of the sentence, `otherwise` what to do instead of installing it.

    >>> require("altair", "charts need")
    """
    if installed(package):
        return
    name, target = OPTIONAL[package]
    if package in READ_THEIR_DOCSTRINGS and sys.flags.optimize > 1:
        raise UsageError(f"{need} {name}, which does not work under python -OO", fix="run Python without -OO")
    fix = f"pip install {target}"
    raise UsageError(f"{need} {name}, which is not installed", fix=f"{fix}, or {otherwise}" if otherwise else fix)


def needed(module: str, need: str, otherwise: str = "") -> Any:
    """A module of an optional package; see `require` for where it is missing.

    >>> needed("sklearn.base", "learners need").__name__
    'sklearn.base'
    """
    package = module.partition(".")[0]
    require(package, need, otherwise)
    try:
        return import_module(module)
    except ImportError as error:
        name, target = OPTIONAL[package]
        problem = " ".join(str(error).split())
        raise UsageError(
            f"{need} {name}, which is installed but cannot be imported: {problem}",
            fix=f"pip install --upgrade {target}",
        ) from error
