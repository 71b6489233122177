"""Tables for docs/reliability.md, from soak.json, kills.json and fuzz.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.table import Rows, markdown


def soak_table(found: Mapping[str, Any]) -> str:
    """What grew over the calls, beside its bound; then the calls of each kind."""
    late = [one for one in found["samples"] if one["calls"] > found["warm_up"]]
    first, last = (f"{late[at]['rss_kb'] / 1024:.0f} MB" for at in (0, -1))
    memory = f"{first} after {late[0]['calls']:,} calls, {last} at the end"
    grown: Rows = [
        ("of the process", "measured", "growth", "bound"),
        ("resident memory", memory, f"{found['kb_per_1000']:+.0f} KB per 1,000 calls",
         f"{found['bound_kb_per_1000']:.0f} KB per 1,000 calls"),
        ("threads", f"{late[-1]['threads']}", f"{found['threads']:+d}", "none"),
        ("open files", f"{late[-1]['files']}", f"{found['files']:+d}", "none"),
    ]  # fmt: skip
    kinds: Rows = [("calls", "number"), *((name, f"{count:,}") for name, count in found["kinds"].items())]
    return f"{markdown(grown)}\n\n{markdown(kinds)}"


def kills_table(found: Mapping[str, Any]) -> str:
    """How often it was killed and when, and what came out."""
    same = {True: "identical", False: "different"}
    rows: Rows = [
        ("", ""),
        ("fits", f"{found['fits']:,}"),
        ("kills", f"{found['kills']:,}"),
        ("of these, while the program starts or reads finished fits", f"{found['kills while it starts']}"),
        ("of these, while it fits or writes", f"{found['kills while it fits']}"),
        ("of these, with two worker processes", f"{found['kills with two jobs']}"),
        ("JSON of the result", same[found["same_json"]]),
        ("files of fits", same[found["same_files"]]),
        ("temporary files left", f"{found['temporary_files_left']}"),
    ]
    return markdown(rows)


def fuzz_table(found: Mapping[str, Any]) -> str:
    """Cases of every seed, and how they ended."""
    heads = ("seed", "cases", "minutes", "with a result", "refused", "findings")
    rows: Rows = [heads]
    for seed, run in found["seeds"].items():
        (every,) = (line for line in run["rows"] if line["what"] == "all")
        rows.append((seed, f"{run['cases']:,}", f"{run['seconds'] / 60:.0f}", *_endings(every)))
    total = {name: sum(line[name] for line in _all(found)) for name in ("cases", "ok", "refused", "findings")}
    minutes = sum(run["seconds"] for run in found["seeds"].values()) / 60
    rows.append(("all", f"{total['cases']:,}", f"{minutes:.0f}", *_endings(total)))
    return markdown(rows)


def _all(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [line for run in found["seeds"].values() for line in run["rows"] if line["what"] == "all"]


def _endings(line: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{line[name]:,}" for name in ("ok", "refused", "findings"))
