"""The committed JSON Schemas of what the verbs give, in one file with shared definitions."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from heldout.errors import UsageError, did_you_mean


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((files("heldout.report") / "schemas.json").read_text(encoding="utf-8"))
    return stored


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of result.

    Parameters
    ----------
    name : str
        The name in the `schema` field of the result, such as "heldout.evaluation/1".

    Returns
    -------
    dict
        The schema, with its definitions.

    Raises
    ------
    UsageError
        If there is no schema of that name.

    Examples
    --------
    >>> schema("heldout.evaluation/1")["title"]
    'heldout.evaluation/1'
    """
    stored = _stored()
    known = {f"heldout.{kind}/1": made for kind, made in stored["kinds"].items()}
    if name not in known:
        raise UsageError(
            f"no schema is named {name!r}{did_you_mean(str(name), known)}", fix=f"choose one of {', '.join(known)}"
        )
    kind = name.removeprefix("heldout.").removesuffix("/1")
    return {"$schema": stored["$schema"], "$id": f"urn:heldout:{kind}:1", **known[name], "$defs": stored["$defs"]}
