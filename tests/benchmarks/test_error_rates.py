"""The peers' error rates: how they are counted, what `make peers` left behind, and the table made of it."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import date
from math import nan
from pathlib import Path

import numpy as np
import pytest

import heldout
from benchmarks.error_rates import areas, labels, line, rejections, rivals, shares
from benchmarks.error_rates.__main__ import PATH, written
from docs import facts
from heldout import lab
from heldout.intervals.shares import normal, wilson
from heldout.lab.rates.size import discordance
from heldout.stats.mcnemar_tests import mcnemar

ROOT = Path(__file__).parents[2]
FOUND = json.loads(PATH.read_text(encoding="utf-8"))
LINES = FOUND["lines"]
OURS = ("heldout", "default")


def kept(**facts_of_line):
    """The one line of the file with these facts."""
    (one,) = (one for one in LINES if facts_of_line.items() <= one.items())
    return one


# How rates are counted


def test_an_interval_without_an_answer_is_no_interval():
    assert line.guarded(lambda: ("None", "None"))() == pytest.approx((nan, nan), nan_ok=True)
    assert line.guarded(lambda: 1 / 0)() == pytest.approx((nan, nan), nan_ok=True)
    assert line.guarded(lambda: (np.float64(0.1), 1))() == (0.1, 1.0)


def test_half_of_the_answers_hold():
    found = line.interval_line([5, 2.0, 10, 20], 20, world="w", metric="m", n=20, package="p", method="x")
    assert (found.rate, found.width, found.undefined) == (0.5, 0.2, 0.5)


def test_a_share_is_counted_as_the_lab_counts_it():
    held, width, answered, asked = shares.counted(lambda x, n: wilson(x, n, 0.95), 0.9, 50)
    (ours,) = lab.coverage("wilson", "coin:p=0.9", 50)
    assert (held, width) == pytest.approx((ours.coverage, ours.width), abs=1e-9)
    assert (answered, asked) == pytest.approx((1, 1), abs=1e-8)


def test_counts_without_an_answer_are_left_out():
    ends = lambda x, n: (nan, nan) if x == n else normal(x, n, 0.95)  # noqa: E731
    assert shares.counted(ends, 0.9, 20)[2] == pytest.approx(1 - 0.9**20, abs=1e-8)


@pytest.mark.parametrize("gain", [0, 0.05])
def test_rejections_are_counted_as_the_lab_counts_them(gain):
    (ours,) = (lab.power if gain else lab.size)("exact", f"pair-coin:p=0.8,gain={gain}", 60)
    chances = discordance(0.8, 0.8 + gain, 0.6)
    found = rejections.by_discordance(lambda b, c: mcnemar(b, c, method="exact"), *chances, 60)
    assert found == (pytest.approx(ours.rejected, abs=1e-9), 0.0)


def test_a_test_without_a_p_value_does_not_reject():
    found = rejections.by_discordance(lambda b, c: nan if b + c == 0 else 1.0, 0.05, 0.05, 20)
    assert found == (0.0, pytest.approx(0.9**20))


def test_both_models_right_as_often_as_they_are():
    more, less = discordance(0.8, 0.85, 0.6)
    chances = rejections.both_right(0.8, 0.8 - less, 0.85, 40)
    x, y = np.indices(chances.shape)
    assert (chances * (y - x)).sum() == pytest.approx(40 * 0.05)
    assert (chances * (y - x) ** 2).sum() - 4 == pytest.approx(40 * (more + less - 0.05**2))


def test_ours_on_a_table_is_what_evaluate_gives():
    assert labels.heldout("recall", (8, 1, 2, 9)) == pytest.approx(wilson(8, 10, 0.95))
    assert labels.counted(*labels.rows((8, 1, 2, 9))) == (8, 1, 2, 9)


def test_two_areas_apart():
    truth = np.repeat([1, 0], 10)
    good, bad = np.arange(20.0)[::-1], np.arange(20.0)
    assert rivals.apart(truth, good, bad)
    assert not rivals.apart(truth, good, good)


@pytest.mark.parametrize("world", rivals.WORLDS)
def test_peers_are_asked_about_the_rows_that_the_lab_draws(world, monkeypatch):
    """A peer that gives our p-values rejects as often as we do."""

    def ours(truth, first, second, seed):
        models = {"first": first, "second": second}
        return heldout.compare(truth, models, metrics="roc_auc", pos_label=1, random_state=seed)["roc_auc"].pvalue

    monkeypatch.setattr(rivals, "delong_test", ours)
    monkeypatch.setitem(rivals.REPEATS, 50, 60)
    default, peer, _ = rivals._at(world, 50)
    assert (default.package, default.question) == ("heldout", "power" if "gain" in world else "size")
    assert (peer.rate, peer.error, peer.undefined) == (default.rate, default.error, default.undefined)
    assert "gain" not in world or 0 < default.rate < 1


def test_the_file_has_a_line_for_each_number():
    one = line.interval_line([5, 2.0, 0, 20], 20, world="w", metric="m", n=20, package="scipy", method="x")
    text = written([one, one], {"scipy": "1.0", "numpy": "2.0"}, date(2026, 1, 2))
    assert text.count("\n  {") == 2
    found = json.loads(text)
    assert (found["date"], found["versions"], found["lines"][0]["rate"]) == ("2026-01-02", {"scipy": "1.0"}, None)


# What the last run left behind


def test_the_file_has_its_shape():
    assert list(FOUND) == ["date", "versions", "level", "alpha", "seed", "lines"]
    assert (FOUND["level"], FOUND["alpha"], FOUND["seed"]) == (line.LEVEL, line.ALPHA, line.SEED)
    assert date.fromisoformat(FOUND["date"]) >= date(2026, 11, 15)
    assert {tuple(one) for one in LINES} == {tuple(part.name for part in fields(line.Line))}
    assert len({(one["world"], one["metric"], one["n"], one["package"], one["method"]) for one in LINES}) == len(LINES)


def test_the_file_has_every_world_and_peer_at_every_size():
    asked = {
        *((world, n, *name) for world in shares.WORLDS for n in line.SIZES for name in every(shares.PEERS, n)),
        *((world, n, *name) for world in areas.WORLDS for n in line.SIZES for name in every(areas.PEERS, n)),
        *(
            (world, n, *name)
            for world in rejections.WORLDS
            for n in line.SIZES
            for name in [OURS, *rejections.DISCORDANT, *rejections.UNPAIRED]
        ),
        *((world, n, *name) for world in rivals.WORLDS for n in line.SIZES for name in [OURS, *rivals.PEERS]),
        *(
            (world, n, package, call)
            for world in labels.WORLDS
            for n in line.SIZES
            for package, (_, calls) in (labels.PEERS | (labels.SLOW if n <= line.RESAMPLED else {})).items()
            for call in calls.values()
        ),
    }
    assert {(one["world"], one["n"], one["package"], one["method"]) for one in LINES} == asked


def every(peers, n):
    return [OURS, *(name for name, (_, most) in peers.items() if n <= most)]


def test_rates_are_rates():
    for one in LINES:
        assert one["rate"] is None or 0 <= one["rate"] <= 1, one
        assert (one["error"] == 0) == (one["repeats"] == 0 or one["rate"] is None), one
        assert one["repeats"] in (0, line.RESAMPLED_REPEATS, line.REPEATS[one["n"]]), one


def test_the_versions_are_those_that_are_installed_for_it():
    names = ("benchmarks/requirements.txt", "benchmarks/requirements-nodeps.txt")
    pins = [one.split("==") for name in names for one in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    wanted = {package.lower(): version for package, version in pins}
    peers = {name: version for name, version in FOUND["versions"].items() if name != "heldout"}
    assert peers == {name: wanted[name.lower()] for name in peers}
    assert {one["package"] for one in LINES} - {line.BY_HAND} == {*peers, "heldout"}


@pytest.mark.parametrize("world", shares.WORLDS)
@pytest.mark.parametrize("n", line.SIZES)
def test_shares_come_out_again(world, n):
    # The peers' defaults have names of ours, so that their lines are found again without them.
    names = {"auto": OURS, "normal": ("statsmodels", "proportion_confint")}
    for method, (package, call) in names.items():
        (one,) = lab.coverage(method, world, n)
        assert kept(world=world, n=n, package=package, method=call)["rate"] == pytest.approx(one.coverage, abs=1e-6)
    theirs = kept(world=world, n=n, package="confidenceinterval")
    ours = kept(world=world, n=n, package="heldout")
    assert (theirs["rate"], theirs["width"]) == pytest.approx((ours["rate"], ours["width"]), abs=1e-6)


@pytest.mark.parametrize("world", rejections.WORLDS)
@pytest.mark.parametrize("n", line.SIZES[:4])
def test_rejections_come_out_again(world, n):
    default, exact, corrected = (lab.power if "gain" in world else lab.size)(["auto", "exact", "corrected"], world, n)
    assert kept(world=world, n=n, package="heldout")["rate"] == pytest.approx(default.rejected, abs=1e-6)
    for package, call in (("statsmodels", "mcnemar"), ("mlxtend", "mcnemar, exact=True")):
        assert kept(world=world, n=n, package=package, method=call)["rate"] == pytest.approx(exact.rejected, abs=1e-6)
    # Both give p = 0 to models that never disagree, where ours is 1.
    first = 0.95 if "0.95" in world else 0.8
    never = (1 - sum(discordance(first, first + default.difference, 0.6))) ** n
    for package, call in (("mlxtend", "mcnemar"), ("statsmodels", "mcnemar, exact=False")):
        rate = kept(world=world, n=n, package=package, method=call)["rate"]
        assert rate == pytest.approx(corrected.rejected + never, abs=1e-6)


@pytest.mark.parametrize("world", areas.WORLDS)
def test_areas_come_out_again(world):
    n = 2000
    (one,) = lab.coverage("auto", world, n, metrics="roc_auc", repeats=line.REPEATS[n], random_state=line.SEED)
    found = kept(world=world, n=n, package="heldout")
    assert (found["rate"], found["width"]) == pytest.approx((one.coverage, one.width), abs=1e-6)


# The table made of it


def test_the_table_has_a_line_for_each_call():
    calls = {(one["question"], one["world"], one["metric"], one["package"], one["method"]) for one in LINES}
    page = facts.peers()
    assert sum(text.startswith("| `") for text in page.splitlines()) == len(calls)
    assert page.startswith(
        f"Measured on {FOUND['date']} with confidenceinterval {FOUND['versions']['confidenceinterval']}"
    )
    assert "| `coin:p=0.99` | `accuracy` | statsmodels | proportion_confint | 18.2% | 39.5% | 63.3% |" in page


def test_a_share_without_an_answer_stands_in_brackets():
    assert facts.rate({"rate": 0.95, "undefined": 0.12}) == "95.0% (12%)"
    assert facts.rate({"rate": 0.95, "undefined": 0.001}) == "95.0%"
    assert facts.rate({"rate": None, "undefined": 1.0}) == "– (100%)"
