"""Series and frames with an index: rows are matched by its labels, as pandas does, and not by position."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from heldout.errors import DataError
from heldout.inputs.message_text import listed
from heldout.inputs.reading import Check


def aligned(values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Check, ...]]:
    """The values with their rows in the order of the first that has an index, and a note on those that were moved.

    Arrays and lists have no index and stay as they are. Raise if two indexes hold different labels, or different rows
    under one label; and if one of them only counts its rows, 0, 1, …, in an order of its own: such an index comes with
    any new Series, so that its rows may well be in the order of the other.

    >>> aligned({"y_true": [0, 1], "y_pred": None})
    ({'y_true': [0, 1], 'y_pred': None}, ())
    """
    rows = dict(values)
    first, index, moved = "", None, []
    for name, inner, part in _parts(values):
        own = _index(part)
        if own is None:
            continue
        if index is None:
            first, index = name, own
        elif len(own) == len(index) and not own.equals(index):  # lengths are compared where the columns are read
            part_in_order = part.iloc[_positions(first, index, name, own)]
            rows[name] = part_in_order if inner is None else {**rows[name], inner: part_in_order}
            moved.append(name)
    names = ", ".join(dict.fromkeys(moved))
    note = f"the rows of {names} are matched with those of {first} by index, which is in another order"
    return rows, (Check(code="H101", text=note),) if moved else ()


def warn_of_other_order(checks: Iterable[Check]) -> None:
    """Say that rows were matched by index, where a result has no place for notes."""
    for check in checks:
        if check.code == "H101":
            warnings.warn(check.text, UserWarning, stacklevel=5)


def _parts(values: Mapping[str, Any]) -> Iterator[tuple[str, str | None, Any]]:
    """Name, key and values of every array, series or frame; the key where the name has a dict of them."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from ((name, key, part) for key, part in value.items())
        else:
            yield name, None, value


def _index(values: Any) -> Any:
    """The index of a pandas object (or of a library that follows it); None for anything else."""
    return values.index if hasattr(values, "iloc") and hasattr(values, "index") else None


def _counts_rows(index: Any) -> bool:
    """Whether an index is the one that rows get where nothing else is known of them."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _positions(first: str, index: Any, name: str, own: Any) -> Any:
    """Where each label of one index is in the other."""
    fix = (
        f"give both the same index, or pass {name}.to_numpy() if its rows are in the order of {first}"
        if name.isidentifier()
        else f"give both the same index, or pass arrays (.to_numpy()) if their rows are in the order of {first}"
    )
    for called, labels in ((first, index), (name, own)):
        if not labels.is_unique:
            repeated = labels[labels.duplicated()]
            raise DataError(
                f"{first} and {name} have different indexes, and that of {called} has {listed(repeated[:1])} more than "
                "once, so rows cannot be matched by index",
                code="H101",
                fix=fix,
            )
    positions = own.get_indexer(index)
    strange = index[positions < 0]
    if len(strange):
        count = f"{len(strange):,} of {len(index):,} labels of {first}"
        raise DataError(
            f"{first} and {name} have different indexes: {count} are not in that of {name} ({listed(strange, 3)})",
            code="H101",
            fix=fix,
        )
    for called, labels in ((first, index), (name, own)):
        if _counts_rows(labels):
            raise DataError(
                f"{first} and {name} have the same index in different orders, and that of {called} only counts its "
                f"rows (0, 1, …), which may as well be in the order of {name if called == first else first}",
                code="H101",
                fix=fix,
            )
    return positions
