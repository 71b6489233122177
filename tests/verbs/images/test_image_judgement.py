"""From paired differences on the same images to verdicts."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest

from heldout.errors import UsageError
from heldout.stats.multiplicity import holm
from heldout.verbs.compare.paired_difference import Found
from heldout.verbs.images.image_judgement import judged, known_name, overall


def found(p, value=0.1, test="paired image bootstrap"):
    return Found(value=value, low=value - 0.08, high=value + 0.08, p=p, test=test, error=0.04)


def verdicts(given, **options):
    settings = {"base": "old", "primary": "AP", "margin": None, "units": 50, "level": 0.95} | options
    return {(one.a, one.metric): one for one in judged(given, **settings)}


def test_the_primary_figure_is_corrected_for_models_and_all_others_together():
    given = {
        (model, figure): found(p)
        for model, ps in (("a", (0.02, 0.03, 0.01)), ("b", (0.04, 0.20, 0.005)))
        for figure, p in zip(("AP", "AP50", "AR1"), ps, strict=True)
    }
    seen = verdicts(given)
    first = holm(np.array([0.02, 0.04]))
    assert [seen[model, "AP"].p_adjusted for model in "ab"] == pytest.approx(first.tolist())
    rest = [pair for pair in given if pair[1] != "AP"]
    known = holm(np.array([given[pair].p for pair in rest]))
    assert [seen[pair].p_adjusted for pair in rest] == pytest.approx(known.tolist())
    assert (seen["a", "AP"].verdict, seen["b", "AP50"].verdict) == ("BETTER", "UNDECIDED")


def test_a_figure_that_could_not_be_tested_is_no_part_of_the_correction():
    given = {("a", "AP"): found(0.01), ("a", "AP50"): found(nan, test="none"), ("a", "AR1"): found(0.02)}
    seen = verdicts(given)
    assert isnan(seen["a", "AP50"].p_adjusted)
    assert seen["a", "AP50"].verdict == "UNDECIDED"
    assert seen["a", "AR1"].p_adjusted == pytest.approx(0.02)


def test_undecided_says_how_many_images_would_settle_it():
    seen = verdicts({("a", "AP"): found(0.3)})
    assert seen["a", "AP"].rows_needed > 50
    assert verdicts({("a", "AP"): found(0.001)})["a", "AP"].rows_needed is None


def test_a_margin_makes_small_differences_equivalent():
    small = Found(value=0.001, low=-0.01, high=0.012, p=0.8, test="paired image bootstrap", error=0.0056)
    assert verdicts({("a", "AP"): small}, margin=0.02)["a", "AP"].verdict == "EQUIVALENT"
    assert verdicts({("a", "AP"): small}, margin=0.005)["a", "AP"].verdict == "UNDECIDED"


def test_the_overall_verdict_is_that_of_all_models():
    better, worse = found(0.001), found(0.001, value=-0.1)
    assert overall(list(verdicts({("a", "AP"): better}).values()), "AP") == "BETTER"
    both = verdicts({("a", "AP"): better, ("b", "AP"): worse})
    assert overall(list(both.values()), "AP") == "UNDECIDED"
    assert overall([], "AP") is None


def test_names():
    assert known_name(None, ["a", "b"], "model") == "a"
    assert known_name("b", ["a", "b"], "model") == "b"
    with pytest.raises(UsageError, match=r"^no model is named 'bb'; did you mean 'b'\?"):
        known_name("bb", ["a", "b"], "model")
