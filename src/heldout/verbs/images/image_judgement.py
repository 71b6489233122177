"""From paired differences on the same images to verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan

import numpy as np

from heldout.cards.lookup import LEVEL, Card, rejection_card
from heldout.errors import UsageError, did_you_mean
from heldout.stats.multiplicity import holm
from heldout.verbs.compare.paired_difference import Found, rows_needed
from heldout.verbs.judgement import Difference, Verdict, margin_of, verdict_of

Pair = tuple[str, str]
"""A model and a figure."""
UNTESTED = ("none", "identical")
"""What stands in the place of a test where there is none."""


def judged(
    found: Mapping[Pair, Found], *, base: str, primary: str, margin: float | Mapping[str, float] | None, units: int,
    level: float, of_base: Mapping[str, float] | None = None,
) -> tuple[Difference, ...]:  # fmt: skip
    """Differences with verdicts: the primary figure corrected for the number of models, all others together (Holm).

    `of_base` has the baseline's values of those figures whose tests the lab knows.
    """
    first = [pair for pair in found if pair[1] == primary]
    rest = [pair for pair in found if pair[1] != primary]
    corrected = {**_holm(found, first), **_holm(found, rest)}
    return tuple(
        _difference(
            pair,
            one,
            corrected[pair],
            base,
            margin=margin_of(margin, pair[1], primary),
            units=units,
            level=level,
            tests=1 if pair[1] == primary else max(len(rest), 1),
            card=_card(pair[1], one, (of_base or {}).get(pair[1], nan), units, level),
        )
        for pair, one in found.items()
    )


def _holm(found: Mapping[Pair, Found], family: Sequence[Pair]) -> dict[Pair, float]:
    adjusted = holm(np.array([found[pair].p for pair in family])).tolist() if family else []
    return dict(zip(family, adjusted, strict=True))


def _card(figure: str, one: Found, value: float, units: int, level: float) -> Card | None:
    """How often such a test rejected what was true in the lab."""
    if level != LEVEL or isnan(value) or isnan(one.p) or one.test in UNTESTED:
        return None
    return rejection_card(figure, "auto", clustered=False, units=units, value=value)


def _difference(
    pair: Pair, one: Found, p: float, base: str, *, margin: float | None, units: int, level: float, tests: int,
    card: Card | None,
) -> Difference:  # fmt: skip
    verdict = verdict_of(one, "higher", None if isnan(p) else p, margin, level)
    return Difference(
        metric=pair[1], a=pair[0], b=base, value=one.value, low=one.low, high=one.high, level=level, p=one.p,
        p_adjusted=nan if isnan(p) else p, test=one.test, verdict=verdict, margin=margin, better="higher",
        rows_needed=rows_needed(one, units, level, tests) if verdict == "UNDECIDED" else None, notes=one.notes,
        printed=True, card=card,
    )  # fmt: skip


def overall(differences: Sequence[Difference], primary: str) -> Verdict | None:
    """The verdict on the primary figure, where all models share it; None where there is nothing to compare."""
    said = {one.verdict for one in differences if one.metric == primary}
    if not said:
        return None
    return next(iter(said)) if len(said) == 1 else "UNDECIDED"


def known_name(name: str | None, names: Sequence[str], what: str) -> str:
    """A name among those there are; the first where none is given."""
    if name is None:
        return names[0]
    if name not in names:
        fix = f"choose one of {', '.join(names)}"
        raise UsageError(f"no {what} is named {name!r}{did_you_mean(name, names)}", fix=fix)
    return name
