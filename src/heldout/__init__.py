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
    from heldout.verbs.across_sets.compare_across_sets import compare_across_sets
    from heldout.verbs.across_sets.ranking import Ranking
    from heldout.verbs.compare.compare import Comparison, compare
    from heldout.verbs.compare.fold_scores import FoldComparison, compare_fold_scores
    from heldout.verbs.demo import demo
    from heldout.verbs.evaluate.evaluate import evaluate
    from heldout.verbs.evaluate.evaluation import Evaluation
    from heldout.verbs.evaluate.from_counts import evaluate_class_counts, evaluate_confusion, evaluate_counts
    from heldout.verbs.evaluate.threshold_choice import ChosenThreshold, choose_threshold
    from heldout.verbs.explain import explain
    from heldout.verbs.gate import Gate, gate
    from heldout.verbs.images.detect import detect
    from heldout.verbs.images.image_evaluation import Pictured
    from heldout.verbs.images.masks import masks
    from heldout.verbs.own_metric import define
    from heldout.verbs.select.select import select
    from heldout.verbs.select.selection import Selection
    from heldout.verbs.text.text import text
    from heldout.verbs.text.text_evaluation import TextEvaluation
    from heldout.verbs.validate.choose_folds import FoldsChoice, choose_folds
    from heldout.verbs.validate.learning_curve import LearningCurve, learning_curve
    from heldout.verbs.validate.validate import validate
    from heldout.verbs.validate.validation import Validation

_HOMES = {
    "ChosenThreshold": "heldout.verbs.evaluate.threshold_choice",
    "Comparison": "heldout.verbs.compare.compare",
    "ComparisonWarning": "heldout.estimates",
    "DataError": "heldout.errors",
    "Estimate": "heldout.estimates",
    "Evaluation": "heldout.verbs.evaluate.evaluation",
    "FoldComparison": "heldout.verbs.compare.fold_scores",
    "FoldsChoice": "heldout.verbs.validate.choose_folds",
    "Gate": "heldout.verbs.gate",
    "HeldoutError": "heldout.errors",
    "LearningCurve": "heldout.verbs.validate.learning_curve",
    "Pictured": "heldout.verbs.images.image_evaluation",
    "Ranking": "heldout.verbs.across_sets.ranking",
    "Selection": "heldout.verbs.select.selection",
    "TextEvaluation": "heldout.verbs.text.text_evaluation",
    "UsageError": "heldout.errors",
    "Validation": "heldout.verbs.validate.validation",
    "choose_folds": "heldout.verbs.validate.choose_folds",
    "choose_threshold": "heldout.verbs.evaluate.threshold_choice",
    "compare": "heldout.verbs.compare.compare",
    "compare_across_sets": "heldout.verbs.across_sets.compare_across_sets",
    "compare_fold_scores": "heldout.verbs.compare.fold_scores",
    "define": "heldout.verbs.own_metric",
    "demo": "heldout.verbs.demo",
    "detect": "heldout.verbs.images.detect",
    "evaluate": "heldout.verbs.evaluate.evaluate",
    "evaluate_class_counts": "heldout.verbs.evaluate.from_counts",
    "evaluate_confusion": "heldout.verbs.evaluate.from_counts",
    "evaluate_counts": "heldout.verbs.evaluate.from_counts",
    "explain": "heldout.verbs.explain",
    "gate": "heldout.verbs.gate",
    "masks": "heldout.verbs.images.masks",
    "learning_curve": "heldout.verbs.validate.learning_curve",
    "select": "heldout.verbs.select.select",
    "text": "heldout.verbs.text.text",
    "validate": "heldout.verbs.validate.validate",
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
