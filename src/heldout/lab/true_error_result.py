"""True errors of rules in a known distribution: exact on tables and for linear rules, else averaged over points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.errors import UsageError
from heldout.lab.concepts.joint_table import JointTable, table_error
from heldout.lab.concepts.joint_table_file import TableFile
from heldout.lab.concepts.joint_table_result import table_result
from heldout.lab.learning.bias_variance_result import Measured
from heldout.lab.learning.gaussian_world import Gaussians, bayes_error, error_of
from heldout.lab.learning.repeated_fits import learnable
from heldout.lab.learning.small_learners import LinearRule, Rule, learner
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

POINTS = 200_000
"""Points at which the error of a rule that is not linear is averaged."""


def true_error(world: JointTable | Gaussians, classifier: Any, *, points: int = POINTS, random_state: int = 0) -> Any:
    """True error of classifiers: Σ_{x,c} p(x, c)·[y(x) ≠ c] of a table, E[1 − p(y(x) | x)] of Gaussian classes.

    Parameters
    ----------
    world : JointTable or Gaussians
        The distribution of points and classes.
    classifier : array-like of int, callable, LinearRule or estimator
        Of a table: the predicted class at each point, as its position; several classifiers are several rows. Of
        Gaussian classes: a function of points that gives classes 0, 1, …, a linear rule, or a fitted object with
        predict.
    points : int, default 200000
        Points over which the error of a rule is averaged in Gaussian classes; that of a linear rule of two classes is
        exact.
    random_state : int, default 0
        Seed of these points.

    Returns
    -------
    ndarray or Measured
        Of a table, the error of each classifier, a single number for one. Of Gaussian classes, `value` and `error`,
        its Monte-Carlo standard error (0: exact).

    Raises
    ------
    UsageError
        If the classifier does not give every point a class of the world.

    Examples
    --------
    >>> from heldout.lab import LinearRule, gaussian, joint_table
    >>> table = joint_table([[0.3, 0.1], [0.2, 0.4]])
    >>> true_error(table, [[0, 0], [0, 1], [1, 0], [1, 1]]).round(12).tolist()
    [0.5, 0.3, 0.7, 0.5]
    >>> found = true_error(gaussian(distance=2.0), LinearRule(weights=(1.0, 0.0), offset=-1.0))
    >>> round(found.value, 6), found.error
    (0.158655, 0.0)
    """
    if isinstance(world, JointTable):
        return table_error(world, classifier)
    if not isinstance(world, Gaussians):
        fix = "give a joint table, or Gaussian classes such as lab.gaussian()"
        raise UsageError(f"the true error in a world of type {type(world).__name__} is not known", fix=fix)
    return _measured(world, _rule(classifier, world), points, random_state)


def _rule(classifier: Any, world: Gaussians) -> Rule:
    """A function of points, from what a user may have."""
    if isinstance(classifier, LinearRule):
        if len(classifier.weights) != world.dimensions:
            raise UsageError(
                f"the rule has {len(classifier.weights)} weights, and {world.name} has {world.dimensions} features",
                fix="give one weight per feature",
            )
        return classifier
    rule = getattr(classifier, "predict", classifier)
    if not callable(rule):
        fix = "give a function of points, a LinearRule, or a fitted object with predict"
        raise UsageError(f"a classifier of type {type(classifier).__name__} predicts nothing", fix=fix)
    return partial(_checked, rule, world)


def _checked(rule: Callable[[Any], Any], world: Gaussians, X: Any) -> Any:
    said = np.asarray(rule(X))
    if said.shape != (len(X),) or not np.isin(said, np.arange(world.classes)).all():
        fix = f"it must give one of the classes 0 to {world.classes - 1} for each point"
        raise UsageError("the classifier predicts something else than a class for each point", fix=fix)
    return said.astype(int)


def _measured(world: Gaussians, rule: Rule, points: int, seed: int) -> Measured:
    value, off = error_of(world, rule, np.random.default_rng([seed, 1]), points=points)
    return Measured(value=value, error=off / 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleError:
    """One rule and its true error."""

    name: str
    true_error: Measured
    above_bayes: float
    training_error: float | None = None
    """Its error on the rows that it was fitted to, where it was."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "true_error": self.true_error.to_dict(),
            "above_bayes": self.above_bayes,
            "training_error": self.training_error,
        }


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class TrueErrors(Result):
    """True errors of rules in a known distribution, beside the Bayes error."""

    kind = "true-error"

    world: str
    n: int | None
    """Rows that rules were fitted to; None where none was."""
    seed: int
    bayes_error: Measured
    rules: tuple[RuleError, ...]
    drawn: Callable[[], Plot]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> RuleError:
        """The error of one rule."""
        return next(one for one in self.rules if one.name == name)

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "world": self.world,
            "n": self.n,
            "seed": self.seed,
            "bayes_error": self.bayes_error.to_dict(),
            "rules": [one.to_dict() for one in self.rules],
            "notes": list(self.notes),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """The errors, and the distribution that they are in."""
        from heldout.charts.plot import Plot
        from heldout.charts.simulation_figures import RateForest, rate

        def errors() -> RateForest:
            found = [
                rate(one["name"], one["true_error"]["value"], one["true_error"]["error"], d["bayes_error"]["value"])
                for one in d["rules"]
            ]
            return RateForest(
                view="estimates", heading=f"True errors in {d['world']}", x="true error",
                rates=[one for one in found if one is not None], wanted="the Bayes error",
            )  # fmt: skip

        return Plot(views={"estimates": errors, **self.drawn().views})


