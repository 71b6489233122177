"""A column that looks like clusters, where no groups were given."""

from __future__ import annotations

import re

import numpy as np

from heldout.inputs.columns.column_values import positions
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
    for at, name in enumerate(rows.names):
        if not GROUP_NAMES.fullmatch(name.strip().lower()) or name in used or rows.raw[at] is None:
            continue
        values, codes = positions(rows.column(at))
        known = codes[codes >= 0]
        if len(values) < FEWEST_GROUPS or len(values) == len(known) or not np.bincount(known).max() > 1:
            continue
        text = (
            f"{name.strip()} has {len(values):,} values in {len(codes):,} rows, and no groups were given: if rows of "
            f"one {name.strip()} are not independent, pass {columns.origin.option('group', name.strip())}"
        )
        return (Check(code="H114", text=text),)
    return ()
