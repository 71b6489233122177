"""The look-up of simulated rates, checked: cards of half of the settings say what the other half was measured to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.cards.features import STORED, Features
from heldout.cards.lookup import level_of, neighbours, setting_places, shipped_cards, worst
from heldout.errors import DataError, UsageError
from heldout.inputs.formats.coco import read_json
from heldout.lab.simulated_rates import HeldOutRates

ALLOWED = 0.02
"""How much better than measured a printed rate may be."""
SHARE = 0.05
"""In how many cells it may be better than that."""
FAR_WORSE = 0.05
"""How much worse is distinguished, too: a rate that is far too low tells a reader nothing."""
Row = list[Any]
Gap = tuple[float, float, str]
Away = Literal["settings", "simulations"]
AWAY: tuple[Away, ...] = ("settings", "simulations")
"""What is held out: single settings, or simulations with all of their numbers of units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutRate:
    """How cards of half of the settings did on the other half."""

    kind: Literal["intervals", "tests", "all"]
    held_out: Away
    cells: int
    """Settings, metrics and methods that were held out."""
    printed: float
    """Share of these for which a rate was printed; the others are unlike all settings of the other half."""
    optimistic: float
    """Of those, the share whose printed rate is better than the measured one by more than 2 points."""
    pessimistic: float
    """Of those, the share whose printed rate is worse by more than 5 points."""
    beyond_noise: float
    """The same, by more than 2 points and twice the Monte-Carlo error of the measured rate."""
    mean_gap: float
    """Printed less measured, towards optimism, on average."""
    worst_gap: float
    worst_cell: str

    @property
    def holds(self) -> bool:
        """Whether the printed rate is at most 2 points too optimistic in 95% of cells."""
        return self.optimistic <= SHARE

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return asdict(self)


def held_out(cards: str | Path | None = None, *, halves: int = 4, random_state: int = 0) -> HeldOutRates:
    """Whether the simulated rates of half of the settings predict those of the other half.

    The settings (a simulation and a number of units) of the default methods are divided at random. The rate that would
    be printed in data like those of a held-out setting is looked up among the others, and compared with the measured
    one. The same is done with whole simulations held out, at all of their numbers of units, which is harder.

    Parameters
    ----------
    cards : str or Path, optional
        A file that `lab cards` wrote (default: the cards of the package).
    halves : int, default 4
        How often the settings are divided into halves.
    random_state : int, default 0
        Seed of the divisions.

    Returns
    -------
    HeldOutRates
        One `HeldOutRate` for intervals, one for tests and one for all, first of held-out settings, then of held-out
        simulations.

    Raises
    ------
    UsageError
        If the cards have no features to be looked up by.

    See Also
    --------
    outside : Error rates in data unlike the simulations.

    Examples
    --------
    >>> [(rate.kind, rate.held_out) for rate in held_out(halves=1)][2:4]
    [('all', 'settings'), ('intervals', 'simulations')]
    """
    if halves < 1:
        raise UsageError(f"halves is {halves}, but must be one or more", fix="give 1 or more, such as 4")
    if cards is None:
        rates = _looked_up(shipped_cards(), halves, random_state)
    else:
        stored, place, _ = read_json(cards, "")
        if not isinstance(stored, dict) or not stored.get("features"):
            raise UsageError(f"{place} has no features to be looked up by", fix=FIX)
        try:
            rates = _looked_up(stored, halves, random_state)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as problem:
            raise DataError(f"{place} is not a file of cards: {problem!r}", code="H100", fix=FIX) from problem
    return HeldOutRates(rates=tuple(rates), setting={"seed": random_state, "halves": halves, "allowed": ALLOWED})


FIX = "make it anew: heldout lab cards"


