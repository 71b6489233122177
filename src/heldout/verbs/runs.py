"""Results that are written down, and how often their rows were looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs.formats.compression import stem
from heldout.store import Key, Record, Store, open_store
from heldout.store.records import as_stored
from heldout.verbs.result import Result

FOLDER = ".heldout"
"""Where results are recorded unless a folder is named."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Runs(Result):
    """Recorded results, or some of them side by side."""

    kind = "runs"

    runs: tuple[Mapping[str, Any], ...]
    metrics: tuple[Mapping[str, Any], ...] = ()
    """Of runs side by side: each metric with its estimate in every run."""
    notes: tuple[str, ...] = ()

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {"runs": list(self.runs), "metrics": list(self.metrics), "notes": list(self.notes)}


def record(
    result: Result,
    store: str | Path = FOLDER,
    *,
    name: str | None = None,
    command: str = "",
    looks_budget: int | None = None,
) -> Record:
    """Write down a result in a store: its JSON, the hashes of its inputs, the time, and one more look at its rows.

    With a budget, rows that were looked at so often already are refused.

    >>> import tempfile, heldout
    >>> found = heldout.evaluate([1, 0, 1, 0], [1, 0, 0, 0])
    >>> folder = tempfile.mkdtemp()
    >>> record(found, folder, name="first").look, record(found, folder, name="again").look
    (1, 2)
    """
    said = result.to_dict()
    verb = result.kind
    paths = [Path(source["path"]) for source in said["inputs"]]
    called = name or (stem(paths[0]) if paths else "") or verb
    check_name(name)
    folder = open_store(store)
    hashes = _rows_of_sequence(result, said)
    _refuse_missing_rows(folder, said, verb, hashes)
    data, *also = _rows(result, said) or (None,)
    if looks_budget is not None and data is None:
        in_memory = getattr(result, "in_memory_fix", "")
        fix = f"{in_memory}{', or ' * bool(in_memory)}leave out --looks-budget (looks_budget=)"
        text = "the looks at these rows cannot be counted: they are read in chunks, and are not recognised"
        raise UsageError(text, fix=fix)
    kept = folder.record(said, name=called, verb=verb, command=command, data=data, also=also, looks_budget=looks_budget)
    if hashes is not None:
        folder.keep(_look_key(kept.id), {"row": hashes.view(np.int64)})
    return kept


def check_name(name: str | None) -> None:
    """Raise if a run would be called as a file that exists: an option may have taken the file for its name."""
    if name and Path(name).is_file():
        fix = f"put the files first, or write --save=NAME; here --save took {name} as its name"
        raise UsageError(f"a run cannot be called {name}, which is a file", fix=fix)


def check_rows_were_added(result: Result, store: str | Path = FOLDER) -> None:
    """Raise if a sequential result lacks rows of a look that was recorded before: then its verdict does not hold."""
    said = result.to_dict()
    hashes = _rows_of_sequence(result, said)
    if hashes is not None and Path(store).is_dir():
        _refuse_missing_rows(open_store(store), said, result.kind, hashes)


def _rows_of_sequence(result: Result, said: Mapping[str, Any]) -> Array | None:
    """A hash of each row of a sequential result; None for other results, and where rows cannot be distinguished."""
    batch, looks = result.batch_of_rows, said.get("looks")
    if batch is None or not isinstance(looks, Mapping) or looks["kind"] != "sequential":
        return None
    from heldout.inputs.row_identity import row_hashes

    return row_hashes(batch)


def _look_key(id: str) -> Key:
    return Key(data="rows of a look", learner=id, split="", seed="")


def _refuse_missing_rows(store: Store, said: Mapping[str, Any], verb: str, hashes: Array | None) -> None:
    """Raise if rows of an earlier look of the same models and metric are gone; looks at other rows do not count."""
    if hashes is None:
        return
    for earlier in store.records():
        same = not earlier.is_damaged and all(
            earlier.result.get(name) == said.get(name) for name in ("primary", "models", "baseline")
        )
        rows = store.piece(_look_key(earlier.id)) if same and earlier.verb == verb else None
        if rows is None:
            continue
        old = rows["row"].to_numpy().view(np.uint64)
        shared = int(np.isin(old, hashes).sum())
        if 0 < shared < len(old):
            look = f"the {len(old):,} rows of the look recorded as {earlier.id} in {store.path}"
            raise DataError(
                f"{len(old) - shared:,} of {look} are missing now, and a sequence holds only while rows are added",
                fix="look at all rows so far, or leave out --sequential (sequential=True)",
            )


