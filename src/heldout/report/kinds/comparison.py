"""Which number stands where when models are compared: values side by side, differences, what is established."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.kinds.comparison_verdict import verdict
from heldout.report.kinds.evaluation import of_decisions
from heldout.report.kinds.evaluation_breakdowns import WORST, bar, short, too_small, varies
from heldout.report.notes import placed
from heldout.report.number_text import Estimated, amount, p_text, percent, signed, value_text
from heldout.report.plain_text import columns_of


def difference_tables(d: Mapping[str, Any], *, brief: bool) -> list[Table]:
    """Per segment column and model: every segment with its rows and its difference; a brief page has one metric."""
    tables = []
    for column, models in d.get("segments", {}).items():
        for found in models:
            first: Mapping[str, Any] = next(iter(found["shown"].values()), {"differences": {}})["differences"]
            names = list(first)[:1] if brief else list(first)
            tables += [_subgroup_table(d, column, found, name, brief=brief) for name in names or [""]]
    return tables


def _subgroup_table(d: Mapping[str, Any], column: str, found: Mapping[str, Any], name: str, *, brief: bool) -> Table:
    shown = {key: part for key, part in found["shown"].items() if name in part["differences"]}
    chosen = list(shown)[:WORST] if brief else list(shown)
    ones = [shown[key]["differences"][name] for key in chosen]
    grouped = d["rows"] != d["units"]
    sizes = ["rows", "units"] if grouped else ["rows"]
    left = len(shown) - len(chosen)
    which = f"{name}: {short(found['a'])} - {short(found['b'])}".removeprefix(": ")
    return Table(
        name="segments",
        title=Cell(f"{which} by {short(column)}, simultaneous: {percent(found['level'])} each", given=True),
        head=tuple(map(Cell, ["segment", *sizes, "difference", "interval"])),
        rows=tuple(
            (Cell(key, given=True), *(Cell(amount(shown[key][size])) for size in sizes), *_numbers(one))
            for key, one in zip(chosen, ones, strict=True)
        ),
        align="l" + "r" * len(sizes) + "rl",
        bars=tuple(map(bar, ones)),
        foot=(
            *((Cell(f"and {left} more segments: see --format md or json"),) if left else ()),
            *too_small(found, 0),
            *varies(
                found["heterogeneity"].get(name),
                d["level"],
                f"the difference varies by {short(column)}",
                f"that the difference varies by {short(column)} is not established",
            ),
        ),
    )


def _numbers(one: Estimated) -> tuple[Cell, Cell]:
    """Difference and interval; a difference that is not established is no number to be misread."""
    low, high = one["low"], one["high"]
    if low is None or high is None:
        return Cell(NOT_ESTABLISHED, given=True), Cell("--")
    told = NOT_ESTABLISHED if low <= 0 <= high else signed(one["value"], one)
    return Cell(told, given=True), Cell(f"[{signed(low, one)}, {signed(high, one)}]")


SCHEMA = "heldout.comparison/1"
Compared = Mapping[str, Any]
"""One difference as a plain dictionary: metric, a, b, value, low, high, p, p_adjusted, test, verdict and so on."""
SCREEN = 80
"""Columns of a screen; where tests do not fit beside their numbers, they stand below."""
NOT_ESTABLISHED = "~"
Columns = list[tuple[Cell, str, list[Cell]]]


def page(d: Mapping[str, Any], *, brief: bool = True) -> Page:
    """A comparison from the top down: how rows were matched, differences, the verdict, remarks.

    With three or more models there is a table per metric; a brief page keeps to the primary one.
    """
    shown = printed(d)
    return Page(
        name=Cell(""),
        opening=(matched(d),),
        facts=_facts(d),
        columns=(),
        tables=(
            *(_two(d, shown, brief=brief) if len(d["models"]) == 2 else _many(d, shown, brief=brief)),
            *difference_tables(d, brief=brief),
        ),
        verdict=verdict(d),
        remarks=_remarks(d, shown, brief=brief),
    )


def printed(d: Mapping[str, Any]) -> list[Compared]:
    """The differences a reader is shown, the primary metric first; JSON and CSV have all of them."""
    shown = [one for one in d["differences"] if one["printed"] or one["metric"] == d["primary"]]
    return sorted(shown, key=lambda one: bool(one["metric"] != d["primary"]))


def matched(d: Mapping[str, Any]) -> str:
    """How many rows the models share, and how many were left out."""
    rows = f"{d['rows']} row{'' if d['rows'] == 1 else 's'}"
    if not d["paired"]:
        return f"{_samples(d['samples'])}; rows are not matched: {_count(len(d['models']))} independent samples"
    found = d["matched"]
    if found["by"] != "id":
        return f"{rows} matched by {found['by']}"
    return f"{rows} matched by id ({', '.join(f'{count} only in {name}' for name, count in found['only'].items())})"


def _samples(samples: Mapping[str, Any]) -> str:
    """The size of every sample, in units too where rows share them."""
    return ", ".join(
        f"{one['rows']} rows in {name}" + (f" ({one['units']} units)" if one["units"] != one["rows"] else "")
        for name, one in samples.items()
    )


def _count(models: int) -> str:
    return "two" if models == 2 else str(models)


def _facts(d: Mapping[str, Any]) -> tuple[str, ...]:
    units = (f"{d['units']} units",) if d["paired"] and d["units"] != d["rows"] else ()
    return (*units, f"task: {d['task']}")


def interval(one: Compared) -> str:
    """The interval of a difference in brackets, both ends with their signs."""
    if one["low"] is None and one["high"] is None:
        return "--"
    return f"[{signed(one['low'], one)}, {signed(one['high'], one)}]"


def _two(d: Mapping[str, Any], shown: Sequence[Compared], *, brief: bool) -> list[Table]:
    """Two models: one line per metric, with the values of both."""
    if not shown:
        return []
    first, other = d["baseline"], next(name for name in d["models"] if name != d["baseline"])
    columns: Columns = [
        (Cell("metric"), "l", [Cell(_starred(d, one["metric"]), given=True) for one in shown]),
        *((Cell(name, given=True), "r", [_value(d, name, one["metric"]) for one in shown]) for name in (first, other)),
        *difference_columns(d, shown),
    ]
    return [_table("metric", columns, marks(d, shown), [one["metric"] for one in shown], brief=brief)]


def _many(d: Mapping[str, Any], shown: Sequence[Compared], *, brief: bool) -> list[Table]:
    """Three or more models: a table per metric, one line per model, each against the baseline."""
    metrics, kept = on_page(d, shown, brief=False), on_page(d, shown, brief=brief)
    tables = [_models(d, [one for one in shown if one["metric"] == metric], brief=brief) for metric in kept]
    if tables:
        left = len(metrics) - len(kept)
        more = [f"{left} more metric{'' if left == 1 else 's'}: see --format md, csv or json"] if left else []
        last = tables[-1]
        seen = marks(d, [one for one in shown if one["metric"] in kept])  # of what is left out, no mark is seen
        foot = (*last.foot, *(Cell(text, given=True) for text in [*seen, *more]))
        tables[-1] = Table(
            name=last.name, title=last.title, head=last.head, rows=last.rows, align=last.align, foot=foot
        )
    return tables


def on_page(d: Mapping[str, Any], shown: Sequence[Compared], *, brief: bool) -> list[str]:
    """The metrics that have a table: all, but of three or more models only the primary one on a brief page."""
    metrics = list(dict.fromkeys(one["metric"] for one in shown))
    return metrics[:1] if brief and d["primary"] and len(d["models"]) > 2 else metrics


def _models(d: Mapping[str, Any], shown: Sequence[Compared], *, brief: bool) -> Table:
    metric = shown[0]["metric"]
    names = [d["baseline"], *(one["a"] for one in shown)]
    beside = [(head, side, [Cell(""), *cells]) for head, side, cells in difference_columns(d, shown)]
    columns: Columns = [
        (Cell("model"), "l", [Cell(name, given=True) for name in names]),
        (Cell(_starred(d, metric), given=True), "r", [_value(d, name, metric) for name in names]),
        *beside,
    ]
    columns[2][2][0] = Cell("baseline")
    return _table(metric, columns, [], names, brief=brief)


def _value(d: Mapping[str, Any], model: str, metric: str) -> Cell:
    found = d["estimates"].get(model, {}).get(metric)
    return Cell(value_text(found) if found else "--")


def difference_columns(d: Mapping[str, Any], shown: Sequence[Compared]) -> Columns:
    """Difference, interval, p-value, test; a difference that is not established is no number to be misread."""
    told = [signed(one["value"], one) if one["verdict"] != "UNDECIDED" else NOT_ESTABLISHED for one in shown]
    adjusted = [p_text(one["p_adjusted"], d["level"]) + ("h" if corrected(d, one) else "") for one in shown]
    return [
        (Cell("difference"), "r", [Cell(text, given=True) for text in told]),
        (Cell(f"{percent(d['level'])} interval"), "l", [Cell(interval(one)) for one in shown]),
        (Cell("p"), "l", [Cell(text, given=True) for text in adjusted]),
        (Cell("test"), "l", [Cell(one["test"], given=True) for one in shown]),
    ]


def _table(name: str, columns: Columns, foot: list[str], keys: Sequence[str], *, brief: bool) -> Table:
    """The columns as a table; on a brief page the tests stand below it where they do not fit beside the numbers."""
    if brief and sum(_widest(head, cells) + 2 for head, _, cells in columns) - 2 > SCREEN:
        foot = [f"tests: {_grouped(keys, columns[-1][2])}", *foot]
        columns = columns[:-1]
    return Table(
        name=name,
        title=Cell(""),
        head=tuple(head for head, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(side for _, side, _ in columns),
        foot=tuple(Cell(text, given=True) for text in foot),
    )


def _widest(head: Cell, cells: Iterable[Cell]) -> int:
    return max(columns_of(cell.text) for cell in (head, *cells))


def _grouped(keys: Sequence[str], tests: Sequence[Cell]) -> str:
    """Each test once, with what it was used for."""
    found: dict[str, list[str]] = {}
    for key, test in zip(keys, tests, strict=True):
        if test.text:
            found.setdefault(test.text, []).append(key)
    return "; ".join(f"{test} ({', '.join(used)})" for test, used in found.items())


def _starred(d: Mapping[str, Any], metric: str) -> str:
    return f"{metric} *" if metric == d["primary"] else metric


def family(d: Mapping[str, Any]) -> list[str]:
    """The metrics that are corrected together; the error rate is the accuracy over again and counts once."""
    tested = dict.fromkeys(
        one["metric"]
        for one in d["differences"]
        if one["printed"] and one["metric"] != d["primary"] and one["p_adjusted"] is not None
    )
    return [metric for metric in tested if metric != "error_rate" or "accuracy" not in tested]


def corrected(d: Mapping[str, Any], one: Compared) -> bool:
    """Whether the p-value shown is one corrected for the number of metrics, and of models where there are several."""
    tests = len(family(d)) * (len(d["models"]) - 1)
    return one["metric"] != d["primary"] and one["p_adjusted"] is not None and tests > 1


def marks(d: Mapping[str, Any], shown: Sequence[Compared]) -> list[str]:
    """What the marks in the table mean."""
    said = []
    if d["primary"]:
        together = f"; p allows for {len(d['models']) - 1} models" if len(d["models"]) > 2 else ""
        said.append(f"* primary, tested alone at {percent(round(1 - d['level'], 12))}{together}")
    if any(corrected(d, one) for one in shown):
        models = f" of {len(d['models']) - 1} models" if len(d["models"]) > 2 else ""
        metrics = f"{'secondary ' if d['primary'] else ''}metric{'' if len(family(d)) == 1 else 's'}"
        said.append(f"Holm-adjusted (h) over the {len(family(d))} {metrics}{models}")
    if any(one["verdict"] == "UNDECIDED" for one in shown):
        said.append(f"{NOT_ESTABLISHED} no difference is established")
    if any(one["verdict"] == "UNDECIDED" and corrected(d, one) and _without_zero(one) for one in shown):
        said.append("intervals are not corrected for the number of metrics")
    return said + _measured(shown, d["level"])


def _measured(shown: Sequence[Compared], level: float) -> list[str]:
    """How often such tests rejected what was true in the lab, over all that are shown."""
    cards = [one["card"] for one in shown if one["card"]]
    if not cards:
        return []
    rates = [round(card["rate"], 3) for card in cards]
    ends = dict.fromkeys(percent(end) for end in (min(rates), max(rates)))
    sizes = " and ".join(f"{size:,}" for size in sorted({card["n"] for card in cards}))
    rejected = f"lab: such tests rejected {' to '.join(ends)} of true nulls at n near {sizes}"
    return [f"{rejected} (nominal {percent(round(1 - level, 12))})"]


def _without_zero(one: Compared) -> bool:
    """Whether the interval leaves out that there is no difference."""
    return one["low"] is not None and one["high"] is not None and not one["low"] <= 0 <= one["high"]


def _remarks(d: Mapping[str, Any], shown: Sequence[Compared], *, brief: bool) -> tuple[Remark, ...]:
    """The checks, then each note once with the differences it belongs to."""
    places: dict[str, list[str]] = {}
    for one in shown:
        for note in one["notes"]:
            place = one["metric"] if len(d["models"]) == 2 else f"{one['metric']} of {one['a']}"
            places.setdefault(note, []).append(place)
    labels = any(of_decisions(metric) for metric in on_page(d, shown, brief=brief))
    checks = [Remark(check["code"], check["text"]) for check in d["checks"] if labels or not check.get("labels")]
    return (*checks, *(placed(note, found) for note, found in places.items()))
