"""heldout detect: how good object detectors are, from boxes."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.compare import margins, named, python_names
from heldout.cli.output import FORMATS, deliver
from heldout.cli.reading import file, not_an_input
from heldout.cli.saving import save as recorded
from heldout.cli.saving import saving
from heldout.errors import UsageError


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
@click.option("--primary", metavar="FIGURE", help="The figure that decides; AP unless given.")
@click.option("--baseline", metavar="NAME", help="The detector others are judged against; the first unless given.")
@click.option(
    "--margin",
    metavar="[FIGURE=]D",
    multiple=True,
    callback=margins,
    help="Differences within D either way are equivalent; repeatable.",
)
@click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given.")
@click.option("--draws", type=int, metavar="N", help="How many times to draw images; 1000 unless given.")
@click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@saving
def command(
    *,
    files: tuple[str, ...],
    class_agnostic: bool,
    form: str,
    output: str | None,
    quiet: bool,
    save: str | None,
    run: str | None,
    **options: Any,
) -> None:
    """How good the DETECTIONS are against the objects in TRUTH: average precision and recall.

    Both are COCO JSON files, or tables with the columns image, label, x, y, w, h and, of detections, score. With
    several files of detections, whether the later ones are better than the first, on the same images. Every figure has
    an interval over images.
    """
    import heldout

    not_an_input(output, *files)
    truth, detectors = divided(files, "detections", "heldout detect truth.json detections.json")
    found = heldout.detect(truth, detectors, by_class=not class_agnostic, **python_names(options))
    deliver(found.to_dict(), form, output, quiet=quiet)
    recorded(found, save, run, quiet=quiet)


def divided(files: tuple[str, ...], what: str, example: str) -> tuple[str, dict[str, str]]:
    """The truth, and the others by the names of their models.

    >>> divided(("gt.json", "yolo.json"), "detections", "")
    ('gt.json', {'yolo': 'yolo.json'})
    """
    if len(files) < 2:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        raise UsageError(f"{count}, and a truth and {what} are needed", fix=f"for example {example}")
    truth, *others = files
    if len(others) == 1:
        (name,) = list(named([truth, others[0]]))[1:]
        return truth, {name: others[0]}
    return truth, named(others)
