"""Samples of an evaluation log: nested fields, one of which is right or wrong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from heldout.errors import DataError
from heldout.inputs.formats.json_text import json_value
from heldout.inputs.message_text import listed, quoted
from heldout.inputs.reading import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One sample as it was logged, and where."""

    place: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """Samples, and whether each was answered right."""

    samples: tuple[Sample, ...]
    right: tuple[float, ...]
    """1 if right, 0 if wrong, nan if the sample was not scored."""
    name: str
    """The metric or scorer."""
    id: str
    """The field that names a sample."""
    about: str
    """The field that describes the question."""
    repeated: str | None = None
    """The field that counts the runs of one sample, where there are several runs."""
    contents: tuple[str, ...] | None = None
    """A hash of what each sample asks, where the log tells: the same question has the same one in every log."""
    checks: tuple[Check, ...] = ()


def content_hash(question: Any) -> str:
    """A hash of what a sample asks, whatever the order of its fields. Messages have names of their own in every run.

    >>> content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    True
    """
    text = json.dumps(_unnamed(question), sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _unnamed(question: Any) -> Any:
    """The question without the ids that messages, which have a role, get anew in every run."""
    if isinstance(question, list):
        return [_unnamed(part) for part in question]
    if isinstance(question, dict) and "role" in question:
        return {key: value for key, value in question.items() if key != "id"}
    return question


def parsed(text: str, place: str, *, fix: str) -> dict[str, Any]:
    """The JSON object in a text called `place`.

    >>> parsed('{"doc_id": 0, "acc": 1.0}', "line 1 of a.jsonl", fix="log samples")
    {'doc_id': 0, 'acc': 1.0}
    """
    content = json_value(text, place, fix=fix)
    if not isinstance(content, dict):
        raise DataError(f"{place} holds {kind(content)}, and a JSON object was expected", code="H100", fix=fix)
    return content


def kind(value: Any) -> str:
    """A value as a message shows it: a plain value itself, others by their type.

    >>> kind("C"), kind(0.5), kind(None), kind([1, 2])
    ("'C'", '0.5', 'null', 'a list')
    """
    if value is None:
        return "null"
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, dict) else quoted(value)


def right_or_wrong(place: str, name: str, value: Any, words: Sequence[str] = ()) -> float:
    """1 for right, 0 for wrong, nan for nothing; `words` are right if first and wrong if later.

    >>> right_or_wrong("line 1", "acc", True), right_or_wrong("sample 1", "match", "I", ("C", "I"))
    (1.0, 0.0)
    """
    if isinstance(value, str) and value in words:
        return float(value == words[0])
    if value is None or (isinstance(value, float) and isnan(value)):
        return nan
    if isinstance(value, int | float) and value in (0, 1):
        return float(value)
    also = f" or one of {', '.join(words)}" if words else ""
    raise DataError(
        f"{place}: {name} is {kind(value)}, which is neither right nor wrong (expected 1 or 0{also})",
        code="H107",
        fix="name a metric or scorer of right and wrong answers with --pred (y_pred=)",
    )


def plain_value(sample: Sample, path: str, role: str) -> str | int | float | None:
    """The value at a path of fields such as `doc.subject`.

    >>> plain_value(Sample(place="line 1", fields={"doc": {"subject": "law"}}), "doc.subject", "the group")
    'law'
    """
    found, there = at(sample.fields, path)
    if not there:
        inside = [f"{name}.{key}" for name, value in sample.fields.items() if isinstance(value, dict) for key in value]
        raise DataError(
            f"{sample.place} has no field {path!r} for {role}; its fields are {listed([*sample.fields, *inside], 20)}",
            code="H106",
            fix="name one of these fields, with dots between the levels",
        )
    if isinstance(found, dict | list):
        raise DataError(
            f"{sample.place}: {path} is {kind(found)}, and {role} needs text or a number",
            code="H107",
            fix="name a field that holds one value, with dots between the levels",
        )
    return writable(found) if isinstance(found, str) else found


def writable(text: str) -> str:
    r"""The text with `?` for lone surrogates, which JSON can name and no table or screen can hold.

    >>> writable("a\ud800")
    'a?'
    """
    return text.encode("utf-8", "replace").decode()


def at(fields: Any, path: str) -> tuple[Any, bool]:
    """The value at a path of fields, and whether there is one; a name that itself has dots wins.

    >>> at({"doc": {"a.b": 1}}, "doc.a.b"), at({"doc": 1}, "doc.a")
    ((1, True), (None, False))
    """
    if not isinstance(fields, dict):
        return None, False
    if path in fields:
        return fields[path], True
    head, dot, rest = path.partition(".")
    return at(fields[head], rest) if dot and head in fields else (None, False)
