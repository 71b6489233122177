"""A column that looks like clusters, where no groups were given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np

from heldout.inputs.columns.column_values import Column, positions
from heldout.inputs.columns.role_columns import RoleColumns
from heldout.inputs.formats.files import Table
from heldout.inputs.reading import Check

GROUP_NAMES = re.compile(
    r"(patient|pat|user|subject|subj|customer|client|person|participant|member|household|family|speaker|author|"
    r"document|doc|article|passage|session|conversation|dialog|dialogue|thread|account|device|animal|mouse)s?"
    r"([ _.-]?(id|ids|nr|no|number|key|code|name|uuid))?"
)
"""Names of columns whose values are likely to be shared by rows that are not independent."""
FEWEST_GROUPS = 8
"""A column with fewer values is a category, such as the session of a day, rather than a sample of clusters."""


def group_hint(rows: Table, columns: RoleColumns) -> tuple[Check, ...]:
    """A note on the first column that is named like a cluster and repeats, if no groups were given."""
    if columns.group is not None:
        return ()
    used = {column.name for column in (*columns.complete(), *columns.segments)} - {
        None if columns.id is None else columns.id.name
    }
    free = (
        rows.column(at) for at, name in enumerate(rows.names)
        if looks_like_groups(name) and name not in used and rows.raw[at] is not None
    )  # fmt: skip
    return repeating_groups(free, lambda name: columns.origin.option("group", name))


def looks_like_groups(name: str) -> bool:
    """Whether a column is named like a cluster.

    >>> looks_like_groups("Patient_ID"), looks_like_groups("age")
    (True, False)
    """
    return GROUP_NAMES.fullmatch(name.strip().lower()) is not None


def repeating_groups(columns: Iterable[Column], option: Callable[[str], str]) -> tuple[Check, ...]:
    """A note on the first column that is named like a cluster and repeats; `option` says how to pass it as groups."""
    for column in columns:
        name = column.name.strip()
        if not looks_like_groups(name):
            continue
        values, codes = positions(column)
        known = codes[codes >= 0]
        if len(values) < FEWEST_GROUPS or len(values) == len(known) or not np.bincount(known).max() > 1:
            continue
        text = (
            f"{name} has {len(values):,} values in {len(codes):,} rows, and no groups were given: if rows of one "
            f"{name} are not independent, pass {option(name)}"
        )
        return (Check(code="H114", text=text),)
    return ()
