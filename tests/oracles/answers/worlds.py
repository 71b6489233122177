"""Worlds whose truth is known, and the parts of an expected loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from heldout import lab
from heldout.lab.learning.bias_variance import domingos, squared
from heldout.lab.learning.gaussian_world import bayes_error
from heldout.lab.worlds.score_worlds import apart
from tests.oracles.answers.asking import Answers, NotAnswered
from tests.oracles.reader import Case, lines

FINITE = {
    "p_x": lab.x_marginal,
    "p_c": lab.class_marginal,
    "p_c_given_x": lab.class_given_x,
    "p_x_given_c": lab.x_given_class,
    "bayes_error_by_exhaustive_search": lab.bayes_error,
}


def finite(case: Case, entry: str) -> Any:
    return FINITE[entry](lab.joint_table(case.params["p_xc_rows_x_columns_c"]))


def normal_classes(case: Case) -> lab.Gaussians:
    """Two normal classes: each given by mean, sd and prior, or both by what they share."""
    if "worlds" in case.params:
        means = tuple((float(mean),) for mean, _, _ in case.params["worlds"])
        covariances = tuple(((float(sd) ** 2,),) for _, sd, _ in case.params["worlds"])
        priors = tuple(float(prior) for _, _, prior in case.params["worlds"])
    else:
        shift = tuple(map(float, case.params["mean_difference"]))
        means = (tuple(0.0 for _ in shift), shift)
        covariances = (tuple(tuple(map(float, line)) for line in case.params["covariance"]),) * 2
        priors = tuple(map(float, case.params["priors"]))
    return lab.Gaussians(name="as asked", means=means, covariances=covariances, priors=priors)


def area_of_x(case: Case) -> float:
    """The area of the world of normal scores whose classes stand as far apart as these, in standard deviations."""
    (first, one, _), (second, other, _) = case.params["worlds"]
    if one != other:
        raise NotAnswered("classes of unequal spread")
    return float(brentq(lambda area: apart(area) - (second - first) / one, 0.01, 1 - 1e-9, xtol=1e-14))


def rounds(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The truth, and what was predicted of it after each training round."""
    truth, *told = np.array(lines(case.file), dtype=float)
    return truth, np.array(told)


def loss_in_parts(case: Case) -> list[float]:
    """Expected loss, bias (with what noise there is in it) and variance, net of what variance corrects."""
    truth, told = rounds(case)
    sets = np.array(float(len(told)))
    classes = np.unique(np.append(told, truth))
    if np.array_equal(classes, classes.round()):  # labels, not numbers
        shares = (told[..., None] == classes).mean(axis=0)
        split = domingos(sets, shares, (truth[:, None] == classes).astype(float))
        mean = {name: float(part.mean()) for name, part in split.items()}
        bias, variance = mean["bias"], mean["unbiased variance"] + mean["biased variance"]
    else:
        split = squared(sets, told.mean(axis=0), (told**2).mean(axis=0), truth, None)
        mean = {name: float(part.mean()) for name, part in split.items()}
        bias, variance = mean["bias² and noise"], mean["variance"]
    return [sum(mean.values()), bias, variance]


BEST: Answers = {
    f"({'|'.join(FINITE)})": finite,
    "bayes_error": lambda case: bayes_error(normal_classes(case))[0],
    "auc_of_x": area_of_x,
}
PARTS: Answers = {"expected_loss_bias_variance": loss_in_parts}
