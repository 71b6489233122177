from __future__ import annotations

from heldout.charts.axis_scales import scaled


def test_only_metrics_of_one_scale_share_an_axis():
    assert scaled(["log_loss", "roc_auc", "rmse", "mae", "mcc", "mine"]) == {
        "share": [1, 4],
        "unit of the target": [2, 3],
        "log_loss": [0],
        "mine": [5],
    }
