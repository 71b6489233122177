"""Parts of a loss."""

from __future__ import annotations

import pytest


def test_the_parts_of_a_loss_add_up(figures):
    frame = figures["bias_variance"].data.set_index("part")
    assert frame.loc[["noise", "bias²", "variance"], "value"].sum() == pytest.approx(frame.loc["whole", "value"])
