"""One learner, one split: a fresh copy is fitted to the training rows and asked about the test rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import FAULTS_OF_USER_CODE, DataError, HeldoutError
from heldout.inputs.message_text import quoted, rows_named
from heldout.learners.training_data import Dataset
from heldout.optional_packages import needed
from heldout.splits import Split

ROUNDING = 1e-9
"""How far a probability may lie outside 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a fitted model said of the rows it was tested on."""

    prediction: Array
    """Positions in the batch's labels; numbers where the task is regression."""
    score: Array | None = None
    probabilities: bool = False
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    warned: tuple[str, ...] = ()
    """Warnings of the learner, each once: the category and the first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fit to be made: which learner, on which split, with which seed."""

    learner: str
    estimator: Any
    split: Split
    number: int
    """Of this split, counted from 1; 0 for the fit to all rows."""
    of: int
    seed: int
    seeded: tuple[str, ...] = ()
    """Parameters of the learner that take the seed because they have none of their own."""
    scores: bool = True
    """Whether scores are asked for beside predictions."""


def whole(data: Dataset) -> Split:
    """The split that learns from all rows and is asked about all of them."""
    rows = np.arange(data.rows)
    return Split(train=rows, test=rows, repeat=0, fold=0)


def seedless(estimator: Any) -> tuple[str, ...]:
    """The parameters of an estimator that would draw other numbers each time."""
    if not hasattr(estimator, "get_params"):
        return ()
    parameters = estimator.get_params(deep=True)
    return tuple(name for name, value in parameters.items() if value is None and name.split("__")[-1] == "random_state")


def fitted(fit: Fit, data: Dataset) -> Any:
    """A fresh copy of the learner, fitted to the training rows."""
    model = needed("sklearn.base", "learners need").clone(fit.estimator, safe=False)
    if fit.seeded:
        model.set_params(**dict.fromkeys(fit.seeded, fit.seed))
    train = fit.split.train
    model.fit(data.part(train), data.y[train])
    return model


def fitted_to_all(learner: str, estimator: Any, data: Dataset, random_state: int) -> Any:
    """The learner fitted to all rows: the model to use; the seed is that of the fit to all rows in a run."""
    seed, seeded = fit_seed(random_state, 0), seedless(estimator)
    every = Fit(learner=learner, estimator=estimator, split=whole(data), number=0, of=0, seed=seed, seeded=seeded)
    try:
        return fitted(every, data)
    except HeldoutError:
        raise
    except FAULTS_OF_USER_CODE as error:
        raise _failed(every, data, error) from error


def fit_seed(random_state: int, number: int) -> int:
    """The seed of the fit on a split of this number, whichever learner it is of."""
    return int(np.random.SeedSequence([random_state, 41, number]).generate_state(1)[0] >> 1)


def said(fit: Fit, data: Dataset) -> Said:
    """What the learner, fitted to the training rows, says of the test rows."""
    try:
        with _warnings() as warned:
            start = perf_counter()
            model = fitted(fit, data)
            between = perf_counter()
            X = data.part(fit.split.test)
            told = model.predict(X)
            raw = _asked(model, X) if fit.scores and data.task in ("binary", "multiclass") else None
            end = perf_counter()
    except HeldoutError:
        raise
    except FAULTS_OF_USER_CODE as error:
        raise _failed(fit, data, error) from error
    prediction = _prediction(fit, data, told)
    score, probabilities = (None, False) if raw is None else _scored(fit, model, raw, data)
    _finite(fit, data, score, "score")
    return Said(
        prediction=prediction, score=score, probabilities=probabilities,
        fit_seconds=between - start, predict_seconds=end - between, warned=tuple(dict.fromkeys(warned)),
    )  # fmt: skip


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Collects what a learner warns of, also where warnings are not shown; then warns as it did.

    A warning that the user has made an error stays one.
    """
    lines: list[str] = []
    with warnings.catch_warnings(record=True) as caught, np.errstate(divide="warn", over="warn", invalid="warn"):
        known = [(action if action == "error" else "always", *what) for action, *what in warnings.filters]
        warnings.simplefilter("always")
        warnings.filters[:] = [*known, warnings.filters[0]]  # type: ignore[index]
        yield lines
    for one in caught:
        first = (str(one.message).strip().splitlines() or [""])[0].rstrip(".:")[:200]
        lines.append(f"{one.category.__name__}: {first}")
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _asked(model: Any, X: Any) -> tuple[str, Array] | None:
    """What the model says beside its predictions, and by which name: probabilities, else decision values."""
    for name in ("predict_proba", "decision_function"):
        if hasattr(model, name):
            return name, np.asarray(getattr(model, name)(X), dtype=float)
    return None


def _scored(fit: Fit, model: Any, raw: tuple[str, Array], data: Dataset) -> tuple[Array | None, bool]:
    """Scores in the order of the batch's labels."""
    name, found = raw
    known = np.asarray(getattr(model, "classes_", data.classes[0]))
    places = _codes(known, data)
    if places is None:
        return None, False
    probabilities = name == "predict_proba"
    if probabilities or data.task == "binary":
        _fits_rows(fit, found, name, len(known))
    positive = data.batch.positive
    if data.task == "binary":
        if found.ndim == 1:
            other = 1 - found if probabilities else -found
            return (found if places[-1] == positive else other), probabilities
        column = np.flatnonzero(places == positive)
        return (found[:, column[0]] if len(column) else np.zeros(len(found))), probabilities
    if found.ndim != 2 or found.shape[1] != len(places) or _of_pairs(model):
        return None, False
    whole = np.zeros((len(found), len(data.batch.labels)))
    if not probabilities and len(places) < whole.shape[1]:
        return None, False  # a class that was not learned has no decision value
    whole[:, places] = found
    return whole, probabilities


