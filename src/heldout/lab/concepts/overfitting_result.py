"""Overfitting in a known distribution, as a result: a pair of hypotheses that shows it, and how often there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import UsageError
from heldout.inputs.columns.positive_class import positive_of
from heldout.lab.concepts.hypotheses import Space, SpaceName, hypothesis_space
from heldout.lab.concepts.joint_table import JointTable, joint_table, table_error
from heldout.lab.concepts.overfitting import ROUNDING, Overfitting, overfitting_pair
from heldout.lab.concepts.version_space import wrong_rows
from heldout.lab.learning.bias_variance_result import Measured
from heldout.lab.rates.repetition import monte_carlo_error
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.concept_figures import HypothesisErrors
    from heldout.charts.plot import Plot

FEWEST = 20
"""Samples below which a share says little."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class OverfittingSearch(Result):
    """What `lab.overfitting` gives."""

    kind = "overfitting"

    table: JointTable
    space: Space
    n: int
    repeats: int
    seed: int
    pair: Overfitting | None
    """The hypothesis of least sample error and a truer one, in the first sample where it overfits; None: in none."""
    number: int | None
    """Which sample that is, from 1."""
    best: float
    """The least true error of any hypothesis of the space."""
    overfits: Measured
    """Share of the samples in which the hypothesis of least sample error overfits."""
    sample_error: Measured
    """Mean sample error of that hypothesis."""
    true_error: Measured
    """Its mean true error."""
    sample: tuple[Array, Array]
    """Points and labels of that sample; of the first one where no pair was found."""
    columns: Mapping[str, list[str]] = field(default_factory=dict)
    """Which column of a file plays which part; empty where the table does not come from a file."""
    notes: tuple[str, ...] = ()

    @property
    def positive(self) -> Label:
        """The class that a hypothesis predicts where it says yes."""
        return self.table.classes[1]

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "columns": dict(self.columns) or {"attributes": list(self.table.domain.attributes)},
            "negative": self.table.classes[0],
            "positive": self.positive,
            "space": self.space.name,
            "size": self.space.size,
            "n": self.n,
            "repeats": self.repeats,
            "seed": self.seed,
            "best": self.best,
            "pair": None if self.pair is None else self._pair(self.pair),
            "number": self.number,
            "overfits": self.overfits.to_dict(),
            "sample_error": self.sample_error.to_dict(),
            "true_error": self.true_error.to_dict(),
            "notes": list(self.notes),
        }

    def _pair(self, pair: Overfitting) -> list[dict[str, Any]]:
        lines = zip(("h", "h'"), (pair.chosen, pair.better), pair.sample_errors, pair.true_errors, strict=True)
        return [
            {"name": name, "hypothesis": self.space.words(at), "sample_error": sample, "true_error": true}
            for name, at, sample, true in lines
        ]

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """Sample error against true error of every hypothesis, in the sample of the pair."""
        from heldout.charts.plot import Plot

        return Plot(views={"overfitting": lambda: self._errors(d)})

    def _errors(self, d: Mapping[str, Any]) -> HypothesisErrors:
        from heldout.charts.concept_figures import HypothesisErrors

        sample = wrong_rows(self.space, *self.sample) / self.n
        true = table_error(self.table, self.space.members.astype(int))
        pairs, count = np.unique(np.column_stack([sample, true]).round(12), axis=0, return_counts=True)
        return HypothesisErrors(
            space=self.space.name,
            rows=self.n,
            sample=pairs[:, 0],
            true=pairs[:, 1],
            count=count,
            marked={one["name"]: (one["sample_error"], one["true_error"]) for one in d["pair"] or []},
        )


def overfitting(
    table: JointTable,
    space: SpaceName | Space = "all",
    *,
    n: int = 10,
    repeats: int = 1000,
    random_state: int = 0,
    rectangles: int = 2,
    pos_label: Label | None = None,
) -> OverfittingSearch:
    """Search a known distribution for overfitting: a hypothesis of lower sample error and higher true error.

    Parameters
    ----------
    table : JointTable
        The true distribution; it has two classes.
    space : {"all", "conjunctions", "rectangles", "unions"} or Space, default "all"
        The hypotheses.
    n : int, default 10
        Number of rows of a sample.
    repeats : int, default 1000
        Number of samples, 20 or more; the pair is of the first in which there is one.
    random_state : int, default 0
        Seed of the samples; the same seed gives the same numbers.
    rectangles : int, default 2
        Number of rectangles that a union may have, for "unions".
    pos_label : label, optional
        The class that a hypothesis predicts where it says yes (default: 1, True or a label such as yes, else the
        second class).

    Returns
    -------
    OverfittingSearch
        h, the hypothesis of least sample error, and h' in the first sample in which h overfits; and the share of all
        samples in which it does, with its Monte-Carlo error.

    Raises
    ------
    UsageError
        If the table does not have two classes, the space cannot be listed, or a number is out of range.

    References
    ----------
    T. M. Mitchell (1997). Machine Learning. McGraw-Hill. [mitchell97]

    Examples
    --------
    >>> from heldout.lab import joint_table
    >>> found = overfitting(joint_table([[0.4, 0.1], [0.4, 0.1]]), n=5, repeats=100)
    >>> found.pair.sample_errors[0] < found.pair.sample_errors[1], found.pair.true_errors[0] > found.pair.true_errors[1]
    (True, True)
    """
    if len(table.classes) != 2:
        fix = "give a joint table of two classes"
        raise UsageError(f"the table has {len(table.classes)} classes, and hypotheses say yes or no", fix=fix)
    if positive_of(table.classes, pos_label) == 0:
        table = joint_table(table.p[:, ::-1], classes=table.classes[::-1], domain=table.domain)
    if n < 1:
        raise UsageError(f"n is {n}, but must be 1 or more", fix="write n=10 (--n 10)")
    if repeats < FEWEST:
        raise UsageError(f"repeats is {repeats}, too few samples for a share", fix=f"ask for {FEWEST} or more")
    listed = space if isinstance(space, Space) else hypothesis_space(space, table.domain, rectangles=rectangles)
    true = table_error(table, listed.members.astype(int))
    found = np.empty((repeats, 3))
    pair, shown = None, 0
    for number in range(repeats):
        point, label = _drawn(table, n, int(random_state), number)
        wrong = wrong_rows(listed, point, label)
        chosen = int(wrong.argmin())
        if pair is None:
            pair, shown = overfitting_pair(table, listed, point, label, chosen=chosen), number
        rivals = true[wrong > wrong[chosen]]
        found[number] = [wrong[chosen] / n, true[chosen], bool(len(rivals)) and rivals.min() < true[chosen] - ROUNDING]
    share = float(found[:, 2].mean())
    return OverfittingSearch(
        table=table,
        space=listed,
        n=n,
        repeats=repeats,
        seed=int(random_state),
        pair=pair,
        number=None if pair is None else shown + 1,
        best=float(true.min()),
        overfits=Measured(value=share, error=monte_carlo_error(share, repeats)),
        sample_error=_mean(found[:, 0]),
        true_error=_mean(found[:, 1]),
        sample=_drawn(table, n, int(random_state), 0 if pair is None else shown),
    )


def _drawn(table: JointTable, n: int, seed: int, number: int) -> tuple[Array, Array]:
    """Points of a sample, and whether each row is positive."""
    point, label = table.draw(n, np.random.default_rng([seed, number]))
    return point, label == 1


def _mean(values: Array) -> Measured:
    return Measured(value=float(values.mean()), error=float(values.std(ddof=1)) / sqrt(len(values)))
