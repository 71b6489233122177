"""Which number stands where when learners are ranked over data sets: ranks, pairs, what is established."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.number_text import p_text, percent, signed

SCHEMA = "heldout.ranking/1"
Facts = Mapping[str, Any]
NOT_ESTABLISHED = "~"
SHOWN = 15
"""Pairs on a brief page; the rest is counted."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def page(d: Facts, *, brief: bool = True) -> Page:
    """A ranking from the top down: how many, whether they differ, average ranks, pairs, the verdict, remarks."""
    return Page(
        name=Cell(""),
        opening=_differ(d),
        facts=(f"{len(d['sets'])} data sets, {len(d['learners'])} learners", f"{d['better']} is better"),
        columns=(),
        tables=(*_ranks(d), _pairs(d, brief=brief), *_practical(d, brief=brief)),
        verdict=_verdict(d),
        remarks=_remarks(d),
    )


def _differ(d: Facts) -> tuple[str, ...]:
    """Friedman's test, and Iman and Davenport's, in a line each."""
    found = d["friedman"]
    if found is None:
        return ()
    f = "inf" if found["f"] is None else f"{found['f']:.2f}"
    between, within = found["f_df"]
    ties = " corrected for ties" if d["tie_correction"] else ""
    return (
        f"Friedman{ties}: chi-square {found['chi_square']:.2f}, df {found['df']}, p {_p(d, found['chi_square_p'])}",
        f"Iman-Davenport: F {f}, df {between} and {within}, p {_p(d, found['f_p'])}",
    )


def _p(d: Facts, p: float) -> str:
    return p_text(p, d["level"])


def _ranks(d: Facts) -> list[Table]:
    """Learners by average rank, with the letters of their groups."""
    if d["friedman"] is None:
        return []
    order = sorted(d["learners"], key=lambda name: float(d["ranks"][name]))
    lettered = bool(d["groups"]) and len(d["groups"]) <= len(LETTERS)
    rows = [(Cell(name, given=True), Cell(f"{d['ranks'][name]:.3f}"), Cell(_letters(d, name))) for name in order]
    kept = 3 if lettered else 2
    foot = [f"sharing a letter: not told apart ({_family(d)})"] if lettered else []
    if d["critical_difference"] is not None:
        apart = percent(round(1 - d["level"], 12))
        foot.append(f"critical difference {d['critical_difference']:.3f} at {apart}, Nemenyi's")
    return [
        Table(
            name="ranks",
            title=Cell(""),
            head=(Cell("learner"), Cell("average rank"), Cell("alike"))[:kept],
            rows=tuple(row[:kept] for row in rows),
            align="lrl"[:kept],
            foot=tuple(Cell(text, given=True) for text in foot),
        )
    ]


def _letters(d: Facts, name: str) -> str:
    """The letters of the groups a learner is in.

    >>> _letters({"groups": [["x", "y"], ["y", "z"]]}, "y")
    'ab'
    """
    return "".join(letter for letter, group in zip(LETTERS, d["groups"], strict=False) if name in group)


def _family(d: Facts) -> str:
    """The test and its correction, in words."""
    pairs = len(d["pairs"])
    test = d["pairs"][0]["test"]
    return test if d["post_hoc"] == "nemenyi" or pairs == 1 else f"{test}, Holm over {pairs}"


def interval(one: Facts) -> str:
    """The interval of a difference in brackets; an end that is missing is infinite.

    >>> interval({"value": 0.02, "low": None, "high": None})
    '[-inf, inf]'
    """
    low = "-inf" if one["low"] is None else signed(one["low"], one)
    high = "inf" if one["high"] is None else signed(one["high"], one)
    return f"[{low}, {high}]"