def table_errors(read: TableFile) -> TrueErrors:
    """True errors of the classifiers in a file of a joint table."""
    found = table_result(read)
    rules = [
        RuleError(
            name=one["name"],
            true_error=Measured(value=one["true_error"], error=0.0),
            above_bayes=one["above_bayes"],
        )
        for one in found.facts["classifiers"]
    ]
    return TrueErrors(
        world=read.sources[0].path if read.sources else "joint table",
        n=None,
        seed=0,
        bayes_error=Measured(value=found.facts["bayes_error"], error=0.0),
        rules=tuple(rules),
        drawn=lambda: found.plot,
        notes=tuple(found.facts["notes"]),
        sources=found.sources,
    )


def rule_errors(
    world: str | Gaussians = "gaussian:distance=2",
    models: Sequence[Any] = (),
    *,
    rules: Mapping[str, Any] | None = None,
    n: int = 50,
    random_state: int = 0,
) -> TrueErrors:
    """True errors of rules of Gaussian classes: of learners fitted to one sample, and of rules that are given.

    Parameters
    ----------
    world : str or Gaussians, default "gaussian:distance=2"
        The classes.
    models : sequence of str, Learner or estimator, default ()
        Learners, each fitted to the same n rows: names, import paths, or objects with fit and predict.
    rules : mapping of str to LinearRule or callable, optional
        Rules by name that are not fitted.
    n : int, default 50
        Number of rows that learners are fitted to.
    random_state : int, default 0
        Seed of these rows, and of the points at which rules are judged.

    Returns
    -------
    TrueErrors
        Each rule by name with its true error, exact for linear rules of two classes, and its training error.

    Raises
    ------
    UsageError
        If the simulation has no classes, or a rule does not predict them.

    Examples
    --------
    >>> found = rule_errors("gaussian:distance=2", ["linear", "knn:k=1"], n=40)
    >>> found["knn:k=1"].training_error, found["knn:k=1"].true_error.value > found["linear"].true_error.value
    (0.0, True)
    """
    where = learnable(world)
    if not isinstance(where, Gaussians):
        fix = "give classes such as gaussian:distance=2; lab.estimation_bias (lab estimation-bias) is for numbers too"
        raise UsageError(f"{where.name} has no classes", fix=fix)
    if n < 1:
        raise UsageError(f"n is {n}, but must be 1 or more", fix="write n=50 (--n 50)")
    X, y = where.sample(n, np.random.default_rng([int(random_state), 0]))
    least, off = bayes_error(where)
    fitted: dict[str, Rule] = {}
    for model in models:
        made = learner(model)
        fitted[made.name] = made.fit(X, y)
    given = {name: _rule(rule, where) for name, rule in (rules or {}).items()}
    every = {"Bayes": where.bayes, **fitted, **given}
    found = []
    for name, rule in every.items():
        error = Measured(value=least, error=off) if name == "Bayes" else _judged(where, rule, int(random_state))
        found.append(
            RuleError(
                name=name,
                true_error=error,
                above_bayes=max(0.0, error.value - least),
                training_error=float((np.asarray(rule(X)) != y).mean()) if name in fitted else None,
            )
        )
    shown = {name: rule for name, rule in every.items() if name != "Bayes"}
    return TrueErrors(
        world=where.name,
        n=n if fitted else None,
        seed=int(random_state),
        bayes_error=Measured(value=least, error=off),
        rules=tuple(found),
        drawn=lambda: _picture(where, shown),
    )


def _judged(world: Gaussians, rule: Rule, seed: int) -> Measured:
    points = POINTS if isinstance(rule, LinearRule) else POINTS // 4  # a rule of neighbours takes long
    return _measured(world, rule if isinstance(rule, LinearRule) else partial(_checked, rule, world), points, seed)


def _picture(world: Gaussians, rules: Mapping[str, Rule]) -> Plot:
    from heldout.charts.plot import Plot
    from heldout.lab.learning.region_charts import class_picture

    return Plot(views={"bayes_regions": lambda: class_picture(world, rules)})
