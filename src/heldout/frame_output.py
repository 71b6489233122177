"""Columns as a frame of pandas, polars or pyarrow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from heldout.batch import Backend
from heldout.errors import UsageError, did_you_mean
from heldout.optional_packages import installed, require

BACKENDS: tuple[Backend, ...] = get_args(Backend)
"""In the order of preference; the last is always there."""


def frame_of(columns: Mapping[str, Any], backend: Backend | None = None) -> Any:
    """Columns of equal length as a frame: of pandas, else of polars, else a pyarrow table, unless one is named.

    >>> frame_of({"metric": ["mae"], "value": [0.5]}, "pyarrow").column_names
    ['metric', 'value']
    """
    import narwhals as nw

    if backend is not None and backend not in BACKENDS:
        hint = did_you_mean(str(backend), BACKENDS)
        raise UsageError(f"no frame is named {backend!r}{hint}", fix=f"choose one of {', '.join(BACKENDS)}")
    there = [name for name in BACKENDS if installed(name)]
    backend = backend or there[0]
    if backend != "pyarrow":
        require(backend, f"a frame of {backend} needs", "leave out backend, which gives a frame of what is installed")
    unicode = {_unicode(name): _column(values) for name, values in columns.items()}
    return nw.from_dict(unicode, backend=backend).to_native()


def _unicode(value: Any) -> Any:
    """A text with what is not valid Unicode as an escape: no frame could hold it."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _column(values: Any) -> Any:
    return list(map(_unicode, values)) if isinstance(values, list) else values
