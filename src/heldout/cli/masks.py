"""heldout masks: how good segmentation masks are."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.contest import contest, divided, judged
from heldout.cli.reading import several
from heldout.errors import UsageError


@click.command("masks", short_help="How good segmentation masks are, with intervals over images.")
@click.argument("files", nargs=-1, metavar="TRUTH PREDICTION [PREDICTION]...")
@click.option("--labels", metavar="A,B", multiple=True, callback=several, help="The classes: 0,1,2 or 0=road,1=car.")
@click.option("--ignore", type=int, metavar="CODE", help="Pixels of this class do not count, such as 255.")
@contest("figure", "model", decides="mean_iou unless given")
def command(*, files: tuple[str, ...], labels: list[str] | None, **options: Any) -> None:
    """How good the masks in PREDICTION are against those in TRUTH: IoU, Dice, precision and recall by class.

    Both are label maps (PNG or NPY files, or folders whose files have the same names) or COCO run lengths (JSON). With
    several predictions, whether the later ones are better than the first, on the same images. Every figure has an
    interval over images.
    """
    import heldout

    truth, models = divided(files, "a truth and predictions are needed", "heldout masks truth/ predicted/")
    judged(heldout.masks, truth, models, {"labels": declared(labels), **options}, *files)


def declared(labels: list[str] | None) -> dict[int, str] | None:
    """Classes by their code, as 0=road or as 0.

    >>> declared(["0=road", "1"])
    {0: 'road', 1: '1'}
    """
    if labels is None:
        return None
    parts = [one.partition("=") for one in labels]
    for code, _, _ in parts:
        if not code.strip().isdecimal():
            raise UsageError(
                f"--labels has {code!r}, which is no class", fix="give whole numbers: 0,1,2 or 0=road,1=car"
            )
    return {int(code): name.strip() or code.strip() for code, _, name in parts}
