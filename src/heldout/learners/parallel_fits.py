"""Many fits: side by side through joblib, each kept in a store once it is made, and taken from it when resumed."""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from heldout.errors import HeldoutError, UsageError, ended_worker
from heldout.inputs.reading import Check
from heldout.learners.fitting import Fit, Said, fit_seed, said, seedless, whole
from heldout.learners.training_data import Dataset
from heldout.optional_packages import needed
from heldout.splits import Split
from heldout.store import Key, Store, fingerprint, work
from heldout.worker_processes import apart_from_ctrl_c, end_with

TIMINGS = "timings.jsonl"
"""Where the seconds of each fit are written, apart from what it said: they are never the same twice."""
TRIES = 4
"""How often fits that were lost with a worker are begun, before an error is raised."""
ROUND = 8
"""Fits per worker that are handed over together, where a backend cannot hand over one at a time."""
NAMED = 3
"""Learners that a check names; of more it says how many."""
Progress = Callable[[int, int], None]
"""Is told how many fits are done, and of how many."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How fits are made, whatever they are."""

    n_jobs: int | None = None
    store: Store | None = None
    progress: Progress | None = None
    random_state: int = 0
    scores: bool = True
    """Whether learners are asked for scores beside predictions."""
    again: Callable[[BaseException], bool] | None = None
    """Whether an error says that fits were lost with a worker, and not that one went wrong: they are made again."""
    damaged: list[str] = field(default_factory=list)
    """Files of the store that were found damaged on the way; their fits are made anew."""
    fits: Counter[str] = field(default_factory=Counter)
    """Learner → fits."""
    warned: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Learner and warning → fits."""

    def noticed(self) -> tuple[Check, ...]:
        """A check (H316) for every damaged file, and one (H321) for every warning of a learner."""
        texts = sorted({text for _, text in self.warned})
        return (
            *(Check(code="H316", text=text) for text in self.damaged),
            *(Check(code="H321", text=f"{self._warning(text)}: {text}") for text in texts),
        )

    def _warning(self, text: str) -> str:
        """Which learners warned so, and in how many of their fits."""
        names = sorted(learner for learner, said in self.warned if said == text)
        count, fits = sum(self.warned[one, text] for one in names), sum(self.fits[one] for one in names)
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return f"{', '.join(names[:NAMED])}{more} warned in {count} of {fits} fits"


def worked(
    learners: Mapping[str, Any], data: Dataset, splits: Sequence[Split], effort: Effort, *, all_rows: bool = False
) -> dict[str, list[Said]]:
    """What every learner says on every split; with `all_rows`, last, what the fit to all rows says of them."""
    _counted(effort.n_jobs)
    wanted = list(_fits(learners, data, splits, effort, all_rows))
    found: list[Said | None] = [None] * len(wanted)
    keys = _keys(wanted, data, effort)
    if effort.store is not None:
        kept = effort.store.pieces(keys)
        effort.damaged.extend(kept.notes)
        found = [_from_table(kept.tables.get(key), fit) for key, fit in zip(keys, wanted, strict=True)]
    missing = [at for at, one in enumerate(found) if one is None]
    done = len(wanted) - len(missing)
    for at, one in _made({at: wanted[at] for at in missing}, data, effort):
        found[at] = one
        if effort.store is not None:
            effort.store.keep(keys[at], _to_table(one, wanted[at]))
            _timed(effort.store.path, wanted[at], one)
        done += 1
        if effort.progress is not None:
            effort.progress(done, len(wanted))
    if effort.store is not None:
        effort.store.compact(keys)
    for fit, made in zip(wanted, found, strict=True):
        assert made is not None
        effort.fits[fit.learner] += 1
        effort.warned.update((fit.learner, text) for text in made.warned)
    each = len(splits) + all_rows
    return {name: found[at * each : (at + 1) * each] for at, name in enumerate(learners)}  # type: ignore[misc]


def _counted(n_jobs: int | None) -> None:
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0):
        raise UsageError(
            f"n_jobs is {n_jobs!r}, but must be a whole number other than 0",
            fix="give how many fits run at once; -1 is one per core",
        )


def _fits(
    learners: Mapping[str, Any], data: Dataset, splits: Sequence[Split], effort: Effort, all_rows: bool
) -> Iterator[Fit]:
    numbered = [*enumerate(splits, 1), *([(0, whole(data))] if all_rows else [])]
    for name, estimator in learners.items():
        seeded = seedless(estimator)
        for number, split in numbered:
            seed = fit_seed(effort.random_state, number)
            yield Fit(
                learner=name, estimator=estimator, split=split, number=number, of=len(splits), seed=seed,
                seeded=seeded, scores=effort.scores,
            )  # fmt: skip


def _made(wanted: dict[int, Fit], data: Dataset, effort: Effort) -> Iterator[tuple[int, Said]]:
    """The fits as they are finished; in this process where one job was asked for and no backend is set."""
    jobs = effort.n_jobs
    asked = (
        needed("joblib.parallel", "learners need").get_active_backend()[1] if jobs is None else jobs
    )  # a backend that was set around the call
    if asked in (None, 1) or len(wanted) < 2:
        for at, fit in wanted.items():
            yield at, said(fit, data)
        return
    left = dict(wanted)
    for tries in range(1, TRIES + 1):
        try:
            for at, one in _side_by_side(left, data, jobs):
                del left[at]
                yield at, one
        except Exception as error:
            if tries == TRIES or effort.again is None or not effort.again(error):
                raise
        else:
            return


def _side_by_side(wanted: Mapping[int, Fit], data: Dataset, n_jobs: int | None) -> Iterator[tuple[int, Said]]:
    """The fits as they are finished, or, where a backend cannot hand over one at a time, some at a time."""
    joblib = needed("joblib", "learners need")
    Parallel, delayed = joblib.Parallel, joblib.delayed
    fits = list(wanted.items())
    n_jobs = n_jobs if n_jobs is None else min(n_jobs, len(fits))  # further workers would have nothing to do
    backend = joblib.parallel.get_active_backend()[0]
    if backend.supports_return_generator:
        jobs = (delayed(_one)(at, fit, data, os.getpid()) for at, fit in fits)
        # a worker that has no fit yet ends with this process too
        own = isinstance(backend, joblib._parallel_backends.LokyBackend)  # noqa: SLF001 it has no other name
        beginning = {"initializer": _begin, "initargs": (os.getpid(), list(warnings.filters))} if own else {}
        try:
            with apart_from_ctrl_c():
                found = Parallel(n_jobs=n_jobs, return_as="generator_unordered", **beginning)(jobs)
            yield from found
        except BrokenProcessPool as error:
            raise ended_worker() from error
        return
    with Parallel(n_jobs=n_jobs) as parallel:
        each = ROUND * parallel._effective_n_jobs()  # noqa: SLF001  # joblib's own door looks at another backend
        for first in range(0, len(fits), each):
            for at, one in parallel(
                delayed(_ended)(at, fit, data, os.getpid()) for at, fit in fits[first : first + each]
            ):
                if isinstance(one, HeldoutError):
                    raise one
                yield at, one


def _begin(caller: int, filters: list[Any]) -> None:
    """In a worker process: end it with the caller, and show the warnings that the caller shows."""
    end_with(caller)
    warnings.resetwarnings()
    warnings.filters[:] = filters  # type: ignore[index]


def _one(at: int, fit: Fit, data: Dataset, caller: int) -> tuple[int, Said]:
    end_with(caller)
    return at, said(fit, data)


def _ended(at: int, fit: Fit, data: Dataset, caller: int) -> tuple[int, Said | HeldoutError]:
    """What a fit says, or the error it ends with: these backends do not pass on what was raised as it was."""
    try:
        return _one(at, fit, data, caller)
    except HeldoutError as error:
        return at, error


def _keys(wanted: Sequence[Fit], data: Dataset, effort: Effort) -> list[Key]:
    """What names each fit in the store; nothing is hashed without one."""
    if effort.store is None:
        return []
    # scores are of the positive class, predictions are positions in the labels: other ones are other work
    rows = fingerprint((data.X, data.y, data.task, data.batch.labels, data.batch.positive))
    learners: dict[str, str] = {}
    splits: dict[int, str] = {}
    keys = []
    for fit in wanted:
        if fit.learner not in learners:
            learners[fit.learner] = fingerprint(fit.estimator)
        if fit.number not in splits:
            splits[fit.number] = fingerprint((fit.split.train, fit.split.test))
        seed = (fit.seed if fit.seeded else 0, fit.scores)
        keys.append(work(data=rows, learner=learners[fit.learner], split=splits[fit.number], seed=seed))
    return keys


def _to_table(one: Said, fit: Fit) -> dict[str, Any]:
    """A piece for the store: the rows, what was said, and whether scores are probabilities."""
    columns: dict[str, Any] = {"row": fit.split.test}
    sides = one.prediction[:, None] if one.prediction.ndim == 1 else one.prediction
    columns |= {f"prediction_{at}": sides[:, at] for at in range(sides.shape[1])}
    if one.score is not None:
        name = "probability" if one.probabilities else "score"
        scores = one.score[:, None] if one.score.ndim == 1 else one.score
        columns |= {f"{name}_{at}": scores[:, at] for at in range(scores.shape[1])}
    if one.warned:
        columns["warned"] = [json.dumps(one.warned)] * len(fit.split.test)
    return columns


def _from_table(piece: Any, fit: Fit) -> Said | None:
    """What a piece of the store says of the test rows; None where there is none, or one about other rows."""
    names = [] if piece is None else piece.column_names
    if "row" not in names or not np.array_equal(piece.column("row").to_numpy(), fit.split.test):
        return None
    sides = {
        kind: [piece.column(name).to_numpy() for name in names if name.startswith(f"{kind}_")]
        for kind in ("prediction", "probability", "score")
    }
    if not sides["prediction"]:
        return None
    scores = sides["probability"] or sides["score"]
    return Said(
        prediction=_joined(sides["prediction"]),
        score=_joined(scores) if scores else None,
        probabilities=bool(sides["probability"]),
        warned=tuple(json.loads(piece.column("warned")[0].as_py())) if "warned" in names else (),
    )


def _joined(columns: list[Any]) -> Any:
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def _timed(folder: Path, fit: Fit, one: Said) -> None:
    line = {"learner": fit.learner, "split": fit.number, "fit": one.fit_seconds, "predict": one.predict_seconds}
    with (folder / TIMINGS).open("a") as file:
        file.write(json.dumps(line) + "\n")
