"""Evaluation logs to a table of right and wrong answers, and the clusters of samples."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.formats.compression import unpacked
from heldout.inputs.formats.delimited_text import read_text
from heldout.inputs.formats.files import Source, Table, file_bytes
from heldout.inputs.formats.inspect_log import inspect_judgements
from heldout.inputs.formats.lm_eval_log import harness_judgements
from heldout.inputs.formats.log_samples import Judgements, Sample, at, plain_value
from heldout.inputs.reading import Check

LOGS: dict[str, Callable[[bytes, str, str | None], Judgements]] = {
    "lm-eval": harness_judgements,
    "inspect": inspect_judgements,
}
"""Kinds of logs, and how each is read."""
TRUTH = "y_true"
DOCUMENTS = ("passage_id", "document_id", "story_id", "article_id", "paragraph_id", "context_id")
"""Fields that several questions about one text share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A table with the truth 1 in every row and the prediction 1 where a sample was answered right, and its columns."""

    table: Table
    truth: str
    pred: str
    id: str
    group: str | None
    contents: tuple[str, ...] | None = None
    """A hash of what each sample asks, where the log tells."""
    checks: tuple[Check, ...] = ()


def read_log(
    path: Any,
    kind: str,
    *,
    pred: Any = None,
    id: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    segments: Sequence[str] = (),
) -> Log:
    """The samples of an evaluation log, right (1) or wrong (0): their accuracy is the share that is right.

    `pred` names the metric or scorer; the others name fields, with dots between levels (`doc.subject`).
    """
    if kind not in LOGS:
        hint = did_you_mean(str(kind), LOGS)
        raise UsageError(f"log {kind!r} is not known{hint}", fix=f"choose one of {', '.join(LOGS)}")
    if not isinstance(path, str | Path):
        raise UsageError(f"a log is a file, and a {type(path).__name__} was given", fix="pass the path of the log")
    if pred is not None and not isinstance(pred, str):
        raise UsageError(f"a log has one prediction, and pred is {pred!r}", fix="name one metric or scorer")
    shown, data = file_bytes(path)
    place = "standard input" if shown == "-" else Path(shown).name
    judged = LOGS[kind](_plain(data, place), place, pred)
    unit, checks = (group, ()) if group is not None else _unit(judged)
    named = _ids(judged, id)
    columns: dict[str, Any] = {**named, TRUTH: np.ones(len(judged.right), np.int64), judged.name: _labels(judged)}
    if unit is not None:
        columns.setdefault(unit, _texts(judged, unit, "the group"))
    for field, role in ((weight, "the weight"), *((name, "a segment") for name in segments)):
        if field is not None:
            columns.setdefault(field, [plain_value(sample, field, role) for sample in judged.samples])
    source = Source(path=shown, sha256=hashlib.sha256(data).hexdigest())
    table = Table(place=place, names=tuple(columns), raw=tuple(columns.values()), sources=(source,))
    checks = (*judged.checks, *checks)
    return Log(
        table=table,
        truth=TRUTH,
        pred=judged.name,
        id=next(iter(named)),
        group=unit,
        contents=_run_by_run(judged),
        checks=checks,
    )


def _run_by_run(judged: Judgements) -> tuple[str, ...] | None:
    """What each row asks: the question, and which run of it."""
    if judged.contents is None or judged.repeated is None:
        return judged.contents
    runs = _texts(judged, judged.repeated, "the run")
    return tuple(f"{one}, {run}" for one, run in zip(judged.contents, runs, strict=True))


def _plain(data: bytes, place: str) -> bytes:
    data = unpacked(data, place)
    if not data:
        raise DataError(f"{place} is empty (0 bytes)", code="H100", fix="write the log again")
    return data if data.startswith(b"PK") else read_text(data, place)


def _labels(judged: Judgements) -> Array:
    """Right and wrong as integers; as floats if something is missing."""
    right = np.array(judged.right)
    return right if np.isnan(right).any() else right.astype(np.int64)


def _ids(judged: Judgements, given: str | None) -> dict[str, list[str]]:
    """The column that names each row: the sample, and its run where there are several."""
    name = given or judged.id
    ids = _texts(judged, name, "the id")
    if judged.repeated is None or name != judged.id:
        return {name: ids}
    runs = _texts(judged, judged.repeated, "the run")
    return {f"{name}, {judged.repeated}": [f"{one}, {run}" for one, run in zip(ids, runs, strict=True)]}


def _texts(judged: Judgements, path: str, role: str) -> list[str]:
    return [_text(sample, path, role) for sample in judged.samples]


def _text(sample: Sample, path: str, role: str) -> str:
    value = plain_value(sample, path, role)
    if value is None or value == "":
        raise DataError(
            f"{sample.place}: {path} is empty, and {role} needs a value",
            code="H305",
            fix="name a field that has a value in every sample",
        )
    return str(value)


def _unit(judged: Judgements) -> tuple[str | None, tuple[Check, ...]]:
    """The cluster of samples, if the log has one: a text with several questions, or a sample that ran repeatedly.

    A subject is a fixed part of a benchmark and not sampled, so it becomes the cluster only on request.
    """
    other = "--group FIELD (groups=) names other clusters"
    for name in DOCUMENTS:
        path = f"{judged.about}.{name}"
        if 1 < _distinct(judged, path) < len(judged.samples):
            text = f"samples with the same {path} are not independent, so they are clusters; {other}"
            return path, (Check(code="H111", text=text),)
    if judged.repeated is not None:
        text = f"samples ran more than once ({judged.repeated}), so the runs of one {judged.id} are a cluster; {other}"
        return judged.id, (Check(code="H111", text=text),)
    path = f"{judged.about}.subject"
    count = _distinct(judged, path)
    if count > 1:
        text = f"{path} has {count:,} values and does not define clusters; --group {path} (groups=) makes it do so"
        return None, (Check(code="H111", text=text),)
    return None, ()


def _distinct(judged: Judgements, path: str) -> int:
    """Number of values of a field; 0 if a sample lacks it, or it is not a plain value."""
    values = [at(sample.fields, path) for sample in judged.samples]
    if not all(there and isinstance(value, str | int) and value != "" for value, there in values):
        return 0
    return len({str(value) for value, _ in values})
