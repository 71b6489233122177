"""What `make soak` and `make kills` measure, and what was recorded."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from benchmarks import kills, pages, soak
from benchmarks.mutants.rooms import ROOMS

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def samples(rss=0, threads=0, files=0):
    """A process that grows so much with every hundred calls."""
    return [
        {"calls": 100 * at, "rss_kb": 100_000 + rss * at, "threads": 5 + threads * at, "files": 20 + files * at}
        for at in range(1, 51)
    ]


@pytest.mark.parametrize(
    ("grown", "met"),
    [({}, True), ({"rss": 40}, True), ({"rss": 60}, False), ({"threads": 1}, False), ({"files": 1}, False)],
)
def test_growth_beyond_the_bound_is_found(grown, met):
    assert soak.growth(samples(**grown), 5000)["met"] is met


COUNTED = """
import json, sys, threading
from benchmarks import soak
before = soak.process()
stop = threading.Event()
thread = threading.Thread(target=stop.wait)
thread.start()
with open(sys.argv[1], "w"):
    after = soak.process()
stop.set()
print(json.dumps([after["threads"] - before["threads"], after["files"] - before["files"], after["rss_kb"]]))
"""


@linux
def test_a_thread_and_an_open_file_are_counted(tmp_path):
    # a process of its own: native threads that other tests started may end at any moment
    command = [sys.executable, "-c", COUNTED, tmp_path / "open"]
    printed = subprocess.run(command, cwd=pages.ROOT, capture_output=True, text=True, check=True).stdout
    threads, files, rss_kb = json.loads(printed)
    assert (threads, files) == (1, 1)
    assert rss_kb > 10_000


@linux
def test_every_kind_of_call_is_made():
    found = soak.soak(24, every=6)
    assert set(found["kinds"].values()) == {2}
    assert [one["calls"] for one in found["samples"]] == [6, 12, 18, 24]


@linux
@pytest.mark.slow
def test_a_killed_validation_is_compared_with_one_left_alone():
    found = kills.measured(kills=2, fits=40)
    assert (found["kills"], found["fits"], found["met"]) == (2, 40, True)


def test_the_recorded_runs_are_whole_and_within_their_bounds():
    recorded = {
        name: json.loads((pages.MEASURED / f"{name}.json").read_text(encoding="utf-8")) for name in ("soak", "kills")
    }
    assert (recorded["soak"]["calls"], recorded["soak"]["met"]) == (soak.COUNT, True)
    assert recorded["soak"]["bound_kb_per_1000"] == soak.MOST_KB_PER_1000
    assert sum(recorded["soak"]["kinds"].values()) == soak.COUNT
    assert (recorded["kills"]["kills"], recorded["kills"]["fits"]) == (kills.KILLS, kills.FITS)
    assert recorded["kills"]["met"]
    assert len(recorded["kills"]["moments"]) == kills.KILLS


@pytest.mark.parametrize("room", ROOMS)
def test_nearly_every_line_and_branch_of_the_rooms_is_executed(room):
    counts = json.loads((pages.MEASURED / "coverage.json").read_text(encoding="utf-8"))["rooms"][room]
    assert counts["covered_lines"] / counts["num_statements"] >= 0.99
    assert len(counts["missing_branches"]) == counts["num_branches"] - counts["covered_branches"] <= 5


def test_the_page_shows_what_was_recorded():
    for path, parts in pages.reliability_blocks().items():
        page = path.read_text(encoding="utf-8")
        assert pages.refreshed(page, parts) == page


def test_the_page_lists_every_exit_code():
    from heldout.cli import gate, problem_messages, process_end

    table = (pages.ROOT / "docs" / "reliability.md").read_text(encoding="utf-8").split("## Exit codes\n")[1]
    listed = {int(line.split("|")[1]) for line in table.strip().split("\n\n")[0].splitlines()[2:]}
    signals = {process_end.Stopped(number).exit_code for number in (1, 2, 15)}
    codes = {0, gate.FAILED, gate.INCONCLUSIVE, problem_messages.BAD_INPUT, problem_messages.INTERNAL}
    assert listed == codes | signals
