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
        "model": "challenger",
        "baseline": "champion",
        "value": value,
        "low": low,
        "high": high,
        "level": 0.95,
        "pvalue": 0.044,
        "pvalue_adjusted": 0.044,
        "test": "paired t",
        "verdict": "UNDECIDED",
        "correction": "none",
        "tests": 1,
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
    models = facts.get("models", ["champion", "challenger"])
    rows = facts.get("rows", 2000)
    return {
        "schema": "heldout.comparison/1",
        "heldout": "0.1.0",
        "inputs": [],
        "unit": "row" if facts.get("units", rows) == rows else "cluster",
        "matched": {"by": "id", "rows": 2000, "only": {"champion": 0, "challenger": 36}},
        "task": "binary",
        "rows": rows,
        "units": rows,
        "engine": "local",
        "chunks": 1,
        "level": 0.95,
        "seed": 0,
        "primary": None,
        "baseline": "champion",
        "models": models,
        "verdict": "UNDECIDED",
        "verdicts": dict.fromkeys(models[1:], facts.get("verdict", "UNDECIDED")),
        "paired": True,
        "samples": {},
        "estimates": {
            model: {metric: estimated(value, value - 0.02, value + 0.02, better) for metric, better in metrics.items()}
            for model, value in (("champion", 0.796), ("challenger", 0.816), ("third", 0.811))
            if model in models
        },
        "differences": list(differences),
        "segments": {},
        "best_of_many": None,
        "checks": [],
        **facts,
    }


def champions() -> dict[str, Any]:
    """A significant difference of the primary metric, and three others that are not significant after Holm."""
    holm = {"correction": "holm", "tests": 3}
    lower = {**holm, "better": "lower"}
    mcnemar = {**holm, "test": "McNemar mid-p, 83 vs 72"}
    return compared(
        differing("log_loss", -0.017, -0.034, -0.001, pvalue=0.039, pvalue_adjusted=0.117, rows_needed=4123, **lower),
        differing("brier", -0.0041, -0.0102, 0.0021, pvalue=0.19, pvalue_adjusted=0.383, **lower),
        differing("roc_auc", 0.0204, 0.0005, 0.0402, test="DeLong, paired", verdict="BETTER"),
        differing("accuracy", 0.0055, -0.007, 0.018, pvalue=0.42, pvalue_adjusted=0.422, **mcnemar),
        primary="roc_auc",
        verdict="BETTER",
        checks=[{"code": "H111", "text": "y_score is read as a probability", "labels": False}],
    )


def three() -> dict[str, Any]:
    """Three models, of which two do not differ significantly."""
    primary = {"test": "DeLong, paired", "correction": "max-t", "tests": 2}
    other = {"correction": "holm", "tests": 2, "better": "lower"}
    third = {"model": "third"}
    return compared(
        differing("roc_auc", 0.0204, 0.0005, 0.0402, verdict="BETTER", **primary),
        differing("brier", -0.0041, -0.0102, 0.0021, pvalue_adjusted=0.383, **other),
        differing(
            "roc_auc", 0.0151, -0.004, 0.034, pvalue=0.12, pvalue_adjusted=0.12, rows_needed=7350, **third, **primary
        ),
        differing("brier", -0.0031, -0.0102, 0.0041, pvalue_adjusted=0.5, notes=["few rows"], **third, **other),
        primary="roc_auc",
        models=["champion", "challenger", "third"],
        verdicts={"challenger": "BETTER", "third": "UNDECIDED"},
        matched={"by": "position", "rows": 2000, "only": {}},
        best_of_many={
            "metric": "roc_auc",
            "better": "higher",
            "level": 0.975,
            "best": "challenger",
            "indistinguishable": ["challenger", "third"],
            "optimism": 0.004,
            "corrected": {"value": 0.812, "low": 0.791, "high": 0.833},
        },
    )
