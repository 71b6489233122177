"""Small random scenes, and the rules of COCO written down plainly: one image, class, size and threshold at a time."""

from __future__ import annotations

import numpy as np

from heldout.inputs.formats.image_objects import Detections, Objects


def scene(seed: int, images: int = 6, classes: int = 2, objects: int = 20, detections: int = 60):
    """Boxes on a small canvas, so that many overlap; scores are few, so that many tie; some objects are crowds."""
    rng = np.random.default_rng(seed)

    def boxes(count, sides):
        return np.column_stack([rng.integers(0, 40, (count, 2)), rng.choice(sides, (count, 2))]).astype(float)

    truth, said = boxes(objects, [8, 16, 30, 60, 120]), boxes(detections, [8, 16, 30, 60, 120])
    near = rng.random(detections) < 0.7
    said[near] = truth[rng.integers(0, objects, near.sum())] + rng.integers(-2, 3, (near.sum(), 4))
    said[:, 2:] = np.maximum(said[:, 2:], 1)
    return (
        Objects(
            images=tuple(range(images)),
            classes=tuple(str(k) for k in range(classes)),
            image=rng.integers(0, images, objects),
            label=rng.integers(0, classes, objects),
            box=truth,
            area=truth[:, 2] * truth[:, 3] * rng.choice([0.5, 1.0], objects),
            crowd=rng.random(objects) < 0.15,
        ),
        Detections(
            image=rng.integers(0, images, detections),
            label=rng.integers(0, classes, detections),
            box=said,
            score=rng.integers(1, 8, detections) / 8,
            area=said[:, 2] * said[:, 3],
        ),
    )


def plain_iou(one, other, crowd):
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    high = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    own = one[2] * one[3]
    return wide * high / (own if crowd else own + other[2] * other[3] - wide * high)


def plain_matches(objects, detections, *, image, kind, step, ends, most):
    """Scores, hits and misses of one image, and how many objects count."""
    mine = np.flatnonzero((objects.image == image) & (objects.label == kind))
    apart = {g: bool(objects.crowd[g]) or not ends[0] <= objects.area[g] <= ends[1] for g in mine}
    order = sorted(mine, key=lambda g: apart[g])
    said = np.flatnonzero((detections.image == image) & (detections.label == kind))
    said = sorted(said, key=lambda d: -detections.score[d])[:most]
    taken, found = set(), []
    for d in said:
        best, chosen = min(step, 1 - 1e-10), None
        for g in order:
            if g in taken and not objects.crowd[g]:
                continue
            if chosen is not None and not apart[chosen] and apart[g]:
                break
            overlap = plain_iou(detections.box[d], objects.box[g], objects.crowd[g])
            if overlap >= best:
                best, chosen = overlap, g
        if chosen is not None:
            taken.add(chosen)
        outside = not ends[0] <= detections.area[d] <= ends[1]
        ignored = apart[chosen] if chosen is not None else outside
        found.append((detections.score[d], chosen is not None, ignored))
    return found, sum(not one for one in apart.values())


def plain_ap(objects, detections, *, kind, step, ends, most=100):
    """Average precision at 101 recalls and the recall, or nan where no object counts."""
    lines, positives = [], 0
    for image in range(len(objects.images)):
        found, counted = plain_matches(objects, detections, image=image, kind=kind, step=step, ends=ends, most=most)
        lines += found
        positives += counted
    if not positives:
        return float("nan"), float("nan")
    kept = [(score, hit) for score, hit, ignored in sorted(lines, key=lambda line: -line[0]) if not ignored]
    hits = np.cumsum([hit for _, hit in kept]) if kept else np.zeros(0)
    precision = hits / np.arange(1, len(kept) + 1)
    recall = hits / positives
    best = [max(precision[recall >= level], default=0.0) for level in np.linspace(0, 1, 101)]
    return float(np.mean(best)), float(recall[-1]) if kept else 0.0
