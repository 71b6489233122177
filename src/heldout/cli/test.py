"""heldout test: textbook tests of counts and numbers, with the words for their decision."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.groups import CommandGroup
from heldout.cli.options import HOW, INPUT, RESULT, Command, choice, option, options, several
from heldout.cli.output import Place
from heldout.errors import DataError, UsageError
from heldout.stats.argument_checks import (
    LARGEST,
    MOST_TRIALS,
    checked_alpha,
    checked_counts,
    checked_mean,
    checked_share,
    checked_sigmas,
)

if TYPE_CHECKING:
    from heldout.inputs import Source
    from heldout.stats.textbook_tests import Alternative

SIDES: dict[str, Alternative] = {"two": "two-sided", "greater": "greater", "less": "less"}
ALIASES = {"chi2": "chi-square", "lr": "likelihood-ratio"}
"""Short names of tests."""


def small(_ctx: click.Context, _option: click.Parameter, value: float) -> float:
    """A type I error: more than 0, less than a half."""
    checked_alpha(value, "--alpha")
    return value


ALPHA = option(
    "--alpha", type=float, metavar="A", default=0.05, show_default=True, callback=small, heading=HOW,
    help="Type I error at which the null hypothesis is rejected.",
)  # fmt: skip


ALTERNATIVE = option(
    "--alternative", type=choice(*SIDES), default="two", show_default=True, help="The alternative hypothesis."
)


class Tests(CommandGroup):
    """The tests by name or short name."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, ALIASES.get(cmd_name, cmd_name))

    def names(self, ctx: click.Context) -> list[str]:
        return [*self.list_commands(ctx), *ALIASES]


@click.group(
    "test",
    cls=Tests,
    short_help="Run textbook tests: binomial, chi-square, proportions, ...",
    examples=(
        "heldout test binomial 15 --of 20",
        "heldout test chi-square 30 70 --expected 0.25,0.75",
        "heldout test proportions 45 100 60 100 --alpha 0.01",
    ),
)
def test() -> None:
    """Textbook tests of counts and numbers: reject or fail to reject, with the effect and its confidence interval.

    Failing to reject does not mean that the null hypothesis is true. The exit code is 0 either way.
    """


@test.command(
    "binomial",
    cls=Command,
    short_help="Exact binomial test of a proportion.",
    examples=(
        "heldout test binomial 15 --of 20",
        "heldout test binomial 15 --of 20 --alternative greater --alpha 0.01",
    ),
)
@click.argument("x", type=int)
@options(
    option("--of", "n", type=int, metavar="N", required=True, heading=INPUT, help="Number of trials."),
    option(
        "--share", type=float, metavar="P", default=0.5, show_default=True, help="The share under the null hypothesis."
    ),
    ALTERNATIVE,
    option("--against", type=float, metavar="P", help="Also the power if this is the true share."),
    ALPHA,
    RESULT,
)
def binomial_test(x: int, n: int, share: float, alternative: str, against: float | None, **values: Any) -> None:
    """Exact binomial test of a proportion: X successes in N trials."""
    from heldout.test import binomial

    alpha, place = values["alpha"], Place(values)
    checked_counts([x], n)
    if n > MOST_TRIALS:
        fix = "heldout evaluate --wrong K --of N gives the share with its interval"
        raise UsageError(f"--of is {n:,}, too many for the exact test", fix=fix)
    checked_share(share, "--share")
    if against is not None:
        checked_share(against, "--against")
    place.deliver(binomial(x, n, share, alternative=SIDES[alternative], alpha=alpha, against=against))


@test.command(
    "chi-square",
    cls=Command,
    short_help="Chi-square goodness-of-fit test (also chi2).",
    examples=("heldout test chi-square 10 15 8 20", "heldout test chi-square 30 70 --expected 0.25,0.75"),
)
@click.argument("observed", type=int, nargs=-1, required=True)
@options(
    option("--expected", metavar="A,B", multiple=True, callback=several,
           help="Expected counts or shares.  [default: all equal]"),
    ALPHA,
    RESULT,
)  # fmt: skip
def chi_square_test(observed: tuple[int, ...], expected: list[str] | None, **values: Any) -> None:
    """Pearson's chi-square goodness-of-fit test of the OBSERVED counts."""
    from heldout.test import chi_square

    alpha, place = values["alpha"], Place(values)
    checked_counts(observed)
    place.deliver(chi_square(observed, expected_numbers(expected, observed), alpha=alpha))


