"""Worlds whose truth is known, and how often intervals hold it and tests find it there.

    >>> from heldout import lab
    >>> wald, wilson = lab.coverage(["normal", "wilson"], "coin:p=0.01", 50)
    >>> round(wald.coverage, 3), round(wilson.coverage, 3)
    (0.395, 0.911)

What is named here is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heldout.lab.concepts.domains import Domain, domain
    from heldout.lab.concepts.hypotheses import Space, hypothesis_space
    from heldout.lab.concepts.joint_table import (
        JointTable,
        bayes_classifier,
        bayes_error,
        class_given_x,
        class_marginal,
        drawn_batch,
        joint_table,
        true_error,
        with_noise,
        x_given_class,
        x_marginal,
    )
    from heldout.lab.concepts.overfitting import Overfitting, overfitting_pair
    from heldout.lab.concepts.table_estimates import estimated_table
    from heldout.lab.concepts.version_space import (
        VersionSpace,
        empty_because,
        first_found,
        list_then_eliminate,
        unanimous,
        unanimous_coverage,
    )
    from heldout.lab.corpora.corpus_rates import CorpusRate, corpus_rates
    from heldout.lab.folds.failures import Failure, failures
    from heldout.lab.folds.selection_bias import SelectionBias, selection_bias
    from heldout.lab.folds.split_coverage import SplitCoverage, split_coverage
    from heldout.lab.folds.split_size import SplitSize, split_size
    from heldout.lab.folds.threshold_bias import ThresholdBias, threshold_bias
    from heldout.lab.learning.bias_variance import bias_variance
    from heldout.lab.learning.bias_variance_result import BiasVariance
    from heldout.lab.learning.ceiling import Ceiling, ceiling
    from heldout.lab.learning.estimation_bias import EstimationBias, estimation_bias
    from heldout.lab.learning.exchangeable_blocks import Twins, twins
    from heldout.lab.learning.function_world import Function
    from heldout.lab.learning.gaussian_world import Gaussians, gaussian
    from heldout.lab.learning.small_learners import Learner, learner
    from heldout.lab.rates.coverage import Coverage, coverage
    from heldout.lab.rates.size import Size, power, size
    from heldout.lab.worlds import Pair, World, world

_HOMES = {
    "BiasVariance": "heldout.lab.learning.bias_variance_result",
    "Ceiling": "heldout.lab.learning.ceiling",
    "CorpusRate": "heldout.lab.corpora.corpus_rates",
    "Coverage": "heldout.lab.rates.coverage",
    "Domain": "heldout.lab.concepts.domains",
    "EstimationBias": "heldout.lab.learning.estimation_bias",
    "Failure": "heldout.lab.folds.failures",
    "Function": "heldout.lab.learning.function_world",
    "Gaussians": "heldout.lab.learning.gaussian_world",
    "JointTable": "heldout.lab.concepts.joint_table",
    "Learner": "heldout.lab.learning.small_learners",
    "Overfitting": "heldout.lab.concepts.overfitting",
    "Pair": "heldout.lab.worlds",
    "SelectionBias": "heldout.lab.folds.selection_bias",
    "Size": "heldout.lab.rates.size",
    "Space": "heldout.lab.concepts.hypotheses",
    "SplitCoverage": "heldout.lab.folds.split_coverage",
    "SplitSize": "heldout.lab.folds.split_size",
    "ThresholdBias": "heldout.lab.folds.threshold_bias",
    "Twins": "heldout.lab.learning.exchangeable_blocks",
    "VersionSpace": "heldout.lab.concepts.version_space",
    "World": "heldout.lab.worlds",
    "bayes_classifier": "heldout.lab.concepts.joint_table",
    "bayes_error": "heldout.lab.concepts.joint_table",
    "bias_variance": "heldout.lab.learning.bias_variance",
    "ceiling": "heldout.lab.learning.ceiling",
    "class_given_x": "heldout.lab.concepts.joint_table",
    "class_marginal": "heldout.lab.concepts.joint_table",
    "corpus_rates": "heldout.lab.corpora.corpus_rates",
    "coverage": "heldout.lab.rates.coverage",
    "domain": "heldout.lab.concepts.domains",
    "drawn_batch": "heldout.lab.concepts.joint_table",
    "empty_because": "heldout.lab.concepts.version_space",
    "estimated_table": "heldout.lab.concepts.table_estimates",
    "estimation_bias": "heldout.lab.learning.estimation_bias",
    "failures": "heldout.lab.folds.failures",
    "first_found": "heldout.lab.concepts.version_space",
    "gaussian": "heldout.lab.learning.gaussian_world",
    "hypothesis_space": "heldout.lab.concepts.hypotheses",
    "joint_table": "heldout.lab.concepts.joint_table",
    "learner": "heldout.lab.learning.small_learners",
    "list_then_eliminate": "heldout.lab.concepts.version_space",
    "overfitting_pair": "heldout.lab.concepts.overfitting",
    "power": "heldout.lab.rates.size",
    "selection_bias": "heldout.lab.folds.selection_bias",
    "size": "heldout.lab.rates.size",
    "split_coverage": "heldout.lab.folds.split_coverage",
    "split_size": "heldout.lab.folds.split_size",
    "threshold_bias": "heldout.lab.folds.threshold_bias",
    "true_error": "heldout.lab.concepts.joint_table",
    "twins": "heldout.lab.learning.exchangeable_blocks",
    "unanimous": "heldout.lab.concepts.version_space",
    "unanimous_coverage": "heldout.lab.concepts.version_space",
    "with_noise": "heldout.lab.concepts.joint_table",
    "world": "heldout.lab.worlds",
    "x_given_class": "heldout.lab.concepts.joint_table",
    "x_marginal": "heldout.lab.concepts.joint_table",
}

__all__ = [
    "BiasVariance",
    "Ceiling",
    "CorpusRate",
    "Coverage",
    "Domain",
    "EstimationBias",
    "Failure",
    "Function",
    "Gaussians",
    "JointTable",
    "Learner",
    "Overfitting",
    "Pair",
    "SelectionBias",
    "Size",
    "Space",
    "SplitCoverage",
    "SplitSize",
    "ThresholdBias",
    "Twins",
    "VersionSpace",
    "World",
    "bayes_classifier",
    "bayes_error",
    "bias_variance",
    "ceiling",
    "class_given_x",
    "class_marginal",
    "corpus_rates",
    "coverage",
    "domain",
    "drawn_batch",
    "empty_because",
    "estimated_table",
    "estimation_bias",
    "failures",
    "first_found",
    "gaussian",
    "hypothesis_space",
    "joint_table",
    "learner",
    "list_then_eliminate",
    "overfitting_pair",
    "power",
    "selection_bias",
    "size",
    "split_coverage",
    "split_size",
    "threshold_bias",
    "true_error",
    "twins",
    "unanimous",
    "unanimous_coverage",
    "with_noise",
    "world",
    "x_given_class",
    "x_marginal",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'heldout.lab' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
