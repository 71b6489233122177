"""The expected error of a learner in its parts: what is noise, what is bias and what is variance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.lab.learning.bias_variance_result import BiasVariance, Decomposition, Loss, Measured
from heldout.lab.learning.function_world import Function
from heldout.lab.learning.repeated_fits import Design, Trials, learnable, of_classes, of_function, of_rows
from heldout.lab.learning.small_learners import Learner, learner as a_learner
from heldout.lab.learning.training_rows import Kind, Rows, rows_to_learn
from heldout.weights import bootstrap

Parts = Mapping[str, Array]


def squared(sets: Array, mean: Array, square: Array, truth: Array, noise: Array | None) -> Parts:
    """E(y − ŷ)² = Var(y) + (E ŷ − E y)² + Var(ŷ): noise, bias² and variance [geman92].

    `sets` counts training sets, `mean` and `square` are the means over them of ŷ and ŷ². Without the noise, `truth` is
    the y seen, and bias² has the noise within it.

    >>> parts = squared(np.array([2.0]), np.array([1.0]), np.array([2.0]), np.array([0.0]), np.array([0.5]))
    >>> {name: part.tolist() for name, part in parts.items()}
    {'noise': [0.5], 'bias²': [0.0], 'variance': [2.0]}
    """
    spread = np.maximum(square - mean**2, 0.0)
    lent = spread / (sets - 1)
    bias = (mean - truth) ** 2 - lent
    if noise is None:
        return {"bias² and noise": bias, "variance": spread + lent}
    return {"noise": noise + np.zeros_like(bias), "bias²": bias, "variance": spread + lent}


def domingos(_sets: Array, shares: Array, chances: Array) -> Parts:
    """Loss = noise + bias + unbiased variance − biased variance, at the main prediction [domingos00].

    The main prediction is the most frequent one, bias is 1 where it is not the best class y*. Variance is the share of
    other predictions: where the main one is right it adds to the loss; where it is wrong only what hits y* matters, and
    is taken off. The noise part is what noise adds, P(y ≠ ŷ) − P(y* ≠ ŷ): for two classes (2 P(ŷ = y*) − 1) P(y ≠ y*).

    >>> parts = domingos(np.array([4.0]), np.array([[0.25, 0.75]]), np.array([[0.9, 0.1]]))
    >>> {name: round(float(part[0]), 3) for name, part in parts.items()}
    {'noise': -0.05, 'bias': 1.0, 'unbiased variance': 0.0, 'biased variance': -0.25}
    """
    best = chances.argmax(axis=-1)[..., None]
    hits = np.take_along_axis(shares, np.broadcast_to(best, (*shares.shape[:-1], 1)), axis=-1)[..., 0]
    wrong = shares.argmax(axis=-1) != best[..., 0]
    loss = 1 - (shares * chances).sum(axis=-1)
    return {
        "noise": loss - (1 - hits),
        "bias": wrong.astype(float),
        "unbiased variance": np.where(wrong, 0.0, 1 - hits),
        "biased variance": np.where(wrong, -hits, 0.0),
    }


def kohavi_wolpert(sets: Array, shares: Array, chances: Array) -> Parts:
    """Loss = ½(1 − Σ p²) + ½ Σ (p − q)² + ½(1 − Σ q²): noise, bias² and variance [kohavi96].

    p is the chance of each class, q the share of rules that predict it.

    >>> parts = kohavi_wolpert(np.array([4.0]), np.array([[0.25, 0.75]]), np.array([[0.9, 0.1]]))
    >>> {name: round(float(part[0]), 4) for name, part in parts.items()}
    {'noise': 0.09, 'bias²': 0.36, 'variance': 0.25}
    """
    spread = (1 - (shares**2).sum(axis=-1)) / 2
    lent = spread / (sets - 1)
    noise = (1 - (chances**2).sum(axis=-1)) / 2
    bias = ((chances - shares) ** 2).sum(axis=-1) / 2 - lent
    return {"noise": noise + np.zeros_like(bias), "bias²": bias, "variance": spread + lent}


ZERO_ONE: dict[str, Callable[[Array, Array, Array], Parts]] = {"Domingos": domingos, "Kohavi–Wolpert": kohavi_wolpert}
"""The decompositions of zero-one loss, by those who proposed them."""


KINDS: dict[Loss, Kind] = {"squared": "numbers", "zero-one": "classes"}
ROWS = 20
"""Default number of rows of a training set."""
FEWEST = 20
"""Training sets below which a variance says nothing."""
MAIN = "Domingos's bias asks for the most frequent prediction: where two are nearly as frequent, chance adds to it"
DRAWS = 200
"""Draws of training sets from which a Monte-Carlo error is read: known to within 5%."""
Split = Callable[[Array], Parts]
"""How often each training set counts, one line per resample → parts, one line per resample and one column per point."""


def bias_variance(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    world: Any = None,
    n: int | None = None,
    design: Design | None = None,
    points: int | None = None,
    target: str | None = None,
    loss: Loss | None = None,
    repeats: int = 1000,
    random_state: int = 0,
) -> BiasVariance:
    """Split the expected error of a learner into noise, bias and variance.

    Squared loss: E(y − ŷ)² = noise + bias² + variance. Zero-one loss: Domingos' decomposition and Kohavi and
    Wolpert's.

    With X and y, training sets are bootstrap resamples, judged on the rows they left out. One y per row cannot
    separate noise from bias, so that these two are one part.

    Parameters
    ----------
    model : str, Learner or estimator
        The learner: a name such as "poly:degree=3" or "knn:k=1", or an object with fit and predict. A fresh copy is
        fitted each time.
    X : array-like, frame or path, optional
        Features; or a table with the target among its columns. Give this or `world`.
    y : array-like, optional
        Target of each row of X.
    world : str, Function or Gaussians, optional
        The simulation that rows come from: of numbers, such as "sine:noise=0.3", or of classes, such as
        "gaussian:distance=2".
    n : int, optional
        Number of rows of each training set, in a simulation (default: 20).
    design : {"fixed", "random"}, optional
        Whether x is evenly spaced and the same in every training set, or drawn anew (default: "fixed" for numbers;
        classes are always "random").
    points : int, optional
        Number of points at which predictions are judged (default: the training points, or as many as are exact
        enough).
    target : str, optional
        Column of the target, where X is a table.
    loss : {"squared", "zero-one"}, optional
        The loss, for X and y (default: by the type of y).
    repeats : int, default 1000
        Number of training sets, 20 or more.
    random_state : int, default 0
        Seed of the simulation; the same seed gives the same numbers.

    Returns
    -------
    BiasVariance
        The parts with their Monte-Carlo errors, by name: `result["variance"]`.

    Raises
    ------
    UsageError
        If rows come from both or neither of X and a simulation, an option has no effect, or there are too few
        training sets.

    References
    ----------
    S. Geman, E. Bienenstock, R. Doursat (1992). Neural networks and the bias/variance dilemma. Neural Computation
    4(1), 1–58. [geman92]

    P. Domingos (2000). A unified bias-variance decomposition and its applications. International Conference on
    Machine Learning, 231–238. [domingos00]

    R. Kohavi, D. H. Wolpert (1996). Bias plus variance decomposition for zero-one loss functions. International
    Conference on Machine Learning, 275–283. [kohavi96]

    Examples
    --------
    >>> parts = bias_variance("fixed-line", world="sine:noise=0.3", n=10, repeats=50)
    >>> parts["variance"].value, round(parts["noise"].value, 3), round(parts["bias²"].value, 3)
    (0.0, 0.09, 0.45)
    """
    if repeats < FEWEST:
        fix = f"ask for {FEWEST} or more"
        raise UsageError(f"repeats is {repeats}, too few training sets for a variance", fix=fix)
    made, seed = a_learner(model), int(random_state)
    if (world is None) == (X is None):
        fix = "name a world, or give data and its target, one of them"
        raise UsageError("rows come either from a world or from data", fix=fix)
    for name, given in {"n": n, "points": points}.items():
        if given is not None and given < 1:
            raise UsageError(f"{name} is {given}, but must be 1 or more", fix=f"leave out {name} for its default")
    if world is not None:
        _without("a world", {"y": y, "target": target, "loss": loss})
        return _in_world(made, learnable(world), n=n or ROWS, design=design, points=points, repeats=repeats, seed=seed)
    _without("data", {"n": n, "design": design, "points": points})
    if loss is not None and loss not in KINDS:
        raise UsageError(f"loss {loss!r} is not known", fix=f"choose {' or '.join(KINDS)}")
    rows = rows_to_learn(X, y, target=target, kind=None if loss is None else KINDS[loss])
    return _in_rows(made, rows, repeats=repeats, seed=seed)


def _without(rows: str, options: dict[str, Any]) -> None:
    """Refuse an option that would change nothing."""
    for name, given in options.items():
        if given is not None:
            raise UsageError(f"{name} means nothing where rows come from {rows}", fix=f"leave out {name}")


def _in_world(
    made: Learner, where: Any, *, n: int, design: Design | None, points: int | None, repeats: int, seed: int
) -> BiasVariance:
    if design not in (None, "fixed", "random"):
        raise UsageError(f"design {design!r} is not known", fix="choose fixed or random")
    if isinstance(where, Function):
        design = design or "fixed"
        trials = of_function(made, where, n=n, repeats=repeats, points=points, design=design, seed=seed)
        return _told(trials, made, seed, world=where.name, design=design)
    if design is not None:
        message = f"design has no effect in the world {where.name}: x is sampled again for every training set"
        raise UsageError(message, fix="leave out design")
    trials = of_classes(made, where, n=n, repeats=repeats, points=points, seed=seed)
    best = f"the best rule errs on {1 - trials.truth.max(axis=1).mean():.1%} at these points"
    return _told(trials, made, seed, world=where.name, design="random", notes=(best, MAIN))


def _in_rows(made: Learner, rows: Rows, *, repeats: int, seed: int) -> BiasVariance:
    trials = of_rows(made, rows.X, rows.truth, classes=len(rows.labels), repeats=repeats, seed=seed)
    notes = [
        *rows.notes,
        *([MAIN] if rows.labels else []),
        "one truth per row: noise cannot be told from bias",
        "bootstrap samples contain about 63% of the rows: the parts are those of a learner with fewer rows than these",
    ]
    if len(trials.points) < len(rows.truth):
        notes.append(f"{len(rows.truth) - len(trials.points)} rows were hardly ever left out, and are not judged")
    return _told(trials, made, seed, world=None, design="bootstrap", notes=tuple(notes))


def _told(
    trials: Trials, made: Learner, seed: int, *, world: str | None, design: str, notes: tuple[str, ...] = ()
) -> BiasVariance:
    numbers = trials.truth.ndim == 1
    splits: dict[str, Split] = {"squared": partial(_squared, trials)}
    if not numbers:
        splits = {name: partial(_zero_one, trials, formula) for name, formula in ZERO_ONE.items()}
    found = {name: _measured(split, trials, seed) for name, split in splits.items()}
    loss = next(iter(found.values())).pop("expected loss")
    return BiasVariance(
        loss="squared" if numbers else "zero-one",
        learner=made.name,
        world=world,
        design=design,
        n=trials.rows,
        repeats=len(trials.said),
        points=len(trials.points),
        seed=seed,
        expected_loss=loss,
        measured=_seen(trials),
        decompositions=tuple(
            Decomposition(name=name, parts={key: part for key, part in parts.items() if key != "expected loss"})
            for name, parts in found.items()
        ),
        curve=_curve(trials) if numbers and trials.points.shape[1] == 1 and world is not None else (),
        notes=notes,
    )


def _measured(split: Split, trials: Trials, seed: int) -> dict[str, Measured]:
    """Each part and their sum, averaged over points, with the error that drawn training sets and points leave.

    Training sets are drawn again from those made. Where there is no bias, or none in a direction in which rules vary,
    this overstates the error of bias², about twice: it is of second order there.
    """
    once = np.ones(len(trials.said), int)
    by_point = _with_sum(split(once[None]))
    blocks = bootstrap(once, DRAWS, [seed, len(once)])
    drawn = [_with_sum(split(block())) for block in blocks]
    found = {}
    for name, values in by_point.items():
        again = np.concatenate([np.nanmean(part[name], axis=1) for part in drawn])
        between = values[0].var(ddof=1) / values.shape[1] if trials.sampled and values.shape[1] > 1 else 0.0
        # what does not vary with the training sets varies by rounding alone
        spread = again.std() if again.std() > 1e-12 * np.abs(again).max() else 0.0
        found[name] = Measured(value=float(values[0].mean()), error=sqrt(spread**2 + between))
    return found


def _with_sum(parts: Parts) -> dict[str, Array]:
    return {"expected loss": np.sum(list(parts.values()), axis=0), **parts}


def _sets(trials: Trials, weights: Array) -> Array:
    """How many training sets count at each point, one line per resample; nan where none does."""
    if trials.counts is None:
        return weights.sum(axis=1, keepdims=True).astype(float)
    sets = weights @ trials.counts
    return np.where(sets > 1, sets, np.nan)


def _squared(trials: Trials, weights: Array) -> Parts:
    counts = np.ones(trials.said.shape, bool) if trials.counts is None else trials.counts
    # counted from one of the predictions: a rule that never changes has no variance, to the last digit
    start = np.take_along_axis(trials.said, counts.argmax(axis=0)[None], axis=0)[0]
    away = np.where(counts, trials.said - start, 0.0)
    sets = _sets(trials, weights)
    return squared(sets, weights @ away / sets, weights @ away**2 / sets, trials.truth - start, trials.noise)


def _zero_one(trials: Trials, formula: Callable[[Array, Array, Array], Parts], weights: Array) -> Parts:
    sets = _sets(trials, weights)
    classes = trials.truth.shape[1]
    counted = True if trials.counts is None else trials.counts
    shares = np.stack([weights @ ((trials.said == c) & counted) / sets for c in range(classes)], axis=-1)
    parts = dict(formula(sets, shares, trials.truth))
    if trials.counts is None:
        return parts
    parts.pop("noise")  # one label per row: what is seen is taken for the best class
    return {f"{name} and noise" if name.startswith("bias") and name != "biased variance" else name: part
            for name, part in parts.items()}  # fmt: skip


def _seen(trials: Trials) -> Measured | None:
    """The loss on fresh rows."""
    if trials.fresh is None:
        return None
    losses = (trials.said - trials.fresh) ** 2 if trials.truth.ndim == 1 else trials.said != trials.fresh
    each, sets = losses.mean(axis=1), len(losses)
    between = losses.mean(axis=0).var(ddof=1) / losses.shape[1] if trials.sampled else 0.0
    return Measured(value=float(each.mean()), error=sqrt(each.var(ddof=1) / sets + between))


def _curve(trials: Trials) -> tuple[dict[str, float], ...]:
    parts = _squared(trials, np.ones((1, len(trials.said)), int))
    columns = {
        "x": trials.points[:, 0],
        "truth": trials.truth,
        "mean": trials.said.mean(axis=0),
        "noise": parts["noise"][0],
        "bias2": parts["bias²"][0],
        "variance": parts["variance"][0],
        "expected_loss": np.sum(list(parts.values()), axis=0)[0],
    }
    return tuple(dict(zip(columns, map(float, point), strict=True)) for point in zip(*columns.values(), strict=True))
