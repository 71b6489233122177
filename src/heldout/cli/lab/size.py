"""heldout lab size: how often tests reject what is true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.lab.asking import experiment, given, placed
from heldout.cli.output import deliver
from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.lab import Size

REPEATS = 2000
"""Of the grid, unless given."""


@click.command("size", short_help="How often tests reject what is true.")
@click.argument("tests", nargs=-1, metavar="TEST...")
@experiment
@click.option("--alpha", type=float, metavar="A", default=0.05, help="0.05 unless given.")
@click.option("--all", "every", is_flag=True, help="The default test of every metric in every setting; takes long.")
def command(tests: tuple[str, ...], every: bool, **options: Any) -> None:
    """How often each TEST rejects that models are equally good, where they are; what compare uses if none is named.

    With models=5 in the world: how often any of the later models is wrongly told from the first.
    """
    if every:
        everywhere(options)
    else:
        asked("size", tests, options)


def everywhere(options: dict[str, Any]) -> None:
    """The whole grid."""
    from heldout.lab.rates.size_settings import size_grid

    given_twice = [
        f"--{name}" for name, key in (("world", "world"), ("n", "rows"), ("metric", "metric")) if options[key]
    ]
    if given_twice:
        fix = f"leave out {' and '.join(given_twice)}"
        raise UsageError("--all measures every metric in every world", fix=fix)
    form, output = options.pop("form"), options.pop("output")
    options = {name: value for name, value in options.items() if name not in ("world", "rows", "metric")}
    found = size_grid(options.pop("repeats") or REPEATS, **given(options))
    deliver(result("size", found, None, None, options), form, output, quiet=False)


def asked(question: str, tests: tuple[str, ...], options: dict[str, Any]) -> None:
    """Ask the lab and print what it found."""
    from heldout import lab

    placed(options)
    world, rows, form, output = (options.pop(name) for name in ("world", "rows", "form", "output"))
    found = getattr(lab, question)(list(tests or ("auto",)), world, rows, **given(options))
    deliver(result(question, found, world, rows, options), form, output, quiet=False)


def result(
    question: str, found: Sequence[Size], world: str | None, rows: int | None, options: dict[str, Any]
) -> dict[str, Any]:
    """Everything as plain values: the JSON contract `heldout.size/1`."""
    from heldout import __version__

    return {
        "schema": "heldout.size/1",
        "heldout": __version__,
        "question": question,
        "world": world,
        "n": rows,
        "models": found[0].models if world else None,
        "alpha": options["alpha"],
        "seed": options["seed"],
        "results": [one.to_dict() for one in found],
    }
