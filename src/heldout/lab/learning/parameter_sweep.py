"""One question asked again and again along a number: rows of a training set, or a parameter of the learner."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.errors import UsageError
from heldout.lab.learning.bias_variance import bias_variance
from heldout.lab.learning.bias_variance_result import BiasVariance, Loss, Measured
from heldout.lab.learning.estimation_bias import EstimationBias, estimation_bias
from heldout.lab.learning.repeated_fits import Design
from heldout.lab.learning.small_learners import is_import_path
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot
    from heldout.charts.simulation_figures import SimulatedLines

Question = Literal["bias_variance", "estimation_bias"]
ASKED: dict[Question, Callable[..., Any]] = {"bias_variance": bias_variance, "estimation_bias": estimation_bias}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One value, and what was found there."""

    value: float
    quantities: dict[str, Measured]
    """By name: the parts of the loss, or the mean of each estimate and the true error."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Sweep(Result):
    """What `lab.sweep` gives: parts of an expected loss, or errors, against a number."""

    kind = "sweep"

    question: Question
    learner: str
    world: str | None
    parameter: str
    n: int | None
    """Rows of a training set; None where they are what is swept."""
    repeats: int
    seed: int
    loss: str
    least: float | None
    """The error of the best rule there is, where it is known."""
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> tuple[Measured, ...]:
        """One quantity at every value."""
        return tuple(step.quantities[name] for step in self.steps)

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "question": self.question,
            "learner": self.learner,
            "world": self.world,
            "parameter": self.parameter,
            "n": self.n,
            "repeats": self.repeats,
            "seed": self.seed,
            "loss": self.loss,
            "least": self.least,
            "steps": [
                {
                    "value": step.value,
                    "quantities": [{"name": name, **one.to_dict()} for name, one in step.quantities.items()],
                }
                for step in self.steps
            ],
            "notes": list(self.notes),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 the steps have what it takes
        """The parts of the loss, or the errors, against the number."""
        from heldout.charts.plot import Plot

        return Plot(views={"parts" if self.question == "bias_variance" else "errors": self._lines})

    def _lines(self) -> SimulatedLines:
        from heldout.charts.simulation_figures import Line, SimulatedLines

        x = np.array([step.value for step in self.steps])
        parts = self.question == "bias_variance"
        what = "rows of a training set" if self.parameter == "n" else self.parameter
        where = self.world or "these rows"
        every = [one.value for step in self.steps for one in step.quantities.values()]
        heading = (
            f"Bias-variance decomposition of the {self.loss} loss" if parts else "Training, holdout and true error"
        )
        return SimulatedLines(
            view="parts" if parts else "errors",
            heading=f"{heading}: {self.learner} in {where}",
            x=f"{what} (log scale)" if self._log else what,
            y=f"part of the {self.loss} loss" if parts else f"mean {self.loss} error",
            lines={
                name: Line(
                    x=x,
                    y=np.array([one.value for one in self[name]]),
                    error=2 * np.array([one.error for one in self[name]]),
                )
                for name in self.steps[0].quantities
            },
            reading=f"Bands: two Monte-Carlo errors, {self.repeats:,} training sets each.",
            level={} if self.least is None else {"error of the best rule": self.least},
            log=self._log,
            log_y=not parts and 0 < min(every) < max(every) / 50,
        )

    @property
    def _log(self) -> bool:
        values = [step.value for step in self.steps]
        return min(values) > 0 and max(values) >= 20 * min(values)


def sweep(
    question: Question,
    model: str,
    parameter: str,
    values: Sequence[float],
    *,
    X: Any = None,
    y: Any = None,
    target: str | None = None,
    world: Any = None,
    n: int | None = None,
    loss: Loss | None = None,
    design: Design | None = None,
    points: int | None = None,
    test_size: float | None = None,
    folds: Sequence[int | str] | None = None,
    n_resamples: int | None = None,
    repeats: int = 1000,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Sweep:
    """Bias and variance, or training, holdout and true error, against rows or the complexity of a learner.

    Parameters
    ----------
    question : {"bias_variance", "estimation_bias"}
        What is asked at every value; the function of that name says what the options below mean.
    model : str
        The learner: a name such as "poly" or "knn", or an import path such as "sklearn.tree:DecisionTreeClassifier".
    parameter : str
        What changes: "n" for the rows of a training set, or a parameter of the learner, such as "degree".
    values : sequence of float
        Its values, two or more.
    X : array-like, frame or path, optional
        For bias_variance: rows instead of a simulation.
    y : array-like, optional
        For bias_variance: target of each row of X.
    target : str, optional
        For bias_variance: column of the target, where X is a table.
    world : str, Function or Gaussians, optional
        The simulation that rows come from.
    n : int, optional
        Number of rows of each training set (default: that of the question).
    loss : {"squared", "zero-one"}, optional
        For bias_variance with X (default: by the type of y).
    design : {"fixed", "random"}, optional
        For bias_variance: whether x stays the same (default: "fixed" for numbers).
    points : int, optional
        For bias_variance: number of points at which predictions are judged.
    test_size : float, optional
        For estimation_bias: share of the rows that the holdout tests (default: 1/3).
    folds : sequence of int or "loo", optional
        For estimation_bias: numbers of folds for cross-validation (default: none).
    n_resamples : int, optional
        For estimation_bias: number of bootstrap samples (default: none).
    repeats : int, default 1000
        Number of training sets at every value.
    random_state : int, default 0
        Seed of the simulation; the same seed gives the same numbers.
    n_jobs : int, optional
        For estimation_bias: processes (default: 1).

    Returns
    -------
    Sweep
        What was found at every value, each with its Monte-Carlo error.

    Raises
    ------
    UsageError
        If the question is not known, there are too few values, the learner has no such parameter, or an option is of
        the other question.

    Examples
    --------
    >>> found = sweep("bias_variance", "poly", "degree", [0, 3], world="sine:noise=0.3", n=15, repeats=50)
    >>> found["bias²"][0].value > found["bias²"][1].value, found["variance"][0].value < found["variance"][1].value
    (True, True)
    """
    if question not in ASKED:
        raise UsageError(f"no question is named {question!r}", fix=f"choose one of {', '.join(ASKED)}")
    numbers = sorted(dict.fromkeys(float(value) for value in values))
    if not all(map(isfinite, numbers)):
        raise UsageError(f"values of {parameter} are {numbers}, but must be finite", fix=f"such as {parameter}=1,3,5,9")
    if len(numbers) < 2:
        raise UsageError(f"a curve over {parameter} needs two values or more", fix=f"such as {parameter}=1,3,5,9")
    if parameter == "n" and n is not None:
        raise UsageError("n is both swept and given", fix="leave out one of them")
    every = {
        "X": X, "y": y, "target": target, "world": world, "n": n, "loss": loss, "design": design, "points": points,
        "test_size": test_size, "folds": folds, "n_resamples": n_resamples, "n_jobs": n_jobs,
    }  # fmt: skip
    options = {name: value for name, value in every.items() if value is not None}
    for name in options:
        if name not in signature(ASKED[question]).parameters:
            raise UsageError(f"{name} has no effect on {question}", fix=f"leave out {name}")
    options |= {"repeats": repeats, "random_state": random_state}
    found = []
    for value in numbers:
        given = {**options, "n": int(value)} if parameter == "n" else options
        word = model if parameter == "n" else with_parameter(model, parameter, value)
        found.append(ASKED[question](word, **given))
    last = found[-1]
    rules = [_parts(one) if isinstance(one, BiasVariance) else _errors(one) for one in found]
    return Sweep(
        question=question,
        learner=model,
        world=last.world,
        parameter=parameter,
        n=None if parameter == "n" else last.n,
        repeats=last.repeats,
        seed=last.seed,
        loss=last.loss,
        least=last.bayes_error if isinstance(last, EstimationBias) else None,
        steps=tuple(Step(value=value, quantities=one) for value, one in zip(numbers, rules, strict=True)),
        notes=tuple(dict.fromkeys(note for one in found for note in one.notes)),
    )


def with_parameter(model: str, parameter: str, value: float) -> str:
    """The word for a learner with one parameter more.

    >>> with_parameter("knn", "k", 3.0), with_parameter("sklearn.svm:SVC(gamma=1)", "C", 0.5)
    ('knn:k=3', 'sklearn.svm:SVC(gamma=1, C=0.5)')
    """
    shown = repr(int(value)) if float(value).is_integer() else repr(value)
    name, colon, rest = model.partition(":")
    if not is_import_path(model):
        return f"{model}{',' if rest else ':'}{parameter}={shown}"
    if "(" not in rest:
        return f"{model}({parameter}={shown})"
    call = ast.parse(rest.strip(), mode="eval").body
    inside = rest[rest.index("(") + 1 : rest.rindex(")")].strip()
    kept = f"{inside}, " if isinstance(call, ast.Call) and call.keywords else ""
    return f"{name}{colon}{rest[: rest.index('(')]}({kept}{parameter}={shown})"


def _parts(one: BiasVariance) -> dict[str, Measured]:
    return {**one.decompositions[0].parts, "expected loss": one.expected_loss}


def _errors(one: EstimationBias) -> dict[str, Measured]:
    """The mean of every estimate, and the true error of the model of all rows."""
    estimates = {estimate.name: estimate.mean for estimate in one.estimators}
    return {**estimates, "true error": one["training"].truth}
