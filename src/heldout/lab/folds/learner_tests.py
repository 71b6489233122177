"""How often tests over splits say that one of two learners is better, in a simulation whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.lab.folds.split_size import checked
from heldout.lab.folds.split_test_methods import LAYOUTS, Losses, Rival, p_value, rivals
from heldout.lab.folds.test_rows import averages
from heldout.lab.folds.vectorised_fits import Said, many_fits
from heldout.lab.learning.bias_variance_result import Measured
from heldout.lab.learning.gaussian_world import Gaussians, Twins, bayes_error, gaussian, twins
from heldout.lab.learning.small_learners import learner
from heldout.lab.name_parsing import meant
from heldout.lab.rates.repetition import monte_carlo_error, plain, repeated
from heldout.verbs.parameters import documented
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

SUMS = ("first", "second", "refused")
POINTS = 1000
"""Points at which the true error of a rule is averaged, drawn anew for every sample."""
OUTCOMES = ("first", "second", "neither")


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerTest:
    """How often a test over splits called one of two learners significantly better."""

    test: str
    splits: str
    """By the words of `heldout.splits`."""
    first: float
    """Share of the samples in which the first learner was called better."""
    second: float
    neither: float
    """Share without a significant difference; the test refused in some of them."""
    refused: float
    """Share of the samples without an answer: the differences of the splits did not vary."""
    error: float
    """Monte-Carlo standard error of the largest of the shares; the others have no larger one."""

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return plain(asdict(self))


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class LearnerTests(Result):
    """What `lab.compare` and `lab.split_power` give: what each test says of two learners, beside the truth."""

    kind = "learner-tests"

    models: tuple[str, str]
    world: str
    n: int
    alpha: float
    repeats: int
    seed: int
    errors: tuple[Measured, Measured]
    """The expected true error of each learner on n rows."""
    difference: Measured
    """The first less the second: above 0 the second is better."""
    bayes_error: float | None
    """None where the learners see different features."""
    tests: tuple[LearnerTest, ...]

    @property
    def better(self) -> str | None:
        """The learner that is better in truth; None where the simulation cannot tell."""
        if abs(self.difference.value) <= 3 * self.difference.error:
            return None
        return self.models[0] if self.difference.value < 0 else self.models[1]

    def power(self, test: str) -> Measured:
        """How often a test called the truly better learner better.

        Parameters
        ----------
        test : str
            Its name with its splits, such as "mcnemar@10".

        Returns
        -------
        Measured
            The share and its Monte-Carlo standard error.

        Raises
        ------
        UsageError
            If the test was not simulated, or neither learner is better.
        """
        found = {f"{one.test}@{one.splits}": one for one in self.tests}
        if test not in found:
            raise UsageError(f"{test!r} was not simulated", fix=f"choose one of {', '.join(found)}")
        if self.better is None:
            raise UsageError("no learner is known to be better here, so that a test has no power", fix="take another n")
        one = found[test]
        share = one.first if self.better == self.models[0] else one.second
        return Measured(value=share, error=monte_carlo_error(share, self.repeats))

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "models": list(self.models),
            "world": self.world,
            "n": self.n,
            "alpha": self.alpha,
            "repeats": self.repeats,
            "seed": self.seed,
            "errors": [one.to_dict() for one in self.errors],
            "difference": self.difference.to_dict(),
            "better": self.better,
            "bayes_error": self.bayes_error,
            "results": [one.to_dict() for one in self.tests],
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """How often each test gives each verdict."""
        from heldout.charts.plot import Plot
        from heldout.charts.simulation_figures import Verdicts

        def verdicts() -> Verdicts:
            first, second = self.models
            true = f"{self.better} is better" if self.better else "neither is known to be better"
            return Verdicts(
                heading=f"Verdicts of tests on {first} and {second}",
                outcomes=(f"{first} is better", f"{second} is better", "not significant"),
                shares={f"{one['test']}, {one['splits']}": [one[key] for key in OUTCOMES] for one in d["results"]},
                reading=f"In truth {true}: errors {self.errors[0].value:.3f} and {self.errors[1].value:.3f} in "
                f"{self.world}, n = {self.n}. Tests at {self.alpha:g}, {self.repeats:,} samples.",
            )

        return Plot(views={"verdicts": verdicts})


@documented(repeats=200)
def compare(
    models: Sequence[str],
    *,
    world: str = "gaussian:distance=2",
    n: int = 100,
    tests: str | Sequence[str] = (),
    alpha: float = 0.05,
    repeats: int = 200,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
) -> LearnerTests:
    """Simulate how often each test over splits says that one of two learners is better, beside the truth.

    Parameters
    ----------
    models : sequence of two str
        Two learners: names such as "linear" or "knn:k=5", or import paths such as
        "sklearn.tree:DecisionTreeClassifier(max_depth=3)".
    world : str, default "gaussian:distance=2"
        The simulation of Gaussian classes that rows come from.
    n : int, default 100
        Number of rows of each data set.
    tests : str or sequence of str, default ()
        Tests with their splits, such as "corrected_resampled_t@10" (default: all).
    alpha : float, default 0.05
        Level of the tests: they reject where p < alpha.
    <repeats>
    <simulation_seed>
    <processes>
    <into>

    Returns
    -------
    LearnerTests
        How often each test called the first, the second or neither better, the true errors, and which is better.

    Raises
    ------
    UsageError
        If there are not two learners, a name is not known, or a number is out of range.

    Examples
    --------
    >>> found = compare(["linear", "knn:k=1"], n=60, tests="naive_fold_t@10x10", repeats=20)
    >>> found.better, found.tests[0].first > 0.5
    ('linear', True)
    """
    names = [models] if isinstance(models, str) else list(models)
    if len(names) != 2:
        raise UsageError(f"{len(names)} learners were given, and two are compared", fix="such as linear knn:k=1")
    where: Gaussians = meant(world, {"gaussian": gaussian}, "simulation of classes")
    spent = {"repeats": repeats, "random_state": random_state, "n_jobs": n_jobs, "into": into}
    return _simulated((names[0], names[1]), where, n, tests, alpha, spent)


@documented(repeats=200)
def split_power(
    tests: str | Sequence[str] = (),
    *,
    model: str = "linear",
    world: str = "twins:gain=0.5",
    n: int = 300,
    alpha: float = 0.05,
    repeats: int = 200,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
) -> LearnerTests:
    """Simulated power of tests over splits, where one of two learners is better.

    Both are the same learner, each on a block of features of its own; in the second block the classes lie `gain`
    further apart. With gain=0 this is `split_size`.

    Parameters
    ----------
    tests : str or sequence of str, default ()
        Tests with their splits, such as "corrected_resampled_t" or "naive_fold_t@10x10" (default: all).
    model : str, default "linear"
        The learner, by its name or import path.
    world : str, default "twins:gain=0.5"
        The simulation of two blocks of features, of which the second says more.
    n : int, default 300
        Number of rows of each data set.
    alpha : float, default 0.05
        Level of the tests: they reject where p < alpha.
    <repeats>
    <simulation_seed>
    <processes>
    <into>

    Returns
    -------
    LearnerTests
        How often each test called either learner better, and the true difference; `power(test)` is the power.

    Raises
    ------
    UsageError
        If neither block says more, a name is not known, or a number is out of range.

    Examples
    --------
    >>> found = split_power("mcnemar@10", world="twins:gain=1.5", n=60, repeats=20)
    >>> found.better, found.power("mcnemar@10").value > 0.2
    ('linear on the second block', True)
    """
    where: Twins = meant(world, {"twins": twins}, "simulation of two blocks of features")
    if not where.gain:
        fix = "such as twins:gain=0.5; lab.split_size (lab split-size) has equal ones"
        raise UsageError(f"the blocks of {where.name} are equally good, so that a test has no power", fix=fix)
    spent = {"repeats": repeats, "random_state": random_state, "n_jobs": n_jobs, "into": into}
    return _simulated((model, model), where, n, tests, alpha, spent)


def _simulated(  # noqa: PLR0917 what both questions share
    models: tuple[str, str],
    where: Gaussians | Twins,
    n: int,
    tests: str | Sequence[str],
    alpha: float,
    spent: Mapping[str, Any],
) -> LearnerTests:
    chosen = rivals([tests] if isinstance(tests, str) else list(tests))
    checked(n, alpha)
    names = [learner(name).name for name in models]  # refuses an unknown one before the work
    if isinstance(where, Twins):
        names = [f"{name} on the {block} block" for name, block in zip(names, ("first", "second"), strict=True)]
    elif names[0] == names[1]:
        fix = "name another learner; lab.split_size (lab split-size) has equal ones"
        raise UsageError(f"{names[0]} is compared with itself", fix=fix)
    elif where.classes != 2:
        raise UsageError(f"{where.name} has {where.classes} classes, and tests are of two", fix="leave out classes=")
    repeats, seed = int(spent["repeats"]), int(spent["random_state"])
    job = LearnerVerdicts(models, where.name, n, tuple(one.name for one in chosen), alpha)
    sums = repeated(job, repeats, seed=seed, jobs=spent["n_jobs"], into=spent["into"])
    errors = averages(sums[len(chosen) :, :2].T, repeats)
    return LearnerTests(
        models=(names[0], names[1]),
        world=where.name,
        n=n,
        alpha=alpha,
        repeats=repeats,
        seed=seed,
        errors=(errors[0], errors[1]),
        difference=errors[2],
        bayes_error=None if isinstance(where, Twins) else bayes_error(where)[0],
        tests=tuple(_test(one, line[:3] / repeats, repeats) for one, line in zip(chosen, sums, strict=False)),
    )


def _test(one: Rival, shares: Array, repeats: int) -> LearnerTest:
    first, second, refused = (float(share) for share in shares)
    neither = 1 - first - second
    error = max(monte_carlo_error(share, repeats) for share in (first, second, neither))
    return LearnerTest(
        test=one.test, splits=one.splits, first=first, second=second, neither=neither, refused=refused, error=error
    )


@dataclass(frozen=True)
class LearnerVerdicts:
    """The job behind `compare` and `split_power`."""

    models: tuple[str, str]
    world: str
    n: int
    tests: tuple[str, ...]
    alpha: float

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """A line of `SUMS` per test; below, a line each for the true errors and their difference: sum and squares."""
        chosen = rivals(self.tests)
        known: dict[str, Callable[..., Gaussians | Twins]] = {"gaussian": gaussian, "twins": twins}
        where = meant(self.world, known, "simulation")
        fits = [many_fits(learner(name)) for name in self.models]
        blocks = where.blocks if isinstance(where, Twins) else (slice(None), slice(None))
        sums = np.zeros((len(chosen) + 3, len(SUMS)))
        for _ in range(repeats):
            X, y = where.sample(self.n, rng)
            seed = int(rng.integers(2**31))
            sums[len(chosen) :, :2] += self._errors(where, X, y, fits, rng)
            for word in dict.fromkeys(one.splits for one in chosen):
                tested = LAYOUTS[word](self.n, np.random.default_rng([seed, list(LAYOUTS).index(word)]))
                first, second = (
                    (fit(X[:, block], y, (~tested).astype(int))(X[:, block]) != y).astype(float)
                    for fit, block in zip(fits, blocks, strict=True)
                )
                losses = Losses(first=first, second=second, tested=tested)
                less = float(losses.differences.mean())
                for at, one in enumerate(chosen):
                    if one.splits == word:
                        p = p_value(one, losses, self.alpha)
                        sums[at] += [p < self.alpha and less < 0, p < self.alpha and less > 0, isnan(p)]
        return sums

    def _errors(
        self, where: Gaussians | Twins, X: Array, y: Array, fits: Sequence[Any], rng: np.random.Generator
    ) -> Array:
        """True errors of the rules of all rows and their difference, each beside its square."""
        at, _ = where.sample(POINTS, rng)
        blocks = where.blocks if isinstance(where, Twins) else (slice(None), slice(None))
        found = []
        for number, (fit, block) in enumerate(zip(fits, blocks, strict=True)):
            said: Said = fit(X[:, block], y, np.ones((1, self.n), int))
            chances = where.posterior_of(at, number) if isinstance(where, Twins) else where.posterior(at)
            found.append(1 - float(np.take_along_axis(chances, said(at[:, block])[0][:, None], axis=1).mean()))
        values = np.array([*found, found[0] - found[1]])
        return np.column_stack([values, values**2])
