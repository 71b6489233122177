"""Logs of Inspect: one JSON object with all samples (.json), or a zip archive with one JSON file per sample (.eval)."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from typing import Any

from heldout.errors import DataError
from heldout.inputs.formats.delimited_text import decoded
from heldout.inputs.formats.log_samples import Judgements, Sample, kind, parsed, right_or_wrong, writable
from heldout.inputs.message_text import listed
from heldout.inputs.reading import Check

LETTERS = ("C", "I", "P", "N")
"""Correct, incorrect, partial, no answer: the first is right, the others are not."""
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, OverflowError),
)
"""What reading a damaged archive may raise."""
FIX = "name a log of Inspect that was written with its samples (.eval or .json)"


def inspect_judgements(data: bytes, place: str, pred: str | None = None) -> Judgements:
    """Whether each sample was answered right, by the scorer `pred` or the first one there is.

    >>> log = b'{"status": "success", "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}]}'
    >>> result = inspect_judgements(log, "log.json")
    >>> result.name, result.right
    ('scores.match', (1.0,))
    """
    header, samples = _zipped(data, place) if data.startswith(b"PK") else _whole(data, place)
    if not samples:
        raise DataError(f"{place} has no samples", code="H112", fix=FIX)
    for sample in samples:
        _is_sample(sample)
    scorer = _scorer(samples, place, pred)
    values = [_value(sample, scorer) for sample in samples]
    epochs = {kind(sample.fields.get("epoch", 1)) for sample in samples}
    name = f"scores.{writable(scorer)}"
    return Judgements(
        samples=tuple(samples),
        right=tuple(
            right_or_wrong(sample.place, name, value, LETTERS) for sample, value in zip(samples, values, strict=True)
        ),
        name=name,
        id="id",
        about="metadata",
        repeated="epoch" if len(epochs) > 1 else None,
        checks=(*_unfinished(header, place), *_partly(values)),
    )


def _whole(data: bytes, place: str) -> tuple[dict[str, Any], list[Sample]]:
    log = parsed(decoded(data, "utf-8", place), place, fix=FIX)
    if not isinstance(log.get("samples"), list):
        fields_text = f"{listed(log) or 'no field'}"
        raise DataError(f"{place} is not a log of Inspect: expected samples, found {fields_text}", code="H106", fix=FIX)
    samples = []
    for number, fields in enumerate(log["samples"], start=1):
        where = f"sample {number} of {place}"
        if not isinstance(fields, dict):
            raise DataError(f"{where} is {kind(fields)}, and a JSON object was expected", code="H100", fix=FIX)
        samples.append(Sample(place=where, fields=fields))
    return log, samples


def _zipped(data: bytes, place: str) -> tuple[dict[str, Any], list[Sample]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")]
            header = archive.read("header.json") if "header.json" in archive.namelist() else b"{}"
            contents = {f"{name} in {place}": archive.read(name) for name in names}
    except NotImplementedError as error:
        raise DataError(
            f"{place} is compressed in a way this Python cannot read: {error}",
            code="H100",
            fix="convert it with inspect log convert --to json",
        ) from error
    except BROKEN as error:
        raise DataError(
            f"{place} is not a valid zip archive: {error}", code="H100", fix="copy the log again"
        ) from error
    samples = [
        Sample(place=where, fields=parsed(decoded(content, "utf-8", where), where, fix=FIX))
        for where, content in contents.items()
    ]
    inside = f"header.json in {place}"
    return parsed(decoded(header, "utf-8", inside), inside, fix=FIX), samples


def _is_sample(sample: Sample) -> None:
    if "id" not in sample.fields or not isinstance(sample.fields.get("scores") or {}, dict):
        raise DataError(
            f"{sample.place} is not a sample of Inspect: expected id and scores, "
            f"found {listed(sample.fields) or 'no field'}",
            code="H106",
            fix=FIX,
        )


def _scorer(samples: list[Sample], place: str, wanted: str | None) -> str:
    """The requested scorer, or the first one in the log."""
    scorers = list(dict.fromkeys(name for sample in samples for name in sample.fields.get("scores") or {}))
    if not scorers:
        raise DataError(f"{place} has no scores", code="H106", fix="score the log first with inspect score")
    if wanted is None:
        return scorers[0]
    name = wanted.removeprefix("scores.")
    if name not in scorers:
        raise DataError(
            f"{place} has no scorer {name!r}: its scorers are {listed(scorers)}",
            code="H106",
            fix="name one of these scorers",
        )
    return name


def _value(sample: Sample, scorer: str) -> Any:
    """The value of the score; None for a sample that was not scored, such as one that failed."""
    score = (sample.fields.get("scores") or {}).get(scorer)
    if score is not None and (not isinstance(score, dict) or "value" not in score):
        shown = listed(score) if isinstance(score, dict) else kind(score)
        raise DataError(
            f"{sample.place}: the score of {writable(scorer)} has no value: found {shown or 'no field'}",
            code="H106",
            fix=FIX,
        )
    return None if score is None else score["value"]


def _unfinished(header: dict[str, Any], place: str) -> tuple[Check, ...]:
    status = header.get("status", "success")
    if status == "success":
        return ()
    return (Check(code="H111", text=f"the status of {place} is {kind(status)}: samples may be missing"),)


def _partly(values: list[Any]) -> tuple[Check, ...]:
    partly = sum(isinstance(value, str) and value == "P" for value in values)
    if not partly:
        return ()
    counted = "1 sample is partly right (P) and counts" if partly == 1 else f"{partly:,} are partly right (P) and count"
    return (Check(code="H111", text=f"{counted} as wrong"),)
