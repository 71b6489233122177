"""Evaluations as plain dictionaries, written by hand, so that renderers are tested apart from the arithmetic."""

from __future__ import annotations

from typing import Any

import pytest


def estimate(
    value: float | None, low: float | None, high: float | None, method: str = "wilson", **facts: Any
) -> dict[str, Any]:
    return {
        "value": value,
        "low": low,
        "high": high,
        "level": 0.95,
        "method": method,
        "target": "this model",
        "units": 2000,
        "better": "higher",
        "card": None,
        "notes": [],
        "count": None,
        "printed": True,
    } | facts


def evaluation(**parts: Any) -> dict[str, Any]:
    return {
        "schema": "heldout.evaluation/1",
        "heldout": "0.1.0",
        "inputs": [{"path": "runs/challenger.csv", "sha256": "0" * 64}],
        "unit": "row",
        "columns": {"truth": "y_true", "score": "y_prob"},
        "task": "binary",
        "rows": 2000,
        "units": 2000,
        "level": 0.95,
        "seed": 0,
        "threshold": None,
        "labels": [],
        "positive": None,
        "confusion": None,
        "estimates": {},
        "classes": {},
        "segments": {},
        "baseline": None,
        "checks": [],
    } | parts


@pytest.fixture
def binary() -> dict[str, Any]:
    return evaluation(
        threshold=0.2,
        labels=["no", "readmitted"],
        positive="readmitted",
        confusion={"labels": ["no", "readmitted"], "counts": [[1395, 307], [113, 185]]},
        estimates={
            "roc_auc": estimate(0.8163, 0.7912, 0.8391, "delong_logit"),
            "log_loss": estimate(0.3371, 0.3102, 0.3651, "student", better="lower"),
            "calibration_slope": estimate(0.8012, 0.7011, 0.9013, "delta", better=None),
            "accuracy": estimate(0.79, 0.7716, 0.8073, count=[1580, 2000]),
            "recall": estimate(0.6208, 0.5645, 0.6740, count=[185, 298]),
            "prevalence": estimate(0.149, 0.134, 0.165, count=[298, 2000], printed=False),
        },
        baseline={
            "name": 'always "no"',
            "estimates": {"roc_auc": 0.5, "accuracy": 0.851},
            "beaten": {"roc_auc": True, "accuracy": False},
        },
        checks=[
            {
                "code": "H204",
                "text": "the calibration slope is below 1: scores are overconfident",
                "labels": False,
            }
        ],
    )


@pytest.fixture
def multiclass() -> dict[str, Any]:
    def of(recall: float, rows: int) -> dict[str, Any]:
        return {
            "precision": estimate(0.81, 0.75, 0.86),
            "recall": estimate(recall, recall - 0.05, recall + 0.05, count=[round(recall * rows), rows]),
            "f1": estimate(recall + 0.01, recall - 0.04, recall + 0.06, "wilson_q"),
        }

    return evaluation(
        task="multiclass",
        rows=300,
        units=300,
        columns={"truth": "label", "pred": "prediction"},
        labels=["cat", "dog", "owl"],
        confusion={"labels": ["cat", "dog", "owl"], "counts": [[80, 15, 5], [9, 90, 1], [0, 2, 98]]},
        estimates={"accuracy": estimate(0.8933, 0.8533, 0.9235, count=[268, 300])},
        classes={"cat": of(0.8, 100), "dog": of(0.9, 100), "owl": of(0.98, 100)},
    )


@pytest.fixture
def regression() -> dict[str, Any]:
    return evaluation(
        task="regression",
        columns={"truth": "y", "pred": "yhat"},
        estimates={
            "mae": estimate(123.41, 117.0, 129.8, "bootstrap_t", better="lower"),
            "r2": estimate(-0.0412, -0.0998, 0.0113, "log_one_minus"),
        },
        baseline={"name": "the mean", "estimates": {"mae": 150.2, "r2": 0.0}, "beaten": {"mae": True, "r2": False}},
    )


