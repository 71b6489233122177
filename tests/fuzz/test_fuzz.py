"""The fuzzer: a short run of it, every failure that it has found so far, and whether it finds planted ones."""

from __future__ import annotations

import itertools

import pytest

from tests.fuzz import found
from tests.fuzz.__main__ import minimal, numbered, reported, run
from tests.fuzz.cases import case
from tests.fuzz.known import KNOWN
from tests.fuzz.options import commands
from tests.fuzz.pool import Pool
from tests.fuzz.recipes import RECIPES

CASES, MINUTES = 3000, 2
"""The short run: so many cases, on a busy machine as many as fit into the time."""


@pytest.mark.slow
def test_a_short_run_finds_nothing(tmp_path):
    with Pool() as pool:
        tally = run(pool, numbered(0, MINUTES, CASES))
        tally.first = {signature: case for signature, case in tally.first.items() if signature not in KNOWN}
        assert list(reported(pool, tally, tmp_path)) == []
    assert tally.cases > CASES / 10


@pytest.fixture(scope="module")
def pool():
    with Pool() as workers:
        yield workers


@pytest.mark.parametrize("folder", found.folders(), ids=lambda folder: folder.name)
def test_what_was_found_stays_mended(folder, pool):
    assert pool.verdict(found.read(folder)).problems == ()


def test_every_command_is_tried():
    assert set(RECIPES) == set(commands())


def test_the_same_seed_gives_the_same_cases():
    for number in range(200):
        first, second = (case(3, number) for _ in range(2))
        assert (first.arguments, first.forms, first.stdin) == (second.arguments, second.forms, second.stdin)
        assert {name: content.data() for name, content in first.files.items()} == {
            name: content.data() for name, content in second.files.items()
        }
    assert case(3, 0).arguments != case(4, 0).arguments


PLANTED = {
    "exit 5: KeyError in cli/split.py split": lambda one: any(b"dog" in part.data() for part in one.files.values()),
    "signal SIGABRT in cli/text.py text": lambda one: ("--lowercase",) in one.words,
    "time limit in cli/masks.py masks": lambda one: any(words[0] == "--seed" for words in one.words),
}
"""The faults of `planted.py` by their signatures, and the cases that they may strike."""


@pytest.mark.slow
def test_planted_faults_are_found_made_small_and_written(tmp_path):
    with Pool(1, faulty=True, seconds=2.0) as workers:
        for signature, strikes in PLANTED.items():
            verb = signature.split()[-1]
            struck = ((0, k) for k in itertools.count() if case(0, k).command == (verb,) and strikes(case(0, k)))
            tally = run(workers, itertools.islice(struck, 2))
            small, problem = minimal(
                workers, case(*tally.first[signature][0]), signature, tries=60 if signature.startswith("exit") else 8
            )
            assert problem is not None
            again = found.read(found.write(small, problem, tmp_path))
            assert signature in {one.signature for one in workers.verdict(again).problems}
            assert len(again.words) <= len(case(*tally.first[signature][0]).words)
    assert [path.name for path in found.folders(tmp_path)] == sorted(map(found.folder_name, PLANTED))
    (rows,) = (tmp_path / found.folder_name("exit 5: KeyError in cli/split.py split")).glob("rows.*")
    assert b"dog" in rows.read_bytes()
    assert len(rows.read_bytes()) < 12
