from __future__ import annotations

import numpy as np

import heldout


def test_the_log_loss_of_the_dummy_model_is_that_of_the_class_shares():
    """Always saying "b" with certainty would have an infinite log loss; the text says which model 1.040 belongs to."""
    truth = np.repeat(["a", "b", "c"], [6, 10, 5])
    chances = np.full((21, 3), 1 / 3)
    found = heldout.evaluate(truth, y_proba=chances, labels=["a", "b", "c"])
    shares = np.array([6, 10, 5]) / 21
    assert found.baseline.values["log_loss"] == float(-(shares * np.log(shares)).sum())
    assert found.baseline.name == 'always predicts "b"; probabilities: the share of each class'
    (said,) = [check.text for check in found.checks if check.text.startswith("log_loss")]
    assert said.endswith(f"than the dummy model ({found.baseline.values['log_loss']:.3f})")
    assert 'always "b"' not in found.to_text()
