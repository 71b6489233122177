"""Figures of detections and masks: what each is. Their values come from matches and from pixels.

They stand beside the table of metrics and not in it: no batch of rows has boxes or pixels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from heldout.boxes.average_precision import FIGURES, Figure as Detected

THRESHOLDS = "IoU .50, .55, ..., .95"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFigure:
    """What a figure of images is; all lie between 0 and 1, and higher is better."""

    name: str
    definition: str
    formula: str
    of: str = "boxes"
    """boxes or masks."""
    also: tuple[str, ...] = ()


def _detected(name: str, one: Detected) -> ImageFigure:
    precise = one.of == "precision"
    over = f"classes and {THRESHOLDS}" if one.threshold is None else "classes"
    if precise:
        formula = f"mean over {over}, and over recalls r = 0, .01, ..., 1, of the best precision at recall r or beyond"
    else:
        formula = f"mean over {over} of objects found / objects"
    return ImageFigure(
        name=name,
        definition=f"{one.title[0].upper()}{one.title[1:].replace(', mean over', ' over')}, mean over classes [lin14].",
        formula=formula,
        also=("mAP", "mean average precision") if name == "AP" else (),
    )


OF_BOXES = tuple(_detected(name, one) for name, one in FIGURES.items())
OF_MASKS = (
    ImageFigure(
        name="IoU", of="masks",
        definition="Intersection over union: share of the pixels of a class, true or said, that are both.",
        formula="IoU = TP / (TP + FP + FN), pixels added up over images",
    ),
    ImageFigure(
        name="Dice", of="masks",
        definition="Twice the pixels that truth and prediction share, for each pixel of either.",
        formula="Dice = 2 TP / (2 TP + FP + FN) = 2 IoU / (1 + IoU), pixels added up over images",
    ),
    ImageFigure(
        name="mean_iou", of="masks", also=("mIoU",),
        definition="Mean over classes of the intersection over union.",
        formula="mean over classes of TP / (TP + FP + FN), pixels added up over images",
    ),
    ImageFigure(
        name="mean_dice", of="masks",
        definition="Mean over classes of Dice.",
        formula="mean over classes of 2 TP / (2 TP + FP + FN), pixels added up over images",
    ),
    ImageFigure(
        name="pixel_accuracy", of="masks",
        definition="Share of the pixels whose class is right.",
        formula="right pixels / pixels, added up over images",
    ),
)  # fmt: skip
IMAGE_FIGURES = {one.name: one for one in (*OF_BOXES, *OF_MASKS)}
"""By the names that `detect` and `masks` print; those of one class begin with a small letter there."""
AT_AN_OVERLAP = re.compile(r"AP[0-9]{1,3}")


RANKED = {
    "AP": "average precision: the sum over detections of (R_i - R_(i-1)) P_i",
    "AP_interpolated": "average precision with the best precision at each recall or beyond",
}
"""What the averages of one ranked list are, which has no overlaps and no classes."""


def image_figure(name: str) -> ImageFigure | None:
    """The figure of that name, whatever its capitals; of Pascal VOC the one at any overlap, such as AP60.

    >>> image_figure("map").name, image_figure("AP60").definition
    ('AP', 'Average precision at IoU .60, mean over classes [lin14].')
    """
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    for one in IMAGE_FIGURES.values():
        if plain in (one.name.lower(), *(other.lower().replace(" ", "_") for other in one.also)):
            return one
    if AT_AN_OVERLAP.fullmatch(name.strip()):
        overlap = int(name.strip()[2:]) / 100
        title = f"average precision at IoU {f'{overlap:.2f}'.removeprefix('0')}"
        return _detected(name.strip(), Detected(of="precision", title=title, threshold=overlap))
    return None


def is_image_share(name: str) -> bool:
    """Whether that is the name of a figure of images, all of which lie between 0 and 1.

    >>> is_image_share("AP50"), is_image_share("iou"), is_image_share("log_loss")
    (True, True, False)
    """
    return name in IMAGE_FIGURES or name in ("iou", "dice") or AT_AN_OVERLAP.fullmatch(name) is not None
