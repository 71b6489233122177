"""Where the numbers come from: what was noticed, by which methods, on which files, with which versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heldout.report.document import Cell, Page, Table
from heldout.report.html_report.markup import facts_html, remarks_html, table_html
from heldout.report.kinds.evaluation import measured
from heldout.report.number_text import Estimated, percent

BY_MODEL = ("heldout.comparison/1", "heldout.detection/1", "heldout.masks/1", "heldout.text/1")
"""Results whose estimates go by model first."""


def provenance_html(d: Mapping[str, Any], whole: Page, facts: Mapping[str, str]) -> str:
    """Remarks, then methods with their measured error rates, then files, columns, seed and versions."""
    noticed = remarks_html(whole.remarks) or "<p>Nothing was noticed that a reader must know.</p>"
    methods = _methods(d)
    files = {f"file {i}": str(source["path"]) for i, source in enumerate(d.get("inputs", []), 1)}
    hashes = {f"sha256 of file {i}": str(s["sha256"]) for i, s in enumerate(d.get("inputs", []), 1) if s["sha256"]}
    columns = {f"column {role}": name for role, name in d.get("columns", {}).items()}
    settings = {name: str(d[name]) for name in ("seed", "level", "threshold") if d.get(name) is not None}
    made = {"heldout": str(d["heldout"]), "schema": str(d["schema"])}
    everything = {**files, **hashes, **columns, **settings, **made, **facts}
    return (
        f"<h3>Noticed</h3>{noticed}"
        + (f"<h3>Methods</h3>{table_html(methods)}" if methods else "")
        + f'<h3>Provenance</h3><div class="provenance">{facts_html(everything)}</div>'
    )


def _estimates(d: Mapping[str, Any]) -> Iterator[tuple[str, Estimated]]:
    """The estimates that are printed, and the differences."""
    found = d.get("estimates", {})
    by_model = d["schema"] in BY_MODEL
    parts = found.values() if by_model else [found]
    for part in parts:
        yield from ((name, e) for name, e in part.items() if isinstance(e, Mapping) and e.get("printed", True))


def _methods(d: Mapping[str, Any]) -> Table | None:
    """Each metric's method, and how often its intervals held the truth in the lab."""
    rows, seen = [], set()
    for name, e in _estimates(d):
        card = e.get("card") or {}
        key = (name, e.get("method"))
        if key in seen or "method" not in e:
            continue
        seen.add(key)
        world = f"{card['world']}, n = {card['n']:,}, {card['repeats']:,} draws" if card else ""
        rows.append((Cell(name, given=True), Cell(str(e["method"]), given=True), Cell(measured(e)), Cell(world)))
    if not rows:
        return None
    if d["schema"] in BY_MODEL[1:] and not any(held.text for _, _, held, _ in rows):
        return _unmeasured(rows)
    return Table(
        name="methods",
        title=Cell(f"how often an interval that claims {percent(d.get('level', 0.95))} held the truth in the lab"),
        head=(Cell("metric"), Cell("method"), Cell("held"), Cell("in which world")),
        rows=tuple(rows),
        align="llrl",
    )


def _unmeasured(rows: Sequence[tuple[Cell, ...]]) -> Table:
    """Methods with the metrics they are for, where the lab has measured none of them."""
    found: dict[str, list[str]] = {}
    for name, method, _, _ in rows:
        found.setdefault(method.text, []).append(name.text)
    return Table(
        name="methods",
        title=Cell(""),
        head=(Cell("method"), Cell("metrics")),
        rows=tuple((Cell(method, given=True), Cell(", ".join(names), given=True)) for method, names in found.items()),
        align="ll",
    )
