"""Limits on inputs: far beyond real data, and reached by files that are damaged or made to exhaust memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from heldout.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The most that an input may have of something, why, and what to do with an input that has more."""

    what: str
    most: int
    why: str
    fix: str

    def check(self, count: float, place: str, *, most: int | None = None) -> None:
        """Raise if the input called `place` has more; `most` replaces the limit where it depends on the file.

        >>> PIXELS.check(10**10, "map.png")
        Traceback (most recent call last):
        heldout.errors.DataError: [H115] map.png has 10,000,000,000 pixels, and the limit is 268,435,456
          Fix: cut the image into tiles
        """
        if count > (self.most if most is None else most):
            raise self.exceeded(count, place, most=most)

    def exceeded(self, count: float, place: str, *, most: int | None = None) -> DataError:
        """The error for an input that has more."""
        text = f"{place} has {count:,} {self.what}, and the limit is {self.most if most is None else most:,}"
        return DataError(text, code="H115", fix=self.fix)


UNPACKED = Limit(
    what="bytes when unpacked",
    most=1 << 30,
    why="a few megabytes can unpack to more than any memory; 200 bytes for each packed one if that is more",
    fix="unpack the file yourself, and give what it contains",
)
UNPACKED_RATIO = 200
"""Far more than tables and logs gain when they are packed; what unpacks to more is made to exhaust memory."""
MEMORY = Limit(
    what="bytes in memory",
    most=0,
    why="rows that are not read in chunks must fit into the memory of the machine, which is the limit",
    fix="give fewer rows or columns, or use evaluate, compare or gate, which read files in chunks",
)
NESTING = Limit(
    what="levels of nested lists and objects",
    most=200,
    why="readers of JSON and TOML call themselves for every level, and end the process where the stack ends",
    fix="write the values in fewer levels",
)
CELLS = Limit(
    what="cells, most of them empty",
    most=1 << 27,
    why="a line of JSON has some of the names only, its table has a cell for each; 25 cells for every byte of the file "
    "are allowed where that is more",
    fix="give every line the same names",
)
CELLS_PER_BYTE = 25
"""A value that is written takes 5 bytes or more with its name."""
COLUMNS = Limit(
    what="columns",
    most=200_000,
    why="every column takes memory of its own, however few rows there are",
    fix="leave out the columns that are not needed, or put rows and columns the right way round",
)
CLASSES = Limit(
    what="classes",
    most=2_000,
    why="a confusion matrix has as many cells as classes times classes, and every class its metrics",
    fix="name the column of labels, or merge rare classes",
)
LABEL = Limit(
    what="characters in one name",
    most=100_000,
    why="names of classes and columns are printed in tables, reports and messages",
    fix="check the quotes of the file, or give the class or column a shorter name",
)
LINE = Limit(
    what="bytes in one line",
    most=1 << 23,
    why="files that are read in chunks are read block by block, and a line lies within a block",
    fix="check the quotes and the line ends of the file, or write it as Parquet",
)
STREAM = Limit(
    what="bytes in a stream",
    most=1 << 30,
    why="a pipe or a device does not say how much it will give, and may have no end",
    fix="write the rows to a file, which is read in chunks where it is large",
)
PIXELS = Limit(
    what="pixels",
    most=1 << 28,
    why="every pixel of a label map is in memory at once, however small its file is",
    fix="cut the image into tiles",
)
SIDE = Limit(
    what="pixels on one side",
    most=1_000_000,
    why="pixels are counted column by column in 64 bits",
    fix="give the width and height of the image in pixels",
)
OUTLINE = Limit(
    what="points along the outline of one polygon",
    most=1 << 24,
    why="the outline is followed point by point, five to a pixel",
    fix="give the vertices in pixels of the image, in the order in which they follow each other",
)
RUNS = Limit(
    what="ends of runs in all masks",
    most=1 << 28,
    why="a polygon of a few numbers can have two runs in every column of a large image",
    fix="evaluate some of the images at a time",
)
WORDS = Limit(
    what="words, with the metric ter",
    most=1000,
    why="TER looks for words that moved, and takes minutes for a line of some thousands",
    fix="leave ter out of --metric (metrics=), or write one sentence or paragraph per line",
)
LIMITS = (UNPACKED, MEMORY, NESTING, CELLS, COLUMNS, CLASSES, LABEL, LINE, STREAM, PIXELS, SIDE, OUTLINE, RUNS, WORDS)
"""All limits, in the order of the documentation."""


def check_names(names: Sequence[str], place: str) -> None:
    """Raise if a table has too many columns, or one with too long a name."""
    COLUMNS.check(len(names), place)
    LABEL.check(max(map(len, names), default=0), f"the header of {place}")


def unpacked_most(packed: int) -> int:
    """Bytes that an archive of this size may have when it is unpacked.

    >>> unpacked_most(1000) == 1 << 30, unpacked_most(10**8)
    (True, 20000000000)
    """
    return max(UNPACKED.most, UNPACKED_RATIO * packed)


def cells_most(size: int) -> int:
    """Cells that the table of a file of JSON lines of this size may have.

    >>> cells_most(1000) == 1 << 27
    True
    """
    return max(CELLS.most, CELLS_PER_BYTE * size)


@cache
def machine_memory() -> int | None:
    """Bytes of memory of this machine; None where the system does not say."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
    return whole if whole > 0 else None


def check_memory(size: int, place: str) -> None:
    """Raise if rows of this many bytes are to be read into a smaller memory."""
    MEMORY.check(size, place, most=machine_memory() or size)
