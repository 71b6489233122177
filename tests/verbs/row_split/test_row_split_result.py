"""Frames are divided by the positions of their rows."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs


def test_frames_are_divided_by_position():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": range(90), "y": [0, 1, 1] * 30})
    found = heldout.split(frame, {"train": 3, "test": 1}, strata="y")
    assert frame.iloc[found.positions("test")]["y"].mean() == pytest.approx(2 / 3, abs=0.02)
    with pytest.raises(heldout.UsageError, match="choose one of train, test"):
        found.positions("validation")


def test_a_chart_that_is_not_there_is_refused_before_a_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("x,y\n" + "".join(f"{at},{'ab'[at % 2]}\n" for at in range(30)))
    refused = CliRunner().invoke(verbs, ["split", "rows.csv", "--chart", "roc=roc.svg"])
    assert (refused.exit_code, sorted(path.name for path in tmp_path.iterdir())) == (2, ["rows.csv"])
    assert "this result has no chart 'roc'" in refused.stderr
    drawn = CliRunner().invoke(verbs, ["split", "rows.csv", "--stratify", "y", "--charts", "pictures", "-q"])
    assert drawn.exit_code == 0, drawn.output
    assert sorted(path.name for path in (tmp_path / "pictures").iterdir()) == ["part_shares.svg", "part_sizes.svg"]


def test_the_charts_of_a_split_have_its_shares_and_rare_values_together():
    rows = {"x": range(60), "y": [f"v{min(at // 5, 9)}" for at in range(60)]}
    found = heldout.split(rows, strata="y")
    shares = found.plot.figure("part_shares")
    assert shares.outcomes[-1] == "other values (4)"
    assert all(sum(one) == pytest.approx(1) for one in shares.shares.values())
    assert found.plot.figure("part_sizes").parts["rates"]["value"] == pytest.approx([2 / 3, 1 / 3])
