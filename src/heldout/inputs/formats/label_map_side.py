"""The label maps of the truth or of one model, read one image at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heldout.batch import Array
from heldout.inputs.formats.files import Source


@dataclass(frozen=True, kw_only=True)
class Side(Sequence[Array]):
    """The label maps of the truth or of one model, one by one: a map is read when it is asked for, and not kept."""

    read: dict[str, Callable[[], tuple[Array, Source | None]]]
    """By image."""
    places: dict[str, str]
    """Names of the maps in messages."""
    whole: str | None = None
    """The folder that the maps are of; its files have no sources of their own."""
    sources: tuple[Source, ...] = ()
    """What was read before: a JSON file."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Names of classes, where the file has them."""
    place: str = ""
    """Name in messages of a file with categories."""
    categories: Mapping[Any, str] = field(default_factory=dict)
    """Names that the file itself gives, by id."""
    sparse: bool = False
    """Whether an image may be missing, because it has no mask."""
    seen: dict[str, Source] = field(default_factory=dict)
    """The files that were read, by image."""

    def __len__(self) -> int:
        return len(self.read)

    def __getitem__(self, at: Any) -> Any:
        return self.map(list(self.read)[at])

    def map(self, image: str) -> Array:
        """The label map of an image."""
        pixels, source = self.read[image]()
        if source is not None:
            self.seen[image] = source
        return pixels

    @property
    def all_sources(self) -> tuple[Source, ...]:
        """The files behind the maps that were read; a folder is one."""
        if self.whole is None:
            return (*self.sources, *self.seen.values())
        digest = hashlib.sha256("".join(str(self.seen[one].sha256) for one in self.read).encode()).hexdigest()
        return (Source(path=self.whole, sha256=digest),)
