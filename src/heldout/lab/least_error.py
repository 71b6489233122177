"""The Bayes error of every distribution that is known."""

from __future__ import annotations

from heldout.lab.concepts import joint_table
from heldout.lab.concepts.joint_table import JointTable
from heldout.lab.learning import gaussian_world
from heldout.lab.learning.gaussian_world import Gaussians, Twins


def bayes_error(world: JointTable | Gaussians | Twins) -> float:
    """The Bayes error, the least error of any classifier: 1 − E[max_c p(c | x)].

    Parameters
    ----------
    world : JointTable, Gaussians or Twins
        The joint distribution of points and classes, from `joint_table`, `gaussian` or `twins`.

    Returns
    -------
    float
        The error, from 0 to 1. Of Gaussian classes of unequal covariance it is integrated, in more than two
        dimensions over simulated points.

    Examples
    --------
    >>> from heldout import lab
    >>> round(lab.bayes_error(lab.joint_table([[0.3, 0.1], [0.2, 0.4]])), 12)
    0.3
    >>> round(lab.bayes_error(lab.gaussian(distance=2.0)), 6)
    0.158655
    """
    if isinstance(world, Twins):
        return world.bayes_error
    return gaussian_world.bayes_error(world)[0] if isinstance(world, Gaussians) else joint_table.bayes_error(world)
