from __future__ import annotations

import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs


def run(*arguments):
    return CliRunner().invoke(verbs, ["explain", *arguments])


def test_a_code():
    assert run("H305").stdout == (
        "H305  (error or note)\n  Values are missing or infinite. They are never dropped silently.\n"
        "  docs      docs/errors.md#h305\n"
    )


def test_words_need_no_quotes():
    assert run("clopper", "pearson").stdout.startswith("clopper_pearson  (interval method)\n")


def test_without_a_name_all_are_listed():
    lines = run().stdout.splitlines()
    kinds = ["metrics", "methods", "tests", "codes", "words"]
    assert [line for line in lines if line and not line.startswith(" ")] == kinds


def test_a_test_by_the_name_that_compare_prints():
    assert run("swaps,", "counted").stdout == (
        "swaps, counted  (test)\n"
        "  Were the models equally good, how often would what they said, swapped row by\n"
        "  row, differ as much?\n"
        "  formula   p = share of all 2^m swaps with |d*| >= |d|, m rows on which they\n"
        "            disagree; none is drawn\n"
        "  default   only by name: --test permutation, metrics of labels as long as swaps\n"
        "            can be counted\n"
    )


def test_unknown():
    result = run("acuracy")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: nothing is named 'acuracy'; did you mean 'accuracy'?\n"
        "  Fix: heldout explain without a name lists all names\n"
    )


def test_the_sign_of_the_mean_error_is_said_and_bias_is_not_its_other_name():
    """Once `bias` was another name of mean_error, whose sign is the other way round."""
    screen = " ".join(CliRunner().invoke(verbs, ["explain", "bias"]).stdout.split())
    assert "prediction minus truth, which is minus the metric mean_error (truth minus prediction)" in screen
    assert "(metric)" not in screen
    screen = " ".join(CliRunner().invoke(verbs, ["explain", "mean_error"]).stdout.split())
    assert "Mean of truth minus prediction, t - p: positive where predictions are too low" in screen
    assert float(heldout.evaluate([1.5, 2.5, 3.5], [1.0, 2.0, 3.0], metrics="mean_error")["mean_error"]) == 0.5
    with pytest.raises(heldout.UsageError, match="no metric is named 'bias'"):
        heldout.evaluate([1.5, 2.5, 3.5], [1.0, 2.0, 3.0], metrics="bias")
