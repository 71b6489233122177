"""Every function that scikit-learn has as well takes what it takes there, and says what each parameter means."""

from __future__ import annotations

import re
from inspect import Parameter, isfunction, signature

import pytest
from sklearn import metrics as peers

from heldout import metrics

FUNCTIONS = {
    name: getattr(metrics, name)
    for name in metrics.__all__
    if isfunction(getattr(metrics, name)) and name not in ("define", "metric")
}
OWN = {
    "groups": None,
    "confidence_level": 0.95,
    "method": "auto",
    "side": "two-sided",
    "n_resamples": 2000,
    "random_state": 0,
}
WITHOUT_INTERVAL = ("confusion_matrix", "multilabel_confusion_matrix")


def test_all_of_them_are_scikit_learns():
    assert [name for name in FUNCTIONS if not hasattr(peers, name)] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_those_of_scikit_learn(name):
    ours, theirs = (signature(function).parameters for function in (FUNCTIONS[name], getattr(peers, name)))
    for parameter in theirs.values():
        assert parameter.name in ours, f"{name} lacks {parameter.name}"
        mine = ours[parameter.name]
        assert mine.kind == parameter.kind, parameter.name
        assert repr(mine.default) == repr(parameter.default), parameter.name
    assert [key for key in ours if key in theirs] == list(theirs)
    beside = {key: ours[key].default for key in ours if key not in theirs}
    assert beside == ({} if name in WITHOUT_INTERVAL else OWN)
    assert {ours[key].kind for key in beside} <= {Parameter.KEYWORD_ONLY}
    assert {parameter.kind for parameter in ours.values()} <= {
        Parameter.POSITIONAL_OR_KEYWORD,
        Parameter.KEYWORD_ONLY,
    }


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_describe_every_parameter_once(name):
    text = FUNCTIONS[name].__doc__
    body = re.search(r"Parameters\n\s*-{10}\n(.*?)\n\n\s*Returns\n", text, re.DOTALL)[1]
    described = re.findall(r"^ *(\w+) : ", body, re.MULTILINE)
    assert described == list(signature(FUNCTIONS[name]).parameters)
    for section in ("Returns", "Raises", "See Also", "Examples"):
        assert len(re.findall(rf"^ *{section}\n *-{{{len(section)}}}\n", text, re.MULTILINE)) == 1, section
    assert max(map(len, text.splitlines())) <= 120
    assert ">>> " in text


SKIPPED = {
    "auc": "an area under given points, not of rows",
    "check_scoring": "about scorers",
    "get_scorer": "about scorers",
    "get_scorer_names": "about scorers",
    "make_scorer": "about scorers: it takes the functions here",
    "det_curve": "heldout.curves",
    "roc_curve": "heldout.curves",
    "precision_recall_curve": "heldout.curves",
    "confusion_matrix_at_thresholds": "heldout.curves",
    "metric_at_thresholds": "heldout.curves",
}
CLUSTERING = re.compile(
    "rand_score|mutual_info|silhouette|davies|calinski|fowlkes|homogeneity|completeness|v_measure|consensus"
    "|pair_confusion|pairwise|euclidean"
)


def test_what_scikit_learn_has_and_this_does_not_is_known():
    theirs = {name for name in dir(peers) if isfunction(getattr(peers, name)) and name[0] != "_"}
    left = {name for name in theirs - set(FUNCTIONS) if not CLUSTERING.search(name)}
    assert left == set(SKIPPED)
