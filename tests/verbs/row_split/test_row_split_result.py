"""Frames are divided by the positions of their rows."""

from __future__ import annotations

import pytest

import heldout


def test_frames_are_divided_by_position():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": range(90), "y": [0, 1, 1] * 30})
    found = heldout.split(frame, {"train": 3, "test": 1}, strata="y")
    assert frame.iloc[found.positions("test")]["y"].mean() == pytest.approx(2 / 3, abs=0.02)
    with pytest.raises(heldout.UsageError, match="choose one of train, test"):
        found.positions("validation")
