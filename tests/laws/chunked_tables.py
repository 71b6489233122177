"""Random tables, cut into files at random: what is streamed must be what rows in memory give."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

KINDS = ("scores", "labels", "strings", "flags", "classes", "numbers", "logits")


def table(kind: str, seed: int, *, rows: int = 5200, weights: bool = False, groups: bool = False) -> pa.Table:
    """A table of predictions of some kind."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = dict(zip(("truth", "made"), ROWS[kind](rng, rows), strict=True))
    columns = {"y_true": columns["truth"], **columns["made"]}
    if weights:
        columns["weight"] = rng.choice([0.0, 0.5, 1.0, 3.25], rows)
    if groups:
        columns["group"] = rng.integers(0, rows // 8, rows)
    return pa.table(columns)


def written_in_files(whole: pa.Table, folder: Path, seed: int, *, files: int | None = None) -> Path:
    """The rows in files of random lengths, some empty, with row groups of random lengths."""
    rng = np.random.default_rng([seed, 5])
    count = int(rng.integers(1, 7)) if files is None else files
    cuts = np.sort(rng.integers(0, whole.num_rows + 1, count - 1)).tolist()
    folder.mkdir(parents=True, exist_ok=True)
    for at, (first, last) in enumerate(zip([0, *cuts], [*cuts, whole.num_rows], strict=True)):
        size = int(rng.integers(50, 2000))
        pq.write_table(whole.slice(first, last - first), folder / f"part-{at:03}.parquet", row_group_size=size)
    return folder


def _scores(rng: np.random.Generator, rows: int) -> tuple[Any, Mapping[str, Any]]:
    truth = rng.random(rows) < rng.uniform(0.2, 0.8)
    score = 1 / (1 + np.exp(-rng.normal(rng.uniform(0.2, 2) * truth - 0.4, 1)))
    digits = int(rng.integers(1, 5))
    score = np.round(score, digits) if rng.random() < 0.5 else score
    return truth.astype(int), {"y_score": score.astype(rng.choice(["f4", "f8"]))}


def _labels(rng: np.random.Generator, rows: int) -> tuple[Any, Mapping[str, Any]]:
    truth = rng.random(rows) < 0.3
    return truth.astype(int), {"y_pred": (truth ^ (rng.random(rows) < 0.2)).astype(int)}


def _strings(rng: np.random.Generator, rows: int) -> tuple[Any, Mapping[str, Any]]:
    truth, made = _labels(rng, rows)
    return np.array(["no", "yes"])[truth], {"y_pred": np.array(["no", "yes"])[made["y_pred"]]}


def _flags(rng: np.random.Generator, rows: int) -> tuple[Any, Mapping[str, Any]]:
    truth, made = _scores(rng, rows)
    return truth.astype(bool), made


def _classes(rng: np.random.Generator, rows: int) -> tuple[Any, Mapping[str, Any]]:
    names = np.array(["ant", "bee", "cat"])
    chances = rng.dirichlet(np.ones(3), rows)
    truth = np.array([rng.choice(3, p=one) for one in chances[:64]])
    truth = np.concatenate([truth, rng.integers(0, 3, rows - 64)])
    return names[truth], {f"p_{name}": chances[:, at] for at, name in enumerate(names)}


def _numbers(rng: np.random.Generator, rows: int) -> tuple[Any, Mapping[str, Any]]:
    truth = rng.normal(rng.uniform(-50, 50), 3, rows)
    return truth, {"y_pred": truth + rng.standard_t(5, rows)}


def _logits(rng: np.random.Generator, rows: int) -> tuple[Any, Mapping[str, Any]]:
    truth = rng.random(rows) < 0.4
    return truth.astype(int), {"y_score": rng.normal(truth * 1.3, 2)}


ROWS = {
    "scores": _scores,
    "labels": _labels,
    "strings": _strings,
    "flags": _flags,
    "classes": _classes,
    "numbers": _numbers,
    "logits": _logits,
}
