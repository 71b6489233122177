"""Learners over the splits of one data set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import fdtri, stdtrit

import heldout
from heldout.intervals import out_of_bag, over_splits
from heldout.stats.split_tests import naive_fold_t
from tests.oracles.answers.asking import Answers
from tests.oracles.reader import Case, columns, lines, numbers


def recorded(case: Case) -> dict[str, np.ndarray]:
    """The scores of one pair of learners, in the order of the file; the second is the one to subtract."""
    table = columns(case.file)
    here = np.array(table["pair"]) == case.params["pair"]
    return {name: numbers(table[name])[here] for name in "ba"}


def folds(case: Case) -> dict[str, np.ndarray]:
    """The same of a metric over repeated folds, by repetition and fold."""
    table = columns(case.file)
    learner, order = np.array(table["learner"]), np.lexsort((numbers(table["fold"]), numbers(table["repeat"])))
    scores = numbers(table[case.params["metric"]])[order]
    return {name: scores[learner[order] == case.params[name]] for name in "ba"}


def apart(case: Case) -> np.ndarray:
    found = folds(case)
    return found["a"] - found["b"]


def by_folds(scores: dict[str, np.ndarray], **options: Any) -> heldout.FoldComparison:
    """What `compare_fold_scores` says of a less b; higher is better whatever the metric."""
    return heldout.compare_fold_scores(scores, better="higher", **options)


def told(found: heldout.FoldComparison, statistic: Callable[[float], float]) -> list[float]:
    """The statistic whose tail the p-value is, and the p-value."""
    return [statistic(found.pvalue), found.pvalue]


def students(found: heldout.FoldComparison, df: int) -> list[float]:
    return told(found, lambda p: float(np.sign(found.difference.value) * -stdtrit(df, p / 2)))


def five_by_two(case: Case, test: str) -> list[float]:
    found = by_folds(recorded(case), test=test)
    if test == "5x2cv_f":
        return told(found, lambda p: float(fdtri(10, 5, 1 - p)))
    first = recorded(case)["a"][0] - recorded(case)["b"][0]  # the statistic has the sign of the first difference
    return told(found, lambda p: float(np.sign(first) * -stdtrit(5, p / 2)))


def corrected(case: Case, ratio: float | None = None) -> heldout.FoldComparison:
    params = case.params
    if ratio is None:
        ratio = params["test_train_ratio"] if "test_train_ratio" in params else params["n_test"] / params["n_train"]
    return by_folds(folds(case), n_train=1 / ratio, n_test=1, test="corrected_t")


def corrected_t(case: Case, ratio: float | None = None) -> list[float]:
    return students(corrected(case, ratio), len(apart(case)) - 1)


def named(case: Case) -> dict[str, float]:
    statistic, p = corrected_t(case)
    return {"statistic": statistic, "p.value": p}


def weka(case: Case) -> dict[str, float]:
    found = corrected(case).difference
    return {
        "p_corrected": found.pvalue, "significance_at_05": int(np.sign(found.value)) if found.pvalue < 0.05 else 0,
        "mean_diff": found.value, "sd_diff": spread(case), "p_uncorrected": naive_fold_t(apart(case), 0.95).pvalue,
        "df": len(apart(case)) - 1,
    }  # fmt: skip


def spread(case: Case) -> float:
    """s, from the naive statistic: mean / (s / sqrt(J))."""
    found = naive_fold_t(apart(case), 0.95)
    return found.value / found.statistic * np.sqrt(len(apart(case)))


def naive_limits(case: Case) -> list[float]:
    found = naive_fold_t(apart(case), 0.95)
    return [found.low, found.high]


def naive(case: Case) -> list[float]:
    found = naive_fold_t(apart(case), 0.95)
    return [found.statistic, found.pvalue]


def posterior(case: Case, rope: float) -> Any:
    """Of k folds, splits test a k-th of the rows."""
    found = by_folds(folds(case), n_train=case.params["folds"] - 1, n_test=1, rope=rope).posterior
    assert found is not None
    return found


def sides(case: Case, rope: float) -> list[float]:
    """Chances that the first learner is better, that it makes no difference, and that the second is."""
    found = posterior(case, rope)
    return [found.above, found.within, found.below] if rope else [found.above, found.below]


def moments(case: Case) -> list[float]:
    """The tool's differences are b - a."""
    found = posterior(case, 0.0)
    return [-found.mean, found.scale**2, found.df]


