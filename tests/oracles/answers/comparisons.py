"""Two or more models, or two samples: p-values and intervals of a difference."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import chdtri

from heldout.stats import independent_samples as independent
from heldout.stats import mcnemar_tests as discordance
from heldout.stats import multiplicity as adjustments
from heldout.stats.paired_means import paired_mean, sign_flip
from heldout.stats.textbook_tests import two_proportions
from tests.oracles.answers.asking import Answers
from tests.oracles.reader import Case, columns, numbers

MCNEMAR = {"nocc": "asymptotic", "cc": "corrected"}
ADJUSTMENTS = {
    "BH": "benjamini_hochberg",
    "fdr_bh": "benjamini_hochberg",
    "simes-hochberg": "hochberg",
    **{name: name for name in ("bonferroni", "sidak", "holm", "hochberg")},
}
INDEPENDENT = {
    "newcombe_hybrid_wilson": independent.newcombe,
    "diff_newcomb": independent.newcombe,
    "miettinen_nurminen": independent.miettinen_nurminen,
    "score_diffscoreci": independent.miettinen_nurminen,
    "diff_score": independent.miettinen_nurminen,
    "agresti_caffo": independent.agresti_caffo,
    "diff_agresti-caffo": independent.agresti_caffo,
    "diff_wald": independent.wald,
}


def cells(case: Case) -> tuple[float, float, float, float]:
    """Rows both models have right, only the first, only the second, neither."""
    table = case.params.get("table", case.params)
    only = ("only_1_right", "only_2_right") if "only_1_right" in table else ("only_1", "only_2")
    return table["both_right"], table[only[0]], table[only[1]], table["both_wrong"]


def discordant_p(case: Case, method: str) -> float:
    _, b, c, _ = cells(case)
    return discordance.mcnemar(b, c, method=method)


def discordant_chi(case: Case, correction: str) -> list[float]:
    """The statistic whose tail the p-value is, and the p-value."""
    p = discordant_p(case, MCNEMAR[correction])
    return [float(chdtri(1, p)), p]


def discordant_exact(case: Case) -> list[float]:
    _, b, c, _ = cells(case)
    return [min(b, c), discordant_p(case, "exact")]


def second_minus_first(case: Case, interval: str) -> list[float]:
    """As the tool has it: the shares of the second model minus those of the first."""
    asked = {"tango_score": discordance.tango, "agresti_min": discordance.agresti_min}[interval]
    return list(asked(case.params["c"], case.params["b"], case.params["n"], case.params["level"]))


def paired_score(case: Case) -> tuple[float, float]:
    a, b, c, d = cells(case)
    return discordance.tango(b, c, a + b + c + d, case.params["level"])


def paired_mover(case: Case) -> tuple[float, float]:
    return discordance.newcombe_paired(*cells(case), case.params["level"], corrected=False)


def counts(case: Case) -> tuple[float, float, float, float]:
    x1, n1, x2, n2 = (case.params[name] for name in ("x1", "n1", "x2", "n2"))
    return x1, n1, x2, n2


def shares_apart(case: Case, method: str) -> tuple[float, float]:
    return INDEPENDENT[method](*counts(case), case.params["level"])


def pooled(case: Case) -> dict[str, Any]:
    found = two_proportions(*counts(case))
    wald = independent.wald(*counts(case), case.params["level"])
    return {"chisq": found.statistic**2, "p": found.p, "ci_diff_wald": wald}


def adjusted(case: Case, method: str) -> Any:
    return getattr(adjustments, ADJUSTMENTS[method])(np.array(case.params["p"]))


def losses(case: Case, power: str) -> Any:
    """Paired t of absolute or squared errors."""
    table = {name: numbers(columns(case.file)[case.params[name]]) for name in ("truth", "predicted1", "predicted2")}
    first, second = (
        np.abs(table["truth"] - table[name]) ** {"abs": 1, "sq": 2}[power] for name in ("predicted1", "predicted2")
    )
    return paired_mean(first - second, 0.95, draws=1, seed=0)


def paired_t(case: Case, power: str) -> list[float]:
    found = losses(case, power)
    return [found.statistic, found.p, found.low, found.high]


def one_step_ahead(case: Case, power: str) -> list[float]:
    """Diebold and Mariano's test of forecasts one step ahead is the paired t."""
    return paired_t(case, power)[:2]


def flipped(case: Case) -> float:
    return sign_flip(np.array(case.params["x"]) - np.array(case.params["y"]), draws=1, seed=0)


def pairwise(case: Case) -> list[float]:
    table = columns(case.file)
    right = [np.array(table[name]) == np.array(table[case.params["truth"]]) for name in case.params["predicted"]]
    return [
        discordance.mcnemar(int(np.sum(one & ~other)), int(np.sum(~one & other)), method="exact")
        for one, other in combinations(right, 2)
    ]


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
    "tango_RD": paired_score,
    "newcombe_mover_RD": paired_mover,
}
UNPAIRED: Answers = {
    f"({'|'.join(INDEPENDENT)})": shares_apart,
    "prop.test_nocc": pooled,
    "z_pooled_p": lambda case: [two_proportions(*counts(case)).statistic, two_proportions(*counts(case)).p],
    "p_wald": lambda case: independent.textbook_z(*counts(case), 0.95).p,
}
ADJUSTED: Answers = {f"({'|'.join(ADJUSTMENTS)})": adjusted}
LOSSES: Answers = {"t_(abs|sq)": paired_t, "dm_h1_(abs|sq)": one_step_ahead}
PERMUTATION: Answers = {"exact_two_sided": flipped}
MODELS: Answers = {
    "pairwise_mcnemar_exact": pairwise,
    "pairwise_holm": lambda case: adjustments.holm(np.array(pairwise(case))),
}
