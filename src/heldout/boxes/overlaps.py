"""How much two boxes overlap."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array


def iou(one: Array, other: Array, crowd: Array | None = None, *, pixels: bool = False) -> Array:
    """Intersection over union of boxes (x, y, width, height), line by line or broadcast [everingham10].

    Where `crowd` is true the union is the first box alone: a detection inside a crowd is inside it whole [lin14].
    With `pixels` both edges belong to the box, so that it is one pixel wider and higher, as Pascal VOC counts.

    >>> iou(np.array([0.0, 0, 10, 10]), np.array([[5.0, 5, 10, 10], [20, 20, 5, 5]])).round(4).tolist()
    [0.1429, 0.0]
    """
    more = 1.0 if pixels else 0.0
    x, y, w, h = (one[..., side] for side in range(4))
    u, v, p, q = (other[..., side] for side in range(4))
    wide = np.maximum(np.minimum(x + w, u + p) - np.maximum(x, u) + more, 0.0)
    high = np.maximum(np.minimum(y + h, v + q) - np.maximum(y, v) + more, 0.0)
    shared = wide * high
    first = (w + more) * (h + more)
    union = first + (p + more) * (q + more) - shared
    if crowd is not None:
        union = np.where(crowd, first, union)
    return np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)
