"""The models of a comparison: which tests suit their rows."""

from __future__ import annotations

import pytest

from heldout.errors import UsageError
from heldout.verbs.compare.compared_models import known_test


@pytest.mark.parametrize(
    ("test", "paired", "message"),
    [
        ("mcnemarr", True, r"^no test is named 'mcnemarr'; did you mean 'mcnemar'\?"),
        ("z", True, "^the test z is for independent samples, and the rows are matched"),
        ("mcnemar", False, "^the test mcnemar is for matched rows, and these are independent samples"),
    ],
)
def test_a_test_that_is_not_for_these_rows(test, paired, message):
    with pytest.raises(UsageError, match=message):
        known_test(test, paired=paired)
