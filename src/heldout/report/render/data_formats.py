"""Records as CSV and as frames; the dictionary of a result as JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from heldout.batch import Backend
from heldout.frame_output import frame_of


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
    return json.dumps(d, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def records_csv(records: Sequence[Mapping[str, Any]]) -> str:
    r"""The records under a head of their keys.

    >>> records_csv([{"metric": "mae", "value": 0.5, "low": None, "notes": "=odd"}])
    "metric,value,low,notes\nmae,0.5,,'=odd\n"
    """
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(records[0] if records else ())
    writer.writerows([_text(value) for value in record.values()] for record in records)
    return out.getvalue()


def _text(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else safe(str(value))


def safe(text: str) -> str:
    """The text so that a spreadsheet does not take it for a formula: an apostrophe before =, +, -, @, tab or return.

    >>> safe("=1+1"), safe("plain")
    ("'=1+1", 'plain')
    """
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
