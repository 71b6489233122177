"""heldout detect: how good object detectors are, from boxes."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.contest import contest, divided, judged


@click.command("detect", short_help="How good object detectors are, with intervals over images.")
@click.argument("files", nargs=-1, metavar="TRUTH DETECTIONS [DETECTIONS]...")
@click.option(
    "--rule", type=click.Choice(["coco", "voc", "voc2007"]), help="How to match and average; coco unless given."
)
@click.option(
    "--iou", type=float, metavar="T", help="For voc: from which overlap on an object is found; 0.5 unless given."
)
@click.option("--score", type=float, metavar="S", help="Also what is right, wrong and missed from this score on.")
@click.option("--by", type=click.Choice(["boxes", "masks"]), help="What overlaps; boxes unless given.")
@click.option("--class-agnostic", is_flag=True, help="Put all classes together.")
@contest("figure", "detector", decides="AP unless given", draws="draw images; 1000")
def command(*, files: tuple[str, ...], class_agnostic: bool, **options: Any) -> None:
    """How good the DETECTIONS are against the objects in TRUTH: average precision and recall.

    Both are COCO JSON files, or tables with the columns image, label, x, y, w, h and, of detections, score. With
    several files of detections, whether the later ones are better than the first, on the same images. Every figure has
    an interval over images.
    """
    import heldout

    example = "heldout detect truth.json detections.json"
    truth, detectors = divided(files, "a truth and detections are needed", example)
    judged(heldout.detect, truth, detectors, {"by_class": not class_agnostic, **options}, *files)
