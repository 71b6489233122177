"""What a joint table says, as a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.lab.concepts.joint_table import (
    JointTable,
    bayes_classifier,
    bayes_error,
    class_given_x,
    class_marginal,
    noise_matrix,
    table_error,
    with_noise,
    x_given_class,
    x_marginal,
)
from heldout.lab.concepts.joint_table_file import TableFile
from heldout.lab.concepts.table_estimates import naive_bayes_estimate
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

SAMPLE_NOTE = (
    "the table was counted from {rows} rows and is taken for the truth here: its Bayes error is too low for rows not "
    "seen; heldout evaluate gives an interval for a classifier"
)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class JointTableResult(Result):
    """What a joint table says: marginals, conditionals, the Bayes classifier, true errors of classifiers."""

    kind = "table"

    facts: Mapping[str, Any]

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return dict(self.facts)

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """The joint table and both conditional ones, shaded by probability."""
        from heldout.charts.plot import Plot
        from heldout.charts.probability_table import TITLES, probability_table

        return Plot(views={view: partial(probability_table, d, view) for view in TITLES})


def table_result(
    read: TableFile, *, noise: Any = None, naive_bayes: bool = False, smoothing: float = 0.0
) -> JointTableResult:
    """Marginals, conditionals, the Bayes classifier and its error, and the true error of every other classifier."""
    world = read.world
    naive = None
    if naive_bayes:
        seen = world.p if read.counts is None else read.counts
        naive = naive_bayes_estimate(seen, world.domain, world.classes, smoothing=smoothing)
    spoilt = None if noise is None else with_noise(world, noise)
    rows = None if read.counts is None else int(read.counts.sum())
    notes = (*read.notes, *(() if rows is None else (SAMPLE_NOTE.format(rows=f"{rows:,}"),)))
    shown = np.flatnonzero(read.listed | (x_marginal(world) > 0))
    facts = {
        "columns": read.columns,
        "kind": read.kind,
        "rows": rows,
        "smoothing": smoothing,
        "attributes": list(world.domain.attributes),
        "classes": list(world.classes),
        "class_marginal": class_marginal(world).tolist(),
        "points": points(world, shown, naive),
        "points_left_out": int(world.domain.points - len(shown)),
        "bayes_error": bayes_error(world),
        "classifiers": classifiers(world, spoilt, read.classifiers, naive),
        "noise": None if spoilt is None else noise_facts(spoilt, noise, shown),
        "notes": list(notes),
    }
    return JointTableResult(facts=facts, sources=tuple(read.sources))


def points(world: JointTable, shown: Array, naive: JointTable | None) -> list[dict[str, Any]]:
    """Each point with its chances; what never comes has no conditionals."""
    joint, p = world.p, x_marginal(world)
    given_x, given_c, best = class_given_x(world), x_given_class(world), bayes_classifier(world)
    other = None if naive is None else x_given_class(naive)
    return [
        {
            "x": list(world.domain.point(at)),
            "p": float(p[at]),
            "joint": joint[at].tolist(),
            "class_given_x": _numbers(given_x[at]),
            "x_given_class": _numbers(given_c[at]),
            "naive_x_given_class": None if other is None else _numbers(other[at]),
            "bayes": world.classes[int(best[at])] if p[at] > 0 else None,
        }
        for at in shown.tolist()
    ]


def _numbers(values: Array) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def classifiers(
    world: JointTable, spoilt: JointTable | None, given: dict[str, Array], naive: JointTable | None
) -> list[dict[str, Any]]:
    """The Bayes classifier, the constant one, the naive one and those of the file, with their true errors."""
    common = np.full(world.domain.points, int(class_marginal(world).argmax()))
    constant = f"always {world.classes[int(common[0])]}"
    said = {"Bayes": bayes_classifier(world), constant: common}
    if naive is not None:
        said["naive Bayes"] = bayes_classifier(naive)
    said |= {name: np.maximum(classes, 0) for name, classes in given.items()}  # −1 only where p(x) is 0
    least = bayes_error(world)
    return [
        {
            "name": name,
            "true_error": float(table_error(world, classes)),
            "above_bayes": max(0.0, float(table_error(world, classes)) - least),
            "under_noise": None if spoilt is None else float(table_error(spoilt, classes)),
        }
        for name, classes in said.items()
    ]


def noise_facts(spoilt: JointTable, noise: Any, shown: Array) -> dict[str, Any]:
    """The noise, and what is the best that can be done under it."""
    best, comes = bayes_classifier(spoilt), x_marginal(spoilt) > 0
    return {
        "matrix": noise_matrix(noise, spoilt.classes).tolist(),
        "bayes_error": bayes_error(spoilt),
        "class_marginal": class_marginal(spoilt).tolist(),
        "bayes": [spoilt.classes[int(best[at])] if comes[at] else None for at in shown.tolist()],
    }
