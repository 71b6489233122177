"""heldout lab: worlds whose truth is known, and what methods do in them. One file per experiment."""

from __future__ import annotations

import click

from heldout.cli.groups import Group

VERBS = {
    "coverage": "How often intervals hold the truth.",
    "size": "How often tests reject what is true.",
    "power": "How often tests find a difference that is there.",
    "cards": "Measure every interval and test on the grid, and keep the results.",
    "split-coverage": "How often intervals over splits hold an error that is known.",
    "split-size": "How often tests over splits reject equally good learners.",
    "split-cards": "Measure every interval and test over splits, and keep the results.",
    "corpus-rates": "How often intervals and tests of boxes, masks and texts are right.",
    "corpus-cards": "Measure the intervals of boxes, masks and texts, and keep the results.",
    "selection-bias": "How optimistic the winner of many configurations is.",
    "threshold-bias": "What a chosen threshold seems to cost, and what it does cost.",
    "failures": "What methods over splits say where they are known to fail.",
    "world": "What a world is made of, and its true values.",
    "table": "A joint table: marginals, conditionals, Bayes classifier and error.",
    "bias-variance": "The error of a learner in its parts.",
    "estimation-bias": "Bias and variance of estimates of an error.",
    "version-space": "Hypotheses that agree with the rows seen.",
    "ceiling": "Bounds on how good anyone could be.",
}
"""Every experiment with its line in the help; `heldout.cli.lab.<name>` (with _ for -) has a `command`."""


@click.group(
    "lab",
    cls=Group,
    lines=VERBS,
    package="heldout.cli.lab",
    short_help="Known worlds, and the measured error rates of methods in them.",
)
def command() -> None:
    """Worlds whose truth is known, and the measured error rates of methods in them."""
