"""Learners ranked over data sets: average ranks, pairs, the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.report.document import Cell, Document, Note, Table, given, table_of, with_foot
from heldout.report.kinds.differences import NOT_SIGNIFICANT, interval
from heldout.report.kinds.estimates import check_notes, ci_head
from heldout.report.number_text import p_text, percent, signed

Facts = Mapping[str, Any]
SHOWN = 15
"""Pairs in a brief document; the rest is counted."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def document(d: Facts) -> Document:
    """A ranking from the top down: how many, whether they differ, average ranks, pairs, the verdict, notes."""
    return Document(
        title="Ranking of learners over data sets",
        opening=_omnibus(d),
        facts=(f"{len(d['sets'])} data sets, {len(d['models'])} learners", f"{d['better']} is better"),
        tables=(*_ranks(d), _pairs(d), *_practical(d)),
        verdict=_verdict(d),
        notes=_notes(d),
        data={
            "data sets": f"{len(d['sets']):,}", "learners": f"{len(d['models']):,}",
            "confidence level": percent(d["level"]),
        },
    )  # fmt: skip


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per pair; an undefined end of an interval is infinite."""
    return [_record(d, one) for one in d["pairs"]]


def _record(d: Facts, one: Facts) -> dict[str, Any]:
    chances = one["practical"] or dict.fromkeys(("worse", "within", "better"))
    return {
        "a": one["a"],
        "b": one["b"],
        "rank_a": d["ranks"][one["a"]],
        "rank_b": d["ranks"][one["b"]],
        **{
            name: one[name]
            for name in ("value", "low", "high", "level", "pvalue", "pvalue_adjusted", "wins", "ties", "losses")
        },
        "test": one["test"],
        "verdict": one["verdict"],
        **{f"p_{name}": chance for name, chance in chances.items()},
        "notes": "; ".join(one["notes"]),
    }


def _omnibus(d: Facts) -> tuple[str, ...]:
    """Friedman's test, and Iman and Davenport's, in a line each."""
    friedman = d["friedman"]
    if friedman is None:
        return ()
    f = "inf" if friedman["f"] is None else f"{friedman['f']:.2f}"
    between, within = friedman["f_df"]
    ties = " corrected for ties" if d["tie_correction"] else ""
    p = _p(d, friedman["chi_square_pvalue"])
    chi_square = f"chi-square {friedman['chi_square']:.2f}, df {friedman['df']}, p {p}"
    return (
        f"Friedman{ties}: {chi_square}",
        f"Iman-Davenport: F {f}, df {between} and {within}, p {_p(d, friedman['f_pvalue'])}",
    )


def _p(d: Facts, p: float) -> str:
    return p_text(p, d["level"])


def _ranks(d: Facts) -> list[Table]:
    """Learners by average rank, with the letters of their groups."""
    if d["friedman"] is None:
        return []
    order = sorted(d["models"], key=lambda name: float(d["ranks"][name]))
    lettered = bool(d["groups"]) and len(d["groups"]) <= len(LETTERS)
    foot = [f"sharing a letter: not significantly different ({_family(d)})"] if lettered else []
    if d["critical_difference"] is not None:
        alpha = percent(round(1 - d["level"], 12))
        foot.append(f"critical difference {d['critical_difference']:.3f} at {alpha} (Nemenyi)")
    table = table_of(
        "ranks",
        [
            ("learner", "l", given(order)),
            ("average rank", "r", [f"{d['ranks'][name]:.3f}" for name in order]),
            *([("alike", "l", [_letters(d, name) for name in order])] if lettered else []),
        ],
    )
    return [with_foot(table, *foot)]


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


def _pairs(d: Facts) -> Table:
    """Every pair with its difference, interval and p-value."""
    pairs = d["pairs"]
    values = [signed(one["value"], one) if one["verdict"] != "UNDECIDED" else NOT_SIGNIFICANT for one in pairs]
    table = table_of(
        "pairs",
        [
            ("learner", "l", given(one["a"] for one in pairs)),
            ("minus", "l", given(one["b"] for one in pairs)),
            ("difference", "r", given(values)),
            (ci_head(d["level"]), "l", [interval(one) for one in pairs]),
            ("p", "l", given(_p(d, one["pvalue_adjusted"]) for one in pairs)),
            ("won-tied-lost", "l", [f"{one['wins']}-{one['ties']}-{one['losses']}" for one in pairs]),
        ],
        section="differences",
        brief_rows=SHOWN,
        rows_are=("pair", "pairs"),
    )
    return with_foot(table, *_marks(d, pairs))


def _marks(d: Facts, shown: Sequence[Facts]) -> list[str]:
    """What the numbers in the table are."""
    alone = "" if len(shown) == 1 else ", each interval on its own"
    lines = [f"p: {_family(d)}", f"differences are pseudomedians (Hodges-Lehmann){alone}"]
    if any(one["verdict"] == "UNDECIDED" for one in shown):
        lines.append(f"{NOT_SIGNIFICANT} not significant at {percent(round(1 - d['level'], 12))}")
    return lines


def _practical(d: Facts) -> list[Table]:
    """How probable it is that learners are practically alike."""
    if d["rope"] is None:
        return []
    pairs = d["pairs"]
    sides = {"worse": "worse", f"within {d['rope']:g}": "within", "better": "better"}
    return [
        table_of(
            "practical",
            [
                ("learner", "l", given(one["a"] for one in pairs)),
                ("against", "l", given(one["b"] for one in pairs)),
                *((head, "r", [f"{one['practical'][side]:.3f}" for one in pairs]) for head, side in sides.items()),
            ],
            section="differences",
            brief_rows=SHOWN,
            rows_are=("pair", "pairs"),
            foot=(
                Cell(
                    f"probabilities by the Bayesian signed rank test, {d['n_resamples']:,} samples from the posterior"
                ),
            ),
        )
    ]


def _verdict(d: Facts) -> tuple[str, ...]:
    """What is significant, learner by learner; otherwise that nothing is."""
    significant = [one for one in d["pairs"] if one["verdict"] != "UNDECIDED"]
    if not significant:
        least = min(d["pairs"], key=lambda one: float(one["pvalue_adjusted"]))
        whole = "whether one learner is better than the other" if len(d["pairs"]) == 1 else "for every pair of learners"
        smallest = f"smallest p {_p(d, least['pvalue_adjusted'])}, {least['a']} and {least['b']}"
        return (f"UNDECIDED {whole}: no difference is significant ({smallest}).",)
    beaten: dict[str, list[str]] = {}
    for one in significant:
        winner, loser = (one["a"], one["b"]) if one["verdict"] == "BETTER" else (one["b"], one["a"])
        beaten.setdefault(winner, []).append(loser)
    order = sorted(beaten, key=lambda name: float(d["ranks"][name]))
    return tuple(f"{name} is BETTER than {', '.join(beaten[name])}." for name in order)


def _notes(d: Facts) -> tuple[Note, ...]:
    """The checks, then each note once with the pairs it belongs to."""
    places: dict[str, list[str]] = {}
    for one in d["pairs"]:
        for text in one["notes"]:
            places.setdefault(text, []).append(f"{one['a']} and {one['b']}")
    every = len(d["pairs"])
    return (
        *check_notes(d),
        *(Note("" if len(found) == every else "; ".join(found), text) for text, found in places.items()),
    )
