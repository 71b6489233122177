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
    from heldout.lab.concepts.overfitting import Overfitting, overfitting_pair
    from heldout.lab.concepts.table_estimates import estimated_table
    from heldout.lab.concepts.tables import (
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
    from heldout.lab.folds.selection import SelectionBias, selection_bias
    from heldout.lab.folds.split_coverages import SplitCoverage, split_coverage
    from heldout.lab.folds.split_sizes import SplitSize, split_size
    from heldout.lab.folds.thresholds import ThresholdBias, threshold_bias
    from heldout.lab.learning.ceilings import Ceiling, ceiling
    from heldout.lab.learning.decomposing import bias_variance
    from heldout.lab.learning.decomposition import BiasVariance
    from heldout.lab.learning.estimators import EstimationBias, estimation_bias
    from heldout.lab.learning.exchangeable import Twins, twins
    from heldout.lab.learning.fits import Learner, learner
    from heldout.lab.learning.functions import Function
    from heldout.lab.learning.gaussians import Gaussians, gaussian
    from heldout.lab.rates.coverages import Coverage, coverage
    from heldout.lab.rates.sizes import Size, power, size
    from heldout.lab.worlds import Pair, World, world

_HOMES = {
    "BiasVariance": "heldout.lab.learning.decomposition",
    "Ceiling": "heldout.lab.learning.ceilings",
    "CorpusRate": "heldout.lab.corpora.corpus_rates",
    "Coverage": "heldout.lab.rates.coverages",
    "Domain": "heldout.lab.concepts.domains",
    "EstimationBias": "heldout.lab.learning.estimators",
    "Failure": "heldout.lab.folds.failures",
    "Function": "heldout.lab.learning.functions",
    "Gaussians": "heldout.lab.learning.gaussians",
    "JointTable": "heldout.lab.concepts.tables",
    "Learner": "heldout.lab.learning.fits",
    "Overfitting": "heldout.lab.concepts.overfitting",
    "Pair": "heldout.lab.worlds",
    "SelectionBias": "heldout.lab.folds.selection",
    "Size": "heldout.lab.rates.sizes",
    "Space": "heldout.lab.concepts.hypotheses",
    "SplitCoverage": "heldout.lab.folds.split_coverages",
    "SplitSize": "heldout.lab.folds.split_sizes",
    "ThresholdBias": "heldout.lab.folds.thresholds",
    "Twins": "heldout.lab.learning.exchangeable",
    "VersionSpace": "heldout.lab.concepts.version_space",
    "World": "heldout.lab.worlds",
    "bayes_classifier": "heldout.lab.concepts.tables",
    "bayes_error": "heldout.lab.concepts.tables",
    "bias_variance": "heldout.lab.learning.decomposing",
    "ceiling": "heldout.lab.learning.ceilings",
    "class_given_x": "heldout.lab.concepts.tables",
    "class_marginal": "heldout.lab.concepts.tables",
    "corpus_rates": "heldout.lab.corpora.corpus_rates",
    "coverage": "heldout.lab.rates.coverages",
    "domain": "heldout.lab.concepts.domains",
    "drawn_batch": "heldout.lab.concepts.tables",
    "empty_because": "heldout.lab.concepts.version_space",
    "estimated_table": "heldout.lab.concepts.table_estimates",
    "estimation_bias": "heldout.lab.learning.estimators",
    "failures": "heldout.lab.folds.failures",
    "first_found": "heldout.lab.concepts.version_space",
    "gaussian": "heldout.lab.learning.gaussians",
    "hypothesis_space": "heldout.lab.concepts.hypotheses",
    "joint_table": "heldout.lab.concepts.tables",
    "learner": "heldout.lab.learning.fits",
    "list_then_eliminate": "heldout.lab.concepts.version_space",
    "overfitting_pair": "heldout.lab.concepts.overfitting",
    "power": "heldout.lab.rates.sizes",
    "selection_bias": "heldout.lab.folds.selection",
    "size": "heldout.lab.rates.sizes",
    "split_coverage": "heldout.lab.folds.split_coverages",
    "split_size": "heldout.lab.folds.split_sizes",
    "threshold_bias": "heldout.lab.folds.thresholds",
    "true_error": "heldout.lab.concepts.tables",
    "twins": "heldout.lab.learning.exchangeable",
    "unanimous": "heldout.lab.concepts.version_space",
    "unanimous_coverage": "heldout.lab.concepts.version_space",
    "with_noise": "heldout.lab.concepts.tables",
    "world": "heldout.lab.worlds",
    "x_given_class": "heldout.lab.concepts.tables",
    "x_marginal": "heldout.lab.concepts.tables",
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
