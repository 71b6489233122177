"""heldout lab bias-variance, estimation-bias, selection-bias and the like: learners in simulations."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.lab_concepts import TABLE
from heldout.cli.lab_rates import ALPHA as LEVEL_OF_TESTS, EFFORT, JOBS, asked, repeats
from heldout.cli.option_names import python_names
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
    only,
    option,
    options,
    several,
    typed,
)
from heldout.cli.output import Place
from heldout.errors import UsageError

SWEEP = option(
    "--sweep", metavar="NAME=V,V", heading=HOW,
    help="A curve: rows (n=10,20,50) or a parameter of the learner (degree=0,1,3,9).",
)  # fmt: skip


def swept(text: str) -> tuple[str, list[float]]:
    """What is swept, and its values.

    >>> swept("degree=0,1,3")
    ('degree', [0.0, 1.0, 3.0])
    """
    name, equals, rest = text.partition("=")
    try:
        values = [float(part) for part in rest.split(",")] if equals else []
    except ValueError:
        fix = "such as n=10,20,50 or degree=0,1,3,9"
        raise UsageError(f"--sweep is {text!r}, and values of a sweep are numbers", fix=fix) from None
    if not values or not name.strip():
        raise UsageError(f"--sweep is {text!r}, which is not NAME=V,V", fix="such as n=10,20,50 or degree=0,1,3,9")
    return name.strip(), values


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
    short_help="Apparent and true cost of a chosen threshold.",
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
    short_help="Error rates of methods over splits where they are known to fail.",
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
    examples=(
        "heldout lab bias-variance --learner poly:degree=3 --world sine:noise=.3 --n 20",
        "heldout lab bias-variance --learner poly --world sine --sweep degree=0,1,3,9",
    ),
)
@options(
    option("--learner", metavar="NAME", required=True, heading=INPUT,
           help="constant, fixed-line:slope=,intercept=, poly:degree=, interpolate, knn:k=, linear, tree, or an import "
           "path such as sklearn.tree:DecisionTreeClassifier(max_depth=3)."),
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
    SWEEP,
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

    learner, data, sweep = values["learner"], values["data"], values.pop("sweep")
    given = typed(values)
    place = Place(values)
    kept = {name: value for name, value in given.items() if name in values and name not in ("learner", "data")}
    if sweep is None:
        place.deliver(lab.bias_variance(learner, data, **python_names(kept)))
    else:
        place.deliver(lab.sweep("bias_variance", learner, *swept(sweep), X=data, **python_names(kept)))


@command(
    "estimation-bias",
    short_help="Bias and variance of estimates of an error.",
    examples=(
        "heldout lab estimation-bias --learner linear --folds 2,5,10,loo",
        "heldout lab estimation-bias --sweep n=20,50,100 --charts out",
    ),
)
@options(
    option("--learner", metavar="NAME", default="linear", show_default=True, heading=INPUT,
           help="constant, knn:k=, linear, tree, poly:degree=, or an import path."),
    option("--world", metavar="NAME", default="gaussian:distance=2", show_default=True, heading=INPUT,
           help="Gaussian classes, or numbers: sine, slope, square, step, flat."),
    option("--n", type=click.IntRange(min=2), metavar="N", default=60, show_default=True, heading=INPUT,
           help="Rows of a sample."),
    option("--test-size", type=float, metavar="S", heading=HOW, help="Share of them that is held out.  [default: 1/3]"),
    option("--folds", metavar="K,K", multiple=True, callback=several, heading=HOW,
           help="Also cross-validation: 2,5,10,loo."),
    option("--n-resamples", type=int, metavar="N", heading=HOW,
           help="Also e0, .632 and .632+ with this number of bootstrap samples."),
    SWEEP,
    repeats(1000),
    SEED,
    JOBS,
    RESULT,
)  # fmt: skip
def estimation_bias(**values: Any) -> None:
    """How far training error, holdout error and others are from the truth on average, and how much they vary."""
    from heldout import lab

    learner, sweep = values["learner"], values.pop("sweep")
    given, place = asked(values, "learner")
    if sweep is None:
        place.deliver(lab.estimation_bias(learner, **given))
    else:
        place.deliver(lab.sweep("estimation_bias", learner, *swept(sweep), **given))


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
    place = Place(values)
    kept = {name: value for name, value in given.items() if name in values and name != "data"}
    place.deliver(lab.ceiling(data, **python_names(kept)))


TESTS = option(
    "--test", "tests", metavar="A,B", multiple=True, callback=several, heading=HOW,
    help="Tests with their splits, such as corrected_resampled_t@10.  [default: all]",
)  # fmt: skip


@command(
    "compare",
    short_help="Verdicts of tests over splits, beside the true difference.",
    examples=(
        "heldout lab compare linear knn:k=1 --n 100",
        "heldout lab compare linear sklearn.svm:SVC --n 40 --test kfold_paired_t",
    ),
)
@click.argument("learners", nargs=2, metavar="LEARNER LEARNER")
@options(
    option("--world", metavar="NAME", default="gaussian:distance=2", show_default=True, heading=INPUT,
           help="The simulation of Gaussian classes that the rows come from."),
    option("--n", type=int, metavar="N", default=100, show_default=True, heading=INPUT, help="Rows of one sample."),
    TESTS,
    LEVEL_OF_TESTS,
    repeats(200),
    EFFORT,
)  # fmt: skip
def compare_learners(learners: tuple[str, str], **values: Any) -> None:
    """Draw data sets from a known simulation, and count how often each test calls either learner better.

    A learner is a name such as knn:k=5, or an import path. The true errors say which one is better.
    """
    from heldout import lab

    alpha = values.pop("alpha")
    given, place = asked(values)
    place.deliver(lab.compare(list(learners), alpha=alpha, **given))


@command(
    "split-power",
    short_help="Simulated power of tests over splits.",
    examples=("heldout lab split-power mcnemar@10 --world twins:gain=0.8 --n 100",),
)
@click.argument("tests", nargs=-1, metavar="TEST...")
@options(
    option("--learner", "model", metavar="NAME", default="linear", show_default=True,
           help="linear, knn:k=, tree, or an import path."),
    option("--world", metavar="NAME", default="twins:gain=0.5", show_default=True, heading=INPUT,
           help="Two blocks of features; in the second, classes lie gain further apart."),
    option("--n", type=int, metavar="N", default=300, show_default=True, heading=INPUT, help="Rows of one sample."),
    LEVEL_OF_TESTS,
    repeats(200),
    EFFORT,
)  # fmt: skip
def split_power(tests: tuple[str, ...], **values: Any) -> None:
    """How often tests over splits find the better of two learners; all tests if none is named."""
    from heldout import lab

    alpha = values.pop("alpha")
    given, place = asked(values)
    place.deliver(lab.split_power(list(tests), alpha=alpha, **given))


@command(
    "true-error",
    short_help="True errors of rules in a table or in Gaussian classes.",
    examples=(
        "heldout lab true-error weather.csv --classifier mine",
        "heldout lab true-error --world gaussian --learner linear --learner knn",
        "heldout lab true-error --world gaussian --linear 1,0,-1 --charts pictures",
    ),
)
@click.argument("file", required=False)
@options(
    option("--world", metavar="NAME", heading=INPUT, help="Gaussian classes, such as gaussian:distance=2."),
    option("--learner", metavar="A", multiple=True, callback=all_given, heading=INPUT,
           help="A learner that is fitted to n rows of --world: a name or an import path; repeatable."),
    option("--linear", metavar="W,W,B", multiple=True, callback=all_given, heading=INPUT,
           help="A linear rule: class 1 where w·x + b > 0; weights, then b; repeatable."),
    option("--n", type=click.IntRange(min=1), metavar="N", default=50, show_default=True, heading=INPUT,
           help="Rows that learners are fitted to."),
    TABLE,
    column("--classifier", multiple=True, callback=several, help="Predictions of a classifier in FILE; repeatable."),
    SEED,
    RESULT,
)  # fmt: skip
def true_error(file: str | None, **values: Any) -> None:
    """The true error of classifiers of the joint table in FILE, exactly; or of rules in Gaussian classes.

    Of Gaussian classes, errors of linear rules are exact, and others are averaged over points whose class
    probabilities are known.
    """
    from heldout import lab
    from heldout.lab.concepts.joint_table_file import read_table
    from heldout.lab.true_error_result import table_errors

    given = typed(values)
    place = Place(values)
    given = {name: value for name, value in given.items() if name in values}
    if (file is None) == ("world" not in given):
        raise UsageError("rows come from a FILE or from a --world", fix="give one of them")
    if file is not None:
        only(given, ("target", "p", "attribute", "wide", "classifier"), "a FILE", "a table knows all its points")
        named = {
            "attributes": values["attribute"],
            "target": values["target"],
            "p": values["p"],
            "wide": values["wide"],
        }
        place.deliver(table_errors(read_table(file, classifiers=values["classifier"] or (), **named)))
        return
    only(given, ("world", "learner", "linear", "n", "seed"), "--world", "it is an option of a table")
    rules = {f"linear {text}": linear_rule(text) for text in values["linear"] or ()}
    place.deliver(
        lab.rule_errors(
            values["world"], values["learner"] or (), rules=rules, n=values["n"], random_state=values["seed"]
        )
    )


def linear_rule(text: str) -> Any:
    """A linear rule from its weights and its offset.

    >>> linear_rule("1,0,-1")
    LinearRule(weights=(1.0, 0.0), offset=-1.0)
    """
    from heldout.lab import LinearRule

    try:
        *weights, offset = (float(part) for part in text.split(","))
    except ValueError:
        weights, offset = [], 0.0
    if not weights:
        fix = "give a weight per feature, then the offset, such as 1,0,-1"
        raise UsageError(f"--linear is {text!r}, which is not weights and an offset", fix=fix)
    return LinearRule(weights=tuple(weights), offset=offset)
