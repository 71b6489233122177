"""heldout test: textbook tests of counts and numbers, with the words for their decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.output import deliver
from heldout.cli.reading import file, not_an_input, several
from heldout.cli.sample import checked_expected, checked_trials, data_in
from heldout.errors import DataError
from heldout.stats.argument_checks import checked_alpha, checked_counts, checked_share, checked_sigmas

if TYPE_CHECKING:
    from heldout.stats.textbook_tests import Alternative, Decision

Verb = Callable[..., None]
SIDES: dict[str, tuple[Alternative, str]] = {
    "two": ("two-sided", "is not"),
    "greater": ("greater", "is greater than"),
    "less": ("less", "is less than"),
}
FORMS = ["text", "json"]
FEW = 5
"""Expected counts below this make a chi-square or normal tail rough."""
ROUGH = f"a count of fewer than {FEW} is expected somewhere: the p-value is rough"


def small(_ctx: click.Context, _option: click.Parameter, given: float) -> float:
    """A chance of rejecting what is true: more than 0, less than a half."""
    checked_alpha(given, "--alpha")
    return given


def answering(verb: Verb) -> Verb:
    """The options that every test has."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors."),
        file("--output", help="Write into a file instead of to the screen."),
        click.option("--format", "form", type=click.Choice(FORMS), default="text", help="text unless given."),
        click.option(
            "--alpha", type=float, metavar="A", default=0.05, callback=small,
            help="Chance of rejecting what is true; 0.05 unless given.",
        ),
    ):  # fmt: skip
        verb = option(verb)
    return verb


@click.group("test", short_help="Textbook tests: binomial, chi-square, likelihood ratio, proportions.")
def command() -> None:
    """Textbook tests of counts and numbers: reject or fail to reject, with the size of the effect and its interval.

    To fail to reject is not to accept. The exit code is 0 either way.
    """


@command.command("binomial", short_help="Whether a share is what it should be, exactly.")
@click.argument("x", type=int)
@click.option("--of", "n", type=int, metavar="N", required=True, help="How many there are.")
@click.option("--share", type=float, metavar="P", default=0.5, help="The share to be tested; 0.5 unless given.")
@click.option("--alternative", type=click.Choice(list(SIDES)), default="two", help="two unless given.")
@click.option("--against", type=float, metavar="P", help="A share for which the power is wanted.")
@answering
def binomial_verb(x: int, n: int, share: float, alternative: str, against: float | None, **asked: Any) -> None:
    """Whether X of N agree with a share, by the exact binomial test."""
    from heldout.stats.textbook_tests import binomial

    checked_counts([x], n)
    checked_trials(n)
    checked_share(share, "--share")
    if against is not None:
        checked_share(against, "--against")
    side, relation = SIDES[alternative]
    found = binomial(x, n, share, alternative=side, alpha=asked["alpha"], against=against)
    words = Hypotheses(
        null=f"the share is {share:g}", alternative=f"the share {relation} {share:g}", at=share, symbol="x",
        power_at=None if against is None else f"the share is {against:g}",
    )  # fmt: skip
    answer(result("binomial", found, words), **asked)


@command.command("chi2", short_help="Whether counts agree with what was expected.")
@click.argument("observed", type=int, nargs=-1, required=True)
@click.option(
    "--expected", metavar="A,B", multiple=True, callback=several, help="Counts or shares; equal ones unless given."
)
@answering
def chi2_verb(observed: tuple[int, ...], expected: list[str] | None, **asked: Any) -> None:
    """Whether the OBSERVED counts agree with the expected ones, by Pearson's chi-square."""
    import numpy as np

    from heldout.stats.textbook_tests import chi_square

    checked_counts(observed)
    shares, notes = checked_expected(expected, observed)
    found = chi_square(np.array(observed, float), np.array(shares), alpha=asked["alpha"])
    if min(shares) / sum(shares) * sum(observed) < FEW:
        notes = (*notes, ROUGH)
    null = "all counts are equally likely" if expected is None else "the counts follow the expected shares"
    words = Hypotheses(null=null, alternative="they do not" if expected else "they are not", at=0, symbol="chi2")
    answer(result("chi2", found, words, notes=notes), **asked)


