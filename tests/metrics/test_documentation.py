"""Docstrings of the metric functions: what several share is written once and put where it belongs."""

from __future__ import annotations

import inspect
from itertools import pairwise

import pytest

from heldout import metrics
from heldout.metrics.documentation import SHARED, documented


@documented
def accuracy_score(y_true: object, y_pred: object, *, normalize: bool = True, groups: object = None) -> None:
    """Share of right rows.

    It is an example.

    Parameters
    ----------
    normalize : bool, default: True
        A text of its own.

    Examples
    --------
    >>> 1 + 1
    2
    """


def test_every_parameter_is_there_in_the_order_of_the_signature():
    text = inspect.getdoc(accuracy_score)
    entries = [
        SHARED["y_true"],
        SHARED["y_pred"],
        "normalize : bool, default: True\n    A text of its own.",
        SHARED["groups"],
    ]
    assert "Parameters\n----------\n" + "\n".join(entries) in text
    assert text.startswith("Share of right rows.\n\nIt is an example.\n\nParameters")


def test_the_sections_have_the_order_of_numpydoc():
    lines = inspect.getdoc(accuracy_score).splitlines()
    titles = [line for line, rule in pairwise(lines) if set(rule) == {"-"}]
    assert titles == ["Parameters", "Returns", "Raises", "See Also", "Examples"]


@pytest.mark.parametrize("name", ["roc_auc_score", "f1_score", "r2_score", "ndcg_score", "classification_report"])
def test_public_functions_point_to_their_namesakes(name):
    assert f"sklearn.metrics.{name} : The same value without an interval." in inspect.getdoc(getattr(metrics, name))
