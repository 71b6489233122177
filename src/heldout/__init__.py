"""Evaluate predictive models: metrics with confidence intervals, comparisons with significance tests.

    >>> import heldout
    >>> heldout.evaluate([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0])["accuracy"]
    0.833 [0.436, 0.970]

Everything public is listed in `PUBLIC`, by the module it lives in, and in the namespaces; it is loaded when it is first
used. `heldout.metrics` has scikit-learn's metric functions with intervals, `heldout.stats` tests and intervals of
numbers, `heldout.test` textbook tests, `heldout.plan` sample sizes, `heldout.curves` curves with bands,
`heldout.charts` the parts of charts, `heldout.lab` simulations, `heldout.testing` assertions for test suites.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from heldout.lazy import attach
from heldout.version import __version__ as __version__

if TYPE_CHECKING:
    from heldout import (
        charts as charts,
        curves as curves,
        lab as lab,
        metrics as metrics,
        plan as plan,
        stats as stats,
        test as test,
        testing as testing,
    )
    from heldout.errors import (
        DataError as DataError,
        EngineError as EngineError,
        HeldoutError as HeldoutError,
        UsageError as UsageError,
    )
    from heldout.estimates import ComparisonWarning as ComparisonWarning, Estimate as Estimate
    from heldout.report.schema import schema as schema
    from heldout.verbs.across_sets.compare_across_sets import compare_across_sets as compare_across_sets
    from heldout.verbs.across_sets.ranking import Ranking as Ranking
    from heldout.verbs.compare.compare import Comparison as Comparison, compare as compare
    from heldout.verbs.compare.fold_scores import (
        FoldComparison as FoldComparison,
        compare_fold_scores as compare_fold_scores,
    )
    from heldout.verbs.demo import demo as demo
    from heldout.verbs.evaluate.evaluate import evaluate as evaluate
    from heldout.verbs.evaluate.evaluation import Evaluation as Evaluation
    from heldout.verbs.evaluate.from_counts import (
        evaluate_class_counts as evaluate_class_counts,
        evaluate_confusion as evaluate_confusion,
        evaluate_counts as evaluate_counts,
    )
    from heldout.verbs.evaluate.threshold_choice import (
        ChosenThreshold as ChosenThreshold,
        choose_threshold as choose_threshold,
    )
    from heldout.verbs.explain import explain as explain
    from heldout.verbs.gate import Gate as Gate, gate as gate
    from heldout.verbs.images.box_iou import box_iou as box_iou
    from heldout.verbs.images.detect import detect as detect
    from heldout.verbs.images.image_evaluation import (
        DetectionEvaluation as DetectionEvaluation,
        ImageEvaluation as ImageEvaluation,
        MaskEvaluation as MaskEvaluation,
    )
    from heldout.verbs.images.masks import masks as masks
    from heldout.verbs.images.ranked_detections import detect_ranked as detect_ranked
    from heldout.verbs.judgement import Difference as Difference
    from heldout.verbs.own_metric import define as define
    from heldout.verbs.plan.plan import Plan as Plan
    from heldout.verbs.result import Result as Result
    from heldout.verbs.row_split.row_split_result import RowSplit as RowSplit
    from heldout.verbs.row_split.split import split as split
    from heldout.verbs.select.select import select as select
    from heldout.verbs.select.selection import Selection as Selection
    from heldout.verbs.text.text import text as text
    from heldout.verbs.text.text_evaluation import TextEvaluation as TextEvaluation
    from heldout.verbs.textbook_test import TextbookTest as TextbookTest
    from heldout.verbs.validate.choose_folds import FoldsChoice as FoldsChoice, choose_folds as choose_folds
    from heldout.verbs.validate.learning_curve import LearningCurve as LearningCurve, learning_curve as learning_curve
    from heldout.verbs.validate.validate import validate as validate
    from heldout.verbs.validate.validation import Validation as Validation

PUBLIC = {
    "heldout.errors": ("DataError", "EngineError", "HeldoutError", "UsageError"),
    "heldout.estimates": ("ComparisonWarning", "Estimate"),
    "heldout.report.schema": ("schema",),
    "heldout.verbs.across_sets.compare_across_sets": ("compare_across_sets",),
    "heldout.verbs.across_sets.ranking": ("Ranking",),
    "heldout.verbs.compare.compare": ("Comparison", "compare"),
    "heldout.verbs.compare.fold_scores": ("FoldComparison", "compare_fold_scores"),
    "heldout.verbs.demo": ("demo",),
    "heldout.verbs.evaluate.evaluate": ("evaluate",),
    "heldout.verbs.evaluate.evaluation": ("Evaluation",),
    "heldout.verbs.evaluate.from_counts": ("evaluate_class_counts", "evaluate_confusion", "evaluate_counts"),
    "heldout.verbs.evaluate.threshold_choice": ("ChosenThreshold", "choose_threshold"),
    "heldout.verbs.explain": ("explain",),
    "heldout.verbs.gate": ("Gate", "gate"),
    "heldout.verbs.images.box_iou": ("box_iou",),
    "heldout.verbs.images.detect": ("detect",),
    "heldout.verbs.images.image_evaluation": ("DetectionEvaluation", "ImageEvaluation", "MaskEvaluation"),
    "heldout.verbs.images.masks": ("masks",),
    "heldout.verbs.images.ranked_detections": ("detect_ranked",),
    "heldout.verbs.judgement": ("Difference",),
    "heldout.verbs.own_metric": ("define",),
    "heldout.verbs.plan.plan": ("Plan",),
    "heldout.verbs.result": ("Result",),
    "heldout.verbs.row_split.row_split_result": ("RowSplit",),
    "heldout.verbs.row_split.split": ("split",),
    "heldout.verbs.select.select": ("select",),
    "heldout.verbs.select.selection": ("Selection",),
    "heldout.verbs.text.text": ("text",),
    "heldout.verbs.text.text_evaluation": ("TextEvaluation",),
    "heldout.verbs.textbook_test": ("TextbookTest",),
    "heldout.verbs.validate.choose_folds": ("FoldsChoice", "choose_folds"),
    "heldout.verbs.validate.learning_curve": ("LearningCurve", "learning_curve"),
    "heldout.verbs.validate.validate": ("validate",),
    "heldout.verbs.validate.validation": ("Validation",),
}
"""Module → the public names that live in it."""
NAMESPACES = ("charts", "curves", "lab", "metrics", "plan", "stats", "test", "testing")
"""Public modules."""

__getattr__, __dir__, __all__ = attach(__name__, PUBLIC, (*NAMESPACES, "__version__"))

logging.getLogger("heldout").addHandler(logging.NullHandler())
