"""How good a predictive model is, how sure of that one may be, and whether another one is better.

    >>> import heldout
    >>> heldout.evaluate([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0])["accuracy"]
    0.833 [0.436, 0.970]

What is named here is loaded when it is first used.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

from heldout.version import __version__

if TYPE_CHECKING:
    from heldout import curves, lab, metrics, plan
    from heldout.errors import DataError, HeldoutError, UsageError
    from heldout.estimates import ComparisonWarning, Estimate
    from heldout.verbs.across_sets import compare_across_sets
    from heldout.verbs.comparison import Comparison, compare
    from heldout.verbs.counts import evaluate_class_counts, evaluate_confusion, evaluate_counts
    from heldout.verbs.definition import define
    from heldout.verbs.demonstration import demo
    from heldout.verbs.evaluation import evaluate
    from heldout.verbs.explanation import explain
    from heldout.verbs.fold_comparison import FoldComparison, compare_fold_scores
    from heldout.verbs.gating import Gate, gate
    from heldout.verbs.images.detection import detect
    from heldout.verbs.images.results import Pictured
    from heldout.verbs.images.segmentations import masks
    from heldout.verbs.learners.curve_points import LearningCurve
    from heldout.verbs.learners.folds_choice import FoldsChoice, choose_folds
    from heldout.verbs.learners.learning_curves import learning_curve
    from heldout.verbs.learners.selection import select
    from heldout.verbs.learners.selections import Selection
    from heldout.verbs.learners.validation import validate
    from heldout.verbs.learners.validations import Validation
    from heldout.verbs.ranking import Ranking
    from heldout.verbs.results import Evaluation
    from heldout.verbs.thresholds import ChosenThreshold, choose_threshold
    from heldout.verbs.writing.evaluation import text
    from heldout.verbs.writing.text_results import TextEvaluation

_HOMES = {
    "ChosenThreshold": "heldout.verbs.thresholds",
    "Comparison": "heldout.verbs.comparison",
    "ComparisonWarning": "heldout.estimates",
    "DataError": "heldout.errors",
    "Estimate": "heldout.estimates",
    "Evaluation": "heldout.verbs.results",
    "FoldComparison": "heldout.verbs.fold_comparison",
    "FoldsChoice": "heldout.verbs.learners.folds_choice",
    "Gate": "heldout.verbs.gating",
    "HeldoutError": "heldout.errors",
    "LearningCurve": "heldout.verbs.learners.curve_points",
    "Pictured": "heldout.verbs.images.results",
    "Ranking": "heldout.verbs.ranking",
    "Selection": "heldout.verbs.learners.selections",
    "TextEvaluation": "heldout.verbs.writing.text_results",
    "UsageError": "heldout.errors",
    "Validation": "heldout.verbs.learners.validations",
    "choose_folds": "heldout.verbs.learners.folds_choice",
    "choose_threshold": "heldout.verbs.thresholds",
    "compare": "heldout.verbs.comparison",
    "compare_across_sets": "heldout.verbs.across_sets",
    "compare_fold_scores": "heldout.verbs.fold_comparison",
    "define": "heldout.verbs.definition",
    "demo": "heldout.verbs.demonstration",
    "detect": "heldout.verbs.images.detection",
    "evaluate": "heldout.verbs.evaluation",
    "evaluate_class_counts": "heldout.verbs.counts",
    "evaluate_confusion": "heldout.verbs.counts",
    "evaluate_counts": "heldout.verbs.counts",
    "explain": "heldout.verbs.explanation",
    "gate": "heldout.verbs.gating",
    "masks": "heldout.verbs.images.segmentations",
    "learning_curve": "heldout.verbs.learners.learning_curves",
    "select": "heldout.verbs.learners.selection",
    "text": "heldout.verbs.writing.evaluation",
    "validate": "heldout.verbs.learners.validation",
}
_NAMESPACES = ("curves", "lab", "metrics", "plan")

__all__ = [
    "ChosenThreshold",
    "Comparison",
    "ComparisonWarning",
    "DataError",
    "Estimate",
    "Evaluation",
    "FoldComparison",
    "FoldsChoice",
    "Gate",
    "HeldoutError",
    "LearningCurve",
    "Pictured",
    "Ranking",
    "Selection",
    "TextEvaluation",
    "UsageError",
    "Validation",
    "__version__",
    "choose_folds",
    "choose_threshold",
    "compare",
    "compare_across_sets",
    "compare_fold_scores",
    "curves",
    "define",
    "demo",
    "detect",
    "evaluate",
    "evaluate_class_counts",
    "evaluate_confusion",
    "evaluate_counts",
    "explain",
    "gate",
    "lab",
    "learning_curve",
    "masks",
    "metrics",
    "plan",
    "select",
    "text",
    "validate",
]

logging.getLogger("heldout").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(import_module(_HOMES[name]), name)
    elif name in _NAMESPACES:
        found = import_module(f"heldout.{name}")
    else:
        raise AttributeError(f"module 'heldout' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
