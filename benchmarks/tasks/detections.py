"""The figures of COCO from boxes that are read, and their intervals over images."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.scenes import scenes
from benchmarks.task import Data, Peer, Task
from heldout.boxes.average_precision import FIGURES, the_twelve
from heldout.boxes.matching import coco_matches
from heldout.inputs.formats.box_tables import read_boxes
from heldout.verbs.images.detect import detect


def boxes(rows: int) -> Data:
    """The boxes as everybody reads them; nobody's reading is timed."""
    made = scenes(rows)
    read = read_boxes(made["truth"], {"model": made["detections"]})
    found: dict[str, Any] = {"read": read, "rows": rows}
    for name in ("pycocotools", "faster_coco_eval", "hotcoco"):
        with contextlib.suppress(ImportError):
            found[name] = _read(name, rows)
    return found


@lru_cache(maxsize=6)
def _read(name: str, rows: int) -> Any:
    """A peer's truth and detections; the class that judges them."""
    made = scenes(rows)
    with tempfile.TemporaryDirectory() as folder, _quiet():
        paths = [Path(folder) / f"{part}.json" for part in ("truth", "detections")]
        for path, part in zip(paths, ("truth", "detections"), strict=True):
            path.write_text(json.dumps(made[part]), encoding="utf-8")
        if name == "hotcoco":
            from hotcoco import COCO, COCOeval

            truth = COCO(str(paths[0]))
            return truth, truth.load_res(str(paths[1])), COCOeval
        if name == "pycocotools":
            from pycocotools.coco import COCO
            from pycocotools.cocoeval import COCOeval
        else:
            from faster_coco_eval import COCO, COCOeval_faster as COCOeval
        truth = COCO(str(paths[0]))
        return truth, truth.loadRes(str(paths[1])), COCOeval


@contextlib.contextmanager
def _quiet() -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def figures(data: Data) -> dict[str, float]:
    return the_twelve(coco_matches(data["read"].objects, data["read"].detections["model"]))


def intervals(data: Data) -> dict[str, float]:
    found = detect(data["read"].objects, data["read"].detections, n_resamples=1000)
    return {name: one.value for name, one in found.estimates["model"].items()}


def judged(data: Data, name: str) -> list[float]:
    import importlib

    importlib.import_module(name)
    truth, said, judge = data[name]
    with _quiet():
        found = judge(truth, said, "bbox")
        found.evaluate()
        found.accumulate()
        found.summarize()
    return [float(value) for value in list(found.stats)[: len(FIGURES)]]


def off(ours: dict[str, float], theirs: list[float]) -> float:
    """Over the figures that are defined: where no object counts, they say -1."""
    return max(abs(one - other) for one, other in zip(ours.values(), theirs, strict=True) if other > -1)


FIGURES_ALONE = Task(
    name="coco",
    title="the twelve COCO figures, 80 classes, 100 detections an image",
    rows=500_000,
    data=boxes,
    ours=figures,
    grows=False,
    peers=(
        Peer(name="pycocotools COCOeval", call=lambda data: judged(data, "pycocotools"), gap=off, bar=3),
        Peer(name="faster-coco-eval", call=lambda data: judged(data, "faster_coco_eval"), gap=off, bar=0.9091),
        Peer(name="hotcoco", call=lambda data: judged(data, "hotcoco"), gap=off, bar=0.9091),
    ),
    note="from boxes that are read; values alone on both sides",
)
FIGURES_DRAWN = Task(
    name="coco_drawn",
    title="the same with intervals from 1,000 resamples of images",
    rows=500_000,
    data=boxes,
    ours=intervals,
    grows=False,
    peers=(Peer(name="pycocotools COCOeval", call=lambda data: judged(data, "pycocotools"), gap=off, bar=1),),
    note="the peer has the values alone",
)
