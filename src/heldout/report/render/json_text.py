"""A result as JSON: the stable contract."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def to_json(d: Mapping[str, Any]) -> str:
    """The dictionary as UTF-8 JSON in its own order; undefined is null, never NaN.

    >>> print(to_json({"value": None, "label": "é"}), end="")
    {
      "value": null,
      "label": "é"
    }
    """
    return json.dumps(d, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
