"""Every message of the door, whole: what was seen and where, and the remedy."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pandas as pd
import pytest

from heldout.errors import HeldoutError
from heldout.inputs import from_arrays, read

ERRORS = {
    "arrays whose scores point the other way": (
        lambda: from_arrays([0, 1] * 20, y_proba=[0.9, 0.1] * 20),
        (
            "DataError: [H103] the positive class is ambiguous: y_true has 0, 1, and scores average 0.9 for 0 and 0.1 "
            "for 1"
        ),
        (
            "choose the positive class: pos_label=0 if the score is for 0 (AUC 1.000), pos_label=1 if it is for 1 "
            "(AUC 0.000)"
        ),
    ),
    "nothing in common": (
        lambda: from_arrays(["a", "b"], ["c", "d"]),
        "DataError: [H107] y_true has the labels 'a', 'b' and y_pred has 'c', 'd': they have none in common",
        "write predictions with the labels of y_true, or pass y_score=… or y_proba=… for scores",
    ),
    "nothing in common in a table": (
        lambda: read({"y": ["Yes", "No"], "y_pred": ["Pos", "Neg"]}),
        (
            "DataError: [H107] the dict: y has the labels 'No', 'Yes' and y_pred has 'Neg', 'Pos': they have none in "
            "common"
        ),
        "write predictions with the labels of y, or pass y_score='y_pred' for scores",
    ),
    "the truth as the prediction": (
        lambda: read({"y": [0, 1], "p": [0.1, 0.9]}, pred="y"),
        "UsageError: [H106] the dict: 'y' is named both as the truth and as the prediction",
        "name the column of the model's output: y_pred='NAME'",
    ),
    "the truth as the score": (
        lambda: read({"y": [0, 1], "p": [0.1, 0.9]}, truth="y", score="y"),
        "UsageError: [H106] the dict: 'y' is named both as the truth and as the score",
        "name the column of the model's output: y_score='NAME'",
    ),
    "columns that name no class": (
        lambda: from_arrays(["a", "b"], y_proba=pd.DataFrame({"x": [0.1, 0.9], "z": [0.9, 0.1]})),
        "DataError: [H106] the columns of y_proba (x, z) name no class of y_true ('a', 'b')",
        (
            "rename them after the classes, or pass y_proba as an array (.to_numpy()) with columns in the order of the "
            "classes"
        ),
    ),
    "a class that no column names": (
        lambda: from_arrays(["a", "b"], y_proba=pd.DataFrame({"x": [0.1, 0.9], "b": [0.9, 0.1]})),
        (
            "DataError: [H106] the class 'a' has no column of probabilities (y_proba); there are y_proba['x'], "
            "y_proba['b']"
        ),
        "export one probability for every class",
    ),
    "columns that name no target": (
        lambda: from_arrays(pd.DataFrame({"a": [0, 1], "b": [1, 1]}), pd.DataFrame({"a": [0, 1], "c": [1, 1]})),
        "DataError: [H106] the columns of y_pred (a, c) are not named after those of the truth (a, b)",
        "rename them, or pass y_pred as an array (.to_numpy()) with columns in the order of the truth",
    ),
    "a prediction of fractions for 0 and 1": (
        lambda: from_arrays([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.1]),
        "UsageError: [H107] y_true has the labels 0, 1, and y_pred holds fractions such as 0.2",
        (
            "pass y_score=… or y_proba=… if y_pred holds scores or probabilities, or task='regression' if "
            "these are numbers to predict"
        ),
    ),
    "fractions for any two whole numbers": (
        lambda: from_arrays([1, 2], [0.5, 0.6]),
        "UsageError: [H107] y_true has the labels 1, 2, and y_pred holds fractions such as 0.5",
        (
            "pass y_score=… or y_proba=… if y_pred holds scores or probabilities, or task='regression' if "
            "these are numbers to predict"
        ),
    ),
    "fractions for labels, task given": (
        lambda: from_arrays([0, 1], [0.5, 1.0], task="binary"),
        "UsageError: [H107] y_true has the labels 0, 1, and y_pred holds fractions such as 0.5",
        (
            "pass y_score=… or y_proba=… if y_pred holds scores or probabilities, or task='regression' if "
            "these are numbers to predict"
        ),
    ),
    "decisions instead of scores": (
        lambda: from_arrays([0, 1, 1, 0], y_score=[0, 1, 1, 0]),
        (
            "DataError: [H102] y_score has only the values 0 and 1. AUC, calibration and log loss "
            "need scores, not decisions"
        ),
        "export predict_proba[:, 1] as y_score, or pass y_pred=… instead for label metrics only",
    ),
    "decisions in a table": (
        lambda: read({"y": [0, 1, 1, 0], "p": [0, 1, 1, 1]}),
        (
            "DataError: [H102] the dict: p has only the values 0 and 1. AUC, calibration and log loss "
            "need scores, not decisions"
        ),
        "export predict_proba[:, 1] as p, or pass y_pred='p' for label metrics only",
    ),
    "labels of other types": (
        lambda: from_arrays(["a", "b"], [0, 1]),
        "DataError: [H107] y_true has the labels 'a', 'b' and y_pred has 0, 1: they have none in common",
        "write predictions with the labels of y_true, or pass y_score=… or y_proba=… for scores",
    ),
    "one score for three classes": (
        lambda: from_arrays([1, 2, 3], y_score=[0.1, 0.2, 0.3]),
        "DataError: [H107] the single score y_score needs two classes, and y_true has 3: 1, 2, 3",
        (
            "give one column of probabilities per class (p_<class>), or predicted labels, or pass y_pred=… "
            "and task='regression' if these are numbers to predict"
        ),
    ),
    "a probability too many": (
        lambda: from_arrays(["a", "c"], y_proba=[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]),
        "DataError: [H107] y_proba has 3 columns, and the classes are 2: 'a', 'c'",
        "give one column per class, in the sorted order of the labels, or name all classes as labels",
    ),
    "two probabilities and one class": (
        lambda: from_arrays(["b", "b"], y_proba=[[0.1, 0.9], [0.3, 0.7]]),
        "DataError: [H107] y_proba has 2 columns, and the classes are 1: 'b'",
        "give one column per class, in the sorted order of the labels, or name all classes as labels",
    ),
    "probabilities that do not sum to one": (
        lambda: from_arrays([1, 0], y_proba=[[0.1, 0.9], [0.3, 0.8]]),
        "DataError: [H306] the probabilities of row 2 (y_proba[:, 0], y_proba[:, 1]) sum to 1.1, not to 1",
        "export one probability for every class, or pass link='logit' if these are logits",
    ),
    "many such rows": (
        lambda: read({"y": ["a", "b", "c"], "p_a": [0.2] * 3, "p_b": [0.2] * 3, "p_c": [0.2] * 3}),
        ("DataError: [H306] the dict: the probabilities of row 1 (p_a, p_b, p_c) sum to 0.6, not to 1 (3 such rows)"),
        "export one probability for every class, or pass link='logit' if these are logits",
    ),
    "a probability above one": (
        lambda: from_arrays([1, 0], y_proba=[1.2, 0.3]),
        (
            "DataError: [H306] probabilities are outside [0, 1] (min 0.3, max 1.2): y_proba is 1.2 in row 1; "
            "a probability is never above 1"
        ),
        "check how the probabilities were computed",
    ),
    "a negative probability": (
        lambda: from_arrays([1, 0], y_proba=[-0.1, 0.3]),
        (
            "DataError: [H306] probabilities are outside [0, 1] (min -0.1, max 0.3): y_proba is -0.1 "
            "in row 1; a probability is never negative"
        ),
        "pass probabilities, or link='logit' if these are logits",
    ),
    "logits": (
        lambda: read({"y": [1, 0], "p": [-4.2, 6.8]}),
        (
            "DataError: [H306] the dict: probabilities are outside [0, 1] (min -4.2, max 6.8): p is "
            "-4.2 in row 1; these look like logits"
        ),
        "pass probabilities, or link='logit' if these are logits",
    ),
    "percentages": (
        lambda: read({"y": [1, 0], "p": [20, 90]}),
        (
            "DataError: [H306] the dict: probabilities are outside [0, 1] (min 20, max 90): p is 20 "
            "in row 1; these look like percentages"
        ),
        "divide percentages by 100",
    ),
    "lengths": (
        lambda: from_arrays([1, 0, 1], [1, 0]),
        "DataError: [H112] y_true has 3 rows and y_pred has 2",
        "pass columns of one length",
    ),
    "no rows": (lambda: from_arrays([], []), "DataError: [H112] y_true has no rows", "export the predictions again"),
    "no rows in a table": (
        lambda: read({"y": [], "p": []}),
        "DataError: [H112] the dict has no rows",
        "export the predictions again",
    ),
    "no predictions": (
        lambda: from_arrays([1, 0]),
        "DataError: [H106] there are no predictions: y_pred, y_score and y_proba are all missing",
        "pass y_pred=, y_score= or y_proba=",
    ),
    "no predicted numbers": (
        lambda: from_arrays([1.5, 2.5]),
        (
            "DataError: [H106] y_true holds fractions such as 1.5, so the task is regression, and there are "
            "no predicted numbers"
        ),
        "name the predictions with y_pred=…, or state the task: task='binary'",
    ),
    "no predicted numbers, task given": (
        lambda: from_arrays([1, 2], y_score=[1, 2], task="regression"),
        "DataError: [H106] there are no predicted numbers: y_pred is missing",
        "pass y_pred=",
    ),
    "no predictions in a table": (
        lambda: read({"y": ["a", "b"]}),
        (
            "DataError: [H106] the dict: the truth is y, and there is no column of predictions "
            "(looked for y_pred, prediction, pred, yhat; y_score, score, prob, proba, p; p_<class>)"
        ),
        "name it with y_pred='NAME' or y_score='NAME'",
    ),
    "predictions of several models": (
        lambda: read({"y": ["a", "b"], "yhat_lr": ["a", "b"], "yhat_rf": ["a", "a"]}),
        (
            "DataError: [H106] the dict: the truth is y, and there is no column of predictions "
            "(looked for y_pred, prediction, pred, yhat; y_score, score, prob, proba, p; p_<class>); "
            "yhat_lr, yhat_rf may be predictions of several models"
        ),
        "name it with y_pred='yhat_lr' or y_score='NAME'",
    ),
    "scores of several models": (
        lambda: read(
            {"y": ["a", "b"], "p_lr": [0.1, 0.2], "p_rf": [0.1, 0.2], "yhat_lr": ["a", "b"], "yhat_rf": ["a", "a"]}
        ),
        (
            "DataError: [H106] the dict: p_lr, p_rf: no class of y ('a', 'b') has one of these names, "
            "so these may be scores of several models"
        ),
        "name the column to evaluate, such as y_score='p_lr' or y_pred='yhat_lr'",
    ),
    "a negative weight": (
        lambda: from_arrays([1, 0], [1, 0], sample_weight=[1, -1]),
        "DataError: [H109] the weight in sample_weight is -1 in row 2, and must be zero or more",
        "remove the row, or give it the weight 0",
    ),
    "weights of zero": (
        lambda: from_arrays([1, 0], [1, 0], sample_weight=[0, 0]),
        "DataError: [H109] every weight in sample_weight is zero",
        "give at least one row a positive weight",
    ),
    "a missing label": (
        lambda: from_arrays([1, None], [1, 0]),
        "DataError: [H305] y_true is missing in row 2. Rows are never dropped silently",
        "complete the values, or drop these rows with on_nan='drop'",
    ),
    "missing and infinite": (
        lambda: from_arrays([1, nan, 0], y_score=[0.1, 0.2, inf]),
        (
            "DataError: [H305] y_true is missing in row 2; y_score is infinite (inf) in row 3. Rows "
            "are never dropped silently"
        ),
        "complete the values, or drop these rows with on_nan='drop'",
    ),
    "nothing complete": (
        lambda: from_arrays([1, nan], [nan, 0], on_nan="drop"),
        "DataError: [H305] no row is complete: y_true is missing in row 2; y_pred is missing in row 1",
        "complete the values",
    ),
    "a missing group": (
        lambda: read({"y": ["a", "b"], "yhat": ["a", "b"], "group": ["g", None]}),
        "DataError: [H305] the dict: group is missing in row 2. Rows are never dropped silently",
        "complete the values, or drop these rows with on_nan='drop'",
    ),
    "an unknown task": (
        lambda: from_arrays([1, 0], [1, 0], task="binry"),
        "UsageError: task 'binry' is not known; did you mean 'binary'?",
        "choose one of binary, multiclass, multilabel, regression",
    ),
    "an unknown link": (
        lambda: from_arrays([1, 0], [1, 0], link="probit"),
        "UsageError: link 'probit' is not known",
        "choose one of logit",
    ),
    "an unknown positive class": (
        lambda: from_arrays([1, 0], [1, 0], pos_label=2),
        "UsageError: [H107] the positive class 2 is not among the labels 0, 1",
        "name one of the labels",
    ),
    "a positive class in another case": (
        lambda: from_arrays(["spam", "ham"], ["spam", "spam"], pos_label="Spam"),
        ("UsageError: [H107] the positive class 'Spam' is not among the labels 'ham', 'spam'; did you mean 'spam'?"),
        "name one of the labels",
    ),
    "a positive class of three": (
        lambda: from_arrays([1, 2, 3], [1, 2, 3], pos_label=2),
        "UsageError: [H107] a positive class (2) was given for 3 classes: 1, 2, 3",
        "leave it out, or pass two classes",
    ),
    "a threshold for three": (
        lambda: from_arrays([1, 2, 3], [1, 2, 3], threshold=0.5),
        "UsageError: [H107] a threshold (0.5) was given for 3 classes: 1, 2, 3",
        "leave it out, or pass two classes",
    ),
    "a positive class for numbers": (
        lambda: from_arrays([1.5, 2], [1, 2], pos_label=2),
        "UsageError: [H107] a positive class (2) was given, and the task is regression",
        "leave it out, or state the task: task='binary'",
    ),
    "a positive class for several labels": (
        lambda: from_arrays([[0, 1], [1, 1]], [[0, 1], [0, 1]], pos_label=1),
        "UsageError: [H107] a positive class (1) was given, and the task is multilabel: 1 is positive",
        "leave it out, or pass one truth",
    ),
    "fewer predictions than targets": (
        lambda: from_arrays([[0.5, 1], [1, 1]], [0, 1]),
        "UsageError: [H106] y_true has 2 columns and y_pred has 1",
        "pass one column per target",
    ),
    "a matrix of predictions": (
        lambda: from_arrays([0, 1], [[0.2, 0.8], [0.5, 0.5]]),
        "UsageError: [H106] y_true has 1 column and y_pred has 2",
        "pass scores or probabilities per class as y_proba= or y_score=",
    ),
    "no label is 2": (
        lambda: from_arrays([[0, 2], [1, 1]], [[0, 1], [0, 1]], task="multilabel"),
        "DataError: [H107] y_true[:, 1] is 2 in row 1, and a label of several is 0 or 1",
        "write 0 and 1, or pass task='regression' if these are numbers",
    ),
    "fewer scores than labels": (
        lambda: from_arrays([[0, 1], [1, 1]], y_score=[0.5, 0.5]),
        "DataError: [H106] there are 2 labels and 1 columns of scores",
        "pass one score per label",
    ),
    "one truth is not multilabel": (
        lambda: from_arrays([0, 1], [0, 1], task="multilabel"),
        "UsageError: [H106] the task multilabel was given, and there is one column of truth",
        "name the truth of that task, or leave the task out",
    ),
    "several truths are not binary": (
        lambda: from_arrays([[0, 1], [1, 1]], [[0, 1], [0, 1]], task="binary"),
        "UsageError: [H106] the task binary was given, and there are 2 columns of truth",
        "name the truth of that task, or leave the task out",
    ),
    "score and probability": (
        lambda: from_arrays([0, 1], y_score=[0.2, 0.3], y_proba=[0.3, 0.3]),
        "UsageError: [H106] y_score and y_proba were both given",
        "give the probabilities as y_proba only",
    ),
    "two types": (
        lambda: from_arrays([1, "a"], [1, 2]),
        (
            "DataError: [H107] y_true holds values that are not labels of one type: int ('1' in row "
            "1), str ('a' in row 2)"
        ),
        "write every value of y_true in one way: all text, all numbers, or all booleans",
    ),
    "ragged": (
        lambda: from_arrays([[1, 2], [3]], [1, 2]),
        "DataError: [H112] the rows of y_true differ in length",
        "pass a rectangular array",
    ),
    "three dimensions": (
        lambda: from_arrays(np.zeros((2, 2, 2)), [1, 2]),
        "DataError: [H107] y_true has the shape (2, 2, 2), and one column, or one per class, is needed",
        "pass y_true with one row per row and at most one column per class, label or target",
    ),
    "text for a column": (
        lambda: from_arrays("abc", [1, 2]),
        "DataError: [H107] y_true is of type str, and one value per row is needed",
        "pass y_true as a list, an array or a series",
    ),
    "dates": (
        lambda: from_arrays(np.array(["2020-01-01"], dtype="datetime64[s]"), [1]),
        ("DataError: [H107] y_true holds values of type datetime64[s], which are neither labels nor numbers"),
        "pass y_true as text, integers, booleans or floats",
    ),
    "text that is no text": (
        lambda: from_arrays(["\ud800", "a"], ["a", "a"]),
        "DataError: [H107] y_true holds text that is not valid Unicode",
        "remove lone surrogates from the labels",
    ),
    "too many classes": (
        lambda: from_arrays(list(range(10_001)), list(range(10_001)), task="multiclass"),
        (
            "DataError: [H107] y_true has 10,001 different values, and 2,000 classes are the most: these are ids or "
            "numbers, not classes"
        ),
        "name the column of labels, or pass task='regression'",
    ),
    "labels left out": (
        lambda: from_arrays([0, 1], [0, 1], labels=[1, 2]),
        "DataError: [H107] y_true or its prediction has labels that are not among those given (1, 2): 0",
        "add them to labels, or leave labels out",
    ),
    "labels of another type": (
        lambda: from_arrays([0, 1], [0, 1], labels=[1, 0, "x"]),
        "UsageError: [H107] the labels given (1, 0, 'x') are not of the type of those in the data (0, 1)",
        "give the labels as the data writes them",
    ),
    "scores that point the other way": (
        lambda: read({"y": ["no", "yes"] * 20, "p": [0.81, 0.22] * 20}),
        (
            "DataError: [H103] the dict: the positive class is ambiguous: y has 'no', 'yes', and scores "
            "average 0.81 for 'no' and 0.22 for 'yes'"
        ),
        (
            "choose the positive class: pos_label='no' if the score is for 'no' (AUC 1.000), pos_label='yes' "
            "if it is for 'yes' (AUC 0.000)"
        ),
    ),
    "predictions and a threshold": (
        lambda: from_arrays([0, 1], [0, 1], y_score=[0.2, 0.6], threshold=0.1),
        "UsageError: [H106] predictions (y_pred) and a threshold (0.1) were both given",
        "give one of the two",
    ),
    "a threshold that is no number": (
        lambda: from_arrays([0, 1], y_score=[0.2, 0.6], threshold=nan),
        "UsageError: [H108] the threshold nan is not a finite number",
        "give a number such as 0.5",
    ),
    "a class without probability": (
        lambda: read({"y": ["a", "b", "c"], "p_a": [0.2, 0.7, 0.1], "p_b": [0.8, 0.3, 0.1]}),
        (
            "DataError: [H106] the dict: the class 'c' has no column of probabilities (p_<label>); "
            "there are 'p_a', 'p_b'"
        ),
        "export one probability for every class",
    ),
    "an unknown column": (
        lambda: read({"y": ["a", "b"], "score": [1, 2]}, truth="yy"),
        ("UsageError: [H106] the dict has no column 'yy' for the truth; did you mean 'y'? its columns are y, score"),
        "name one of these columns",
    ),
    "an unknown column, nothing close": (
        lambda: read({"y": ["a", "b"], "p": [0.1, 0.2]}, score="quality"),
        "UsageError: [H106] the dict has no column 'quality' for the score; its columns are y, p",
        "name one of these columns",
    ),
    "an unknown prefix": (
        lambda: read({"y": ["a", "b"], "p": [0.1, 0.2]}, prob_prefix="q_"),
        "UsageError: [H106] the dict has no column that starts with 'q_'; its columns are y, p",
        "give the text before the class, such as p_ for p_yes and p_no",
    ),
    "the score twice": (
        lambda: read({"y": ["a", "b"], "p": [0.1, 0.2]}, prob_prefix="p_", score="p"),
        "UsageError: [H106] the score is named twice, as 'p' and by the prefix 'p_'",
        "name one of the two",
    ),
    "ids twice": (
        lambda: read({"y": ["a", "b", "a"], "yhat": ["a", "a", "a"], "id": [1, 7, 1]}),
        (
            "DataError: [H105] the dict: 1 id occurs more than once (at most 2 times): id 1 is in "
            "rows 1, 3, and these are not independent"
        ),
        "groups='id' for cluster-robust intervals, or remove the duplicates",
    ),
    "more ids twice": (
        lambda: read({"y": ["a"] * 5, "yhat": ["a"] * 5, "id": ["u", "v", "v", "u", "u"]}),
        (
            "DataError: [H105] the dict: 2 ids occur more than once (at most 3 times): id 'u' is in "
            "rows 1, 4, 5, and these are not independent"
        ),
        "groups='id' for cluster-robust intervals, or remove the duplicates",
    ),
    "predictions for some truths": (
        lambda: read({"a": [1, 2], "b": [1, 2], "q": [1, 2]}, truth="a,b", pred="q"),
        "DataError: [H106] the dict: 2 truths (a, b) and 1 predictions (q) were named",
        "name one prediction per truth, in the same order",
    ),
    "a target without prediction": (
        lambda: read({"y1": [1, 3], "y2": [2, 4], "yhat1": [1, 3]}),
        "DataError: [H106] the dict: y2 has no predictions; looked for yhat2, yhat_2, pred_2, p_2",
        "add the predictions of y2, or name the truth with truth=",
    ),
    "no truth": (
        lambda: read({"a": [1, 2], "b": [1, 2]}),
        (
            "DataError: [H106] the dict has no column for the truth: its columns are a, b; looked for "
            "y_true, truth, label, target, y"
        ),
        "name the column with truth=, or write a header line",
    ),
    "no header": (
        lambda: read({"0": [1, 2], "Yes": ["No", "No"], "0.7": [0.1, 0.2]}),
        (
            "DataError: [H106] the dict has no column for the truth: its columns are 0, Yes, 0.7; "
            "looked for y_true, truth, label, target, y; the first line looks like data: is the "
            "header missing?"
        ),
        "name the column with truth=, or write a header line",
    ),
    "columns that differ in case only": (
        lambda: read({"Y": [1, 2], " y": [1, 2], "p": [0.1, 0.2]}),
        "DataError: [H106] the dict has the column 'y' twice",
        "rename or remove one of the two",
    ),
    "true and false for 1 and 2": (
        lambda: read({"y": ["2", "1"], "yhat": ["True", "False"]}),
        (
            "DataError: [H107] the dict: y has the labels '1', '2' and yhat has 'False', 'True': they "
            "have none in common"
        ),
        "write predictions with the labels of y, or pass y_score='yhat' for scores",
    ),
    "numbers and words": (
        lambda: read({"y": ["1", "0", "1.0", "True", "yes"], "yhat": ["1", "0", "1", "1", "0"]}),
        "DataError: [H107] the dict: y mixes numbers and words: '0', '1', '1.0', 'True', 'yes'",
        "write every value of y in one way, such as 0 and 1",
    ),
    "thousands": (
        lambda: read({"y": ["2", "1,234.5"], "yhat": ["2", "1,200"]}),
        "DataError: [H108] the dict: y is '1,234.5' in row 2, which is not a number",
        "write numbers without thousands separators: 1234.5",
    ),
    "thousands in numbers": (
        lambda: read({"y": [2, 1234.5], "yhat": ["2", "1,200"]}, task="regression"),
        "DataError: [H108] the dict: yhat is '1,200' in row 2, which is not a number",
        "write 1,200 without thousands separators: 1200",
    ),
    "a word among numbers": (
        lambda: read({"y": ["yes", "no"], "p": ["0.5", "high"]}),
        "DataError: [H108] the dict: p is 'high' in row 2, which is not a number",
        "write p in plain decimal notation, such as 0.25 or 1e-3",
    ),
    "percent signs": (
        lambda: read({"y": ["yes", "no"], "p": ["97.5%", "3%"]}),
        "DataError: [H108] the dict: p is '97.5%' in row 1 (2 such rows), which is not a number",
        "write percentages as shares between 0 and 1: 97.5% is 0.975",
    ),
    "beyond the largest number": (
        lambda: read({"y": ["yes", "no"], "p": ["0.5", "1e400"]}),
        ("DataError: [H108] the dict: p is 1e400 in row 2, beyond the largest floating-point number (1.8e308)"),
        "check how p was computed",
    ),
    "a number whose square overflows": (
        lambda: from_arrays([1, -1e200], [1.5, 2]),
        "DataError: [H108] y_true is -1e+200 in row 2: the square of its error would overflow",
        "write the numbers in a larger unit",
    ),
    "an object": (
        lambda: read(3),
        "UsageError: [H100] an object of type int is neither a path nor a frame",
        "pass a path, a pandas, polars or pyarrow table, or a dict of arrays",
    ),
    "no file": (
        lambda: read("nowhere-at-all.csv"),
        "DataError: [H100] there is no file nowhere-at-all.csv",
        "check the path and the folder it starts from",
    ),
    "three classes for one score": (
        lambda: read({"y": ["a", "b", "c"], "score": [1, 2, 3], "yhat": ["a", "b", "c"]}, score="score"),
        "DataError: [H107] the dict: the single score score needs two classes, and y has 3: 'a', 'b', 'c'",
        "give one column of probabilities per class (p_<class>), or predicted labels",
    ),
    "three classes for two": (
        lambda: read({"y": ["a", "b", "c"], "yhat": ["a", "b", "c"]}, task="binary"),
        "DataError: [H107] the dict: the task binary needs two classes, and y has 3: 'a', 'b', 'c'",
        "give one column of probabilities per class (p_<class>), or predicted labels",
    ),
    "two classes, one score, multiclass": (
        lambda: read({"y": ["a", "b"], "p": [0.1, 0.4]}, task="multiclass"),
        ("DataError: [H106] the dict: the task multiclass needs predicted labels or one probability per class"),
        "add columns p_<class>, or predicted labels",
    ),
}

NOTES = {
    "true and false for 1 and 0": (
        lambda: read({"y": [0, 1], "yhat": ["True", "False"]}),
        ["H107 yhat holds true and false, read as 1 and 0"],
    ),
    "true and True": (
        lambda: read({"y": ["True", "False"], "yhat": ["true", "false"]}),
        ["H107 'False', 'True', 'false', 'true' are read as true and false, whatever their case"],
    ),
    "1.0 for 1": (
        lambda: read({"y": ["1", "0"], "yhat": ["1.0", "0"]}),
        ["H107 yhat writes whole numbers as 1.0; they are read as 1"],
    ),
    "the second in sort order": (
        lambda: read({"y": ["a", "b"], "yhat": ["a", "a"]}),
        [
            (
                "H111 'b' is taken as the positive class of 'a', 'b' (the second in sort order); choose it with "
                "pos_label=…"
            ),
        ],
    ),
    "1 of 1 and 2": (
        lambda: read({"y": [1, 2], "yhat": [1, 1]}),
        [
            "H111 1 is taken as the positive class of 1, 2 (it is the 1); choose it with pos_label=…",
        ],
    ),
    "a column that names its class": (
        lambda: read({"y": ["a", "b"], "p_a": [0.2, 0.7]}),
        [
            "H111 'a' is taken as the positive class, because p_a names it",
            "H111 rows with p_a of 0.5 or more are predicted positive; threshold=… sets another threshold",
        ],
    ),
    "the other class of that column": (
        lambda: read({"y": ["a", "b"], "p_a": [0.2, 0.7]}, positive="b"),
        [
            "H111 rows with 1 - p_a of 0.5 or more are predicted positive; threshold=… sets another threshold",
        ],
    ),
    "a score that is a probability": (
        lambda: read({"y": ["no", "yes"], "score": [0.1, 0.2]}),
        [
            "H111 score lies in [0, 1] and is read as a probability",
            "H111 rows with score of 0.5 or more are predicted positive; threshold=… sets another threshold",
        ],
    ),
    "a score that is none": (
        lambda: read({"y": ["no", "yes"], "score": [0.1, 2]}),
        [
            (
                "H111 score lies outside [0, 1], so no threshold is assumed and label metrics are left out; set "
                "threshold=…"
            ),
        ],
    ),
    "several labels with probabilities": (
        lambda: read({"y_cat": [1, 0], "y_dog": [0, 1], "p_cat": [0.9, 0.2], "p_dog": [0.2, 0.4]}),
        [
            "H111 labels with a probability of 0.5 or more are predicted; threshold=… sets another threshold",
        ],
    ),
    "several labels with scores": (
        lambda: from_arrays([[0, 1], [1, 1]], y_score=[[2.0, 0.7], [0.6, -0.4]]),
        [
            (
                "H111 scores lie outside [0, 1], so no threshold is assumed and label metrics are left out; set "
                "threshold=…"
            ),
        ],
    ),
    "a threshold instead of predictions": (
        lambda: read({"y": ["no", "yes"], "p": [0.1, 0.2], "yhat": ["no", "no"]}, threshold=0.15),
        ["H111 yhat: not used, because a threshold was given"],
    ),
    "a score beside numbers": (
        lambda: read({"y": [1.5, 2.5], "yhat": [1, 2.0], "p": [0.1, 0.2]}),
        [
            "H111 p: not used, because the task is regression; task=… states another",
        ],
    ),
    "a score beside three classes": (
        lambda: read({"y": ["a", "b", "c"], "score": [1, 2, 3], "yhat": ["a", "b", "c"]}),
        ["H111 score: not used, because one score cannot rank 3 classes"],
    ),
    "models beside the prediction": (
        lambda: read({"y": ["no", "yes"], "yhat": ["no", "yes"], "p_lr": [0.1, 0.2]}),
        ["H111 p_lr: no class of y ('no', 'yes') has one of these names; not used"],
    ),
    "models beside probabilities": (
        lambda: read(
            {"y": ["a", "b", "c"], "yhat_lr": ["a", "b", "c"], "p_a": [1, 0, 0], "p_b": [0, 1, 0], "p_c": [0, 0, 1]}
        ),
        [
            (
                "H111 'yhat_lr': not used; the prediction is the class with the highest probability; y_pred=… "
                "names another"
            ),
        ],
    ),
    "a class that has no rows": (
        lambda: read({"y": ["a", "b"], "p_a": [1, 0], "p_b": [0, 1], "p_c": [0, 0]}),
        ["H104 no row has the class 'c', though there is a probability for it"],
    ),
    "one class": (
        lambda: from_arrays([1, 1], [1, 0]),
        ["H104 y_true has one class only (2 x 1): recall or specificity, and AUC, are undefined"],
    ),
    "one class and no other": (
        lambda: from_arrays(["cat", "cat"], ["cat", "cat"]),
        ["H104 y_true has one class only (2 x 'cat'): recall or specificity, and AUC, are undefined"],
    ),
    "arrays whose scores point the other way, positive class given": (
        lambda: from_arrays([0, 1] * 20, y_proba=[0.9, 0.1] * 20, pos_label=1),
        [
            "H103 scores average 0.9 for 0 and 0.1 for 1, though 1 is the positive class: AUC is 0.000",
            "H111 rows with y_proba of 0.5 or more are predicted positive; threshold=… sets another threshold",
        ],
    ),
    "rows dropped": (
        lambda: from_arrays([1, None, 0, 1], [1, 0, 0, None], on_nan="drop"),
        ["H305 2 of 4 rows were dropped: y_true is missing in row 2; y_pred is missing in row 4"],
    ),
    "look alikes": (
        lambda: from_arrays(["Yes", "yes", "No"], ["Yes", "yes ", "No"]),
        ["H107 the labels 'Yes', 'yes', 'yes ' look alike and are counted as 3 different classes"],
    ),
    "look alikes of another script": (
        lambda: from_arrays(
            ["a", "\u0430", "Y", "\u03a5", "\u041d\u043e", "\u043d\u043e"], ["a", "a", "Y", "Y", "a", "a"]
        ),
        [
            "H107 the labels 'Y', '\\u03a5' look alike and are counted as 2 different classes",
            "H107 the labels 'a', '\\u0430' look alike and are counted as 2 different classes",
            "H107 the labels '\u041d\u043e', '\u043d\u043e' look alike and are counted as 2 different classes",
        ],
    ),
    "look alikes one cannot see": (
        lambda: from_arrays(["caf\xe9", "cafe\u0301", "the\u200b"], ["the", "the", "caf\xe9"]),
        [
            "H107 the labels 'cafe\\u0301', 'caf\\xe9' look alike and are counted as 2 different classes",
            "H107 the labels 'the', 'the\\u200b' look alike and are counted as 2 different classes",
        ],
    ),
    "labels that look missing": (
        lambda: from_arrays(["NA", "DE", "NA"], ["NA", "DE", "DE"]),
        [
            "H107 'NA': kept as a label, not read as a missing value; if missing, leave it empty",
            (
                "H111 'NA' is taken as the positive class of 'DE', 'NA' (the second in sort order); choose it "
                "with pos_label=…"
            ),
        ],
    ),
    "nothing in common, labels given": (
        lambda: from_arrays(["a", "b"], ["c", "d"], labels=["a", "b", "c", "d"]),
        ["H107 y_pred has none of the labels of y_true: every prediction is wrong"],
    ),
    "nothing in common, 0 and 1": (
        lambda: from_arrays([0, 0, 0], [1, 1, 1]),
        [
            "H107 y_pred has none of the labels of y_true: every prediction is wrong",
            "H104 y_true has one class only (3 x 0): recall or specificity, and AUC, are undefined",
        ],
    ),
    "a class without a row, named by a column": (
        lambda: from_arrays(["a", "b"], y_proba=pd.DataFrame({"c": [0.1, 0.1], "b": [0.2, 0.8], "a": [0.7, 0.1]})),
        ["H104 no row has the class 'c', though there is a probability for it"],
    ),
    "an index in another order": (
        lambda: from_arrays(
            pd.Series([0, 1], [5, 9]), pd.Series([1, 0], [9, 5]), sample_weight=pd.Series([1, 2], [9, 5])
        ),
        ["H101 the rows of y_pred, sample_weight are matched with those of y_true by index, which is in another order"],
    ),
}


@pytest.mark.parametrize(("step", "message", "fix"), ERRORS.values(), ids=ERRORS)
def test_error(step, message, fix):
    with pytest.raises(HeldoutError) as caught:
        step()
    assert f"{type(caught.value).__name__}: {caught.value}" == f"{message}\n  Fix: {fix}"


@pytest.mark.parametrize(("step", "notes"), NOTES.values(), ids=NOTES)
def test_note(step, notes):
    assert [f"{check.code} {check.text}" for check in step().checks] == notes
