"""The view of hypothesis testing, row B8: alpha, beta, power, and the best recall at a certified rate."""

from __future__ import annotations

from math import ceil, log, sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from scipy.special import ndtr

import heldout
from heldout.cli import verbs
from heldout.errors import HeldoutError
from heldout.stats import threshold_at, wilson


def rows(rng, negatives, positives, shift=1.5):
    truth = np.repeat([0, 1], [negatives, positives])
    return truth, rng.normal(shift * truth, 1)


def point(truth, score, max_fpr=0.1, **options):
    return heldout.evaluate(truth, y_score=score, metrics="roc_auc", max_fpr=max_fpr, **options).operating_point


def test_B8_the_point_in_words():
    truth, score = rows(np.random.default_rng(1), 300, 80)
    found = point(truth, score, confidence_level=0.9)
    assert (found.alpha, found.max_fpr, found.confidence) == (0.1, 0.1, 0.9)
    assert found.violation <= 0.1
    hits = int(np.sum(score[truth == 1] >= found.threshold))
    assert found.power is found.recall
    assert found.recall.value == hits / 80
    assert (found.recall.low, found.recall.high) == wilson(hits, 80, 0.9)
    assert found.beta.value == pytest.approx(1 - found.recall.value)
    assert (found.beta.low, found.beta.high) == pytest.approx((1 - found.recall.high, 1 - found.recall.low))
    assert found.beta.count == (80 - hits, 80)
    assert np.mean(score[truth == 0] > found.threshold) < 0.1


def test_B8_no_lower_threshold_is_certified():
    truth, score = rows(np.random.default_rng(2), 200, 50)
    found = point(truth, score)
    above = int(np.sum(score[truth == 0] > found.threshold))
    # one more false positive among 200, and 0.1 would be exceeded with a chance of more than 5%
    chances = [1, *(np.cumprod([(200 - i) / (i + 1) for i in range(above + 1)]))]
    tails = [sum(c * 0.1**i * 0.9 ** (200 - i) for i, c in enumerate(chances[: k + 1])) for k in (above, above + 1)]
    assert tails[0] == pytest.approx(found.violation)
    assert tails[0] <= 0.05 < tails[1]


def test_B8_the_certified_rate_and_the_recall_hold_at_the_stated_confidence():
    rng = np.random.default_rng(3)
    kept, held, sure = [], [], []
    for _ in range(2000):
        truth, score = rows(rng, 150, 60)
        asked = {"metrics": "accuracy", "threshold": 0.5, "max_fpr": 0.1, "confidence_level": 0.9}
        one = heldout.evaluate(truth, y_score=score, **asked).operating_point
        kept.append(1 - ndtr(one.threshold) <= 0.1)
        held.append(one.recall.low <= ndtr(1.5 - one.threshold) <= one.recall.high)
        sure.append(1 - one.violation)
    print(f"false positive rate kept {np.mean(kept):.3f} (certified {sure[0]:.3f}), recall held {np.mean(held):.3f}")
    assert np.mean(kept) == pytest.approx(sure[0], abs=3 * sqrt(0.09 / 2000))
    assert np.mean(kept) >= 0.9
    assert np.mean(held) >= 0.9 - 3 * sqrt(0.09 / 2000)


def test_B8_the_command_says_the_same(command, file):
    truth, score = rows(np.random.default_rng(4), 100, 40)
    path = file(y_true=truth, y_score=score)
    said = command(path, "--max-fpr", 0.1, "--metric", "roc_auc")
    Draft202012Validator(heldout.schema("heldout.evaluation/1")).validate(said)
    assert said["operating_point"] == point(truth, score).to_dict()
    assert command(path, "--metric", "roc_auc")["operating_point"] is None


def test_B8_every_format_shows_it():
    truth, score = rows(np.random.default_rng(5), 100, 40)
    found = heldout.evaluate(truth, y_score=score, metrics="roc_auc", max_fpr=0.1)
    for form in (found.to_text, found.to_markdown, found.to_latex, found.to_html, found.to_csv, found.to_json):
        assert repr(found.operating_point.threshold) in form(), form


def test_B8_the_frame_has_its_line():
    found = heldout.evaluate(TRUTH, y_score=SCORE, metrics="roc_auc", max_fpr=0.1)
    frame = found.to_frame()
    point = found.operating_point
    assert list(frame["metric"]) == [
        "roc_auc",
        *(f"operating_point.{name}" for name in ("threshold", "recall", "beta")),
    ]
    assert frame["value"].tolist()[1:] == [point.threshold, point.recall.value, point.beta.value]
    assert frame["low"].tolist()[2:] == [point.recall.low, point.beta.low]


