"""Arguments of the wrong kind: every verb that has the parameter refuses them in the same words."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import HeldoutError, UsageError
from heldout.verbs.parameters import with_hints

RNG = np.random.default_rng(0)
TRUTH = np.tile([0, 1], 40)
SCORES = np.clip(0.3 * TRUTH + 0.7 * RNG.random((2, 80)), 0, 1)
MODELS = {"a": SCORES[0], "b": SCORES[1]}
REFERENCES = ["the cat sat on mats"] * 9
TEXTS = {"a": REFERENCES, "b": ["the cat sat on hats"] * 9}
LEARNERS = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=1)}
NO_METRICS = "the list of metrics is empty\n  Fix: name one with metrics=, or leave it out"


def evaluate(**options):
    return heldout.evaluate(TRUTH, y_score=SCORES[0], **options)


def compare(**options):
    return heldout.compare(TRUTH, MODELS, **options)


def gate(**options):
    return heldout.gate(TRUTH, MODELS, **{"primary": "accuracy", "margin": 0.1, **options})


def validate(**options):
    return heldout.validate(LEARNERS, SCORES.T, TRUTH, cv=2, **options)


def select(**options):
    return heldout.select({"a": (GaussianNB(), {"var_smoothing": [1e-9, 1]})}, SCORES.T, TRUTH, **options)


def text(**options):
    return heldout.text(REFERENCES, TEXTS, **options)


def refused(verb, **options):
    with pytest.raises(UsageError) as error:
        verb(**options)
    return str(error.value)


LEVEL = "but must be a number between 0 and 1\n  Fix: for 95% write confidence_level=0.95"
SEED = (
    "but must be a whole number from 0 to 4294967295, or a numpy.random.Generator\n"
    "  Fix: write random_state=0, or random_state=numpy.random.default_rng(0)"
)
METRICS = (
    "but must be the name of a metric, or a list of names\n"
    "  Fix: write metrics='accuracy', or metrics=['accuracy', 'f1']"
)
RESAMPLES = "but must be a whole number\n  Fix: write n_resamples=2000"
MARGIN = "but must be a number, or a number per metric\n  Fix: write margin=0.01, or margin={'accuracy': 0.01}"
METHOD = "but must be the name of a method\n  Fix: leave out method for the one that suits the metric"
TEST = "but must be the name of a test\n  Fix: leave out test for the one that suits the metric"
LABELS = "but must be a list of classes\n  Fix: write labels=['no', 'yes']"
COSTS = (
    "but must be a pair (false_positive_cost, false_negative_cost)\n"
    "  Fix: for a false negative that costs ten false positives write choose_threshold=(1, 10)"
)
WRONG = [
    ((evaluate, compare, gate, validate, select, text), "confidence_level", ("a", None, [0.9]), LEVEL),
    ((evaluate, compare, gate, validate, select, text), "random_state", ("a", 1.5), SEED),
    ((evaluate, compare, validate, select, text), "metrics", (5,), METRICS),
    ((evaluate, compare, gate, text), "n_resamples", ("x", None, 2000.5), RESAMPLES),
    ((compare, gate, validate, text), "margin", ("x", [0.1], True, {"accuracy": "x"}), MARGIN),
    ((evaluate, validate, text), "method", (5, None), METHOD),
    ((compare, gate, validate, text), "test", (5,), TEST),
    ((evaluate, compare, gate), "labels", (5, "ab"), LABELS),
    ((evaluate, validate), "choose_threshold", (5, ("a", "b"), "ab", (1,)), COSTS),
    (
        (evaluate, compare, gate), "on_nan", (None,),
        "but must be 'error' or 'drop'\n  Fix: write on_nan='drop' to drop rows with missing values",
    ),
    (
        (evaluate,), "max_fpr", ("x", [0.1]),
        "but must be a number between 0 and 1\n  Fix: for 5% write max_fpr=0.05",
    ),
    (
        (evaluate,), "threshold_from", (5,),
        "but must be the path of a file\n  Fix: write threshold_from='threshold.json', a file that a report has frozen",
    ),
    ((evaluate,), "allow_overlap", ("x",), "but must be True or False\n  Fix: leave out allow_overlap"),
    (
        (compare,), "paired", ("x",),
        "but must be True or False\n  Fix: write paired=False if every model has rows of its own",
    ),
    (
        (gate,), "noise_floor", (5, (1, 2, 3)),
        "but must be a pair of runs of one model\n  Fix: write noise_floor=(first_run, second_run)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "name", "value", "said"),
    [(verb, name, value, said) for verbs, name, values, said in WRONG for verb in verbs for value in values],
)
def test_a_wrong_type_is_named_with_what_would_do(verb, name, value, said):
    assert refused(verb, **{name: value}) == f"{name} is {value!r}, {said}"


def test_a_value_without_a_short_text_is_named_by_its_type():
    state = np.random.RandomState(1)
    assert refused(evaluate, random_state=state) == f"random_state is an object of type RandomState, {SEED}"


@pytest.mark.parametrize("verb", [evaluate, compare, validate, select, text])
@pytest.mark.parametrize("metrics", [[], "", ","])
def test_no_metric_at_all(verb, metrics):
    assert refused(verb, metrics=metrics) == NO_METRICS


def test_no_metric_beside_a_primary_one():
    assert refused(compare, metrics=[], primary="accuracy") == NO_METRICS
    assert refused(validate, metrics=[], primary="accuracy") == NO_METRICS


@pytest.mark.parametrize("verb", [evaluate, compare, gate, text])
def test_resamples_that_would_not_end(verb):
    assert refused(verb, n_resamples=10**12) == (
        "1,000,000,000,000 resamples are too many: 10,000,000 are allowed\n  Fix: use 10000 for stable digits"
    )


@pytest.mark.parametrize("verb", [compare, validate, gate])
def test_a_primary_metric_that_is_none(verb):
    said = "no metric is named '5'\n  Fix: heldout explain metrics lists all"
    assert refused(verb, primary=5) == said


def test_a_reference_model_that_is_no_name():
    assert refused(compare, baseline=0) == "no model is named 0\n  Fix: the models are a, b"
    assert refused(gate, baseline=5) == "no model is named 5\n  Fix: choose one of a, b"
    assert refused(text, baseline=0) == "no system is named 0\n  Fix: choose one of a, b"


@pytest.mark.parametrize("verb", [evaluate, validate, select])
@pytest.mark.parametrize("cost", [{}, {(0, 1): 1}, 5])
def test_costs_that_are_no_matrix(verb, cost):
    assert refused(verb, cost=cost, metrics="cost") == (
        f"cost is {cost!r}, but must be a matrix of 2 x 2 costs: a row per true class, a column per predicted class\n"
        "  Fix: give the costs in the order of the classes, [0, 1]"
    )


@pytest.mark.parametrize("verb", [evaluate, validate, select])
def test_costs_that_are_missing(verb):
    assert refused(verb, cost=[[0, np.nan], [1, 0]], metrics="cost") == (
        "row 1, column 2 of the cost matrix is nan\n  Fix: give a finite cost for every pair of classes"
    )


def test_no_truth():
    with pytest.raises(UsageError) as error:
        heldout.evaluate(None, None)
    assert str(error.value) == (
        "[H106] y_true is None, but must be the true labels or numbers\n"
        "  Fix: pass the true labels or numbers first, or a table that has them"
    )


def test_names_of_columns_beside_arrays():
    assert refused(evaluate, folds="x", choose_threshold=(1, 2)) == (
        "folds names columns of a file or frame, but arrays were given\n  Fix: pass the arrays themselves"
    )


def test_training_rows_beside_arrays():
    assert refused(evaluate, train=pd.DataFrame(SCORES.T)) == (
        "train needs y_true to be a table, but arrays were given\n"
        "  Fix: pass the test rows as a table: evaluate(frame, y_score='…', train=…), or leave out train"
    )


@pytest.mark.parametrize(
    ("models", "shown"), [(list(SCORES), "an object of type list"), ("abc", "'abc'"), (5, "5")]
)  # fmt: skip
def test_models_without_names(models, shown):
    with pytest.raises(UsageError) as error:
        heldout.compare(TRUTH, models)
    assert str(error.value) == (
        f"models is {shown}, but must be a mapping of names to predictions\n"
        "  Fix: pass compare(y_true, {'a': …, 'b': …})"
    )


def test_whole_numbers_and_numpy_values_are_accepted():
    options = {"n_resamples": 1e3, "random_state": np.int64(1), "confidence_level": np.float32(0.9)}
    assert evaluate(metrics="f1", **options).seed == 1
    assert compare(margin=np.float64(0.1), paired=np.bool_(True), metrics="f1, ").differences[0].margin == 0.1


WRONG_TYPES = {
    "value is 'x', but must be a number": lambda: heldout.plan.interval("accuracy", "x", half_width=0.1),
    "metric is 5, but must be text or a metric": lambda: heldout.plan.interval(5, 0.5, half_width=0.1),
    "half_width is 'x', but must be a number": lambda: heldout.plan.interval("accuracy", 0.5, half_width="x"),
    "gain is 'x', but must be a number": lambda: heldout.plan.difference("accuracy", 0.8, gain="x"),
    "rows is 'x', but must be a whole number": lambda: heldout.plan.power("accuracy", 0.8, rows="x", gain=0.1),
    "lower_bound is 'a', but must be a number": lambda: heldout.plan.bound("accuracy", 0.9, lower_bound="a"),
    "rows is 'a', but must be a whole number": lambda: heldout.plan.looks(3, rows="a"),
    "name is 5, but must be text": lambda: heldout.explain(5),
    "x1 is 'a', but must be a whole number": lambda: heldout.test.proportions("a", 1, 1, 1),
    "x is None, but must be a whole number": lambda: heldout.test.binomial(None, 3),
    "the counts are not numbers": lambda: heldout.test.chi_square("abc"),
    "fp is 'a', but must be a number": lambda: heldout.choose_threshold(TRUTH, SCORES[0], fp="a", fn=1),
    "wrong is 'a', but must be a whole number": lambda: heldout.evaluate_counts(wrong="a", of=3),
    "folder is 5, but must be text or a path": lambda: heldout.demo(5),
    "path is 5, but must be text or a path": lambda: evaluate().report(5),
    "store is 5, but must be text or a path": lambda: evaluate().save(5),
    "width is 'x', but must be a whole number": lambda: evaluate().to_text("x"),
    "no estimate is named 5": lambda: evaluate()[5],
    "pos_label is an object of type ndarray, but must be one class": lambda: evaluate(pos_label=np.ones(3)),
    "labels is 3, but must be a list of classes": lambda: evaluate(labels=np.array(3)),
    "metrics is {'accuracy': 0.1}, but must be the name of a metric, or a list of names": lambda: evaluate(
        metrics={"accuracy": 0.1}
    ),
    "post_hoc is None, but must be 'holm' or 'nemenyi' or 'control'": lambda: heldout.compare_across_sets(
        {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.3, 0.1, 0.4]}, post_hoc=None
    ),
    "no schema is named 5": lambda: heldout.schema(5),
    "the truth is an object of type NoneType, which holds no label maps": lambda: heldout.masks(None, None),
    "the references: an object of type NoneType is neither a path nor a list of texts": lambda: heldout.text(
        None, None
    ),
}


@pytest.mark.parametrize("message", WRONG_TYPES)
def test_arguments_of_a_wrong_type_end_in_a_sentence_that_names_them(message):
    with pytest.raises(HeldoutError) as caught:
        WRONG_TYPES[message]()
    assert caught.value.message == message
    assert caught.value.fix


def test_numbers_of_numpy_are_written_as_numbers():
    found = [
        heldout.evaluate_counts(wrong=np.int64(3), of=np.int64(30)),
        heldout.choose_threshold(TRUTH, SCORES[0], fp=np.float32(0.5), fn=np.int64(2)),
        heldout.compare(TRUTH, MODELS, metrics="accuracy", margin={"accuracy": np.float64(0.25)}),
        heldout.compare_fold_scores(
            {"a": [0.5, 0.6, 0.8], "b": [0.7, 0.6, 0.9]}, n_train=np.int64(90), n_test=np.int64(10)
        ),
    ]
    for one in found:
        assert json.loads(one.to_json())["heldout"]


NUMBERS = {
    "threshold": (0.5, evaluate),
    "max_fpr": (0.5, evaluate),
    "choose_threshold": ([1, 2], evaluate),
    "labels": ([0, 1], evaluate),
    "pos_label": (1, evaluate),
    "folds": (4, lambda **given: evaluate(choose_threshold=(1, 2), **given)),
    "margin": ({"accuracy": 0.25}, lambda **given: compare(metrics="accuracy", **given)),
    "looks": (3, lambda **given: compare(look=2, **given)),
    "rope": (0.25, lambda **given: validate(metrics="accuracy", **given)),
    "holdout": (0.25, validate),
    "min_fold_size": (8, validate),
    "repeats": (2, lambda **given: heldout.choose_folds(GaussianNB(), SCORES.T, TRUTH, folds=[2, 5], **given)),
    "of": (30, lambda **given: heldout.evaluate_counts(wrong=3, **given)),
    "classes": ([7, 9], lambda classes: heldout.evaluate_confusion([[5, 3], [4, 9]], labels=classes)),
}
"""Argument → a value, and a call that takes it."""
KINDS = (np.float64, np.float32, np.longdouble, np.array, Fraction, Decimal)


def as_kind(kind, value):
    if isinstance(value, dict):
        return {name: kind(one) for name, one in value.items()}
    return [kind(one) for one in value] if isinstance(value, list) else kind(value)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_any_type_give_the_same_bytes(name):
    value, call = NUMBERS[name]
    plain = call(**{name: value})
    for kind in KINDS:
        assert call(**{name: as_kind(kind, value)}).to_json() == plain.to_json(), kind
    if isinstance(value, list):
        assert call(**{name: np.array(value)}).to_json() == plain.to_json()


def test_a_whole_number_beyond_64_bits_is_a_number():
    assert heldout.evaluate(TRUTH, y_score=SCORES[0], threshold=10**30, metrics="recall")["recall"] == 0


def test_faults_that_are_not_of_an_argument_stay_as_they_are():
    @with_hints
    def verb(width: float = 1.0) -> None:
        raise AttributeError(f"inside: {width}")

    with pytest.raises(AttributeError, match="inside"):
        verb(2.0)
    with pytest.raises(TypeError, match="positional argument"):
        verb(1.0, 2.0)


def test_generators_are_compared_like_lists():
    given = heldout.compare(iter(TRUTH), {name: (one for one in values) for name, values in MODELS.items()})
    assert given == compare()