def _pairs(d: Facts, *, brief: bool) -> Table:
    """Every pair with its difference, interval and p-value."""
    shown = d["pairs"][:SHOWN] if brief else d["pairs"]
    told = [signed(one["value"], one) if one["verdict"] != "UNDECIDED" else NOT_ESTABLISHED for one in shown]
    rows = [
        (
            Cell(one["a"], given=True),
            Cell(one["b"], given=True),
            Cell(difference, given=True),
            Cell(interval(one)),
            Cell(_p(d, one["p_adjusted"]), given=True),
            Cell(f"{one['wins']}-{one['ties']}-{one['losses']}"),
        )
        for one, difference in zip(shown, told, strict=True)
    ]
    head = ("learner", "less", "difference", f"{percent(d['level'])} interval", "p", "won-tied-lost")
    return Table(
        name="pairs",
        title=Cell(""),
        head=tuple(map(Cell, head)),
        rows=tuple(rows),
        align="llrlll",
        foot=tuple(Cell(text, given=True) for text in [*_marks(d, shown), *_more(d, shown)]),
    )


def _marks(d: Facts, shown: Sequence[Facts]) -> list[str]:
    """What the numbers in the table are."""
    alone = "" if len(d["pairs"]) == 1 else ", each interval on its own"
    said = [f"p: {_family(d)}", f"differences are pseudomedians (Hodges-Lehmann){alone}"]
    if any(one["verdict"] == "UNDECIDED" for one in shown):
        said.append(f"{NOT_ESTABLISHED} no difference is established")
    return said


def _more(d: Facts, shown: Sequence[Facts]) -> list[str]:
    left = len(d["pairs"]) - len(shown)
    return [f"{left} more pair{'' if left == 1 else 's'}: see --format md, csv or json"] if left else []


def _practical(d: Facts, *, brief: bool) -> list[Table]:
    """How probable it is that learners are practically alike."""
    if d["rope"] is None:
        return []
    shown = d["pairs"][:SHOWN] if brief else d["pairs"]
    rows = [
        (
            Cell(one["a"], given=True),
            Cell(one["b"], given=True),
            *(Cell(f"{one['practical'][side]:.3f}") for side in ("worse", "within", "better")),
        )
        for one in shown
    ]
    head = ("learner", "against", "worse", f"within {d['rope']:g}", "better")
    foot = [f"probabilities by the Bayesian signed rank test, {d['draws']:,} draws", *_more(d, shown)]
    return [
        Table(
            name="practical",
            title=Cell(""),
            head=tuple(map(Cell, head)),
            rows=tuple(rows),
            align="llrrr",
            foot=tuple(Cell(text, given=True) for text in foot),
        )
    ]


def _verdict(d: Facts) -> tuple[str, ...]:
    """What is established, learner by learner; otherwise that nothing is."""
    told = [one for one in d["pairs"] if one["verdict"] != "UNDECIDED"]
    if not told:
        least = min(d["pairs"], key=lambda one: float(one["p_adjusted"]))
        whole = "whether one learner is better than the other" if len(d["pairs"]) == 1 else "for every pair of learners"
        where = f"{least['a']} and {least['b']}"
        return (f"UNDECIDED {whole}: nothing is established (smallest p {_p(d, least['p_adjusted'])}, {where}).",)
    beaten: dict[str, list[str]] = {}
    for one in told:
        winner, loser = (one["a"], one["b"]) if one["verdict"] == "BETTER" else (one["b"], one["a"])
        beaten.setdefault(winner, []).append(loser)
    order = sorted(beaten, key=lambda name: float(d["ranks"][name]))
    return tuple(f"{name} is BETTER than {', '.join(beaten[name])}." for name in order)


def _remarks(d: Facts) -> tuple[Remark, ...]:
    """The checks, then each note once with the pairs it belongs to."""
    places: dict[str, list[str]] = {}
    for one in d["pairs"]:
        for note in one["notes"]:
            places.setdefault(note, []).append(f"{one['a']} and {one['b']}")
    checks = [Remark(check["code"], check["text"]) for check in d["checks"]]
    every = len(d["pairs"])
    return (*checks, *(Remark("" if len(found) == every else "; ".join(found), note) for note, found in places.items()))