@test.command(
    "likelihood-ratio",
    cls=Command,
    short_help="Likelihood ratio test of two standard deviations (also lr).",
    context_settings={"ignore_unknown_options": True},  # -1.2 is a number here
    examples=("heldout test likelihood-ratio 0.3 -1.2 2.2 0.8 --sigma0 1 --sigma1 2",),
)
@click.argument("numbers", nargs=-1, required=True)
@options(
    option("--sigma0", type=float, metavar="S", required=True, help="Standard deviation under the null hypothesis."),
    option("--sigma1", type=float, metavar="S", required=True, help="Standard deviation under the alternative."),
    option("--mean", type=float, metavar="M", default=0.0, show_default=True, help="Mean under both hypotheses."),
    ALPHA,
    RESULT,
)
def likelihood_ratio_test(numbers: tuple[str, ...], sigma0: float, sigma1: float, mean: float, **values: Any) -> None:
    """Likelihood ratio test of two standard deviations of NUMBERS, which are normal with a known mean.

    NUMBERS are given one by one, or as the name of one text file that holds them.
    """
    from heldout.test import likelihood_ratio

    for text in numbers:
        if text.startswith("--"):
            raise UsageError(f"no such option: {text}", fix="heldout test likelihood-ratio --help lists them")
    checked_sigmas(sigma0, sigma1, ("--sigma0", "--sigma1"))
    checked_mean(mean, "--mean")
    data, source = numbers_in(numbers)
    alpha, place = values["alpha"], Place(values)
    sources = (source,) if source else ()
    place.deliver(likelihood_ratio(data, sigma0, sigma1, mean=mean, alpha=alpha, sources=sources))


@test.command(
    "proportions",
    cls=Command,
    short_help="z test of two independent proportions.",
    examples=(
        "heldout test proportions 45 100 60 100",
        "heldout test proportions 30 100 20 100 --alternative greater --textbook",
    ),
)
@click.argument("x1", type=int)
@click.argument("n1", type=int)
@click.argument("x2", type=int)
@click.argument("n2", type=int)
@options(
    ALTERNATIVE,
    option("--textbook", is_flag=True, heading=HOW, help="Each share with its own variance, and Wald's interval."),
    ALPHA,
    RESULT,
)
def proportions_test(x1: int, n1: int, x2: int, n2: int, **values: Any) -> None:
    """Test two independent proportions, X1 of N1 and X2 of N2, with a z test."""
    from heldout.test import proportions

    asked = {"alpha": values["alpha"], "textbook": values.pop("textbook")}
    side = SIDES[values.pop("alternative")]
    Place(values).deliver(proportions(x1, n1, x2, n2, alternative=side, **asked))


def expected_numbers(given: Sequence[str] | None, observed: Sequence[int]) -> list[float] | None:
    """The expected counts or shares."""
    if len(observed) < 2:
        raise DataError("one count alone fits whatever is expected", code="H110", fix="give at least two counts")
    if given is None:
        return None
    shares = [number(text, "--expected") for text in given]
    if len(shares) != len(observed):
        message = f"{len(observed)} counts were observed, but {len(shares)} are expected"
        raise UsageError(message, fix="give --expected one number for each count, with commas between them")
    if min(shares) <= 0:
        fix = "leave out or join categories that cannot occur"
        raise DataError(f"--expected holds {min(shares):g}: a count of 0 or less cannot be expected", fix=fix)
    return shares


def number(text: str, place: str) -> float:
    """A number that has a square."""
    try:
        found = float(text)
    except ValueError:
        fix = "give numbers such as -0.4, or the name of one file of numbers"
        raise DataError(f"{place}: {text!r} is not a number", code="H108", fix=fix) from None
    if isfinite(found) and abs(found) > LARGEST:
        raise DataError(f"{place} holds {text}, which is beyond {LARGEST:g}", code="H108", fix="take another unit")
    if not isfinite(found):
        fix = "remove it, and say why it was removed"
        raise DataError(f"{place} holds {text}, which is missing or infinite", code="H305", fix=fix)
    return found


def numbers_in(given: Sequence[str]) -> tuple[list[float], Source | None]:
    """The numbers themselves, or those in the file that was named, with its path and hash."""
    if len(given) > 1 or _looks_numeric(given[0]):
        return [number(text, f"number {i}") for i, text in enumerate(given, 1)], None
    from heldout.inputs.formats.files import read_bytes

    if given[0] == "-":
        raise UsageError("the numbers are not read from standard input", fix="give the numbers or the name of a file")
    source, name, data = read_bytes(given[0])
    lines = data.decode("utf-8-sig", errors="replace").splitlines()
    parts = [(f"{name}, line {i}", text) for i, line in enumerate(lines, 1) for text in line.replace(",", " ").split()]
    if len(parts) > 1 and not _looks_numeric(parts[0][1]) and parts[1][0] != parts[0][0]:
        parts = parts[1:]  # the name of a column
    if not parts:
        raise DataError(f"{name} holds no number", code="H112", fix="give a text file with one number per line")
    return [number(text, place) for place, text in parts], source


def _looks_numeric(text: str) -> bool:
    """Whether Python reads it as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
