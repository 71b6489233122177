"""Tables of simulated rates for the documentation, from page-rates.json, selection.json and held-out.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.table import Rows, markdown

Line = Mapping[str, Any]


def time_table(found: Mapping[str, Any]) -> str:
    """False rejections for dependent values, a line per series."""
    lines = of_area(found, "time")
    names = ("taken for independent", "cosines alone", "fixed-b Bartlett")
    rows: Rows = [("errors", "times", "assumed independent", "cosines only", names[2], "heldout", "its width")]
    for case, n in dict.fromkeys((line["case"], line["n"]) for line in lines):
        by_method = {line["method"]: line for line in lines if (line["case"], line["n"]) == (case, n)}
        own = [by_method[name] for name in ("this", "with --horizon", "on the log scale") if name in by_method]
        words = {"this": "", "with --horizon": " with `--horizon`", "on the log scale": " on the log scale"}
        rates = "; ".join(percent(one["rate"]) + words[one["method"]] for one in own)
        widths = "; ".join(f"{one['width']:.2f}" for one in own if "width" in one)
        rows.append((case, str(n), *(percent(by_method[name]["rate"]) for name in names), rates, widths))
    return with_effort(lines, markdown(rows))


def skewness_table(found: Mapping[str, Any]) -> str:
    """False rejections of two tests of a mean difference, the numbers of units in one line."""
    lines = of_area(found, "skewness")
    methods = tuple(dict.fromkeys(line["method"] for line in lines))
    rows: Rows = [("data", "rows", *methods)]
    for case in dict.fromkeys(line["case"] for line in lines):
        mine = [[line for line in lines if (line["case"], line["method"]) == (case, method)] for method in methods]
        units = ", ".join(str(line["n"]) for line in mine[0])
        rows.append((case, units, *(", ".join(percent(line["rate"]) for line in part) for part in mine)))
    return with_effort(lines, markdown(rows))


def sequence_table(found: Mapping[str, Any]) -> str:
    """False verdicts of confidence sequences."""
    lines = of_area(found, "sequences")
    rows = [("row differences", "sequence", "type I error")]
    rows += [(line["case"], line["method"], percent(line["rate"])) for line in lines]
    return with_effort(lines, markdown(rows))


def carrier_table(found: Mapping[str, Any]) -> str:
    """Coverage and type I error where few clusters carry a metric: all clusters counted, then those that carry it."""
    lines = of_area(found, "carriers")
    cases = tuple(dict.fromkeys(line["case"] for line in lines))
    rows: Rows = [("clusters with negative rows", *cases)]
    for few in dict.fromkeys(line["n"] for line in lines):
        mine = [[line for line in lines if (line["case"], line["n"]) == (case, few)] for case in cases]
        rows.append((str(few), *(" → ".join(percent(line["rate"]) for line in part) for part in mine)))
    return with_effort(lines, markdown(rows))


def weights_table(found: Mapping[str, Any], area: str = "weights", first: str = "data") -> str:
    """Rates with the variance that units show, and with what heavy ones may hide."""
    lines = of_area(found, area)
    methods = tuple(dict.fromkeys(line["method"] for line in lines))
    rows: Rows = [(first, *methods)]
    for case in dict.fromkeys(line["case"] for line in lines):
        rows.append((case, *(percent(line["rate"]) for line in lines if line["case"] == case)))
    return with_effort(lines, markdown(rows))


def selection_table(found: Mapping[str, Any]) -> str:
    """How much too high the accuracy of a choice is, and how often its interval covers."""
    rows: Rows = [("rows, simulation", "winner's own", "nested", "its coverage", "bbc", "its coverage")]
    for line in found["results"]:
        kind = "five informative columns" if line["signal"] else "coin flips"
        covers = line["coverage"]
        own, nested, bbc = (f"{line[name]['bias']:+.3f}" for name in ("own", "nested", "bbc"))
        rows.append((f"{line['rows']}, {kind}", own, nested, percent(covers["t"]), bbc, percent(covers["bags"])))
    return markdown(rows)


def held_out_table(found: Mapping[str, Any]) -> str:
    """What `heldout lab held-out` found of the look-up of cards."""
    rows: Rows = [
        ("held out", "cards of", "cells", "with a rate", "more than 2 points too optimistic",
         "more than 5 points too low", "printed minus measured, points")
    ]  # fmt: skip
    for line in found["results"]:
        if line["kind"] != "all":
            shares = (percent(line[name]) for name in ("printed", "optimistic", "pessimistic"))
            gap = f"{100 * line['mean_gap']:+.1f}".replace("-", "−")
            rows.append((line["held_out"], line["kind"], f"{line['cells']:,}", *shares, gap))
    return markdown(rows)


def of_area(found: Mapping[str, Any], area: str) -> list[Line]:
    return [line for line in found["results"] if line["area"] == area]


def with_effort(lines: Sequence[Line], table: str) -> str:
    """The table, below a line on its repetitions and their Monte-Carlo error."""
    repeats, error = lines[0]["repeats"], max(line["error"] for line in lines)
    return f"{repeats:,} simulated samples each; Monte-Carlo error at most {100 * error:.1f} points.\n\n{table}"


def percent(rate: float) -> str:
    """One place.

    >>> percent(0.0525)
    '5.2%'
    """
    return f"{100 * rate:.1f}%"