def _looked_up(stored: dict[str, Any], halves: int, seed: int) -> list[HeldOutRate]:
    """The rates of held-out settings, then of held-out simulations."""
    rates: list[HeldOutRate] = []
    for away in AWAY:
        found = {
            kind: [gap for half in range(halves) for gap in _gaps(stored, kind, away, (seed, half))]
            for kind in ("intervals", "tests")
        }
        found["all"] = [*found["intervals"], *found["tests"]]
        rates += [_rate(kind, away, gaps) for kind, gaps in found.items()]
    return rates


def _gaps(stored: dict[str, Any], kind: str, away: Away, seed: tuple[int, int]) -> Iterator[Gap | None]:
    """Of every held-out cell: how much too good the printed rate is, the Monte-Carlo error, and which cell it is."""
    sign = 1 if kind == "intervals" else -1
    for design, metric, rows in _lines(stored, kind):
        measured = setting_places(stored, metric, rows)
        if measured is None:
            continue
        out = np.array([_is_out(row, away, seed) for row in rows])
        others = [row for row, is_out in zip(rows, out, strict=True) if not is_out]
        for at in np.flatnonzero(out):
            row = rows[at]
            printed = _printed(stored, kind, metric, row, others, measured[~out])
            if printed is None:
                yield None
            else:
                words = f"{kind} of {metric}, {design}, {stored['worlds'][row[0]]}, n = {row[1]}"
                yield sign * (printed - row[3]), row[4], f"{words}: {printed:.1%} printed, {row[3]:.1%} measured"


def _lines(stored: dict[str, Any], kind: str) -> Iterator[tuple[str, str, list[Row]]]:
    """The lines of default methods that are looked up together: of one design, one metric, one level and side."""
    for design, metrics in stored[kind].items():
        for metric, methods in metrics.items():
            together: dict[tuple[float, str], list[Row]] = {}
            for row in methods.get("auto", ()):
                together.setdefault(level_of(row), []).append(row)
            yield from ((design, metric, rows) for rows in together.values())


def _is_out(row: Row, away: Away, seed: tuple[int, int]) -> bool:
    """Whether a line is held out: by chance, all of a simulation alike where that is asked."""
    what = f"{row[0]}" if away == "simulations" else f"{row[0]} {row[1]}"
    # a checksum would not do: its last bit divides alike under every seed
    return blake2b(f"{seed} {what}".encode(), digest_size=1).digest()[0] % 2 == 1


def _printed(  # noqa: PLR0917 all that a look-up needs
    stored: dict[str, Any], kind: str, metric: str, row: Row, others: list[Row], measured: Array
) -> float | None:
    """The rate that is printed in data like those of a setting; None where the others are unlike it."""
    kept = next((line[2:] for line in stored["features"][metric] if line[:2] == row[:2]), None)
    if kept is None or not others:
        return None
    known = {name: float("nan") if fact is None else float(fact) for name, fact in zip(STORED, kept, strict=True)}
    near, unlike = neighbours(measured, Features(units=row[1], **known))
    return None if unlike else float(worst(kind, [others[place] for place in near])[3])


def _rate(kind: Any, away: Away, gaps: list[Gap | None]) -> HeldOutRate:
    cells, found = len(gaps), [gap for gap in gaps if gap is not None]
    gap, error = (np.array([one[at] for one in found], dtype=float) for at in (0, 1))
    far = int(np.argmax(gap)) if len(gap) else 0
    return HeldOutRate(
        kind=kind,
        held_out=away,
        cells=cells,
        printed=len(gap) / cells if cells else 0.0,
        optimistic=float(np.mean(gap > ALLOWED)) if len(gap) else 0.0,
        pessimistic=float(np.mean(gap < -FAR_WORSE)) if len(gap) else 0.0,
        beyond_noise=float(np.mean(gap > ALLOWED + 2 * error)) if len(gap) else 0.0,
        mean_gap=float(gap.mean()) if len(gap) else 0.0,
        worst_gap=float(gap[far]) if len(gap) else 0.0,
        worst_cell=found[far][2] if found else "",
    )
