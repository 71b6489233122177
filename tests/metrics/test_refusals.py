"""What is refused, with the sentence that says why and what to do instead."""

from __future__ import annotations

import numpy as np
import pytest

from heldout import DataError, UsageError, metrics
from tests.metrics import calls

LABELS, CLASSES, MARKS = calls.LABELS["binary"], calls.LABELS["classes"], calls.LABELS["marks"]
SCORED, COLUMNS = (calls.BINARY, calls.CHANCE), (calls.CLASSES, calls.CHANCES)
ONE, SEVERAL = (calls.NUMBERS, calls.PREDICTED), (calls.TARGETS, calls.TARGETS_PREDICTED)

USAGE = [
    (
        "f1_score",
        CLASSES,
        {},
        "average is 'binary', and there are 4 classes\n  Fix: pass average='macro', 'micro', 'weighted' or None",
    ),
    (
        "f1_score",
        MARKS,
        {},
        "average is 'binary', and there are 5 labels per row\n  Fix: pass average='macro', 'micro', 'weighted' or None",
    ),
    (
        "f1_score",
        LABELS,
        {"average": "mean"},
        (
            "average is 'mean', but must be one of 'binary', 'micro', 'macro', 'weighted', 'samples', None\n"
            "  Fix: pass average='binary'"
        ),
    ),
    (
        "f1_score",
        LABELS,
        {"average": "samples"},
        (
            "average is 'samples', which is for several 0/1 labels per row, and y_true has one column\n"
            "  Fix: pass average='macro', 'micro' or 'weighted'"
        ),
    ),
    (
        "precision_score",
        LABELS,
        {"pos_label": 3},
        "pos_label is 3, which is not among the labels 0, 1\n  Fix: pass pos_label=1, for example",
    ),
    (
        "precision_score",
        LABELS,
        {"zero_division": 0.5},
        "zero_division is 0.5, but must be 'warn', 0, 1 or nan\n  Fix: pass zero_division=0",
    ),
    (
        "recall_score",
        MARKS,
        {"average": "macro", "labels": [7]},
        "labels is [7], but the columns of y_true are 0 to 4\n  Fix: pass labels=None",
    ),
    ("fbeta_score", LABELS, {"beta": -1}, "beta is -1, but must be 0 or more\n  Fix: pass beta=1 for F1"),
    (
        "cohen_kappa_score",
        CLASSES,
        {"weights": "cubic"},
        "weights is 'cubic', but must be one of None, 'linear', 'quadratic'\n  Fix: pass weights=None",
    ),
    (
        "cohen_kappa_score",
        MARKS,
        {},
        "kappa needs one label per row, and y_true has 5 columns\n  Fix: pass one column of labels",
    ),
    (
        "confusion_matrix",
        CLASSES,
        {"labels": [8, 9]},
        "labels is [8, 9], and y_true has none of these\n  Fix: pass labels=None for all labels",
    ),
    (
        "confusion_matrix",
        MARKS,
        {},
        "a confusion matrix needs one label per row, and y_true has 5 columns\n  Fix: use multilabel_confusion_matrix",
    ),
    (
        "class_likelihood_ratios",
        CLASSES,
        {},
        (
            "likelihood ratios need two classes, and these are 4: 0, 1, 2, 3\n"
            "  Fix: keep the rows of two classes, or make one class against the rest: y_true == 3, y_pred == 3"
        ),
    ),
    (
        "class_likelihood_ratios",
        LABELS,
        {"replace_undefined_by": 0.5},
        (
            "replace_undefined_by is 0.5, but must be nan, 1.0 or a dict with 'LR+' from 1 on and 'LR-' in [0, 1]\n"
            "  Fix: pass replace_undefined_by={'LR+': 1.0, 'LR-': 1.0}"
        ),
    ),
    (
        "classification_report",
        CLASSES,
        {"target_names": ["a", "b"]},
        (
            "target_names has 2 names, and there are 4 classes: [0, 1, 2, 3]\n"
            "  Fix: pass one name per class, or labels= with the classes that the names are for"
        ),
    ),
    (
        "roc_auc_score",
        COLUMNS,
        {},
        (
            "y_score has 4 columns, and multi_class is 'raise'\n"
            "  Fix: pass multi_class='ovr' (each class against the rest) or multi_class='ovo' (every pair of classes)"
        ),
    ),
    (
        "roc_auc_score",
        COLUMNS,
        {"multi_class": "ovo", "average": "micro"},
        (
            "average is 'micro', but must be one of 'macro', 'weighted' with multi_class='ovo'\n"
            "  Fix: pass average='macro'"
        ),
    ),
    (
        "roc_auc_score",
        COLUMNS,
        {"multi_class": "ovr", "max_fpr": 0.1},
        "max_fpr is 0.1, which is for two classes, and y_score has 4 columns\n  Fix: pass max_fpr=None",
    ),
    (
        "roc_auc_score",
        SCORED,
        {"max_fpr": 1.5},
        "max_fpr is 1.5, but must be above 0 and at most 1\n  Fix: pass max_fpr=0.1",
    ),
    (
        "roc_auc_score",
        (calls.BINARY, np.column_stack([1 - calls.CHANCE, calls.CHANCE])),
        {"multi_class": "ovr"},
        "y_true has two classes and y_score has two columns\n  Fix: pass the scores of the later class: y_score[:, 1]",
    ),
    (
        "roc_auc_score",
        (calls.CLASSES, calls.CHANCE),
        {},
        "y_true has 4 classes and y_score has one column\n  Fix: pass y_score with one column per class",
    ),
    (
        "roc_auc_score",
        COLUMNS,
        {"multi_class": "ovr", "labels": [3, 2, 1, 0]},
        (
            "labels is [3, 2, 1, 0], but must be sorted and without repetition: columns are in that order\n"
            "  Fix: pass labels=[0, 1, 2, 3] and columns in that order"
        ),
    ),
    (
        "average_precision_score",
        COLUMNS,
        {"pos_label": 2},
        "pos_label is 2, which is for two classes, and there are 4 columns of scores\n  Fix: pass pos_label=1",
    ),
    ("top_k_accuracy_score", COLUMNS, {"k": 0}, "k is 0, but must be 1 or more\n  Fix: pass k=1 for the accuracy"),
    ("log_loss", (calls.BINARY,), {}, "y_proba is missing\n  Fix: pass y_proba="),
    (
        "log_loss",
        ([1, 1], [0.5, 0.6]),
        {},
        (
            "y_true has one label only (1), so the classes of y_proba are not known\n"
            "  Fix: pass labels= with all classes, sorted"
        ),
    ),
    (
        "brier_score_loss",
        (["no", "yes"], [0.2, 0.7]),
        {},
        (
            "y_true has the labels ['no', 'yes'], and it is not known which of them y_proba is the probability of\n"
            "  Fix: pass pos_label='yes'"
        ),
    ),
    (
        "hinge_loss",
        ([1, 1], [0.5, -1.0]),
        {},
        (
            "y_true has one class only, so it is not known which sign of pred_decision is right\n"
            "  Fix: evaluate rows of both classes"
        ),
    ),
    (
        "ndcg_score",
        ([[1], [0]], [[0.5], [0.1]]),
        {},
        (
            "y_true has one document per query, and a ranking needs two or more\n"
            "  Fix: pass one row per query and one column per document"
        ),
    ),
    (
        "mean_absolute_error",
        SEVERAL,
        {"multioutput": [0.5, 0.5]},
        (
            "multioutput has 2 weights, and y_true has 3 columns\n"
            "  Fix: pass multioutput='uniform_average', or one weight per column"
        ),
    ),
    (
        "mean_absolute_error",
        ONE,
        {"multioutput": "variance_weighted"},
        (
            "multioutput is 'variance_weighted', but must be one of 'uniform_average', 'raw_values'\n"
            "  Fix: pass multioutput='uniform_average'"
        ),
    ),
    (
        "max_error",
        SEVERAL,
        {},
        "max_error is for one target, and y_true has 3 columns\n  Fix: call it for each column",
    ),
    (
        "mean_tweedie_deviance",
        ONE,
        {"power": 0.5},
        "power is 0.5, but must be 0 or less, or 1 or more\n  Fix: pass power=1 for Poisson",
    ),
    (
        "d2_pinball_score",
        ONE,
        {"alpha": 1.2},
        "alpha is 1.2, but must lie in [0, 1]\n  Fix: pass alpha=0.5 for the median",
    ),
]


