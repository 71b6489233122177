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
    from heldout.verbs.gating import Gate, gate
    from heldout.verbs.ranking import Ranking
    from heldout.verbs.results import Evaluation

_HOMES = {
    "Comparison": "heldout.verbs.comparison",
    "ComparisonWarning": "heldout.estimates",
    "DataError": "heldout.errors",
    "Estimate": "heldout.estimates",
    "Evaluation": "heldout.verbs.results",
    "Gate": "heldout.verbs.gating",
    "HeldoutError": "heldout.errors",
    "Ranking": "heldout.verbs.ranking",
    "UsageError": "heldout.errors",
    "compare": "heldout.verbs.comparison",
    "compare_across_sets": "heldout.verbs.across_sets",
    "define": "heldout.verbs.definition",
    "demo": "heldout.verbs.demonstration",
    "evaluate": "heldout.verbs.evaluation",
    "evaluate_class_counts": "heldout.verbs.counts",
    "evaluate_confusion": "heldout.verbs.counts",
    "evaluate_counts": "heldout.verbs.counts",
    "explain": "heldout.verbs.explanation",
    "gate": "heldout.verbs.gating",
}
_NAMESPACES = ("curves", "lab", "metrics", "plan")

__all__ = [
    "Comparison",
    "ComparisonWarning",
    "DataError",
    "Estimate",
    "Evaluation",
    "Gate",
    "HeldoutError",
    "Ranking",
    "UsageError",
    "__version__",
    "compare",
    "compare_across_sets",
    "curves",
    "define",
    "demo",
    "evaluate",
    "evaluate_class_counts",
    "evaluate_confusion",
    "evaluate_counts",
    "explain",
    "gate",
    "lab",
    "metrics",
    "plan",
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