def _of_pairs(model: Any) -> bool:
    """Whether decision values are of pairs of classes: of three classes there are three pairs, and they look alike."""
    steps = getattr(model, "steps", None)
    return getattr(steps[-1][1] if steps else model, "decision_function_shape", "ovr") == "ovo"


def _fits_rows(fit: Fit, found: Array, name: str, classes: int) -> None:
    """Refuse scores of other rows or classes, and probabilities that are none."""
    rows = len(fit.split.test)
    if found.shape not in ((rows,), (rows, classes)):
        shape = " x ".join(map(str, found.shape)) or "one number"
        raise DataError(
            f"{name} of {fit.learner} gave {shape} values for {rows} rows and {classes} classes ({_where(fit)})",
            code="H314",
            fix=f"{name}(X) must give one column for each of classes_",
        )
    wrong = (found < -ROUNDING) | (found > 1 + ROUNDING) if name == "predict_proba" else np.array(False)
    if wrong.any():
        raise DataError(
            f"{name} of {fit.learner} gave {found[wrong][0]:g}, which is not a probability ({_where(fit)})",
            code="H314",
            fix="call it decision_function, or give probabilities from 0 to 1",
        )


def _codes(values: Array, data: Dataset) -> Array | None:
    """Labels as positions in the batch's labels; None where one is not among those of the target."""
    known, codes = data.classes
    try:
        at = np.searchsorted(known, values)
    except TypeError:
        return None
    at = np.minimum(at, len(known) - 1)
    return codes[at] if np.array_equal(known[at], values) else None


def _prediction(fit: Fit, data: Dataset, told: Any) -> Array:
    found = np.asarray(told)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    wanted = (len(fit.split.test), *data.batch.truth.shape[1:])
    if found.shape != wanted:
        shape = " x ".join(map(str, found.shape)) or ("no" if told is None else "1")
        raise DataError(
            f"{fit.learner} predicted {shape} values for {' x '.join(map(str, wanted))} ({_where(fit)})",
            code="H314",
            fix="predict(X) must give one prediction per row",
        )
    if data.task == "regression":
        numbers = _numbers(fit, found)
        _finite(fit, data, numbers, "prediction")
        return numbers
    if data.task == "multilabel":
        return found.astype(int)
    codes = _codes(found, data)
    if codes is None:
        known = set(data.classes[0].tolist())
        strange = next((one for one in found.tolist() if one not in known), found[0])
        raise DataError(
            f"{fit.learner} predicted {quoted(strange)}, which is not a class of the target ({_where(fit)})",
            code="H314",
            fix="predict(X) must give classes of the target",
        )
    return codes


def _numbers(fit: Fit, found: Array) -> Array:
    try:
        return found.astype(float)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{fit.learner} predicted {quoted(found.ravel()[0].item())}, which is not a number ({_where(fit)})",
            code="H314",
            fix="take a learner of numbers, or name the task",
        ) from error


def _finite(fit: Fit, data: Dataset, found: Array | None, what: str) -> None:
    if found is None or np.isfinite(found).all():
        return
    bad = ~np.isfinite(found if found.ndim == 1 else found.sum(axis=1))
    place = fit.split.test[bad]
    rows = rows_named(np.sort(place if data.order is None else data.order[place]) + 1)
    count = f"1 {what} that is" if bad.sum() == 1 else f"{int(bad.sum()):,} {what}s that are"
    raise DataError(
        f"{fit.learner} gave {count} missing or infinite ({rows}; {_where(fit)})",
        code="H314",
        fix="scale the features, or take another learner",
    )


def _failed(fit: Fit, data: Dataset, error: BaseException) -> DataError:
    """A learner's own exception as one sentence; text among the features is its commonest reason."""
    reason = (str(error).splitlines() or ["no reason given"])[0].rstrip(".")[:200]
    texts = _texts(data.X)
    fix = "correct the learner or the data; finished fits of a run are kept"
    if texts and isinstance(error, (ValueError, TypeError)):
        verb = "holds" if len(texts) == 1 else "hold"
        fix = f"{', '.join(texts[:3])} {verb} text: encode it in a pipeline, or leave it out"
    return DataError(f"{fit.learner} raised {type(error).__name__} in {_where(fit)}: {reason}", code="H313", fix=fix)


def _texts(X: Any) -> list[str]:
    """The columns that are not numbers."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        import narwhals as nw

        try:
            frame = nw.from_native(X, eager_only=True)
        except TypeError:
            return []
        return [
            name for name in frame.columns if not (frame[name].dtype.is_numeric() or frame[name].dtype == nw.Boolean)
        ]
    return ["X"] if getattr(getattr(X, "dtype", None), "kind", "f") in "OUS" else []


def _where(fit: Fit) -> str:
    if not fit.number:
        return "the fit to all rows"
    place = f"split {fit.number} of {fit.of}"
    return (
        place
        if fit.split.repeat == 0 and fit.split.fold + 1 == fit.number
        else (f"{place}, repeat {fit.split.repeat + 1}, fold {fit.split.fold + 1}")
    )
