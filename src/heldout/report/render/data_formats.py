"""Records as CSV and as frames; the dictionary of a result as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from heldout.batch import Backend
from heldout.csv_output import csv_text
from heldout.frame_output import frame_of
from heldout.report.plain_text import OLD_COMMANDS

HIDDEN = re.compile(rf"[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|{OLD_COMMANDS.pattern}")
"""What JSON does not escape by itself: what steers a terminal or turns text around, what is not valid Unicode (as in
names of files with stray bytes), and commands of build servers."""


def records_frame(records: Sequence[Mapping[str, Any]], backend: Backend | None = None) -> Any:
    """One line per record, one column per key; a column of numbers has nan or null where one is undefined.

    >>> records_frame([{"metric": "mae", "value": 0.5}, {"metric": "mse", "value": None}], "pyarrow").column_names
    ['metric', 'value']
    """
    return frame_of({key: [record[key] for record in records] for key in (records[0] if records else ())}, backend)


def to_json(d: Mapping[str, Any]) -> str:
    """The dictionary as UTF-8 JSON in its own order; undefined is null, never NaN.

    >>> print(to_json({"value": None, "label": "é"}), end="")
    {
      "value": null,
      "label": "é"
    }
    """
    text = json.dumps(d, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def records_csv(records: Sequence[Mapping[str, Any]], *, escape_formulas: bool = True) -> str:
    r"""The records under a head of their keys.

    >>> records_csv([{"metric": "mae", "value": 0.5, "low": None, "notes": "=odd"}])
    "metric,value,low,notes\nmae,0.5,,'=odd\n"
    """
    head = list(records[0]) if records else []
    return csv_text(head, (record.values() for record in records), escape_formulas=escape_formulas)