@pytest.mark.parametrize(("name", "rows", "options", "sentence"), USAGE)
def test_the_sentence_says_why_and_what_to_do(name, rows, options, sentence):
    with pytest.raises(UsageError) as refused:
        getattr(metrics, name)(*rows, **options)
    assert str(refused.value) == sentence


DATA = [
    (
        "mean_squared_log_error",
        ([1.0, -2.0], [1.0, 1.0]),
        "msle needs true values above -1, and 1 are not, such as -2",
    ),
    (
        "mean_poisson_deviance",
        ([1.0, 0.0], [0.0, 1.0]),
        "the Tweedie deviance of power 1 needs predicted values above 0, and 1 are not, such as 0",
    ),
    (
        "mean_poisson_deviance",
        ([1.0, -0.5], [0.5, 1.0]),
        "the Tweedie deviance of power 1 needs true values 0 or more, and 1 are not, such as -0.5",
    ),
    (
        "ndcg_score",
        ([[1, -1], [0, 1]], [[0.5, 0.2], [0.1, 0.3]]),
        "y_true is -1 at least once, and NDCG needs relevances of 0 or more",
    ),
]


@pytest.mark.parametrize(("name", "rows", "sentence"), DATA)
def test_data_that_a_metric_is_not_defined_for(name, rows, sentence):
    with pytest.raises(DataError) as refused:
        getattr(metrics, name)(*rows)
    assert refused.value.message == sentence
    assert refused.value.fix


def test_rows_without_an_area_of_their_own():
    marks = calls.MARKS.copy()
    marks[4] = 0
    with pytest.raises(DataError, match="row 5 has no or only relevant labels: its area is undefined"):
        metrics.roc_auc_score(marks, calls.MARK_SCORES, average="samples")


def test_thousands_of_labels_are_not_listed():
    many = list(range(5000, 0, -1))
    with pytest.raises(UsageError) as refused:
        metrics.log_loss([1, 2, 1], [[0.5, 0.5]] * 3, labels=many)
    first = ", ".join(map(str, range(5000, 4980, -1)))
    assert str(refused.value).splitlines()[0] == (
        f"labels is [{first} and 4,980 more], but must be sorted and without repetition: columns are in that order"
    )
    with pytest.raises(UsageError, match=r"no metric is named 'mmmm.*… \(9,000 characters\)"):
        metrics.metric("m" * 9000)
