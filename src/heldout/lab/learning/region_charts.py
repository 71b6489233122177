"""Pictures of simulations to learn from: regions of Gaussian classes with the borders of rules, and functions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from heldout.batch import Array
from heldout.charts.class_regions import ClassDensities, ClassRegions
from heldout.charts.simulation_figures import Line, SimulatedLines
from heldout.lab.learning.function_world import Function
from heldout.lab.learning.gaussian_world import Gaussians, bayes_error
from heldout.lab.learning.small_learners import Rule

BAYES = "the Bayes classifier"
CELLS = 80
"""Cells of a picture along each axis."""
FINE = 260
"""Cells along each axis at which the border between regions is looked for."""
STEPS = 401
"""Points of a line."""
REACH = 3.2
"""Standard deviations around the means that a picture shows."""


def class_picture(world: Gaussians, rules: Mapping[str, Rule] | None = None) -> ClassRegions | ClassDensities:
    """The Bayes regions of Gaussian classes with the borders of rules; with one feature, the densities."""
    return _line(world, rules or {}) if world.dimensions == 1 else _plane(world, rules or {})


def _ends(world: Gaussians, feature: int) -> tuple[float, float]:
    means = np.array(world.means)[:, feature]
    widest = max(np.sqrt(np.array(covariance)[feature, feature]) for covariance in world.covariances)
    return float(means.min() - REACH * widest), float(means.max() + REACH * widest)


def _line(world: Gaussians, rules: Mapping[str, Rule]) -> ClassDensities:
    x = np.linspace(*_ends(world, 0), STEPS)
    changes = {name: _changes(rule, x) for name, rule in rules.items()}
    return ClassDensities(
        world=world.name, x=x, joint=np.exp(world.log_joint(x[:, None])), thresholds=changes,
        bayes_error=bayes_error(world)[0],
    )  # fmt: skip


def _changes(rule: Rule, x: Array) -> tuple[float, ...]:
    said = np.asarray(rule(x[:, None]), int)
    at = np.flatnonzero(np.diff(said))
    return tuple(((x[at] + x[at + 1]) / 2).tolist())


def _plane(world: Gaussians, rules: Mapping[str, Rule]) -> ClassRegions:
    axes = [_centres(*_ends(world, feature)) for feature in (0, 1)]
    posterior = world.posterior(_points(world, axes)).reshape(CELLS, CELLS, world.classes)
    circle = np.linspace(0, 2 * np.pi, 61)
    round_ = np.stack([np.cos(circle), np.sin(circle)])
    ellipses = {}
    for c, (mean, covariance) in enumerate(zip(world.means, world.covariances, strict=True)):
        root = np.linalg.cholesky(np.array(covariance)[:2, :2])
        for deviations in (1, 2):
            ellipses[f"class {c} {deviations}"] = (np.array(mean)[:2, None] + deviations * root @ round_).T
    return ClassRegions(
        world=world.name,
        classes=world.classes,
        x=axes[0],
        y=axes[1],
        best=posterior.argmax(axis=2),
        certainty=posterior.max(axis=2),
        ellipses=ellipses,
        borders={name: _border(world, rule, axes) for name, rule in {BAYES: world.bayes, **rules}.items()},
        bayes_error=bayes_error(world)[0],
        slice=world.dimensions > 2,
    )


def _centres(low: float, high: float) -> Array:
    return low + (high - low) * (np.arange(CELLS) + 0.5) / CELLS


def _points(world: Gaussians, axes: list[Array]) -> Array:
    """Centres of the cells, a line per cell, the first feature fastest; all other features are 0."""
    across, up = np.meshgrid(*axes)
    others = np.zeros((across.size, world.dimensions - 2))
    return np.column_stack([across.ravel(), up.ravel(), others])


def _border(world: Gaussians, rule: Rule, axes: list[Array]) -> Array:
    """Edges between cells that the rule gives different classes: x1, x2, to_x1, to_x2."""
    x, y = (np.linspace(axis[0], axis[-1], FINE) for axis in axes)
    said = np.asarray(rule(_points(world, [x, y])), int).reshape(FINE, FINE)
    dx, dy = (x[1] - x[0]) / 2, (y[1] - y[0]) / 2
    row, column = np.nonzero(said[:, 1:] != said[:, :-1])
    upright = np.column_stack([x[column] + dx, y[row] - dy, x[column] + dx, y[row] + dy])
    row, column = np.nonzero(said[1:] != said[:-1])
    level = np.column_stack([x[column] - dx, y[row] + dy, x[column] + dx, y[row] + dy])
    return np.concatenate([upright, level])


def function_picture(world: Function) -> SimulatedLines:
    """f(x), and one standard deviation of the noise around it."""
    x = world.grid(STEPS)
    return SimulatedLines(
        view="predictions",
        heading=f"y = f(x) + noise, {world.name}",
        x="x",
        y="y",
        lines={"f(x)": Line(x=x, y=world.f(x), error=np.full(len(x), world.noise))},
        reading="Line: the best prediction. Band: one standard deviation of the noise.",
        dots=False,
    )
