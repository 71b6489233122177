"""heldout compare --across-sets: learners over data sets, from a table of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from heldout.cli.output import deliver
from heldout.cli.reading import PYTHON_NAMES, not_an_input
from heldout.errors import UsageError

Command = Callable[..., None]
OWN = ("post_hoc", "rope", "lower_is_better")
"""Options that mean something for tables of scores only."""
SHARED = ("baseline", "id", "level", "seed", "draws")
"""Options of `compare` that mean something here too."""
NAMES = {**PYTHON_NAMES, "id": "dataset"}


def options(verb: Command) -> Command:
    """What `compare` takes for tables of scores."""
    for option in reversed(
        (
            click.option("--across-sets", is_flag=True, help="FILE is a table of scores: data sets by learners."),
            click.option(
                "--post-hoc",
                type=click.Choice(["holm", "nemenyi", "control"]),
                help="How pairs of learners are tested across sets; holm unless given.",
            ),
            click.option("--rope", type=float, metavar="R", help="Across sets: differences as good as none."),
            click.option("--lower-is-better", is_flag=True, default=None, help="Across sets: scores are losses."),
        )
    ):
        verb = option(verb)
    return verb


def run(files: Sequence[str], form: str, output: str | None, *, quiet: bool, given: Mapping[str, Any]) -> Any:
    """Compare the learners in one table of scores and print what was found."""
    import heldout

    not_an_input(output, *files)
    if len(files) != 1:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        fix = "for example heldout compare scores.csv --across-sets"
        raise UsageError(f"{count}, and --across-sets takes one table of scores", fix=fix)
    known = {name: value for name, value in given.items() if value is not None and value is not False and value != ()}
    strange = [name for name in known if name not in (*OWN, *SHARED)]
    if strange:
        flag = f"--{'from' if strange[0] == 'log' else strange[0].replace('_', '-')}"
        fix = "leave it out: the table holds scores, not predictions"
        raise UsageError(f"{flag} has no meaning with --across-sets", fix=fix)
    better = "lower" if known.pop("lower_is_better", None) else "higher"
    named = {NAMES.get(name, name): value for name, value in known.items()}
    found = heldout.compare_across_sets(files[0], better=better, **named)
    deliver(found.to_dict(), form, output, quiet=quiet)
    return found


def without_table(given: dict[str, Any]) -> dict[str, Any]:
    """The options for files of predictions; those for tables of scores are refused."""
    for name in OWN:
        if given.pop(name, None) is not None:
            fix = "add --across-sets if the file is a table of scores"
            raise UsageError(f"--{name.replace('_', '-')} has no meaning for predictions", fix=fix)
    return given
