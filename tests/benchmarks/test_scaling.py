"""The pages on engines show what scaling.json holds."""

from __future__ import annotations

import pytest

from benchmarks import paper, scaling
from benchmarks.pages import refreshed
from benchmarks.results import read
from heldout.engines import ENGINES
from heldout.engines.tree import FAN, TASKS
from heldout.inputs.chunked.chunked_table import FILE_CHUNK_ROWS


@pytest.mark.parametrize("engine", scaling.ENGINES)
def test_the_page_of_an_engine_shows_what_was_measured(engine):
    page = (scaling.PAGES / f"{engine}.md").read_text(encoding="utf-8")
    assert refreshed(page, scaling.page_parts(read(scaling.PATH), engine)) == page


def test_every_engine_is_measured():
    assert list(scaling.ENGINES) == list(ENGINES)
    found = read(scaling.PATH)
    for engine in ENGINES:
        assert {line["workers"] for line in found["results"] if line["engine"] == engine} == set(scaling.WORKERS)


def test_the_estimate_reckons_with_what_engines_do():
    assert (paper.FAN, paper.TASKS, paper.PART) == (FAN, TASKS, FILE_CHUNK_ROWS)


def test_the_estimate():
    found = {
        "results": [{"engine": "ray", "workers": 1, "rows": 10**7, "seconds": 10.0}],
        "starts": [{"engine": "ray", "workers": 1, "start_s": 5.0}],
        "sizes": {"row_bytes": 10.0, "total_bytes": 10**7},
    }
    table = paper.estimate_rows(found, "ray")
    assert [row[:3] for row in table] == [
        ("step", "bytes", "seconds"),
        ("files read", "1 TB", "10 s"),
        ("rows added up", "–", "62.5 s"),
        ("totals handed on", "46.8 GB", "788 ms"),
        ("the last total to the caller", "10 MB", "10 ms"),
        ("start", "–", "5 s"),
        ("together", "–", "68.3 s"),
    ]