@pytest.fixture
def grouped() -> dict[str, Any]:
    def part(rows: int, value: float) -> dict[str, Any]:
        return {
            "rows": rows,
            "units": rows // 2,
            "estimates": {"roc_auc": estimate(value, value - 0.06, value + 0.05, level=0.975)},
        }

    return evaluation(
        unit="cluster",
        units=1000,
        columns={"truth": "y_true", "score": "y_prob", "group": "patient_id"},
        estimates={"roc_auc": estimate(0.8163, 0.7912, 0.8391, "delong_logit", units=1000)},
        segments={
            "site": {
                "shown": {"north": part(1200, 0.83), "south": part(780, 0.79)},
                "folded": {"segments": 3, "rows": 20},
                "level": 0.975,
                "heterogeneity": {
                    "roc_auc": {"pvalue": 0.012, "pvalue_adjusted": 0.024, "test": "Q, segments permuted"}
                },
                "gap": {
                    "roc_auc": {
                        "more": "north",
                        "less": "south",
                        "value": 0.04,
                        "low": 0.0041,
                        "high": 0.0759,
                        "level": 0.95,
                    }
                },
            }
        },
    )


@pytest.fixture
def undefined() -> dict[str, Any]:
    return evaluation(
        threshold=0.5,
        estimates={
            "log_loss": estimate(
                None,
                None,
                None,
                "none",
                better="lower",
                notes=["the log loss is infinite: row 7 gave 0 to the true class"],
            ),
            "precision": estimate(None, 0.0, 1.0, "none", notes=["nothing was predicted positive, so 0/0"]),
            "npv": estimate(None, 0.0, 1.0, "none", notes=["nothing was predicted positive, so 0/0"]),
            "lr_positive": estimate(3.2, 1.1, None, "log", notes=["no false positives: the upper end is infinite"]),
        },
    )


HOSTILE = [
    "<script>alert(1)</script>",
    "a\nb\x1b[31m|\u202e",
    "=cmd|' /C calc'!A0",
    "x" * 20_000,
    r"\input{a} 100% & {_^~}",
    "  ",
    "",
]


@pytest.fixture
def hostile() -> dict[str, Any]:
    of = {
        "recall": estimate(0.5, 0.2, 0.8, count=[1, 2]),
        "precision": estimate(0.5, 0.2, 0.8),
        "f1": estimate(0.5, 0.2, 0.8),
    }
    part = {"rows": 10, "units": 10, "estimates": {"accuracy": estimate(0.5, 0.2, 0.8)}}
    return evaluation(
        task="multiclass",
        inputs=[{"path": "dir/" + HOSTILE[1] + ".csv", "sha256": "f" * 64}],
        columns={"truth": HOSTILE[3], "pred": HOSTILE[0]},
        rows=14,
        units=14,
        labels=HOSTILE,
        confusion={"labels": HOSTILE[:6], "counts": [[1] * 6] * 6},
        estimates={"accuracy": estimate(0.5, 0.27, 0.73, count=[7, 14], notes=[HOSTILE[3]])},
        classes=dict.fromkeys(HOSTILE, of),
        segments={
            HOSTILE[1]: {
                "shown": dict.fromkeys(HOSTILE, part),
                "folded": {"segments": 0, "rows": 0},
                "level": 0.99,
                "heterogeneity": {
                    "accuracy": {"pvalue": 0.01, "pvalue_adjusted": 0.01, "test": "Q, segments permuted"}
                },
                "gap": {
                    "accuracy": {
                        "more": HOSTILE[0],
                        "less": HOSTILE[3],
                        "value": 0.3,
                        "low": 0.1,
                        "high": 0.5,
                        "level": 0.95,
                    }
                },
            }
        },
        baseline={"name": f'always "{HOSTILE[0]}"', "estimates": {"accuracy": 1 / 7}, "beaten": {"accuracy": True}},
        checks=[{"code": "H107", "text": f"labels {HOSTILE[3]!r} and {HOSTILE[1]!r} look alike", "labels": False}],
    )


@pytest.fixture
def crowded() -> dict[str, Any]:
    """A hundred classes."""
    labels = [f"class {i:03}" for i in range(100)]
    classes = {
        label: {
            "recall": estimate(i / 100, max(i / 100 - 0.1, 0), i / 100 + 0.1, count=[i, 100]),
            "f1": estimate(i / 100, 0.0, 1.0),
        }
        for i, label in enumerate(labels)
    }
    counts = [[100 if i == j else (1 if (i + 1) % 100 == j else 0) for j in range(100)] for i in range(100)]
    return evaluation(
        task="multiclass",
        labels=labels,
        confusion={"labels": labels, "counts": counts},
        estimates={"accuracy": estimate(0.99, 0.98, 0.994)},
        classes=classes,
    )
