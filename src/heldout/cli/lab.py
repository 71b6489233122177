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
        "compare": (f"{LEARNERS}:compare_learners", "What tests over splits say of two learners, beside the truth."),
        "split-cards": (f"{RATES}:split_cards", "Simulate every interval and test over splits, and keep the rates."),
        "corpus-rates": (f"{RATES}:corpus_rates", "Simulated error rates of detect, masks and text."),
        "corpus-cards": (f"{RATES}:corpus_cards", "Simulate detect, masks and text, and keep the rates."),
        "held-out": (f"{RATES}:held_out", "Whether cards of half of the simulations predict the other half."),
        "outside": (f"{RATES}:outside", "Error rates in data unlike the lab's simulations, against bounds."),
        "world": (f"{RATES}:world", "The simulations, their parameters and true values."),
        "selection-bias": (f"{LEARNERS}:selection_bias", "How optimistic the winner of many configurations is."),
        "threshold-bias": (f"{LEARNERS}:threshold_bias", "What a chosen threshold seems to cost, and what it costs."),
        "failures": (f"{LEARNERS}:failures", "What methods over splits say where they are known to fail."),
        "bias-variance": (f"{LEARNERS}:bias_variance", "Bias, variance and noise of a learner's error."),
        "estimation-bias": (f"{LEARNERS}:estimation_bias", "Bias and variance of estimates of an error."),
        "ceiling": (f"{LEARNERS}:ceiling", "Bounds on the Bayes error, from data."),
        "true-error": (f"{LEARNERS}:true_error", "True errors of rules in a table or in Gaussian classes."),
        "overfitting": (f"{CONCEPTS}:overfitting", "Hypotheses with a low sample error and a high true error."),
        "table": (f"{CONCEPTS}:table", "A joint table: marginals, conditionals, Bayes classifier and error."),
        "version-space": (f"{CONCEPTS}:version_space", "Hypotheses consistent with the rows seen."),
    },
    short_help="Simulations with known truth, and error rates of methods in them.",
    examples=(
        "heldout lab coverage normal wilson --world coin:p=0.01 --n 50",
        "heldout lab size mcnemar exact --world pair-coin:p=0.8 --n 50",
        "heldout lab world binormal:auc=0.9",
    ),
)
def lab() -> None:
    """Simulations whose truth is known, and the error rates of methods in them."""
