"""Learners over the splits of one data set."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.intervals import nested_cv as nested
from heldout.intervals import out_of_bag, over_splits
from heldout.stats import split_tests as resampled
from heldout.stats.outcome import Outcome
from tests.oracles.answers.asking import Answers
from tests.oracles.reader import Case, columns, lines, numbers


def recorded(case: Case) -> np.ndarray:
    """Differences a - b of one pair of learners, in the order of the file."""
    table = columns(case.file)
    here = np.array(table["pair"]) == case.params["pair"]
    return (numbers(table["a"]) - numbers(table["b"]))[here]


def folds(case: Case) -> np.ndarray:
    """Differences a - b of a metric over repeated folds, by repetition and fold."""
    table = columns(case.file)
    learner, order = np.array(table["learner"]), np.lexsort((numbers(table["fold"]), numbers(table["repeat"])))
    values = [numbers(table[case.params["metric"]])[order][learner[order] == case.params[name]] for name in "ab"]
    return values[0] - values[1]


def told(found: Outcome) -> list[float]:
    return [found.statistic, found.p]


def halves(case: Case, test: Any) -> list[float]:
    return told(test(recorded(case).reshape(5, 2), 0.95))


def corrected(case: Case, ratio: float | None = None) -> Outcome:
    params = case.params
    if ratio is None:
        ratio = params["test_train_ratio"] if "test_train_ratio" in params else params["n_test"] / params["n_train"]
    return resampled.corrected_resampled_t(folds(case), 0.95, ratio=ratio)


def named(case: Case) -> dict[str, float]:
    found = corrected(case)
    return {"statistic": found.statistic, "p.value": found.p}


def weka(case: Case) -> dict[str, float]:
    found, naive = corrected(case), resampled.naive_fold_t(folds(case), 0.95)
    return {
        "p_corrected": found.p, "significance_at_05": int(np.sign(found.value)) if found.p < 0.05 else 0,
        "mean_diff": found.value, "sd_diff": spread(case), "p_uncorrected": naive.p, "df": found.df,
    }  # fmt: skip


def spread(case: Case) -> float:
    """s, from the naive statistic: mean / (s / sqrt(J))."""
    found = resampled.naive_fold_t(folds(case), 0.95)
    return found.value / found.statistic * np.sqrt(len(folds(case)))


def naive_limits(case: Case) -> list[float]:
    found = resampled.naive_fold_t(folds(case), 0.95)
    return [found.low, found.high]


def posterior(case: Case, rope: float) -> resampled.Posterior:
    return resampled.bayes_correlated_t(folds(case), rope, correlation=1 / case.params["folds"])


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
        found = nested.nested(loss, turn, inner, level, folds=case.params["folds"], rows=case.params["n"])
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
    "t_p": lambda case: halves(case, resampled.five_by_two_t),
    "F_p": lambda case: halves(case, resampled.five_by_two_f),
}
FOLDS: Answers = {"t_p": lambda case: told(resampled.kfold_paired_t(recorded(case), 0.95))}
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
    "naive_paired_t": lambda case: told(resampled.naive_fold_t(folds(case), 0.95)),
    "naive_ci95": naive_limits,
    "correlated_t_rho_1_over_k": lambda case: told(corrected(case, 1 / (case.params["k"] - 1))),
    "mean_diff": lambda case: corrected(case).value,
    "sd_diff": spread,
    "result": weka,
}