@command.command(
    "lr",
    short_help="Which of two normal standard deviations, by likelihood ratio.",
    context_settings={"ignore_unknown_options": True},  # -1.2 is a number here
)
@click.argument("numbers", nargs=-1, required=True)
@click.option("--sigma0", type=float, metavar="S", required=True, help="The standard deviation to be tested.")
@click.option("--sigma1", type=float, metavar="S", required=True, help="The one it is tested against.")
@answering
def lr_verb(numbers: tuple[str, ...], sigma0: float, sigma1: float, **asked: Any) -> None:
    """Which of two standard deviations NUMBERS have, normal with mean 0: the most powerful test there is.

    NUMBERS are given one by one, or as the name of one text file that holds them.
    """
    import numpy as np

    from heldout.stats.textbook_tests import likelihood_ratio_normal

    checked_sigmas(sigma0, sigma1, ("--sigma0", "--sigma1"))
    data, source = data_in(numbers)
    not_an_input(asked["output"], source["path"] if source else None)
    found = likelihood_ratio_normal(np.array(data), sigma0, sigma1, alpha=asked["alpha"])
    null, other = (f"the standard deviation is {sigma:g}" for sigma in (sigma0, sigma1))
    words = Hypotheses(null=null, alternative=other, at=1, symbol="chi2", power_at=other)
    more = {"log_ratio": found.log_ratio, "critical": found.critical, "inputs": [source] if source else []}
    answer(result("lr", found.decision, words) | more, **asked)


@command.command("proportions", short_help="Whether two independent shares are equal.")
@click.argument("x1", type=int)
@click.argument("n1", type=int)
@click.argument("x2", type=int)
@click.argument("n2", type=int)
@click.option("--textbook", is_flag=True, help="Each share with its own variance, and Wald's interval.")
@answering
def proportions_verb(x1: int, n1: int, x2: int, n2: int, textbook: bool, **asked: Any) -> None:
    """Whether the shares X1 of N1 and X2 of N2 of two independent samples are equal, by a z test."""
    from heldout.stats.textbook_tests import two_proportions

    checked_counts([x1], n1)
    checked_counts([x2], n2)
    alpha, pooled = asked["alpha"], (x1 + x2) / (n1 + n2)
    found = own_variances(x1, n1, x2, n2, alpha) if textbook else two_proportions(x1, n1, x2, n2, alpha=alpha)
    words = Hypotheses(null="the two shares are equal", alternative="they are not", at=0, symbol="z")
    few = min(pooled, 1 - pooled) * min(n1, n2) < FEW
    answer(result("proportions", found, words, notes=(ROUGH,) if few else ()), **asked)


def own_variances(x1: int, n1: int, x2: int, n2: int, alpha: float) -> Decision:
    """The z of the textbooks as a decision."""
    from heldout.stats.independent_samples import textbook_z
    from heldout.stats.textbook_tests import Decision

    if x1 in (0, n1) and x2 in (0, n2):
        fix = "leave out --textbook"
        raise DataError("both shares are 0 or 1, so the textbook's standard error is 0", fix=fix)
    found = textbook_z(x1, n1, x2, n2, 1 - alpha)
    return Decision(
        test=found.test, statistic=found.statistic, p=found.p, alpha=alpha, effect="difference of shares",
        value=found.value, low=found.low, high=found.high, level=1 - alpha,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypotheses:
    """What is tested against what, in words."""

    null: str
    alternative: str
    at: float
    """The effect if the null hypothesis is true."""
    symbol: str
    """How the statistic is called."""
    power_at: str | None = None
    """The alternative for which the power is known."""


def result(kind: str, found: Decision, words: Hypotheses, *, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Everything as plain values: the JSON contract `heldout.test/1`; undefined numbers are None."""
    from heldout.version import __version__

    return {
        "schema": "heldout.test/1",
        "heldout": __version__,
        "inputs": [],
        "test": kind,
        "method": found.test,
        "null": words.null,
        "alternative": words.alternative,
        "decision": found.decision,
        "alpha": found.alpha,
        "p": found.p,
        "effect": {
            "name": found.effect,
            "value": found.value,
            "low": found.low,
            "high": found.high,
            "level": round(found.level, 12),
        },
        "symbol": words.symbol,
        "statistic": found.statistic,
        "df": found.df if isfinite(found.df) else None,
        "power": found.power if isfinite(found.power) else None,
        "beta": found.beta if isfinite(found.power) else None,
        "power_at": words.power_at,
        "log_ratio": None,
        "critical": None,
        "notes": [*notes, *remarks(found, words.at)],
    }


def remarks(found: Decision, at: float) -> list[str]:
    """What the decision does not say, and where it and the interval seem to disagree."""
    notes = []
    rejected = found.decision == "reject"
    if found.level < 1 - 1.5 * found.alpha:
        bound = f"{100 * (1 - found.alpha):g}%"
        notes.append(f"the test looks to one side only: each end of the interval by itself is a {bound} bound")
    if found.value > found.high:
        notes.append("the effect seen lies above its interval because chance alone adds to it: trust the interval")
    elif rejected == (found.low <= at <= found.high):
        notes.append(f"test and interval ask differently: here one of them excludes {at:g} and the other does not")
    if not rejected:
        notes.append("to fail to reject is not to accept: the interval says what else is possible")
    return notes


def answer(found: dict[str, Any], *, alpha: float, form: str, output: str | None, quiet: bool) -> None:
    """Print the decision, or write it into a file."""
    del alpha  # it is in the answer
    deliver(found, form, output, quiet=quiet)