def test_B8_the_block_in_the_text():
    truth, score = np.repeat([0, 1], [100, 50]), np.concatenate([np.arange(100), np.arange(60, 110)]) / 2
    lines = str(heldout.evaluate(truth, y_score=score, metrics="roc_auc", max_fpr=0.1)).rstrip("\n").split("\n\n")[2]
    assert lines == (
        "operating point, best recall at a false positive rate of at most 10%: scores\n"
        "  above 47.5 are positive\n"
        "recall (power)  95% CI          counts  misses (beta)  method\n"
        "         0.280  [0.175, 0.417]  14/50           0.720  Wilson\n"
        "alpha, the false positive rate, is at most 10% with 95% confidence: the chance\n"
        "  that it is more is at most 0.024 (100 negative rows)\n"
        "the threshold was chosen on negative rows only, so the interval of recall holds"
    )


@pytest.mark.parametrize(("max_fpr", "level"), [(0.05, 0.95), (0.01, 0.9), (0.3, 0.99)])
def test_B8_too_few_negatives_are_told_how_many_it_takes(max_fpr, level):
    needed = ceil(log(1 - level) / log(1 - max_fpr))
    truth, score = rows(np.random.default_rng(6), needed - 1, 20)
    with pytest.raises(HeldoutError) as refused:
        point(truth, score, max_fpr, confidence_level=level)
    assert str(refused.value) == (
        f"[H310] a false positive rate of {max_fpr:g} cannot be certified with confidence {level:g} from {needed - 1}"
        f" negative rows: it takes {needed}\n"
        "  Fix: give more negative rows, or allow a higher rate or a lower confidence"
    )
    truth, score = rows(np.random.default_rng(6), needed, 20)
    highest = max(score[truth == 0])
    assert point(truth, score, max_fpr, confidence_level=level).threshold == np.nextafter(highest, np.inf)


TRUTH, SCORE = rows(np.random.default_rng(7), 60, 60)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: point(TRUTH, SCORE, 5),
            "max_fpr is 5, but must lie between 0 and 1\n  Fix: for 5% write 0.05",
        ),
        (
            lambda: point(TRUTH, SCORE, groups=np.arange(120) // 2),
            (
                "max_fpr is certified by counting independent rows, but 120 rows are 60 groups\n"
                "  Fix: give one row per group, or leave out max_fpr"
            ),
        ),
        (
            lambda: point(TRUTH, SCORE, sample_weight=np.arange(120) + 1.0),
            ("max_fpr is certified by counting rows, but they have weights\n  Fix: leave out the weights or max_fpr"),
        ),
        (
            lambda: heldout.evaluate(TRUTH, TRUTH, max_fpr=0.1),
            (
                "[H106] max_fpr needs scores to choose a threshold among\n"
                "  Fix: give a score column, or leave out max_fpr"
            ),
        ),
        (
            lambda: heldout.evaluate([0.5, 1.5, 2.25], [1.0, 2.0, 3.0], max_fpr=0.1),
            "max_fpr is about two classes, not about regression data\n  Fix: leave out max_fpr",
        ),
    ],
)
def test_B8_where_nothing_can_be_certified_it_says_why(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said


def test_B8_groups_of_one_row_are_independent_rows():
    assert point(TRUTH, SCORE, groups=np.arange(120)) == point(TRUTH, SCORE)


def test_B8_counts_have_no_threshold():
    result = CliRunner().invoke(verbs, ["evaluate", "--wrong", "3", "--of", "10", "--max-fpr", "0.1"])
    assert (result.exit_code, result.stderr) == (
        2,
        ("error: --max-fpr has no effect with --wrong and --of: it needs rows\n  Fix: leave out --max-fpr\n"),
    )


def test_B8_the_threshold_passed_on_means_the_same_rows():
    rng = np.random.default_rng(8)
    truth, score = rows(rng, 300, 100)
    score = np.round(score, 1)  # many rows tie
    certified = point(truth, score)
    again = heldout.evaluate(truth, y_score=score, threshold=certified.threshold, metrics="recall,specificity")
    assert again["recall"].count == certified.recall.count
    k = threshold_at(score[truth == 0], 0.1, 0.95).rank
    assert again["specificity"].count[0] >= k
