"""The tables in the README and the documentation, written between two marks from the files of what was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import branch_coverage, by_hand_table, page_rate_tables, reliability_tables, table
from benchmarks.mutants import results as mutant_results

ROOT = Path(__file__).parents[1]
MEASURED = ROOT / "docs" / "measured"
BY_HAND = MEASURED / "by-hand.json"


def blocks(found: dict[str, Any]) -> dict[Path, dict[str, str]]:
    """Page → name of the mark → what stands between it and its end."""
    return {
        ROOT / "README.md": {"benchmark table": table.markdown(table.summary_rows(found))},
        ROOT / "docs" / "performance.md": {
            "benchmark conditions": table.conditions(found),
            "benchmark table": table.markdown(table.ratio_rows(found)),
            "limit table": table.markdown(table.limit_rows(found)),
            "growth table": table.markdown(table.growth_rows(found)),
            "memory table": table.markdown(table.memory_rows(found)),
        },
    }


def by_hand_blocks(found: dict[str, Any]) -> dict[Path, dict[str, str]]:
    """The same for the evaluations by hand, which `make by-hand` measures."""
    return {
        ROOT / "README.md": {"by-hand table": table.markdown(by_hand_table.summary_rows(found))},
        ROOT / "docs" / "by-hand.md": {"by-hand table": table.markdown(by_hand_table.full_rows(found))},
    }


def page_rate_blocks() -> dict[Path, dict[str, str]]:
    """The same for rates that `make page-rates` and the lab measure."""
    rates, selection, held_out = (
        json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("page-rates", "selection", "held-out")
    )
    docs = ROOT / "docs"
    return {
        docs / "tutorials" / "time.md": {"time table": page_rate_tables.time_table(rates)},
        docs / "comparisons.md": {
            "skewness table": page_rate_tables.skewness_table(rates),
            "sequence table": page_rate_tables.sequence_table(rates),
            "weights table": page_rate_tables.weights_table(rates),
        },
        docs / "intervals.md": {
            "weighted intervals table": page_rate_tables.weights_table(rates, "weighted intervals", "metric")
        },
        docs / "decisions" / "0015-clusters-that-carry-a-metric.md": {
            "carrier table": page_rate_tables.carrier_table(rates)
        },
        docs / "tutorials" / "choosing-a-model.md": {"selection table": page_rate_tables.selection_table(selection)},
        docs / "measured-error-rates.md": {"held-out table": page_rate_tables.held_out_table(held_out)},
    }


def reliability_blocks() -> dict[Path, dict[str, str]]:
    """The same for what `make soak`, `make kills`, `make fuzz`, `make mutants` and `make coverage` measure."""
    names = ("soak", "kills", "fuzz", "mutants", "coverage")
    soak, kills, fuzz, mutants, coverage = (
        json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8")) for name in names
    )
    return {
        ROOT / "docs" / "reliability.md": {
            "soak table": reliability_tables.soak_table(soak),
            "kills table": reliability_tables.kills_table(kills),
            "fuzz table": reliability_tables.fuzz_table(fuzz),
            "mutant table": mutant_results.room_table(mutants),
            "survivor table": mutant_results.reason_table(mutants),
            "coverage table": table.markdown(branch_coverage.rows(coverage, "rooms")),
        }
    }


def refreshed(page: str, parts: dict[str, str]) -> str:
    r"""The page with each part between its marks.

    >>> print(refreshed("<!-- a -->\nold\n<!-- end of a -->", {"a": "new"}))
    <!-- a -->
    <BLANKLINE>
    new
    <BLANKLINE>
    <!-- end of a -->
    """
    for name, part in parts.items():
        start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, opened, rest = page.partition(start)
        _, closed, after = rest.partition(end)
        if not opened or not closed:
            raise ValueError(f"the page has no marks {start} and {end}")
        page = f"{before}{start}\n\n{part}\n\n{end}{after}"
    return page


def write_pages(found: dict[str, Any]) -> list[Path]:
    """Refresh every page of the benchmarks; which have changed."""
    return refresh(blocks(found))


def refresh(every: dict[Path, dict[str, str]]) -> list[Path]:
    """Write what stands between marks, page by page; which have changed."""
    changed = []
    for path, parts in every.items():
        page = path.read_text(encoding="utf-8")
        new = refreshed(page, parts)
        if new != page:
            path.write_text(new, encoding="utf-8")
            changed.append(path)
    return changed


if __name__ == "__main__":
    if BY_HAND.exists():
        refresh(by_hand_blocks(json.loads(BY_HAND.read_text(encoding="utf-8"))))
    refresh(page_rate_blocks())
    refresh(reliability_blocks())
