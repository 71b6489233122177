"""How the test rows differ from training or reference rows: the columns that changed, and a classifier's area."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Cell, Note, Table, given, table_of
from heldout.report.kinds.estimates import ci_head
from heldout.report.number_text import p_text, percent

Facts = Mapping[str, Any]
WORDS = {"train": "training rows", "reference": "reference rows"}


def shift_tables(d: Facts) -> list[Table]:
    """One table per file that the test rows were compared with."""
    return [_shift(d, found) for found in d.get("shifts", ())]


def shift_notes(d: Facts) -> list[Note]:
    """That no difference was found, where none was; a difference has a note with a code."""
    return [
        Note(
            "shift", f"no significant difference from the {WORDS[found['role']]} ({found['place']}): {_compared(found)}"
        )
        for found in d.get("shifts", ())
        if not _differs(found)
    ]


def _compared(found: Facts) -> str:
    whole, columns = found["classifier"], len(found["columns"])
    area = f"AUC {whole['size']:.3f} [{whole['low']:.3f}, {whole['high']:.3f}]"
    return f"{columns} column{'' if columns == 1 else 's'} compared, and by a classifier ({area})"


def _differs(found: Facts) -> bool:
    return any(one["adjusted"] < found["alpha"] for one in (*found["columns"], found["classifier"]))


def _shift(d: Facts, found: Facts) -> Table:
    lines = sorted(found["columns"], key=lambda one: (one["pvalue"], -one["gap"]))
    changed = [one for one in lines if one["adjusted"] < found["alpha"]]
    whole = found["classifier"]
    title = f"test rows against {WORDS[found['role']]} ({found['place']})"
    apart = (
        f"AUC {whole['size']:.3f} [{whole['low']:.3f}, {whole['high']:.3f}], p {p_text(whole['adjusted'], d['level'])}"
    )
    verdict = "distinguishes them" if whole["adjusted"] < found["alpha"] else "does not distinguish them"
    other, ours = found["rows"]
    return table_of(
        title,
        [
            ("column", "l", given(one["name"] for one in lines)),
            ("before", "r", given(_side(one, "before") for one in lines)),
            ("after", "r", given(_side(one, "after") for one in lines)),
            ("change", "r", [_size(one, "size") for one in lines]),
            (ci_head(d["level"]), "l", [_interval(one) for one in lines]),
            ("adjusted p", "r", [p_text(one["adjusted"], d["level"]) for one in lines]),
            ("test", "l", [one["test"] for one in lines]),
        ],
        title=Cell(title, given=True),
        section="distributions",
        brief_rows=max(len(changed), 1),
        in_brief=_differs(found),
        rows_are=("column", "columns"),
        foot=(
            Cell(
                f"{len(changed)} of {len(lines)} columns differ significantly; a classifier {verdict} ({apart}); "
                f"{percent(found['alpha'])} for all of it together"
            ),
            Cell(
                f"{other:,} rows before, {ours:,} after; change: of means in standard deviations, of shares in points"
            ),
        ),
        optional=1,
    )


def _side(one: Facts, side: str) -> str:
    if one[side] is None:
        return "--"
    return f"{one['of'] or 'missing'}: {100 * one[side]:.1f}%" if one["measure"] == "share" else f"{one[side]:.4g}"


def _size(one: Facts, end: str) -> str:
    if one[end] is None:
        return "--"
    return f"{100 * one[end]:+.1f} pt" if one["measure"] == "share" else f"{one[end]:+.2f} sd"


def _interval(one: Facts) -> str:
    if one["low"] is None or one["high"] is None:
        return "--"
    scale, digits = (100, 1) if one["measure"] == "share" else (1, 2)
    return f"[{scale * one['low']:+.{digits}f}, {scale * one['high']:+.{digits}f}]"
