"""Simulations with known truth: coverage of intervals, type I error and power of tests, bias of estimates.

    >>> from heldout import lab
    >>> wald, wilson = lab.coverage(["normal", "wilson"], "coin:p=0.01", 50)
    >>> round(wald.coverage, 3), round(wilson.coverage, 3)
    (0.395, 0.911)

What is named here is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.lazy import attach

if TYPE_CHECKING:
    from heldout.cards.lookup import Card as Card, cards as cards, simulated_metrics as simulated_metrics
    from heldout.lab.concepts.domains import Domain as Domain, domain as domain
    from heldout.lab.concepts.hypotheses import Space as Space, hypothesis_space as hypothesis_space
    from heldout.lab.concepts.joint_table import (
        JointTable as JointTable,
        bayes_classifier as bayes_classifier,
        class_given_x as class_given_x,
        class_marginal as class_marginal,
        drawn_batch as drawn_batch,
        joint_table as joint_table,
        with_noise as with_noise,
        x_given_class as x_given_class,
        x_marginal as x_marginal,
    )
    from heldout.lab.concepts.overfitting import Overfitting as Overfitting, overfitting_pair as overfitting_pair
    from heldout.lab.concepts.overfitting_result import (
        OverfittingSearch as OverfittingSearch,
        overfitting as overfitting,
    )
    from heldout.lab.concepts.table_estimates import estimated_table as estimated_table
    from heldout.lab.concepts.version_space import (
        VersionSpace as VersionSpace,
        empty_because as empty_because,
        first_found as first_found,
        list_then_eliminate as list_then_eliminate,
        unanimous as unanimous,
        unanimous_coverage as unanimous_coverage,
    )
    from heldout.lab.corpora.corpus_rates import CorpusRate as CorpusRate, corpus_rates as corpus_rates
    from heldout.lab.folds.failures import Failure as Failure, failures as failures
    from heldout.lab.folds.learner_tests import (
        LearnerTest as LearnerTest,
        LearnerTests as LearnerTests,
        compare as compare,
        split_power as split_power,
    )
    from heldout.lab.folds.selection_bias import SelectionBias as SelectionBias, selection_bias as selection_bias
    from heldout.lab.folds.split_coverage import SplitCoverage as SplitCoverage, split_coverage as split_coverage
    from heldout.lab.folds.split_size import SplitSize as SplitSize, split_size as split_size
    from heldout.lab.folds.threshold_bias import ThresholdBias as ThresholdBias, threshold_bias as threshold_bias
    from heldout.lab.learning.bias_variance import bias_variance as bias_variance
    from heldout.lab.learning.bias_variance_result import BiasVariance as BiasVariance
    from heldout.lab.learning.ceiling import Ceiling as Ceiling, ceiling as ceiling
    from heldout.lab.learning.estimation_bias import (
        EstimationBias as EstimationBias,
        estimation_bias as estimation_bias,
    )
    from heldout.lab.learning.function_world import Function as Function
    from heldout.lab.learning.gaussian_world import (
        Gaussians as Gaussians,
        Twins as Twins,
        gaussian as gaussian,
        twins as twins,
    )
    from heldout.lab.learning.parameter_sweep import Sweep as Sweep, sweep as sweep
    from heldout.lab.learning.small_learners import Learner as Learner, LinearRule as LinearRule, learner as learner
    from heldout.lab.least_error import bayes_error as bayes_error
    from heldout.lab.rates.coverage import Coverage as Coverage, coverage as coverage
    from heldout.lab.rates.held_out_settings import HeldOutRate as HeldOutRate, held_out as held_out
    from heldout.lab.rates.outside_rates import OutsideRate as OutsideRate, outside as outside
    from heldout.lab.rates.size import Size as Size, power as power, size as size
    from heldout.lab.true_error_result import (
        TrueErrors as TrueErrors,
        rule_errors as rule_errors,
        true_error as true_error,
    )
    from heldout.lab.worlds import Pair as Pair, World as World, world as world

PUBLIC = {
    "heldout.cards.lookup": ("Card", "cards", "simulated_metrics"),
    "heldout.lab.concepts.domains": ("Domain", "domain"),
    "heldout.lab.concepts.hypotheses": ("Space", "hypothesis_space"),
    "heldout.lab.concepts.joint_table": (
        "JointTable",
        "bayes_classifier",
        "class_given_x",
        "class_marginal",
        "drawn_batch",
        "joint_table",
        "with_noise",
        "x_given_class",
        "x_marginal",
    ),
    "heldout.lab.concepts.overfitting": ("Overfitting", "overfitting_pair"),
    "heldout.lab.concepts.overfitting_result": ("OverfittingSearch", "overfitting"),
    "heldout.lab.concepts.table_estimates": ("estimated_table",),
    "heldout.lab.concepts.version_space": (
        "VersionSpace",
        "empty_because",
        "first_found",
        "list_then_eliminate",
        "unanimous",
        "unanimous_coverage",
    ),
    "heldout.lab.corpora.corpus_rates": ("CorpusRate", "corpus_rates"),
    "heldout.lab.folds.failures": ("Failure", "failures"),
    "heldout.lab.folds.learner_tests": ("LearnerTest", "LearnerTests", "compare", "split_power"),
    "heldout.lab.folds.selection_bias": ("SelectionBias", "selection_bias"),
    "heldout.lab.folds.split_coverage": ("SplitCoverage", "split_coverage"),
    "heldout.lab.folds.split_size": ("SplitSize", "split_size"),
    "heldout.lab.folds.threshold_bias": ("ThresholdBias", "threshold_bias"),
    "heldout.lab.learning.bias_variance": ("bias_variance",),
    "heldout.lab.learning.bias_variance_result": ("BiasVariance",),
    "heldout.lab.learning.ceiling": ("Ceiling", "ceiling"),
    "heldout.lab.learning.estimation_bias": ("EstimationBias", "estimation_bias"),
    "heldout.lab.learning.function_world": ("Function",),
    "heldout.lab.learning.gaussian_world": ("Gaussians", "Twins", "gaussian", "twins"),
    "heldout.lab.learning.small_learners": ("Learner", "LinearRule", "learner"),
    "heldout.lab.learning.parameter_sweep": ("Sweep", "sweep"),
    "heldout.lab.least_error": ("bayes_error",),
    "heldout.lab.rates.coverage": ("Coverage", "coverage"),
    "heldout.lab.rates.held_out_settings": ("HeldOutRate", "held_out"),
    "heldout.lab.rates.outside_rates": ("OutsideRate", "outside"),
    "heldout.lab.rates.size": ("Size", "power", "size"),
    "heldout.lab.true_error_result": ("TrueErrors", "rule_errors", "true_error"),
    "heldout.lab.worlds": ("Pair", "World", "world"),
}
"""Module → the public names that live in it."""

__getattr__, __dir__, __all__ = attach(__name__, PUBLIC)
