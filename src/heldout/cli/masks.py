"""heldout masks: how good segmentation masks are."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.compare import margins, python_names
from heldout.cli.detect import divided
from heldout.cli.output import FORMATS, deliver
from heldout.cli.reading import file, not_an_input, several
from heldout.cli.saving import save as recorded
from heldout.cli.saving import saving
from heldout.errors import UsageError


@click.command("masks", short_help="How good segmentation masks are, with intervals over images.")
@click.argument("files", nargs=-1, metavar="TRUTH PREDICTION [PREDICTION]...")
@click.option("--labels", metavar="A,B", multiple=True, callback=several, help="The classes: 0,1,2 or 0=road,1=car.")
@click.option("--ignore", type=int, metavar="CODE", help="Pixels of this class do not count, such as 255.")
@click.option("--primary", metavar="FIGURE", help="The figure that decides; mean_iou unless given.")
@click.option("--baseline", metavar="NAME", help="The model others are judged against; the first unless given.")
@click.option(
    "--margin",
    metavar="[FIGURE=]D",
    multiple=True,
    callback=margins,
    help="Differences within D either way are equivalent; repeatable.",
)
@click.option("--level", type=float, metavar="L", help="Confidence level; 0.95 unless given.")
@click.option("--seed", type=int, metavar="N", help="For whatever is drawn at random; 0 unless given.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@file("--output", help="Write into a file instead of to the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@saving
def command(
    *,
    files: tuple[str, ...],
    labels: list[str] | None,
    form: str,
    output: str | None,
    quiet: bool,
    save: str | None,
    run: str | None,
    **options: Any,
) -> None:
    """How good the masks in PREDICTION are against those in TRUTH: IoU, Dice, precision and recall by class.

    Both are label maps (PNG or NPY files, or folders whose files have the same names) or COCO run lengths (JSON). With
    several predictions, whether the later ones are better than the first, on the same images. Every figure has an
    interval over images.
    """
    import heldout

    not_an_input(output, *files)
    truth, models = divided(files, "predictions", "heldout masks truth/ predicted/")
    found = heldout.masks(truth, models, labels=declared(labels), **python_names(options))
    deliver(found.to_dict(), form, output, quiet=quiet)
    recorded(found, save, run, quiet=quiet)


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
