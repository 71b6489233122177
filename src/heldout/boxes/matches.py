"""Which detection found which object: the value that matching gives, and what can be counted from it."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.batch import Array

MISSED, HIT, IGNORED = 0, 1, 2
"""What became of a detection: it found nothing, an object that counts, or one that does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """Detections by class and falling score, and what became of them at every size range and IoU threshold.

    Detections that overlap nothing enough are only listed; the others, the candidates, have an outcome.
    """

    images: int
    classes: int
    thresholds: Array
    """IoU from which on a detection finds an object."""
    areas: tuple[str, ...]
    """Names of the size ranges."""
    truth_image: Array
    truth_label: Array
    counted: Array
    """Objects by size ranges: whether the object counts there."""
    image: Array
    """Of each detection, in order."""
    label: Array
    score: Array
    rank: Array
    """How many detections of its image and class stand before it."""
    inside: Array
    """Detections by size ranges: whether the detection is of that size."""
    at: Array
    """Where the candidates stand among the detections, rising."""
    outcome: Array
    """Candidates by size ranges by thresholds: MISSED, HIT or IGNORED."""
