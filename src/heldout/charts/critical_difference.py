"""Average ranks of learners over data sets, and which of them do not differ significantly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.charts.figure import Columns, Figure, listed, percent


@dataclass(frozen=True, kw_only=True)
class RankDiagram(Figure):
    """Critical-difference diagram: average ranks and groups without significant differences [demsar06]."""

    ranks: Mapping[str, float]
    """By learner, best first."""
    groups: Sequence[Sequence[str]]
    critical_difference: float | None
    sets: int
    level: float
    post_hoc: str

    @property
    def kind(self) -> str:
        return "ranks"

    @property
    def title(self) -> str:
        return f"Average ranks over {self.sets} data sets"

    @property
    def caption(self) -> str:
        how = {"nemenyi": "Nemenyi", "holm": "Wilcoxon with Holm's correction", "control": "each against the baseline"}
        joined = "" if not self.groups else " Bars join learners that do not differ significantly."
        return f"1 is best. Tests at {percent(1 - self.level)}: {how.get(self.post_hoc, self.post_hoc)}.{joined}"

    @property
    def alt(self) -> str:
        said = ", ".join(f"{name} {rank:.2f}" for name, rank in self.ranks.items())
        groups = "; ".join(listed(list(group), most=20) for group in self.groups)
        apart = f" No significant difference within: {groups}." if groups else " All learners differ significantly."
        critical = "" if self.critical_difference is None else f" Critical difference {self.critical_difference:.3g}."
        return f"{self.title}. {said}.{critical}{apart}"

    @property
    def parts(self) -> dict[str, Columns]:
        """`ranks`: learner, rank; `groups`: group, learner, rank."""
        pairs = [(at, name) for at, group in enumerate(self.groups) for name in group]
        return {
            "ranks": {"learner": list(self.ranks), "rank": list(self.ranks.values())},
            "groups": {
                "group": [at for at, _ in pairs],
                "learner": [name for _, name in pairs],
                "rank": [self.ranks[name] for _, name in pairs],
            },
        }


def rank_diagram(d: Mapping[str, Any]) -> RankDiagram:
    """The diagram of a ranking (its `to_dict()`).

    >>> facts = {"groups": [], "critical_difference": None, "sets": ["x", "y"], "level": 0.95, "post_hoc": "holm"}
    >>> list(rank_diagram({"ranks": {"tree": 1.8, "forest": 1.2}, **facts}).ranks)
    ['forest', 'tree']
    """
    ordered = dict(sorted(d["ranks"].items(), key=lambda one: one[1]))
    return RankDiagram(
        ranks=ordered,
        groups=tuple(tuple(group) for group in d["groups"] if len(group) > 1),
        critical_difference=d["critical_difference"],
        sets=len(d["sets"]),
        level=d["level"],
        post_hoc=d["post_hoc"],
    )
