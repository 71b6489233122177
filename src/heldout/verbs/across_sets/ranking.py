"""What a comparison of learners over data sets gives: average ranks, pairs, groups."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from heldout.errors import UsageError
from heldout.inputs import Check, Source
from heldout.version import __version__

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

PostHoc = Literal["holm", "nemenyi", "control"]
Verdict = Literal["BETTER", "WORSE", "UNDECIDED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Omnibus:
    """Whether learners differ at all: Friedman's chi-square, and Iman and Davenport's F of it."""

    chi_square: float
    df: int
    chi_square_p: float
    f: float
    f_df: tuple[int, int]
    f_p: float

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; an infinite F is None."""
        return {
            "chi_square": self.chi_square,
            "df": self.df,
            "chi_square_p": self.chi_square_p,
            "f": self.f if isfinite(self.f) else None,
            "f_df": list(self.f_df),
            "f_p": self.f_p,
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
    p: float
    p_adjusted: float
    test: str
    verdict: Verdict
    practical: Practical | None
    notes: tuple[str, ...]

    @property
    def pvalue(self) -> float:
        """The p-value before any correction."""
        return self.p

    def __str__(self) -> str:
        interval = f"{self.value:+.4g} [{self.low:+.4g}, {self.high:+.4g}]"
        return f"{self.a} - {self.b} {interval}, p {self.p_adjusted:.3g} ({self.test}): {self.verdict}"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; an infinite end is None."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: None if isinstance(fact, float) and not isfinite(fact) else fact for name, fact in facts.items()}
        chances = self.practical
        told = None if chances is None else {name: getattr(chances, name) for name in chances.__dataclass_fields__}
        return {**plain, "practical": told, "notes": list(self.notes)}


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Learners over data sets: average ranks, whether they differ at all, and every pair with its difference."""

    sets: tuple[str, ...]
    learners: tuple[str, ...]
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
    """Learners no two of which are told apart, best rank first; empty where all are judged against one."""
    pairs: tuple[LearnerPair, ...]
    rope: float | None
    draws: int
    seed: int
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()

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

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.ranking/1`."""
        return {
            "schema": "heldout.ranking/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "sets": list(self.sets),
            "learners": list(self.learners),
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
            "draws": self.draws,
            "seed": self.seed,
            "checks": [{"code": check.code, "text": check.text} for check in self.checks],
        }

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.html_report import write_report

        return write_report(self, path)

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.ranks()` draws the critical-difference diagram."""
        from heldout.verbs.evaluate.result_charts import ranking_plot

        return ranking_plot(self)

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per pair, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        names = ("a", "b", "value", "low", "high", "level", "wins", "ties", "losses", "p", "p_adjusted", "test")
        table = {name: [getattr(one, name) for one in self.pairs] for name in (*names, "verdict")}
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]
