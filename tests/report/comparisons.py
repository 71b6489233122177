"""Comparisons made by hand, to be drawn."""

from __future__ import annotations

from typing import Any


def estimated(value: float | None, low: float | None, high: float | None, better: str = "higher") -> dict[str, Any]:
    return {
        "value": value,
        "low": low,
        "high": high,
        "level": 0.95,
        "method": "DeLong",
        "target": "this model",
        "units": 2000,
        "better": better,
        "card": None,
        "notes": [],
        "count": None,
        "printed": True,
    }


def differing(metric: str, value: float, low: float, high: float, **facts: Any) -> dict[str, Any]:
    return {
        "metric": metric,
        "a": "challenger",
        "b": "champion",
        "value": value,
        "low": low,
        "high": high,
        "level": 0.95,
        "p": 0.044,
        "p_adjusted": 0.044,
        "test": "paired t",
        "verdict": "UNDECIDED",
        "rows_needed": None,
        "margin": None,
        "better": "higher",
        "card": None,
        "notes": [],
        "printed": True,
        **facts,
    }


def compared(*differences: dict[str, Any], **facts: Any) -> dict[str, Any]:
    metrics = {one["metric"]: one["better"] for one in differences}
    return {
        "schema": "heldout.comparison/1",
        "heldout": "0.1.0",
        "inputs": [],
        "matched": {"by": "id", "rows": 2000, "only": {"champion": 0, "challenger": 36}},
        "task": "binary",
        "rows": 2000,
        "units": 2000,
        "level": 0.95,
        "seed": 0,
        "primary": None,
        "baseline": "champion",
        "models": ["champion", "challenger"],
        "verdict": "UNDECIDED",
        "paired": True,
        "estimates": {
            model: {metric: estimated(value, value - 0.02, value + 0.02, better) for metric, better in metrics.items()}
            for model, value in (("champion", 0.796), ("challenger", 0.816), ("third", 0.811))
            if model in facts.get("models", ["champion", "challenger"])
        },
        "differences": list(differences),
        "many": None,
        "checks": [],
        **facts,
    }


def champions() -> dict[str, Any]:
    """A primary metric that is established, three others of which one is."""
    return compared(
        differing("log_loss", -0.017, -0.034, -0.001, p=0.039, p_adjusted=0.117, better="lower", rows_needed=4123),
        differing("brier", -0.0041, -0.0102, 0.0021, p=0.19, p_adjusted=0.383, better="lower"),
        differing("roc_auc", 0.0204, 0.0005, 0.0402, test="DeLong, paired", verdict="BETTER"),
        differing("accuracy", 0.0055, -0.007, 0.018, p=0.42, p_adjusted=0.422, test="McNemar mid-p, 83 vs 72"),
        primary="roc_auc",
        verdict="BETTER",
        checks=[{"code": "H111", "text": "y_score is read as a probability"}],
    )


def three() -> dict[str, Any]:
    """Three models, of which two cannot be told apart."""
    facts = {"test": "DeLong, paired"}
    return compared(
        differing("roc_auc", 0.0204, 0.0005, 0.0402, verdict="BETTER", **facts),
        differing("brier", -0.0041, -0.0102, 0.0021, p_adjusted=0.383, better="lower"),
        differing("roc_auc", 0.0151, -0.004, 0.034, a="third", p=0.12, p_adjusted=0.12, rows_needed=7350, **facts),
        differing("brier", -0.0031, -0.0102, 0.0041, a="third", p_adjusted=0.5, better="lower", notes=["few rows"]),
        primary="roc_auc",
        models=["champion", "challenger", "third"],
        matched={"by": "position", "rows": 2000, "only": {}},
        many={
            "best": "challenger",
            "indistinguishable": ["challenger", "third"],
            "optimism": 0.004,
            "corrected": {"value": 0.812, "low": 0.791, "high": 0.833},
        },
    )
