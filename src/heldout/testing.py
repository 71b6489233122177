"""Assertions for test suites: a model may not get worse.

def test_the_new_model_is_not_worse():
    files = {"released": "released.csv", "candidate": "candidate.csv"}
    assert_not_worse(heldout.gate(files, primary="roc_auc", margin=0.01))
"""

from heldout.verbs.gate import assert_not_worse

__all__ = ["assert_not_worse"]
