"""Every interval and test is measured, and the defaults hold: row H3 of what the system must do."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from heldout.cli import verbs
from heldout.lab import cards, simulated_metrics

WEAK = {
    "ks": "no interval here holds a largest distance",
    "f0.5_weighted": "biased upward where 100 classes share 500 rows (71%); holds in the other simulations",
    "jaccard_weighted": "biased upward where 100 classes share 500 rows (77%); holds in the other simulations",
    "ece": "wide by design: the bias of bins is bounded, not removed",
    "rms_calibration_error_debiased": "wide by design: its distribution at zero is one-sided",
}
"""Defaults that do not hold their level on average at 500 rows, and why."""
MOST = 0.06


def test_H3_the_default_intervals_hold_at_500_rows():
    """On average over worlds, as the goal says: 93 to 97.5%, less two Monte-Carlo errors."""
    missed = {}
    for metric in simulated_metrics("intervals"):
        found = [card for card in cards("intervals", metric) if card.n == 500]
        if not found:  # figures of images and of texts: their number of units is another one
            continue
        rate = sum(card.rate for card in found) / len(found)
        error = (sum(card.error**2 for card in found)) ** 0.5 / len(found)
        if not 0.93 - 2 * error <= rate <= 0.975 + 2 * error:
            missed[metric] = round(rate, 3)
    assert set(missed) <= set(WEAK), missed


@pytest.mark.parametrize("n", [50, 100, 500, 2000])
def test_H3_the_default_tests_hold_their_level(n):
    """In every world: at most 6%, within three Monte-Carlo errors."""
    missed = {}
    for metric in simulated_metrics("tests"):
        for card in cards("tests", metric):
            if card.n == n and card.rate - 3 * card.error > MOST:
                missed[metric, card.world] = card.rate
    assert missed == {}


def test_H3_by_one_command(tmp_path):
    """A piece of the grid, measured by the command that measures all of it."""
    kept, written = tmp_path / "cards.jsonl", tmp_path / "cards.json"
    options = ["--into", str(kept), "--output", str(written), "--world", "coin:p=0.99", "--upto", "50", "--defaults"]
    result = CliRunner().invoke(verbs, ["lab", "cards", *options, "--repeats", "50", "--drawn", "50"])
    assert result.exit_code == 0, result.output
    found = json.loads(written.read_text(encoding="utf-8"))
    shipped = {(card.n, card.rate) for card in cards("intervals", "accuracy")}
    assert {(line[1], line[3]) for line in found["intervals"]["rows"]["accuracy"]["auto"]} <= shipped
    again = CliRunner().invoke(verbs, ["lab", "cards", *options, "--repeats", "50", "--drawn", "50"])
    assert (again.exit_code, again.output) == (0, result.output)
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 3
