"""Two or more models, or two samples: p-values and intervals of a difference."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import chdtri, stdtrit

import heldout
from heldout.stats import agresti_caffo, agresti_min, miettinen_nurminen, newcombe_paired
from tests.oracles.answers.asking import Answers, rivals, typed
from tests.oracles.reader import Case, columns, numbers

MCNEMAR = {"nocc": "asymptotic", "cc": "corrected", "midp": "mcnemar", "exact": "exact"}
ADJUSTMENTS = {
    "BH": "benjamini_hochberg",
    "fdr_bh": "benjamini_hochberg",
    "simes-hochberg": "hochberg",
    **{name: name for name in ("bonferroni", "sidak", "holm", "hochberg")},
}
INDEPENDENT: dict[str, Any] = {
    "newcombe_hybrid_wilson": "",
    "diff_newcomb": "",
    "miettinen_nurminen": miettinen_nurminen,
    "score_diffscoreci": miettinen_nurminen,
    "diff_score": miettinen_nurminen,
    "agresti_caffo": agresti_caffo,
    "diff_agresti-caffo": agresti_caffo,
    "diff_wald": "--textbook",
}
"""Options of `heldout test proportions`, whose interval is Newcombe's; a function where no verb has the interval."""


def cells(case: Case) -> tuple[float, float, float, float]:
    """Rows both models have right, only the first, only the second, neither."""
    table = case.params.get("table", case.params)
    only = ("only_1_right", "only_2_right") if "only_1_right" in table else ("only_1", "only_2")
    return table["both_right"], table[only[0]], table[only[1]], table["both_wrong"]


def discordant_p(case: Case, method: str) -> float:
    return rivals(cells(case), MCNEMAR[method])["accuracy"].pvalue


def discordant_chi(case: Case, correction: str) -> list[float]:
    """The statistic whose tail the p-value is, and the p-value."""
    p = discordant_p(case, correction)
    return [float(chdtri(1, p)), p]


def discordant_exact(case: Case) -> list[float]:
    _, b, c, _ = cells(case)
    return [min(b, c), discordant_p(case, "exact")]


def second_minus_first(case: Case, interval: str) -> list[float]:
    """As the tool has it: the shares of the second model minus those of the first."""
    b, c, n = (case.params[name] for name in ("b", "c", "n"))
    if interval == "agresti_min":
        return list(agresti_min(c, b, n, case.params["level"]))
    return paired_score((n - b - c, b, c, 0), case.params["level"])


def paired_score(cells: tuple[int, int, int, int], level: float) -> list[float]:
    """The second less the first, as `compare` has it."""
    found = rivals(cells, "mcnemar", level)["accuracy"]
    return [found.low, found.high]


def first_minus_second(case: Case) -> list[float]:
    low, high = paired_score(cells(case), case.params["level"])
    return [-high, -low]


def paired_mover(case: Case) -> tuple[float, float]:
    return newcombe_paired(*cells(case), case.params["level"], correction=False)


def shares_tested(four: tuple[float, ...], level: float, *options: str) -> dict[str, Any]:
    return typed("test", "proportions", *four, "--alpha", round(1 - level, 12), *filter(None, options))


def proportions(four: tuple[float, ...], level: float, *options: str) -> tuple[float, float]:
    """The interval of the difference of two independent shares."""
    effect = shares_tested(four, level, *options)["effect"]
    return effect["low"], effect["high"]


def counts(case: Case) -> tuple[float, float, float, float]:
    x1, n1, x2, n2 = (case.params[name] for name in ("x1", "n1", "x2", "n2"))
    return x1, n1, x2, n2


def shares_apart(case: Case, method: str) -> tuple[float, float]:
    known, level = INDEPENDENT[method], case.params["level"]
    if callable(known):
        return known(*counts(case), level)
    return proportions(counts(case), level, known)


def pooled(case: Case) -> dict[str, Any]:
    found = shares_tested(counts(case), 0.95)
    wald = proportions(counts(case), case.params["level"], "--textbook")
    return {"chisq": found["statistic"] ** 2, "p": found["pvalue"], "ci_diff_wald": wald}


def z_pooled(case: Case) -> list[float]:
    found = shares_tested(counts(case), 0.95)
    return [found["statistic"], found["pvalue"]]


def adjusted(case: Case, method: str) -> Any:
    return getattr(heldout.stats, ADJUSTMENTS[method])(np.array(case.params["p"]))


def paired_t(case: Case, power: str) -> list[float]:
    """Student's t of absolute or squared errors: the first model less the second."""
    table = {name: numbers(columns(case.file)[case.params[name]]) for name in ("truth", "predicted1", "predicted2")}
    truth = table.pop("truth")
    metric = {"abs": "mae", "sq": "mse"}[power]
    options = {"metrics": metric, "task": "regression", "test": "t", "baseline": "predicted2"}
    found = heldout.compare(truth, table, **options)[metric]
    return [
        float(np.sign(found.value) * -stdtrit(len(truth) - 1, found.pvalue / 2)),
        found.pvalue,
        found.low,
        found.high,
    ]


def one_step_ahead(case: Case, power: str) -> list[float]:
    """Diebold and Mariano's test of forecasts one step ahead is the paired t."""
    return paired_t(case, power)[:2]


def flipped(case: Case) -> float:
    """Every sign pattern of the differences, which are those of two models' mean errors."""
    models = {name: np.array(case.params[name], dtype=float) for name in "yx"}
    truth = np.zeros(len(models["x"]))
    options = {"metrics": "mean_error", "task": "regression", "test": "permutation"}
    return heldout.compare(truth, models, **options)["mean_error"].pvalue


def pairwise(case: Case) -> list[float]:
    table = columns(case.file)
    right = [np.array(table[name]) == np.array(table[case.params["truth"]]) for name in case.params["predicted"]]
    cells = [[np.sum(a & b), np.sum(a & ~b), np.sum(~a & b), np.sum(~a & ~b)] for a, b in combinations(right, 2)]
    return [rivals(tuple(map(int, counts)), "exact")["accuracy"].pvalue for counts in cells]


DISCORDANT: Answers = {
    "asymptotic_(nocc|cc)|mlxtend_(cc)": lambda case, one, two: discordant_chi(case, one or two),
    "asym_(nocc|cc)": discordant_chi,
    "exact_p|exact2x2_p": lambda case: discordant_p(case, "exact"),
    "midp": lambda case: discordant_p(case, "midp"),
    "exact": discordant_exact,
    "mlxtend_exact": lambda case: [None, discordant_p(case, "exact")],
}
PAIRED: Answers = {
    "(tango_score|agresti_min)": second_minus_first,
    "tango_RD": first_minus_second,
    "newcombe_mover_RD": paired_mover,
}
UNPAIRED: Answers = {
    f"({'|'.join(INDEPENDENT)})": shares_apart,
    "prop.test_nocc": pooled,
    "z_pooled_p": z_pooled,
    "p_wald": lambda case: shares_tested(counts(case), 0.95, "--textbook")["pvalue"],
}
ADJUSTED: Answers = {f"({'|'.join(ADJUSTMENTS)})": adjusted}
LOSSES: Answers = {"t_(abs|sq)": paired_t, "dm_h1_(abs|sq)": one_step_ahead}
PERMUTATION: Answers = {"exact_two_sided": flipped}
MODELS: Answers = {
    "pairwise_mcnemar_exact": pairwise,
    "pairwise_holm": lambda case: heldout.stats.holm(np.array(pairwise(case))),
}
