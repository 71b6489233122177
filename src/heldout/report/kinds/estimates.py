"""What tables of estimates share: heads, simulated coverage, notes gathered from many places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from heldout.errors import UsageError
from heldout.formulas import metric
from heldout.report.document import Column, Note
from heldout.report.number_text import Estimated, amount, interval_text, percent, value_text

KINDS = (("stable", True), ("unstable", False))


def split_card_line(name: str, cards: Sequence[Mapping[str, Any]], nominal: float) -> str:
    """Simulated coverage or type I error with stable and with unstable learners: the worst of each.

    A test (nominal below one half) is worse the more it rejects, an interval the less it covers. Where labels are noise
    there is nothing stable: which rows a learner has right changes with every row of training.

    >>> card = {"stable": True, "rate": 0.038, "error": 0.006, "n": 300}
    >>> split_card_line("corrected resampled t", [card, {**card, "stable": False, "rate": 0.07}], 0.05)[:88]
    'simulated type I error of corrected resampled t: 3.8% ± 0.6 with stable learners, 7.0% ±'
    """
    worst = max if nominal < 0.5 else min
    rates = {
        kind: worst((card for card in cards if card["stable"] == stable), key=lambda card: float(card["rate"]))
        for kind, stable in KINDS
        if any(card["stable"] == stable for card in cards)
    }
    words = ", ".join(
        f"{100 * card['rate']:.1f}% ± {100 * card['error']:.1f} with {kind} learners" for kind, card in rates.items()
    )
    what = "coverage" if nominal > 0.5 else "type I error"
    where = f"at n = {cards[0]['n']:,} with a signal to learn"
    return f"simulated {what} of {name}: {words}, {where} (nominal {percent(nominal)})"


ROUGH = 0.004
"""Monte-Carlo error of a simulated rate from which on its decimals say nothing."""
NAMED = 3
"""How many places one note names before it counts the rest."""
Facts = Mapping[str, Any]


def ci_head(level: float) -> str:
    """The head of a column of confidence intervals.

    >>> ci_head(0.95)
    '95% CI'
    """
    return f"{percent(level)} CI"


def values(shown: Iterable[Estimated]) -> list[str]:
    return [value_text(e) for e in shown]


def intervals(shown: Iterable[Estimated]) -> list[str]:
    return [interval_text(e) for e in shown]


def printed(estimates: Mapping[str, Estimated]) -> dict[str, Estimated]:
    """The estimates a reader is shown; JSON and CSV have all of them."""
    return {name: e for name, e in estimates.items() if e.get("printed", True)}


def counts(e: Estimated) -> str:
    """What was counted, as 185/298; empty for a metric that is not a share."""
    pair = e.get("count")
    return f"{amount(pair[0])}/{amount(pair[1])}" if pair else ""


def coverage(e: Estimated) -> str:
    """Simulated coverage of the method of an interval, as 95.2%, or as 95% where that is all that is known.

    A dash where the data are unlike all simulations.
    """
    card = e.get("card")
    if not card:
        return "--" if e.get("unlike") else ""
    return f"{100 * card['rate']:.{1 if card['error'] < ROUGH else 0}f}%"


def coverage_column(shown: Iterable[Estimated]) -> Column:
    """The simulated coverage beside each interval; a column without any is left out of its table."""
    listed = list(shown)
    known = any(e.get("card") for e in listed)
    return ("coverage*", "r", [coverage(e) if known else "" for e in listed])


def coverage_note(shown: Iterable[Estimated], level: float) -> tuple[str, ...]:
    """What the column of simulated coverage is, at which numbers of units, and how exact it is."""
    listed = list(shown)
    cards = [e["card"] for e in listed if e.get("card")]
    unlike = dict.fromkeys(str(e["unlike"]) for e in listed if e.get("unlike"))
    lines = [f"* simulated coverage {card_setting(cards, level)}"] if cards else []
    mark = "-- " if cards else ""
    return (*lines, *(f"{mark}coverage not simulated: {words}" for words in unlike))


def card_setting(cards: Sequence[Facts], level: float) -> str:
    """That rates were simulated in other data, the nominal level, and how exact the rates are."""
    return f"in similar data (nominal {percent(level)}{_error(cards)})"


def type_one_note(shown: Sequence[Facts], level: float) -> tuple[str, ...]:
    """Simulated type I error of the tests that are shown: the lowest and the highest, or what was not simulated."""
    known = sorted((one for one in shown if one["card"]), key=lambda one: float(one["card"]["rate"]))
    lines = tuple(_not_simulated(shown, everywhere=not known))
    if not known:
        return lines
    ends = [percent(round(one["card"]["rate"], 3)) for one in (known[0], known[-1])]
    rate = ends[0]
    if ends[0] != ends[1]:
        rate = f"{ends[0]} ({known[0]['metric']}) to {ends[1]} ({known[-1]['metric']})"
    nominal = f"nominal {percent(round(1 - level, 12))}{_error([one['card'] for one in known])}"
    return (f"simulated type I error in similar data: {rate}; {nominal}", *lines)


def _not_simulated(shown: Sequence[Facts], *, everywhere: bool) -> Iterator[str]:
    """What was not simulated; of which metrics, where others have a rate."""
    named: dict[str, dict[str, None]] = {}
    for one in shown:
        if one.get("unlike"):
            named.setdefault(str(one["unlike"]), {})[str(one["metric"])] = None
    for words, metrics in named.items():
        of = "" if everywhere and len(named) == 1 else f" of {', '.join(metrics)}"
        yield f"type I error{of} not simulated: {words}"


def _error(cards: Iterable[Facts]) -> str:
    """The largest Monte-Carlo error, in points; empty where all rates were counted exactly."""
    largest = max(float(card.get("error") or 0.0) for card in cards)
    return f", Monte-Carlo error up to {100 * largest:.1f} points" if largest >= 0.0005 else ""


def of_decisions(name: str) -> bool:
    """Whether a metric looks at decided labels rather than at scores; a name that is not in the table does not tell."""
    try:
        known = metric(name)
    except UsageError:
        return False
    return known.of_labels and known.rows is None


def check_notes(d: Facts) -> tuple[Note, ...]:
    """What the reader was told about the data."""
    return tuple(Note(check["code"], check["text"]) for check in d["checks"])


def gathered(placed_notes: Iterable[tuple[str, Iterable[str]]]) -> tuple[Note, ...]:
    """Each note once, with the places where it is made."""
    places: dict[str, list[str]] = {}
    for place, notes in placed_notes:
        for text in notes:
            places.setdefault(text, []).append(place)
    return tuple(placed(text, found) for text, found in places.items())


def placed(text: str, places: list[str]) -> Note:
    """One place stands before the note; several stand behind it."""
    if len(places) == 1:
        return Note(places[0], text)
    more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
    return Note("", f"{text} ({', '.join(places[:NAMED])}{more})")


def alike_notes(texts: Mapping[str, list[str]]) -> Iterator[Note]:
    """Notes with the places where they are made; those that differ only in their numbers as one.

    >>> [note.text for note in alike_notes({"at least 3 rows": ["f1"], "at least 5 rows": ["recall"]})]
    ['at least: f1 3 rows, recall 5 rows']
    """
    sorts: dict[str, list[str]] = {}
    for text in texts:
        sorts.setdefault(without_numbers(text), []).append(text)
    for alike in sorts.values():
        if len(alike) == 1:
            yield placed(alike[0], texts[alike[0]])
            continue
        words = [text.split(" ") for text in alike]
        same = next(at for at, pair in enumerate(zip(*words, strict=True)) if len(set(pair)) > 1)
        each = [
            f"{place} {' '.join(line[same:])}" for text, line in zip(alike, words, strict=True) for place in texts[text]
        ]
        more = f" and {len(each) - NAMED} more, all in the JSON" if len(each) > NAMED else ""
        yield Note("", f"{' '.join(words[0][:same]).removesuffix(' is').rstrip(':')}: {', '.join(each[:NAMED])}{more}")


def without_numbers(text: str) -> str:
    """A note without its numbers: notes that differ only in them are made once."""
    return re.sub(r"[0-9]+(\.[0-9]+)?", "#", text)


def units_fact(d: Facts) -> tuple[str, ...]:
    """How many clusters, or times, the rows come in, where they share some."""
    return (f"{d['units']:,} {d.get('unit', 'cluster')}s",) if d["units"] != d["rows"] else ()


def units_name(d: Facts) -> str:
    """What the units are called among the facts of a report."""
    return "times" if d.get("unit") == "time" else "clusters (groups)"


def time_columns(shown: Iterable[Facts]) -> list[Column]:
    """Autocorrelation and effective number of times beside each interval; empty where rows have no times."""
    facts = [e.get("time") or {} for e in shown]
    return [
        ("r(1)", "r", [_two(one.get("autocorrelation")) for one in facts]),
        ("n eff", "r", [amount(round(one["effective_n"])) if one.get("effective_n") else "" for one in facts]),
    ]


def time_note(shown: Iterable[Facts]) -> tuple[str, ...]:
    """What the columns of autocorrelation and effective number are, where they are there."""
    known = any((e.get("time") or {}).get("effective_n") for e in shown)
    return ("r(1) autocorrelation at lag 1; n eff: independent times that these are worth",) if known else ()


def _two(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


def source_name(d: Facts) -> str:
    """The name of the first file that was read, without its folder, and how many others there are.

    >>> source_name({"inputs": [{"path": "runs/a.csv"}, {"path": "runs/b.csv"}]})
    'a.csv and 1 more'
    """
    paths = [str(source["path"]) for source in d["inputs"]]
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    return re.split(r"[\\/]", paths[0])[-1] + more if paths else ""


def time_record(e: Facts) -> dict[str, Any]:
    """Autocorrelation and effective number of times as columns of a frame, where rows have times."""
    facts = e.get("time")
    return {name: facts[name] for name in ("autocorrelation", "effective_n")} if facts else {}


def estimate_record(e: Estimated) -> dict[str, Any]:
    """The facts of an estimate as columns of a frame."""
    return {
        **{key: e[key] for key in ("value", "low", "high", "level", "method")},
        "units": e.get("units"),
        "better": e.get("better"),
        **time_record(e),
        "notes": "; ".join(e.get("notes", ())),
    }
