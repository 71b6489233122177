"""heldout masks: segmentation, IoU and Dice with intervals over images."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.model_files import truth_and_models
from heldout.cli.option_names import python_names
from heldout.cli.options import (
    ALPHA,
    BASELINE,
    INPUT,
    LEVEL,
    MARGIN,
    RESULT,
    SEED,
    command,
    option,
    options,
    several,
    typed,
)
from heldout.cli.output import Place
from heldout.errors import UsageError


@command(
    "masks",
    short_help="Evaluate segmentation masks: IoU and Dice.",
    examples=(
        "heldout masks truth/ predicted/",
        "heldout masks truth/ old/ new/ --labels 0=road,1=car --ignore 255",
        "heldout masks truth.json predicted.json --report report.html",
    ),
)
@click.argument("files", nargs=-1, metavar="TRUTH PREDICTION [PREDICTION]...")
@options(
    option("--labels", metavar="A,B", multiple=True, callback=several, heading=INPUT,
           help="The classes: 0,1,2 or 0=road,1=car."),
    option("--ignore", type=int, metavar="CODE", heading=INPUT,
           help="Pixels whose truth is this class do not count, such as 255."),
    option("--primary", metavar="METRIC", help="The metric that decides; it is tested alone.  [default: mean_iou]"),
    BASELINE,
    MARGIN,
    LEVEL,
    ALPHA,
    SEED,
    RESULT,
)  # fmt: skip
def masks(**values: Any) -> None:
    """Evaluate the masks in PREDICTION against those in TRUTH: IoU, Dice, precision and recall by class.

    Both are label maps (PNG or NPY files, or folders whose files have the same names) or COCO masks (JSON: polygons or
    run lengths). With several predictions, the later ones are compared with the first on the same images.
    """
    import heldout

    files = values.pop("files")
    given = typed(values)
    place = Place(values)
    given = {name: value for name, value in given.items() if name in values}
    if "labels" in given:
        given["labels"] = declared(given["labels"])
    truth, models = truth_and_models(files, "a truth and predictions are needed", "heldout masks truth/ predicted/")
    place.deliver(heldout.masks(truth, models, **python_names(given)))


def declared(labels: list[str]) -> dict[int, str]:
    """Classes by their code, as 0=road or as 0.

    >>> declared(["0=road", "1"])
    {0: 'road', 1: '1'}
    """
    parts = [one.partition("=") for one in labels]
    for code, _, _ in parts:
        if not code.strip().isdecimal():
            raise UsageError(
                f"--labels has {code!r}, which is not a class", fix="give whole numbers: 0,1,2 or 0=road,1=car"
            )
    found: dict[int, str] = {}
    for code, _, name in parts:
        called = name.strip() or code.strip()
        if found.setdefault(int(code), called) != called:
            text = f"--labels has the class {int(code)} twice, as {found[int(code)]!r} and as {called!r}"
            raise UsageError(text, fix="give every class once")
    return found
