"""heldout lab bias-variance, estimation-bias, selection-bias and the like: learners in simulations."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab_rates import EFFORT, JOBS, asked, repeats
from heldout.cli.options import (
    ALPHA,
    HOW,
    INPUT,
    LEVEL,
    RESULT,
    SEED,
    all_given,
    choice,
    column,
    command,
    file,
    option,
    options,
    python_names,
    several,
    typed,
)
from heldout.cli.output import Place


@command(
    "selection-bias",
    short_help="How optimistic the winner of many configurations is.",
    examples=("heldout lab selection-bias --n 100 --configurations 50",),
)
@options(
    option("--n", type=int, metavar="N", default=100, show_default=True, heading=INPUT, help="Rows."),
    option("--configurations", type=int, metavar="C", default=50, show_default=True, heading=INPUT,
           help="Number of configurations."),
    option("--null", is_flag=True, heading=INPUT, help="None is better than a coin; else accuracies are Beta(9, 6)."),
    repeats(1000),
    option("--n-resamples", type=int, metavar="N", default=500, show_default=True, heading=HOW,
           help="Bootstrap resamples of BBC-CV."),
    EFFORT,
)  # fmt: skip
def selection_bias(**values: Any) -> None:
    """How far the winner's own accuracy, and corrected estimates of it, are from the truth on average."""
    from heldout import lab

    given, place = asked(values)
    place.deliver(lab.selection_bias(**given))


@command(
    "threshold-bias",
    short_help="What a chosen threshold seems to cost, and what it costs.",
    examples=("heldout lab threshold-bias --n 200 --fp 1 --fn 10",),
)
@options(
    option("--n", type=int, metavar="N", default=200, show_default=True, heading=INPUT, help="Rows."),
    option("--apart", type=float, metavar="D", default=1.5, show_default=True, heading=INPUT,
           help="Distance of the two normal scores."),
    option("--prevalence", type=float, metavar="P", default=0.1, show_default=True, heading=INPUT,
           help="Share of positive rows."),
    option("--fp", type=float, metavar="C", default=1.0, show_default=True, help="Cost of a false positive."),
    option("--fn", type=float, metavar="C", default=10.0, show_default=True, help="Cost of a false negative."),
    repeats(1000),
    EFFORT,
)  # fmt: skip
def threshold_bias(**values: Any) -> None:
    """The least cost on the rows that chose the threshold, its true cost, and its cross-fitted cost."""
    from heldout import lab

    given, place = asked(values)
    place.deliver(lab.threshold_bias(**given))


@command(
    "failures",
    short_help="What methods over splits say where they are known to fail.",
    examples=("heldout lab failures --repeats 200",),
)
@options(repeats(1000), EFFORT)
def failures(**values: Any) -> None:
    """What methods over splits say where they are known to fail, beside the truth."""
    from heldout import lab

    given, place = asked(values)
    place.deliver(lab.failures(**given))


@command(
    "bias-variance",
    short_help="Bias, variance and noise of a learner's error.",
    examples=("heldout lab bias-variance --learner poly:degree=3 --world sine:noise=.3 --n 20",),
)
@options(
    option("--learner", metavar="NAME", required=True, heading=INPUT,
           help="constant, fixed-line:slope=,intercept=, poly:degree=, interpolate, knn:k= or linear."),
    option("--world", metavar="NAME", heading=INPUT,
           help="sine, slope, square, step or flat with :noise=, or gaussian with :distance=."),
    file("--data", heading=INPUT, help="Rows instead of a simulation: training sets are bootstrap resamples."),
    column("--target", help="What is to be predicted, in --data."),
    option("--n", type=click.IntRange(min=1), metavar="N", default=20, show_default=True, heading=INPUT,
           help="Rows of a training set."),
    option("--design", type=choice("fixed", "random"), default="fixed", show_default=True, heading=HOW,
           help="Whether x stays the same."),
    option("--points", type=click.IntRange(min=1), metavar="K", heading=HOW,
           help="Where rules are evaluated, besides training x."),
    option("--loss", type=choice("squared", "zero-one"), heading=HOW,
           help="For --data.  [default: squared for fractions]"),
    repeats(1000, "Training sets."),
    SEED,
    RESULT,
)  # fmt: skip
def bias_variance(**values: Any) -> None:
    """What of a learner's error is noise, bias and variance, in a simulation or over resamples of a file.

    With one feature the answer is also shown point by point. Zero-one loss is decomposed by Domingos and by Kohavi and
    Wolpert.
    """
    from heldout import lab

    learner, data = values["learner"], values["data"]
    given = typed(values)
    place = Place(values, data)
    kept = {name: value for name, value in given.items() if name in values and name not in ("learner", "data")}
    place.deliver(lab.bias_variance(learner, data, **python_names(kept)))


@command(
    "estimation-bias",
    short_help="Bias and variance of estimates of an error.",
    examples=("heldout lab estimation-bias --learner linear --folds 2,5,10,loo",),
)
@options(
    option("--learner", metavar="NAME", default="linear", show_default=True, heading=INPUT,
           help="constant, knn:k=, linear or tree."),
    option("--world", metavar="NAME", default="gaussian:distance=2", show_default=True, heading=INPUT,
           help="Gaussian classes."),
    option("--n", type=click.IntRange(min=2), metavar="N", default=60, show_default=True, heading=INPUT,
           help="Rows of a sample."),
    option("--test-size", type=float, metavar="S", heading=HOW, help="Share of them that is held out.  [default: 1/3]"),
    option("--folds", metavar="K,K", multiple=True, callback=several, heading=HOW,
           help="Also cross-validation: 2,5,10,loo."),
    option("--n-resamples", type=int, metavar="N", heading=HOW,
           help="Also e0, .632 and .632+ from so many bootstrap samples."),
    repeats(1000),
    SEED,
    JOBS,
    RESULT,
)  # fmt: skip
def estimation_bias(**values: Any) -> None:
    """How far training error, holdout error and others are from the truth on average, and how much they vary."""
    from heldout import lab

    learner = values["learner"]
    given, place = asked(values, "learner")
    place.deliver(lab.estimation_bias(learner, **given))


@command(
    "ceiling",
    short_help="Bounds on the Bayes error, from data.",
    examples=("heldout lab ceiling --data train.csv --target y",),
)
@options(
    file("--data", required=True, heading=INPUT, help="Rows with features and a class."),
    column("--target", required=True, help="The class to be predicted."),
    column("--drop", multiple=True, callback=all_given, help="Not a feature, such as an id; repeatable."),
    option("--test-size", type=float, metavar="S", default=0.5, show_default=True, heading=HOW,
           help="Share of rows that is held out."),
    LEVEL,
    ALPHA,
    SEED,
    RESULT,
)  # fmt: skip
def ceiling(**values: Any) -> None:
    """Bounds on the Bayes error: from above by nearest neighbours on unseen rows, which always holds.

    From below by Cover and Hart's inequality, which holds as rows become many, and by rows with the same features and
    different labels, which no rule can classify.
    """
    from heldout import lab

    data = values["data"]
    given = typed(values)
    place = Place(values, data)
    kept = {name: value for name, value in given.items() if name in values and name != "data"}
    place.deliver(lab.ceiling(data, **python_names(kept)))
