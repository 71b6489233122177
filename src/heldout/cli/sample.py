"""The numbers a test is given on the command line, checked."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from heldout.errors import DataError, UsageError
from heldout.stats.argument_checks import LARGEST, MOST_TRIALS


def checked_trials(trials: int) -> None:
    """Refuse more than the exact test can look at."""
    if trials > MOST_TRIALS:
        fix = "heldout evaluate --wrong K --of N gives the share with its interval"
        raise UsageError(f"--of is {trials:,}, too many for the exact test", fix=fix)


def checked_expected(given: Sequence[str] | None, observed: Sequence[int]) -> tuple[list[float], tuple[str, ...]]:
    """The expected counts or shares, and a note where their sum is that of neither."""
    if len(observed) < 2:
        raise DataError("one count alone fits whatever is expected", code="H110", fix="give at least two counts")
    if given is None:
        return [1.0] * len(observed), ()
    shares = [number(text, "--expected") for text in given]
    if len(shares) != len(observed):
        message = f"{len(observed)} counts were observed, but {len(shares)} are expected"
        raise UsageError(message, fix="give --expected one number for each count, with commas between them")
    if min(shares) <= 0:
        fix = "leave out or join categories that cannot occur"
        raise DataError(f"--expected holds {min(shares):g}: a count of 0 or less cannot be expected", fix=fix)
    total, seen = sum(shares), sum(observed)
    if min(abs(total - 1), abs(total - seen) / seen) < 0.005:
        return shares, ()
    return shares, (f"the expected numbers add up to {total:g}, the observed ones to {seen}: taken as shares",)


def number(text: str, place: str) -> float:
    """A number that has a square."""
    try:
        found = float(text)
    except ValueError:
        fix = "give numbers such as -0.4, or the name of one file of numbers"
        raise DataError(f"{place}: {text!r} is not a number", code="H108", fix=fix) from None
    if not isfinite(found) or abs(found) > LARGEST:
        fix = "remove it, and say why it was removed"
        raise DataError(f"{place} holds {text}, which is missing or infinite", code="H305", fix=fix)
    return found


def data_in(given: Sequence[str]) -> tuple[list[float], dict[str, str] | None]:
    """The numbers themselves, or those in the file that was named, with its path and hash."""
    if len(given) > 1 or looks_numeric(given[0]):
        return [number(text, f"number {i}") for i, text in enumerate(given, 1)], None
    from heldout.inputs.formats.files import source_of

    if given[0] == "-":
        raise UsageError("the numbers are not read from standard input", fix="give the numbers or the name of a file")
    source = source_of(given[0])
    name = Path(given[0]).name
    lines = Path(given[0]).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    parts = [(f"{name}, line {i}", text) for i, line in enumerate(lines, 1) for text in line.replace(",", " ").split()]
    if len(parts) > 1 and not looks_numeric(parts[0][1]) and parts[1][0] != parts[0][0]:
        parts = parts[1:]  # the name of a column
    if not parts:
        raise DataError(f"{name} holds no number", code="H112", fix="give a text file with one number per line")
    return [number(text, place) for place, text in parts], {"path": source.path, "sha256": str(source.sha256)}


def looks_numeric(text: str) -> bool:
    """Whether Python reads it as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
