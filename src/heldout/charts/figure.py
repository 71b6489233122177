"""The numbers of a picture, apart from how it is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from math import isfinite
from typing import Any, ClassVar, Literal

import numpy as np

from heldout.errors import UsageError, did_you_mean

Columns = Mapping[str, Any]
"""Columns of equal length, by name."""
Shape = Literal["square", "wide"]


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


class Figure(ABC):
    """The numbers of a picture as plain arrays; drawing adds nothing to them."""

    shape: ClassVar[Shape] = "wide"
    """Whether both axes deserve the same length."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """Which picture it is."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What is shown, in a few plain words."""

    @property
    @abstractmethod
    def caption(self) -> str:
        """How to read it: what bands and marks are, at which level, by which method."""

    @property
    @abstractmethod
    def alt(self) -> str:
        """What a reader would see, told from the numbers."""

    @property
    @abstractmethod
    def parts(self) -> dict[str, Columns]:
        """The numbers as tables by name, the main one first."""

    def panels(self) -> dict[str, Figure]:
        """The figure in parts that each have one pair of axes, the main one first and without a name."""
        return {"": self}

    @property
    def data(self) -> Any:
        """The main table as a pandas frame; `to_frame` has the others and other kinds of frame."""
        return self.to_frame()

    def to_frame(self, part: str | None = None, backend: str = "pandas") -> Any:
        """One of the tables behind the picture, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        tables = self.parts
        name = next(iter(tables)) if part is None else part
        if name not in tables:
            known = f"choose one of {', '.join(tables)}"
            raise UsageError(f"the {self.kind} chart has no part {name!r}{did_you_mean(name, tables)}", fix=known)
        columns = {key: list(column) for key, column in tables[name].items()}
        return nw.from_dict(columns, backend=backend).to_native()  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; undefined and infinite numbers are None."""
        return {
            "kind": self.kind,
            "title": self.title,
            "caption": self.caption,
            "alt": self.alt,
            "parts": {
                name: {key: [plain(one) for one in column] for key, column in table.items()}
                for name, table in self.parts.items()
            },
        }


def plain(value: Any) -> Any:
    """A value as JSON knows it: no numpy type, no nan, no infinity.

    >>> plain(np.float64(0.5)), plain(np.inf), plain("a")
    (0.5, None, 'a')
    """
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value
