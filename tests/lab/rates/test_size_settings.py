"""The grid of settings in which sizes are measured."""

from __future__ import annotations

from heldout.lab.rates.size_settings import LABELS, Setting, settings, size_grid
from heldout.lab.worlds import several_models


def test_the_grid_is_that_of_the_promise():
    every = list(settings())
    assert {one.n for one in every} == {50, 200, 2000}
    for n in (50, 200, 2000):
        for share in ("0.05", "0.2", "0.5"):
            assert (
                Setting(world=f"pair-labels:prevalence={share},precision=0.7,recall=0.7", n=n, metrics=LABELS) in every
            )
    assert {5, 20} <= {len(several_models(one.world).models) for one in every}


def test_part_of_the_grid():
    found = size_grid(4, chosen=lambda one: one.n == 50 and one.world == "pair-numbers:own=1", n_resamples=100)
    assert [(one.metric, one.repeats) for one in found] == [("mae", 4), ("rmse", 4), ("r2", 4)]
