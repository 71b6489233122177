"""The committed JSON Schemas of what the verbs give."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from heldout.errors import UsageError, did_you_mean


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a result, by the name that stands in its `schema` field.

    >>> schema("heldout.evaluation/1")["title"]
    'heldout.evaluation/1'
    """
    folder = files("heldout") / "schemas"
    found = [file for file in folder.iterdir() if file.name.endswith(".json")]
    known = {f"heldout.{'/'.join(file.name.removesuffix('.json').rsplit('-', 1))}": file for file in found}
    if name not in known:
        raise UsageError(
            f"no schema is named {name!r}{did_you_mean(name, known)}", fix=f"choose one of {', '.join(sorted(known))}"
        )
    read: dict[str, Any] = json.loads(known[name].read_text(encoding="utf-8"))
    return read
