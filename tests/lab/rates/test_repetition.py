"""Repetitions: the numbers are those of the seed, whoever does the work and however often it was interrupted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from heldout.errors import UsageError
from heldout.lab.rates.coverage import Holding
from heldout.lab.rates.repetition import repeated

JOB = Holding("coin:p=0.3", 20, ("accuracy",), ("wilson",), 0.95, 100)


@dataclass(frozen=True)
class Dice:
    sides: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> np.ndarray:
        return np.array([float(rng.integers(self.sides, size=repeats).sum()), float(repeats)])


def test_sums_are_those_of_the_seed():
    one, same, other = (repeated(Dice(6), 250, seed=seed) for seed in (1, 1, 2))
    assert one.tolist() == same.tolist()
    assert one[1] == 250
    assert one[0] != other[0]


def test_more_repetitions_begin_with_the_same_blocks():
    first, both = repeated(Dice(6), 100), repeated(Dice(6), 200)
    second = both - first
    assert second[1] == 100
    assert second[0] != first[0]


@pytest.mark.slow
def test_processes_do_not_change_the_numbers():
    assert repeated(JOB, 150, jobs=2).tolist() == repeated(JOB, 150).tolist()


def test_a_run_goes_on_from_what_a_file_has(tmp_path):
    file = tmp_path / "blocks.jsonl"
    whole = repeated(Dice(6), 300, seed=4, into=file)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) == 3
    file.write_text(lines[0] + lines[1][:20], encoding="utf-8")  # interrupted in the middle of a line
    assert repeated(Dice(6), 300, seed=4, into=file).tolist() == whole.tolist()
    again = file.read_text(encoding="utf-8").splitlines()
    assert len(again) == 4  # the first, the one that was cut off, and two that were missing


def test_what_a_file_has_is_not_done_again(tmp_path):
    file = tmp_path / "blocks.jsonl"
    repeated(Dice(6), 100, into=file)
    text = file.read_text(encoding="utf-8")
    spoiled = text.replace('"sums": [', '"sums": [1000000.0, 1.0], "was": [')
    file.write_text(spoiled, encoding="utf-8")
    assert repeated(Dice(6), 100, into=file).tolist() == [1000000.0, 1.0]


def test_other_words_and_seeds_are_other_jobs(tmp_path):
    file = tmp_path / "blocks.jsonl"
    for job, seed in ((Dice(6), 0), (Dice(8), 0), (Dice(6), 1)):
        repeated(job, 100, seed=seed, into=file)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3


def test_no_repetitions():
    with pytest.raises(UsageError) as caught:
        repeated(Dice(6), 0)
    assert str(caught.value) == (
        "the repetitions are 0, but must be one or more\n  Fix: leave out repeats for its default"
    )
