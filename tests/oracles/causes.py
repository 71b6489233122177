"""Why a tool and heldout may rightly differ: conditions on the data and on the two numbers.

Each takes the case and what differs, and says whether the cause it is named after is at work.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isinf, isnan

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri, xlogy

from tests.oracles.answers.asking import labelled, points, ranked, rows
from tests.oracles.answers.planned import HALF_WIDTH, asked
from tests.oracles.answers.worlds import rounds
from tests.oracles.reader import Case, Mismatch, columns, numbers


def undefined(case: Case, found: Mismatch) -> bool:
    del case
    return not isinstance(found.got, str) and isnan(found.got)


def infinite(case: Case, found: Mismatch) -> bool:
    del case
    return not isinstance(found.got, str) and isinf(found.got)


def not_a_number(case: Case, found: Mismatch) -> bool:
    del case
    return isinstance(found.want, float) and isnan(found.want)


def extreme(case: Case, found: Mismatch) -> bool:
    del found
    return case.params["x"] in (0, case.params["n"])


def off_by(most: float) -> Callable[[Case, Mismatch], bool]:
    return lambda case, found: not isinstance(found.got, str) and abs(found.got - found.want) <= most


def tied(case: Case, found: Mismatch) -> bool:
    del found
    told = rows(case).numbers(rows(case).told)
    return len(np.unique(told)) < len(told)


def breaks_ties(case: Case, found: Mismatch) -> bool:
    """Pairs of equal score, counted for or against, explain the difference."""
    curve = points(case, "roc")
    return bool(abs(found.got - found.want) <= np.sum(np.diff(curve["fpr"]) * np.diff(curve["tpr"])) + 1e-9)


def interpolated_bins(case: Case, found: Mismatch) -> bool:
    """Bins that end at interpolated quantiles of the probabilities give what the tool says."""
    key = found.path.partition("[")[0]
    chance, happened = outcomes(case)
    edges = np.percentile(chance, np.linspace(0, 100, int(re.sub(r"\D", "", key)) + 1))
    place = np.searchsorted(edges[1:-1], chance)
    rows_in = np.bincount(place)
    sums = [np.bincount(place, weights=column)[rows_in > 0] for column in (happened, chance)]
    told = [column / rows_in[rows_in > 0] for column in sums]
    return np.shape(case.expected[key]) == np.shape(told) and np.allclose(case.expected[key], told, rtol=1e-6)


def upper_bin(case: Case, found: Mismatch) -> bool:
    """Edges that belong to the upper bin, 1 to the last or to one of its own, give what the tool says."""
    norm, bins = re.findall(r"l1|l2|max|ece|mce|ace", found.path)[0], int(re.findall(r"\d+(?=bins|$)", found.path)[0])
    chance, happened = outcomes(case)
    place = np.searchsorted(np.linspace(0, 1, bins + 1), chance, side="right") - 1
    told = [_distance(chance - happened, np.minimum(place, last), norm) for last in (bins - 1, bins)]
    return bool(np.min(np.abs(np.array(told) - found.want)) <= 1e-5)


def _distance(gap: np.ndarray, place: np.ndarray, norm: str) -> float:
    rows_in = np.bincount(place)
    filled = rows_in > 0
    apart, share = np.abs(np.bincount(place, weights=gap))[filled] / rows_in[filled], rows_in[filled] / len(place)
    means = {"l2": np.sqrt(share @ apart**2), "max": apart.max(), "mce": apart.max(), "ace": apart.mean()}
    return float(means.get(norm, share @ apart))


def outcomes(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The probability of the positive (or the likeliest) class, and whether it was the one."""
    of = rows(case)
    truth = np.array(of.text(of.truth))
    if of.told:
        return of.numbers(of.told), (truth == of.positive).astype(float)
    names = case.params["probabilities"]
    table = np.stack([of.numbers(name) for name in names], axis=1)
    said = np.array([name.removeprefix("p[").removesuffix("]") for name in names])[table.argmax(axis=1)]
    return table.max(axis=1), (truth == said).astype(float)


def grouped(case: Case, found: Mismatch) -> bool:
    """Steps of 0.002 tie probabilities that differ."""
    told = rows(case).numbers(rows(case).told)
    tied_then = len(np.unique(np.floor(told * 500))) < len(np.unique(told))
    return tied_then and bool(abs(found.got - found.want) <= 0.1)


def within_a_step(case: Case, found: Mismatch) -> bool:
    """Both lie between the error rates of the thresholds around the crossing."""
    curve = points(case, "roc")
    missed, alarms = 1 - curve["tpr"], curve["fpr"]
    nearest = int(np.argmin(np.abs(missed - alarms)))
    around = slice(max(nearest - 1, 0), nearest + 2)
    low = min(missed[around].min(), alarms[around].min()) - 1e-6
    high = max(missed[around].max(), alarms[around].max()) + 1e-6
    return bool(low <= found.got <= high and low <= found.want <= high)


def straight(case: Case, found: Mismatch) -> bool:
    """The tool's hull has a corner on a straight line, and the same area as ours."""
    del found
    x, y = (np.array(case.expected[f"rch_{axis}"]) for axis in ("fpr", "tpr"))
    turn = np.diff(x)[:-1] * np.diff(y)[1:] - np.diff(x)[1:] * np.diff(y)[:-1]
    ours = points(case, "convex_hull")
    same = np.isclose(np.trapezoid(y, x), np.trapezoid(ours["tpr"], ours["fpr"]), rtol=0, atol=1e-9)
    return bool(np.any(np.abs(turn) < 1e-12) and same)


def separated(case: Case, found: Mismatch) -> bool:
    del found
    return float(ranked(case)) in (0.0, 1.0)


