"""The features of the settings that cards come from: medians over a few samples of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from heldout.cards.features import STORED, Features
from heldout.estimates.data_features import data_features
from heldout.lab.worlds import metric_in, one_model, several_models
from heldout.verbs.influence import pair_features
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

SAMPLES = 9
DIGITS = 4


def setting_features(
    kind: Literal["intervals", "tests"], world: str, n: int, metrics: Iterable[str], *, samples: int = SAMPLES
) -> dict[str, Features]:
    """The features of n rows of a world, by metric.

    >>> found = setting_features("intervals", "coin:p=0.9", 100, ["accuracy"])["accuracy"]
    >>> found.units, 5 < found.events < 15
    (100.0, True)
    """
    rng = np.random.default_rng(0)
    drawn: dict[str, list[Features]] = {name: [] for name in metrics}
    for _ in range(samples):
        if kind == "intervals":
            place = one_model(world)
            measured = Measurement(place.draw(n, rng), Settings(cost=place.recipe.cost))
            for name, found in drawn.items():
                metric = metric_in(place, name)
                label = measured.batch.positive if metric.one_class else None
                if measured.batch.time is None:
                    found.append(data_features(metric, measured.tally(metric, label), label=label))
                else:  # the interval knows how times depend on each other
                    found.append(measured.one(metric, label).data_features())  # type: ignore[arg-type]
        else:
            pair = several_models(world)
            asked = Settings(cost=pair.recipes[0].cost)
            first, second, *_ = (Measurement(batch, asked) for batch in pair.draw(n, rng).values())
            for name, found in drawn.items():
                found.append(pair_features(metric_in(pair, name), second, first))
    return {name: _middle(found) for name, found in drawn.items()}


def _middle(found: list[Features]) -> Features:
    """The median of each feature over the samples in which it is known."""
    columns = {name: np.array([getattr(one, name) for one in found], dtype=float) for name in ("units", *STORED)}
    known = {name: column[~np.isnan(column)] for name, column in columns.items()}
    middle = {name: float(np.median(part)) if len(part) else float("nan") for name, part in known.items()}
    return Features(**{name: float(f"{value:.{DIGITS}g}") for name, value in middle.items()})
