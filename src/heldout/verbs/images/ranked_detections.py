"""How good a detector is, from a list of its detections that were matched with objects already: `detect_ranked`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import Figure
from heldout.boxes.matching import HIT, Matches
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.formulas.image_metrics import RANKED
from heldout.inputs.columns.column_names import find_column
from heldout.inputs.columns.column_values import Column, column
from heldout.inputs.columns.number_parsing import numbers
from heldout.inputs.formats.box_tables import SCORE
from heldout.inputs.formats.files import Table
from heldout.inputs.formats.frames import table
from heldout.inputs.message_text import names_listed, quoted
from heldout.verbs.images.image_evaluation import DetectionEvaluation
from heldout.verbs.images.image_intervals import figure_estimate, images_with, rests_on
from heldout.verbs.images.resampled_metrics import at_score, drawn_figures
from heldout.verbs.parameters import documented
from heldout.verbs.settings import Settings, settings

if TYPE_CHECKING:
    from numpy.random import Generator

MOST = 200_000
"""Objects are drawn again in every resample, found or not: with more of them it would take minutes."""
ADDED = 0.5
"""Units added to the spread, half of them right: with 25 objects and AP 0.95 intervals cover 98%, without too few."""
CORRECT = ("correct", "match", "matched", "tp", "outcome", "hit")
"""Names that the column of what became of each detection may have."""
RIGHT, WRONG = ("1", "true", "tp", "yes", "hit"), ("0", "false", "fp", "no", "miss")
"""How that may be written, in any case."""
AVERAGED = {"AP": ("steps", RANKED["AP"]), "AP_interpolated": ("all", RANKED["AP_interpolated"])}
"""By name: how precision is averaged, and in words."""


@documented(n_resamples=1000)
def detect_ranked(
    detections: Any,
    truths: int,
    *,
    score: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: int | Generator | None = 0,
) -> DetectionEvaluation:
    """Average precision of a ranked list of detections that were matched with objects already.

    Parameters
    ----------
    detections : path, frame, mapping or array-like
        What became of each detection, best first: 1 or "TP" where it found an object, 0 or "FP" where not. A table has
        it in the column "correct", and may have a column "score", which then gives the order.
    truths : int
        Number of objects there are, found or not.
    score : array-like of float, optional
        Scores of the detections, which give their order (default: the order of the list).
    <confidence_level>
    <n_resamples>
    <random_state>

    Returns
    -------
    DetectionEvaluation
        Average precision, plain and interpolated; precision, recall and F1 of the whole list. `curve("all")` has the
        counts after every detection. An object, found or not, and a detection that found none each count as a unit.

    Raises
    ------
    DataError
        `truths` is less than the number of correct detections.

    See Also
    --------
    detect : From boxes, with intervals over images.

    Examples
    --------
    >>> found = detect_ranked(["TP", "FP", "TP", "FP", "TP", "TP", "TP"], 12)
    >>> round(found["AP"].value, 4), round(found["AP_interpolated"].value, 4)
    (0.304, 0.3214)
    """
    asked = settings(confidence_level=confidence_level, n_resamples=n_resamples, random_state=random_state)
    correct, scores, rows = _read(detections, score)
    if isinstance(truths, bool) or not isinstance(truths, int | np.integer) or truths < 1:
        raise UsageError(f"truths is {truths!r}, but must be a whole number of objects", fix="give 1 or more")
    if truths > MOST:
        text = f"truths is {truths:,}, more than {MOST:,}, which a list of matched detections is not for"
        raise UsageError(text, fix="give boxes and images to heldout.detect")
    if correct.sum() > truths:
        text = f"{int(correct.sum())} detections found an object, but there are {truths} objects"
        raise DataError(text, code="H110", fix="an object is found once: count other detections of it as wrong")
    order = np.argsort(-scores, kind="stable")
    tied = _ties(correct[order], scores[order])
    matches = _matches(correct[order], scores[order], int(truths))
    drawn = {
        name: drawn_figures(
            matches, {name: Figure(of="precision", title=words, threshold=0.5)}, (), points=points,
            draws=asked.draws, seed=asked.seed,
        )
        for name, (points, words) in AVERAGED.items()
    }  # fmt: skip
    rests = replace(rests_on(images_with(matches)), added=ADDED)
    averaged = {
        name: figure_estimate(
            name, one.class_values[name], one.class_draws[name], matches.images, asked.level, rests=rests,
            without=one.class_without.get(name), unit="unit", notes=tied,
        )
        for name, one in drawn.items()
    }  # fmt: skip
    return DetectionEvaluation(
        rule="a ranked list of detections that were matched already",
        ranked=True,
        models=("detections",),
        baseline="detections",
        primary="AP",
        verdicts={},
        differences=(),
        estimates={"detections": {**averaged, **_whole_list(matches, asked)}},
        classes={},
        images=matches.images,
        objects=int(truths),
        labels=("all",),
        said={"detections": len(correct)},
        level=asked.level,
        n_resamples=asked.draws,
        seed=asked.seed,
        sources=rows.sources if rows is not None else (),
        drawn={"detections": drawn["AP_interpolated"]},
    )


def _ties(correct: Array, scores: Array) -> tuple[str, ...]:
    """A note where right and wrong detections have the same score: their order in the list decides."""
    first = np.flatnonzero(np.append(True, scores[1:] != scores[:-1]))
    sizes, right = np.diff(first, append=len(scores)), np.add.reduceat(correct.astype(int), first)
    mixed = int(sizes[(right > 0) & (right < sizes)].sum())
    return (f"{mixed} detections share a score with another outcome: they count in the order given",) if mixed else ()


def _whole_list(matches: Matches, asked: Settings) -> dict[str, Estimate]:
    """Precision, recall and F1 if every detection of the list counts."""
    return at_score(matches, -np.inf, asked).estimates


def _read(given: Any, score: Any) -> tuple[Array, Array, Table | None]:
    """Whether each detection is right, and its score; falling numbers where there is none."""
    rows = None
    if isinstance(given, str | Mapping) or hasattr(type(given), "columns") or hasattr(given, "__fspath__"):
        rows = table(given)
        at, scored = (find_column(rows.names, names, rows.place) for names in (CORRECT, SCORE))
        if at is None:
            text = f"{rows.place} has no column 'correct'; its columns are {names_listed(rows.names)}"
            raise DataError(text, code="H106", fix="name the one that says which detections are right (TP) correct")
        outcome = rows.column(at)
        if score is not None and scored is not None:
            raise UsageError("scores were given, and the table has a column of them", fix="leave out score")
        score = rows.column(scored) if score is None and scored is not None else score
    else:
        outcome = column("detections", given)
    correct = _right(outcome)
    if not len(correct):
        raise DataError("the list has no detection", code="H112", fix="give at least one")
    if score is None:
        return correct, -np.arange(len(correct), dtype=float), rows
    scores = numbers(score if isinstance(score, Column) else column("score", score))
    if len(scores) != len(correct):
        raise DataError(
            f"there are {len(correct)} detections and {len(scores)} scores",
            code="H103",
            fix="give one score per detection",
        )
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0]) + 1
        raise DataError(f"the score of detection {row} is missing or infinite", code="H305", fix="leave it out")
    return correct, scores, rows


def _right(outcome: Column) -> Array:
    """Whether each detection is right, however that is written."""
    words = (
        [outcome.texts()[code] if code >= 0 else "" for code in outcome.values.tolist()]
        if outcome.words is not None
        else [f"{value:g}" for value in outcome.values.astype(float).tolist()]
    )
    known = [word.strip().lower() for word in words]
    for row, (word, plain) in enumerate(zip(words, known, strict=True), 1):
        if plain not in (*RIGHT, *WRONG):
            text = f"{outcome.name} is {quoted(word)} in row {row}, which is neither right nor wrong"
            raise DataError(text, code="H107", fix="write 1 or TP for a detection that found an object, else 0 or FP")
    return np.array([plain in RIGHT for plain in known], bool)


def _matches(correct: Array, scores: Array, truths: int) -> Matches:
    """The list as matches in which every object, and every detection that found none, is an image of its own."""
    wrong = ~correct
    unit = np.where(correct, np.cumsum(correct) - 1, truths + np.cumsum(wrong) - 1)
    at = np.flatnonzero(correct)
    return Matches(
        images=truths + int(wrong.sum()),
        classes=1,
        thresholds=np.array([0.5]),
        areas=("all",),
        truth_image=np.arange(truths),
        truth_label=np.zeros(truths, int),
        counted=np.ones((truths, 1), bool),
        image=unit,
        label=np.zeros(len(correct), int),
        score=scores,
        rank=np.zeros(len(correct), int),
        inside=np.ones((len(correct), 1), bool),
        at=at,
        outcome=np.full((len(at), 1, 1), HIT, np.int8),
    )