def _rows(result: Result, said: dict[str, Any]) -> tuple[str, ...]:
    """The hashes of the rows: of their content where they are known, else of the first file; none for bare counts."""
    of_file = tuple(str(source["sha256"]) for source in said["inputs"] if source["sha256"])[:1]
    return result.row_keys() or of_file


def runs(store: Store, ids: Sequence[str] = ()) -> Runs:
    """The recorded results: all of them, or those of `ids` side by side."""
    found = [store.found(id) for id in ids] or list(store.records())
    notes = damage_notes(found)
    if ids:
        notes += name_notes(store, ids)
        notes.append(
            "values side by side are not a test of the difference: heldout compare makes one from the predictions"
        )
        if len({one.data for one in found}) > 1:
            notes.append("these runs looked at different rows")
    return Runs(
        runs=tuple(_told(one, store) for one in found),
        metrics=tuple(_beside(found)) if ids else (),
        notes=tuple(notes),
    )


def damage_notes(found: Sequence[Record]) -> list[str]:
    """A sentence about each record that is not what was written."""
    return [f"{one.id} is damaged; remove it with heldout runs delete {one.id}" for one in found if one.is_damaged]


def name_notes(store: Store, ids: Sequence[str]) -> list[str]:
    """A sentence about each name that several recorded results have: which one it is taken for."""
    every, notes = store.records(), []
    for name in dict.fromkeys(ids):
        called = [one for one in every if one.name == as_stored(name)]
        if len(called) > 1:
            newest = f"{called[-1].id} of {called[-1].time[:16].replace('T', ' ')} (UTC)"
            notes.append(
                f"{name!r} is {newest}, the newest of {len(called)} runs with this name; name another by its id"
            )
    return notes


def _told(one: Record, store: Store) -> dict[str, Any]:
    """A run without its whole result."""
    facts = {name: getattr(one, name) for name in ("id", "time", "name", "verb", "command", "data", "look")}
    return {
        **facts,
        "rows": one.result["hurdles"][0]["rows"] if one.result.get("hurdles") else one.result.get("rows"),
        "primary": _primary(one.result),
        "verdict": one.result.get("verdict"),
        "looks": None if one.data is None else store.looks(one.data),
        "inputs": one.result.get("inputs", []),
    }


def _primary(result: dict[str, Any]) -> dict[str, Any] | None:
    """The difference that decides, or the first value that was printed."""
    if result.get("differences"):
        decides = [one for one in result["differences"] if one["metric"] == result["primary"]] or result["differences"]
        return {**decides[0], "notes": decides[0].get("notes", []), "difference": True} if decides else None
    beside = _beside_estimates(result)
    if beside is not None:
        return beside
    estimates = result.get("estimates", {})
    estimates = estimates.get(result["baseline"], {}) if "models" in result and "baseline" in result else estimates
    shown = [(name, e) for name, e in estimates.items() if e.get("printed", True)]
    return {"metric": shown[0][0], **shown[0][1]} if shown else None


def _beside_estimates(result: dict[str, Any]) -> dict[str, Any] | None:
    """What decides in results without a table of estimates: a gate, a choice of folds, bounds on the Bayes error."""
    kind = str(result.get("schema", "")).removeprefix("heldout.").partition("/")[0]
    if kind == "gate":
        hurdles = result["hurdles"][:1]
        return {"metric": result["primary"], **hurdles[0], "difference": True} if hurdles else None
    if kind == "folds-choice":
        name, points = next(iter(result["models"].items()))
        suggested = [point for point in points if point["folds"] == result["suggested"][name]]
        return {"metric": result["metric"], **suggested[0]["estimate"]}
    return {"metric": "error_rate", **result["upper"]} if kind == "ceiling" else None


def _beside(found: Sequence[Record]) -> list[dict[str, Any]]:
    """Each printed metric of evaluations with its estimate in every run; None where a run has none."""
    values = [one.result["estimates"] if one.verb == "evaluation" else {} for one in found]
    names = dict.fromkeys(name for one in values for name, e in one.items() if e.get("printed", True))
    return [{"metric": name, "values": [one.get(name) for one in values]} for name in names]
