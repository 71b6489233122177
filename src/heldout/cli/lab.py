"""heldout lab: simulations whose truth is known, and the error rates of methods in them."""

from __future__ import annotations

import click

from heldout.cli.groups import Group

RATES, LEARNERS, CONCEPTS = (f"heldout.cli.lab_{name}" for name in ("rates", "learners", "concepts"))


@click.group(
    "lab",
    cls=Group,
    places={
        "coverage": (f"{RATES}:coverage", "Simulated coverage of confidence intervals."),
        "size": (f"{RATES}:size", "Simulated type I error of tests."),
        "power": (f"{RATES}:power", "Simulated power of tests."),
        "cards": (f"{RATES}:cards", "Simulate every interval and test on the grid, and keep the rates."),
        "split-coverage": (f"{RATES}:split_coverage", "Simulated coverage of intervals over splits."),
        "split-size": (f"{RATES}:split_size", "Simulated type I error of tests over splits."),
        "split-power": (f"{LEARNERS}:split_power", "Simulated power of tests over splits."),
        "compare": (f"{LEARNERS}:compare_learners", "Verdicts of tests over splits, beside the true difference."),
        "split-cards": (f"{RATES}:split_cards", "Simulate every interval and test over splits, and keep the rates."),
        "corpus-rates": (f"{RATES}:corpus_rates", "Simulated error rates of detect, masks and text."),
        "corpus-cards": (f"{RATES}:corpus_cards", "Simulate detect, masks and text, and keep the rates."),
        "held-out": (f"{RATES}:held_out", "Check the rate look-up: half of the simulations predict the other."),
        "outside": (f"{RATES}:outside", "Error rates in data unlike the simulations, against bounds."),
        "world": (f"{RATES}:world", "The simulations, their parameters and true values."),
        "selection-bias": (f"{LEARNERS}:selection_bias", "How optimistic the winner of many configurations is."),
        "threshold-bias": (f"{LEARNERS}:threshold_bias", "Apparent and true cost of a chosen threshold."),
        "failures": (f"{LEARNERS}:failures", "Error rates of methods over splits where they are known to fail."),
        "bias-variance": (f"{LEARNERS}:bias_variance", "Bias, variance and noise of a learner's error."),
        "estimation-bias": (f"{LEARNERS}:estimation_bias", "Bias and variance of estimates of an error."),
        "ceiling": (f"{LEARNERS}:ceiling", "Bounds on the Bayes error, from data."),
        "true-error": (f"{LEARNERS}:true_error", "True errors of rules in a table or in Gaussian classes."),
        "overfitting": (f"{CONCEPTS}:overfitting", "Hypotheses with a low sample error and a high true error."),
        "table": (f"{CONCEPTS}:table", "A joint table: marginals, conditionals, Bayes classifier and error."),
        "version-space": (f"{CONCEPTS}:version_space", "Hypotheses consistent with the rows seen."),
    },
    short_help="Simulate data with known truth; measure error rates.",
    examples=(
        "heldout lab coverage normal wilson --world coin:p=0.01 --n 50",
        "heldout lab size mcnemar exact --world pair-coin:p=0.8 --n 50",
        "heldout lab world binormal:auc=0.9",
    ),
)
def lab() -> None:
    """Simulations whose truth is known, and the error rates of methods in them."""
