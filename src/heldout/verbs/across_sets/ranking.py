"""What a comparison of learners over data sets gives: average ranks, pairs, groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from heldout.errors import UsageError
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

PostHoc = Literal["holm", "nemenyi", "control"]
Verdict = Literal["BETTER", "WORSE", "UNDECIDED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Omnibus:
    """Whether learners differ at all: Friedman's chi-square, and Iman and Davenport's F of it."""

    chi_square: float
    df: int
    chi_square_pvalue: float
    f: float
    f_df: tuple[int, int]
    f_pvalue: float

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; an infinite F is None."""
        return {
            "chi_square": self.chi_square,
            "df": self.df,
            "chi_square_pvalue": self.chi_square_pvalue,
            "f": self.f if isfinite(self.f) else None,
            "f_df": list(self.f_df),
            "f_pvalue": self.f_pvalue,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Practical:
    """How probable it is that a learner is mostly worse, within the region of practical equivalence, or better."""

    worse: float
    within: float
    better: float


@dataclass(frozen=True, kw_only=True)
class LearnerPair:
    """How much more one learner scores than another over data sets, with its interval, test and verdict."""

    a: str
    b: str
    value: float
    """Pseudomedian of the differences a - b [hodges63]."""
    low: float
    high: float
    level: float
    wins: int
    ties: int
    losses: int
    statistic: float
    """The smaller sum of ranks (Wilcoxon), or z."""
    pvalue: float
    """Before any correction."""
    pvalue_adjusted: float
    """Corrected for the number of pairs."""
    test: str
    verdict: Verdict
    practical: Practical | None
    notes: tuple[str, ...]

    def __str__(self) -> str:
        from heldout.report.number_text import p_text, signed, signed_interval

        d = self.to_dict()
        p = f"p {p_text(d['pvalue_adjusted'], self.level)} adjusted"
        return f"{self.a} - {self.b} {signed(d['value'], d)} {signed_interval(d)}, {p} ({self.test}): {self.verdict}"

    def __repr__(self) -> str:
        return f"{self}\n[LearnerPair: .value, .low, .high, .pvalue_adjusted, .wins, .to_dict()]"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; an infinite end is None."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: None if isinstance(fact, float) and not isfinite(fact) else fact for name, fact in facts.items()}
        chances = self.practical
        told = None if chances is None else {name: getattr(chances, name) for name in chances.__dataclass_fields__}
        return {**plain, "practical": told, "notes": list(self.notes)}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Ranking(Result):
    """Learners over data sets: average ranks, whether they differ at all, and every pair with its difference."""

    kind = "ranking"

    sets: tuple[str, ...]
    models: tuple[str, ...]
    better: str
    level: float
    ranks: dict[str, float]
    """Average rank of each learner, 1 the best."""
    friedman: Omnibus | None
    """None where there are two learners only."""
    tie_correction: bool
    post_hoc: PostHoc
    baseline: str | None
    critical_difference: float | None
    """Nemenyi's: average ranks further apart than this differ."""
    groups: tuple[tuple[str, ...], ...]
    """Learners no two of which differ significantly, best rank first; empty where all are judged against one."""
    pairs: tuple[LearnerPair, ...]
    rope: float | None
    n_resamples: int
    seed: int

    def __getitem__(self, names: tuple[str, str]) -> LearnerPair:
        """The pair (a, b), whose difference is a - b.

        >>> from heldout import compare_across_sets
        >>> table = {"dataset": list("abcdef"), "tree": [5, 6, 5, 7, 8, 6], "forest": [6, 8, 8, 9, 9, 9]}
        >>> compare_across_sets(table)["forest", "tree"].verdict
        'BETTER'
        """
        known = {(one.a, one.b): one for one in self.pairs}
        if names not in known:
            fix = f"the pairs are {', '.join(map(str, list(known)[:6]))}{' ...' if len(known) > 6 else ''}"
            raise UsageError(f"there is no pair {names!r}", fix=fix)
        return known[names]

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "sets": list(self.sets),
            "models": list(self.models),
            "better": self.better,
            "level": self.level,
            "ranks": self.ranks,
            "friedman": None if self.friedman is None else self.friedman.to_dict(),
            "tie_correction": self.tie_correction,
            "post_hoc": self.post_hoc,
            "baseline": self.baseline,
            "critical_difference": self.critical_difference,
            "groups": [list(names) for names in self.groups],
            "pairs": [one.to_dict() for one in self.pairs],
            "rope": self.rope,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """The critical-difference diagram, and the differences of pairs."""
        from heldout.verbs.evaluate.result_charts import ranking_charts

        return ranking_charts(d)