def worse_than_guessing(case: Case, found: Mismatch) -> bool:
    del found
    return float(ranked(case)) < 0.5


def empty_cell(case: Case, found: Mismatch) -> bool:
    del found
    return 0 in rows(case).counts


def absent(case: Case, found: Mismatch) -> bool:
    """A class was never predicted, or never occurs."""
    counts = labelled(case).confusion
    return undefined(case, found) and bool(np.any(counts.sum(axis=0) == 0) or np.any(counts.sum(axis=1) == 0))


def within_half_its_width(case: Case, found: Mismatch) -> bool:
    """Limits, lower ones first, that lie no further apart than half the width of the tool's interval."""
    key, _, at = found.path.removesuffix("]").partition("[")
    limits = np.reshape(case.expected[key], (2, -1))
    width = (limits[1] - limits[0])[int(at) % limits.shape[1]]
    return bool(abs(found.got - found.want) <= width / 2)


def cut(case: Case, found: Mismatch) -> bool:
    """The tool's limit left the range, or there is no error at all and the tool's interval has no width."""
    return abs(found.want) > 1 or found.want < 0 or float(labelled(case)["accuracy"]) in (0.0, 1.0)


def zero_target(case: Case, found: Mismatch) -> bool:
    """The value is undefined or infinite."""
    return not np.isfinite(found.got) and bool(np.any(rows(case).numbers(case.params["truth"]) == 0))


def equal_but_for_rounding(case: Case, found: Mismatch) -> bool:
    """Sizes of differences that are the same to twelve digits and not to the last."""
    del found
    first, second = (numbers(columns(case.file)[case.params[name]]) for name in ("a", "b"))
    sizes = np.abs(first - second)
    return len(np.unique(np.round(sizes, 12))) < len(np.unique(sizes))


def off_the_score_limit(case: Case, found: Mismatch) -> bool:
    """The score statistic, with its likeliest shares searched for, is z at our limit and not at the tool's."""
    x1, n1, x2, n2 = (case.params[name] for name in ("x1", "n1", "x2", "n2"))
    z = -ndtri((1 - case.params["level"]) / 2)

    def statistic(apart: float) -> float:
        def against(share: float) -> float:
            both = ((x1, n1, share + apart), (x2, n2, share))
            return -sum(xlogy(x, p) + xlogy(n - x, 1 - p) for x, n, p in both)

        inside = (max(0.0, -apart), min(1.0, 1 - apart))
        share = minimize_scalar(against, bounds=inside, method="bounded", options={"xatol": 1e-12}).x
        variance = (share + apart) * (1 - share - apart) / n1 + share * (1 - share) / n2
        return abs(x1 / n1 - x2 / n2 - apart) / np.sqrt(variance * (n1 + n2) / (n1 + n2 - 1))

    return abs(statistic(found.got) - z) < 1e-5 < abs(statistic(found.want) - z)


def turned_round(case: Case, found: Mismatch) -> bool:
    """The tool's interval is ours with the other sign."""
    entry, metric, end = re.fullmatch(r"(\w+)\.(\w+)\.diff\.(lcl|ucl)", found.path).groups()  # type: ignore[union-attr]
    other = case.expected[entry][metric][f"diff.{'ucl' if end == 'lcl' else 'lcl'}"]
    return bool(abs(found.got + other) <= 1e-5 and abs(found.got - found.want) > 1e-5)


def far_tail(case: Case, found: Mismatch) -> bool:
    """The chance to reject on the wrong side is what is missing."""
    p1, p2, rows = asked(case)
    error, alike = (np.sqrt(sum(p * (1 - p) for p in pair) / rows) for pair in ((p1, p2), ((p1 + p2) / 2,) * 2))
    wrong = ndtr((-abs(p1 - p2) - ndtri(0.975) * alike) / error)
    return bool(abs(found.got + wrong - found.want) <= 1e-6)


def of_normal_width(case: Case, found: Mismatch) -> bool:
    """So many rows give the normal interval this half-width."""
    share = asked(case)[0]
    return bool(abs(ndtri(0.975) ** 2 * share * (1 - share) / HALF_WIDTH**2 - found.want) <= 1e-6 * found.want)


def all_that_disagree(case: Case, found: Mismatch) -> bool:
    """The tool's variance is how often rounds do not say what most of them say; ours is the loss less the bias."""
    loss, bias, _ = case.expected["expected_loss_bias_variance"]
    told = rounds(case)[1]
    most = np.max([np.mean(told == label, axis=0) for label in np.unique(told)], axis=0)
    tools = found.path.endswith("[2]") and abs(1 - most.mean() - found.want) <= 1e-9
    return bool(tools and abs(loss - bias - found.got) <= 1e-9)


def for_few_rounds(case: Case, found: Mismatch) -> bool:
    """The variance that is divided by n - 1 instead of n, and a bias that is lower by what it gains."""
    _, bias, variance = case.expected["expected_loss_bias_variance"]
    lent = variance / (len(rounds(case)[1]) - 1)
    wanted = {"[1]": bias - lent, "[2]": variance + lent}
    return abs(wanted.get(found.path[-3:], np.inf) - found.got) <= 1e-9


def normal_quantile(case: Case, found: Mismatch) -> bool:
    """The tool's limit is the mean of the test rows' losses and z of its standard errors."""
    if not next(iter(case.files)).endswith("_holdout"):
        return False
    losses = numbers(columns(case.file)["loss"])
    reach = -ndtri((1 - case.params["level"]) / 2) * losses.std(ddof=1) / np.sqrt(len(losses))
    return bool(abs(losses.mean() + (reach if found.path.endswith("[2]") else -reach) - found.want) <= 1e-7)