def error(case: Case) -> list[float]:
    """The interval of the method that the name of the file ends with."""
    name, table, level = next(iter(case.files)), columns(case.file), case.params["level"]
    loss = numbers(table["loss"])
    if name.endswith("nested_cv"):
        inner = np.array(table["inner"]) != "NA"
        turn = numbers(table["rep"]) * 1000 + numbers(table["outer"])
        found = over_splits.nested(loss, turn, inner, level, folds=case.params["folds"], rows=case.params["n"])
    elif name.endswith("paired_subsampling"):
        inside = case.params["repeats_in"]
        found = over_splits.conservative_z(loss[:inside], loss[inside:].reshape(-1, 2, inside).mean(axis=2), level)
    elif name.endswith("subsampling"):
        split = numbers(table["iteration"]).astype(int) - 1
        rows = case.params["n"]
        ratio = (rows - round(case.params["ratio"] * rows)) / round(case.params["ratio"] * rows)
        found = over_splits.corrected_t(np.bincount(split, weights=loss) / np.bincount(split), level, ratio=ratio)
    else:
        methods = {"holdout": over_splits.holdout, "cv": over_splits.all_pairs, "loo": over_splits.leave_one_out}
        found = methods[name.rpartition("_")[2]](loss, level)
    return [found.value, found.low, found.high]


def bootstrap(case: Case) -> tuple[over_splits.OverSplits, float, float]:
    """e0, the training error and the no-information rate."""
    files = {name.rpartition("_")[2]: paths[0] for name, paths in case.files.items()}
    table = columns(files["predictions"])
    truth, full = np.array(table["y"]), np.array(table["full"])
    said = np.array([column for name, column in table.items() if name not in ("y", "full")])
    drawn = np.array([np.bincount(np.array(line, int), minlength=len(truth)) for line in lines(files["indices"])])
    found = out_of_bag.out_of_bag((said != truth).astype(float), drawn, 0.95)
    return found, float(np.mean(full != truth)), out_of_bag.no_information_rate(truth, full)


HALVES: Answers = {
    "t_p": lambda case: five_by_two(case, "5x2cv_t"),
    "F_p": lambda case: five_by_two(case, "5x2cv_f"),
}
FOLDS: Answers = {
    "t_p": lambda case: students(by_folds(recorded(case), test="kfold_t"), len(recorded(case)["a"]) - 1),
}
PROBABLE: Answers = {
    "p_no_rope": lambda case: sides(case, 0.0),
    r"p_rope_0_(\d+)": lambda case, digits: sides(case, float(f"0.{digits}")),
    "mean_var_df": moments,
}
ERRORS: Answers = {"est_lower_upper": error}
BOOTSTRAP: Answers = {
    "e0_loo_bootstrap": lambda case: bootstrap(case)[0].value,
    "resubstitution": lambda case: bootstrap(case)[1],
    "no_information_rate": lambda case: bootstrap(case)[2],
    "plain632": lambda case: out_of_bag.dot632(*bootstrap(case)[:2]).value,
    "plus632": lambda case: out_of_bag.dot632_plus(*bootstrap(case)).value,
}
PAIRS: Answers = {
    "repkfold_corrected|resampled_corrected": named,
    "naive_paired_t": naive,
    "naive_ci95": naive_limits,
    "correlated_t_rho_1_over_k": lambda case: corrected_t(case, 1 / (case.params["k"] - 1)),
    "mean_diff": lambda case: corrected(case).difference.value,
    "sd_diff": spread,
    "result": weka,
}
