"""Logs of Inspect: one JSON object with all samples (.json), or a zip archive with one JSON file per sample (.eval)."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from math import nan
from typing import Any

from heldout.errors import DataError
from heldout.inputs.columns.column_names import first_twice
from heldout.inputs.formats.delimited_text import decoded
from heldout.inputs.formats.log_samples import (
    Judgements,
    Sample,
    at,
    content_hash,
    kind,
    parsed,
    right_or_wrong,
    writable,
)
from heldout.inputs.limits import UNPACKED, unpacked_most
from heldout.inputs.message_text import listed
from heldout.inputs.reading import Check

LETTERS = ("C", "I", "P", "N")
"""Correct, incorrect, partial, no answer: the first is right, the others are not."""
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, OverflowError),
)
"""What reading a damaged archive may raise."""
HEADER = "header.json"
"""The file of an archive that says how the run ended."""
FIX = "name a log of Inspect that was written with its samples (.eval or .json)"


def inspect_judgements(data: bytes, place: str, pred: str | None = None) -> Judgements:
    """Whether each sample was answered right, by the scorer `pred` or the first one there is.

    >>> log = b'{"status": "success", "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}]}'
    >>> result = inspect_judgements(log, "log.json")
    >>> result.name, result.right
    ('scores.match', (1.0,))
    """
    header, samples = _zipped(data, place) if data.startswith(b"PK") else _whole(data, place)
    if not any(sample.fields.get("scores") for sample in samples):
        _refuse_failed(header, place)
    if not samples:
        raise DataError(f"{place} has no samples", code="H112", fix=FIX)
    for sample in samples:
        _is_sample(sample)
    scorer = _scorer(samples, place, pred)
    values = [_value(sample, scorer) for sample in samples]
    name = f"scores.{writable(scorer)}"
    right = [right_or_wrong(sample.place, name, value, LETTERS) for sample, value in zip(samples, values, strict=True)]
    checks = (*_unfinished(header, place), *_partly(values))
    repeated = len({kind(sample.fields.get("epoch", 1)) for sample in samples}) > 1
    if repeated:
        samples, right, reduced, note = _reduced(header, samples, right)
        repeated, checks = not reduced, (*checks, *note)
    return Judgements(
        samples=tuple(samples),
        right=tuple(right),
        name=name,
        id="id",
        about="metadata",
        repeated="epoch" if repeated else None,
        contents=_contents(samples),
        checks=checks,
    )


def _contents(samples: list[Sample]) -> tuple[str, ...] | None:
    """A hash of input, choices and target of each sample; None where one has no input."""
    if not all(sample.fields.get("input") for sample in samples):
        return None
    parts = ("input", "choices", "target")
    return tuple(content_hash([sample.fields.get(part) for part in parts]) for sample in samples)


def _reduced(
    header: dict[str, Any], samples: list[Sample], right: list[float]
) -> tuple[list[Sample], list[float], bool, tuple[Check, ...]]:
    """One row per sample where the log's reducer makes its epochs right or wrong; whether it does; and a note."""
    listed_reducers = at(header, "eval.config.epochs_reducer")[0]
    reducers = [one for one in listed_reducers if isinstance(one, str)] if isinstance(listed_reducers, list) else []
    if not reducers or reducers[0] == "mean":  # the share of epochs that are right: a row per epoch gives it
        return samples, right, False, ()
    name = reducers[0]
    runs: dict[str, list[int]] = {}
    for place, sample in enumerate(samples):
        runs.setdefault(kind(sample.fields["id"]), []).append(place)
    needed = _at_least(name)
    if needed is None:
        text = (
            f"the log reduces epochs by {name}, which is not a share of right answers: every epoch counts as a "
            f"row here, "
            "as with the reducer mean"
        )
        return samples, right, False, (Check(code="H111", text=text),)
    first = [samples[places[0]] for places in runs.values()]
    answers = [_enough([right[place] for place in places], needed) for places in runs.values()]
    text = f"a sample counts as right if {needed} or more of its epochs are: the log reduces epochs by {name}"
    return first, answers, True, (Check(code="H111", text=text),)


def _at_least(reducer: str) -> int | None:
    """How many epochs must be right by the reducers max and at_least_k; None for the others.

    >>> _at_least("max"), _at_least("at_least_2"), _at_least("pass_at_2")
    (1, 2, None)
    """
    count = "1" if reducer == "max" else reducer.removeprefix("at_least_")
    return int(count) if count.isdecimal() and (reducer == "max" or count != reducer) else None


def _enough(right: list[float], needed: int) -> float:
    """Whether so many epochs are right: 1 or 0; nan where epochs that were not scored could decide."""
    known = sum(one == 1 for one in right)
    unknown = sum(one != one for one in right)  # noqa: PLR0124 nan differs from itself
    return 1.0 if known >= needed else nan if known + unknown >= needed else 0.0


def _refuse_failed(header: dict[str, Any], place: str) -> None:
    """Raise if no sample was scored because the run failed, and say why it did."""
    status = header.get("status", "success")
    if status == "success":
        return
    message = at(header, "error.message")[0]
    why = f": {writable(message).splitlines()[0]}" if isinstance(message, str) and message.strip() else ""
    raise DataError(
        f"{place} is the log of a run that failed (its status is {kind(status)}{why}), and no sample was scored",
        code="H112",
        fix="run it to the end with inspect eval-retry, and name the log of that run",
    )


def _whole(data: bytes, place: str) -> tuple[dict[str, Any], list[Sample]]:
    log = parsed(decoded(data, "utf-8", place), place, fix=FIX)
    if not log.get("samples"):
        _refuse_failed(log, place)
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
            infos = [one for one in archive.infolist() if one.filename == HEADER or _names_a_sample(one.filename)]
            UNPACKED.check(sum(one.file_size for one in infos), place, most=unpacked_most(len(data)))
            names = [one.filename for one in infos if one.filename != HEADER]
            header = archive.read(HEADER) if HEADER in archive.namelist() else b"{}"
            contents = {f"{name} in {place}": archive.read(name) for name in names}
    except NotImplementedError as error:
        raise DataError(
            f"{place} is compressed in a way this Python cannot read: {error}",
            code="H100",
            fix=f"convert it: inspect log convert {place} --to json --output-dir converted",
        ) from error
    except DataError:
        raise
    except BROKEN as error:
        raise DataError(
            f"{place} is not a valid zip archive: {error}", code="H100", fix="copy the log again"
        ) from error
    twice = first_twice(names)
    if twice is not None:
        text = f"{place} has {twice} twice, and one of the two would be left out"
        raise DataError(text, code="H105", fix="write the log again")
    samples = [
        Sample(place=where, fields=parsed(decoded(content, "utf-8", where), where, fix=FIX))
        for where, content in contents.items()
    ]
    inside = f"header.json in {place}"
    return parsed(decoded(header, "utf-8", inside), inside, fix=FIX), samples


def _names_a_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


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
