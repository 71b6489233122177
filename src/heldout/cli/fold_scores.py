"""heldout compare --fold-scores: two learners, from their scores on the same splits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from heldout.cli.output import deliver
from heldout.cli.reading import not_an_input
from heldout.errors import UsageError

Command = Callable[..., None]
OWN = ("n_train", "n_test")
"""Options that mean something for scores of folds only."""
SHARED = ("test", "metric", "margin", "level", "baseline", "rope", "lower_is_better")
"""Options of `compare` that mean something here too."""
PYTHON_NAMES = {"level": "confidence_level"}


def options(verb: Command) -> Command:
    """What `compare` takes for scores of folds."""
    for option in reversed(
        (
            click.option("--fold-scores", is_flag=True, help="FILES hold scores of folds, not predictions."),
            click.option("--n-train", type=float, metavar="N", help="Fold scores: training rows of a split."),
            click.option("--n-test", type=float, metavar="N", help="Fold scores: test rows of a split."),
        )
    ):
        verb = option(verb)
    return verb


def run(
    files: Sequence[str],
    names: Callable[[Sequence[str]], Mapping[str, str]],
    form: str,
    output: str | None,
    *,
    quiet: bool,
    given: Mapping[str, Any],
) -> Any:
    """Compare two learners by their scores in two files, or in one, and print what was found."""
    import heldout

    not_an_input(output, *files)
    if len(files) not in (1, 2):
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        fix = "for example heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200"
        raise UsageError(f"{count}, and --fold-scores takes two, or one with both learners", fix=fix)
    known = {name: value for name, value in given.items() if value is not None and value is not False and value != ()}
    strange = [name for name in known if name not in (*OWN, *SHARED)]
    if strange:
        flag = f"--{'from' if strange[0] == 'log' else strange[0].replace('_', '-')}"
        raise UsageError(f"{flag} has no meaning with --fold-scores", fix="leave it out: the files hold scores only")
    if isinstance(known.get("margin"), Mapping):
        raise UsageError("--margin names a metric, and fold scores are of one", fix="give the number alone")
    known |= {"better": "lower"} if known.pop("lower_is_better", None) else {}
    if len(known.get("metric", ())) > 1:
        raise UsageError("--metric names several, and one column of scores is compared", fix="name one")
    named = {PYTHON_NAMES.get(name, name): value[0] if name == "metric" else value for name, value in known.items()}
    learners = tuple(names(files)) if len(files) == 2 else None
    found = heldout.compare_fold_scores(*files, names=learners, **named)
    deliver(found.to_dict(), form, output, quiet=quiet)
    return found


def without_folds(given: dict[str, Any]) -> dict[str, Any]:
    """The options for files of predictions; those for scores of folds are refused."""
    for name in OWN:
        if given.pop(name, None) is not None:
            fix = "add --fold-scores if the files hold scores of folds"
            raise UsageError(f"--{name.replace('_', '-')} has no meaning for predictions", fix=fix)
    return given
