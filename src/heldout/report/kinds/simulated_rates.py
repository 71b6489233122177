"""Simulated error rates of intervals and tests: over rows, images, texts and splits; and the simulations themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from heldout.report.document import Cell, Column, Document, Note, Table, given, table_of, with_foot

Facts = Mapping[str, Any]


def error_rates_document(d: Facts) -> Document:
    """A line per method or test and metric; a table per simulation where there are several."""
    rows = d["results"]
    of_intervals = "alpha" not in d
    columns = _coverage if of_intervals else _rejections
    title = "Simulated coverage" if of_intervals else "Simulated type I error and power"
    if d["world"] is None:
        return Document(title=title, tables=tuple(_by_world(rows)))
    if of_intervals:
        goal = f"level {d['level']:g}" + ("" if d["window"] is None else f", mean over true values +-{d['window']:.0%}")
    else:
        goal = f"alpha {d['alpha']:g}" + (f", {d['models']} models" if d["models"] > 2 else "")
    exact = all(one["repeats"] == 0 for one in rows)
    how = "every sample enumerated" if exact else f"{max(one['repeats'] for one in rows):,} samples, seed {d['seed']}"
    window = d.get("window")
    return Document(
        title=title,
        opening=(f"{d['world']}, n = {d['n']:,}, {goal}; {how}",),
        tables=(table_of("rates", columns(rows, window)),),
    )


def error_rates_records(d: Facts) -> list[dict[str, Any]]:
    """One record per method or test and metric."""
    return [dict(one) for one in d["results"]]


def _coverage(rows: Sequence[Facts], window: float | None) -> list[Column]:
    return [
        ("method", "l", given(one["method"] for one in rows)),
        ("metric", "l", given(one["metric"] for one in rows)),
        ("truth", "r", [f"{one['truth']:.4g}" for one in rows]),
        ("coverage", "r", [share(one["coverage"]) for one in rows]),
        *([] if window is None else [("lowest", "r", [share(one["minimum"]) for one in rows])]),
        ("± MC error", "r", [monte_carlo(one) for one in rows]),
        ("width", "r", ["--" if one["width"] is None else f"{one['width']:.3g}" for one in rows]),
        ("", "l", [_word(one) for one in rows]),
    ]


def _word(one: Facts) -> str:
    return str(one["word"] if not one["undefined"] else f"{one['word']}, {one['undefined']:.1%} undefined")


def _rejections(rows: Sequence[Facts], window: float | None = None) -> list[Column]:
    del window
    return [
        ("test", "l", given(one["test"] for one in rows)),
        ("metric", "l", given(one["metric"] for one in rows)),
        ("difference", "r", [f"{one['difference']:+.4g}" if one["difference"] else "0" for one in rows]),
        ("rejected", "r", [share(one["rejected"]) for one in rows]),
        ("± MC error", "r", [monte_carlo(one) for one in rows]),
        ("undefined", "r", [share(one["undefined"]) for one in rows]),
        ("coverage", "r", [share(one["coverage"]) for one in rows]),
        ("", "l", [one["word"] or "" for one in rows]),
    ]


def _by_world(rows: Sequence[Facts]) -> list[Table]:
    """One table per simulation, with a line per number of rows and metric."""
    tables = []
    for world in dict.fromkeys(one["world"] for one in rows):
        inside = [one for one in rows if one["world"] == world]
        _, metric, _, *rest = _rejections(inside)
        columns = [metric, ("n", "r", [str(one["n"]) for one in inside]), *rest]
        tables.append(table_of(str(world), columns, title=Cell(str(world), given=True)))
    return tables


def share(value: float | None) -> str:
    """A share in percent; -- where there is none.

    >>> share(0.3951), share(None)
    ('39.5%', '--')
    """
    return "--" if value is None else f"{value:.1%}"


def monte_carlo(one: Facts) -> str:
    """The Monte-Carlo standard error of a rate; `exact` where every sample was enumerated."""
    return "exact" if one["repeats"] == 0 else f"{one['error']:.2%}"


HEADS = {"interval": "coverage", "classes": "all covered", "test": "rejected"}


def corpus_rates_document(d: Facts) -> Document:
    """Coverage of intervals and rejections by tests, one table per simulation, number of units and kind."""
    return Document(
        title="Simulated error rates over images and segments",
        tables=tuple(
            table
            for world, n in dict.fromkeys((one["world"], one["n"]) for one in d["results"])
            for table in _tables(d, [one for one in d["results"] if (one["world"], one["n"]) == (world, n)])
        ),
    )


def corpus_rates_records(d: Facts) -> list[dict[str, Any]]:
    """One record per simulation, number of units, metric and method."""
    return [dict(one) for one in d["results"]]


def _tables(d: Facts, rows: Sequence[Facts]) -> list[Table]:
    first = rows[0]
    effort = f"level {d['level']:g}, {first['repeats']:,} samples, seed {d['seed']}"
    title = f"{first['world']}, n = {first['n']:,}; {effort}"
    kinds = [kind for kind in HEADS if any(one["kind"] == kind for one in rows)]
    return [
        table_of(
            f"{first['world']} {first['n']} {kind}",
            _columns(kind, [one for one in rows if one["kind"] == kind]),
            title=Cell(title if at == 0 else "", given=True),
        )
        for at, kind in enumerate(kinds)
    ]


def _columns(kind: str, rows: Sequence[Facts]) -> list[Column]:
    known: list[Column] = [
        ("truth", "r", ["--" if one["truth"] is None else f"{one['truth']:.4g}" for one in rows]),
        ("bias", "r", [f"{one['bias'] or 0:+.3g}" for one in rows]),
    ]
    return [
        (kind, "l", given(one["metric"] for one in rows)),
        ("method", "l", given(one["method"] for one in rows)),
        *(known if kind == "interval" else []),
        (HEADS[kind], "r", [share(one["rate"]) for one in rows]),
        ("± MC error", "r", [share(one["error"]) for one in rows]),
        ("width", "r", ["--" if one["width"] is None else f"{one['width']:.3g}" for one in rows]),
        ("", "l", [one["word"] if not one["undefined"] else f"{one['word']}, {one['undefined']:.1%} undefined"
                   for one in rows]),
    ]  # fmt: skip


COVERED = (
    "learner, model, target: percent of samples whose interval covers the error of the learner, of the model fitted to "
    "all rows, and of its own target"
)


def split_rates_document(d: Facts) -> Document:
    """How often each interval covered which error, or each test rejected, one table per learner."""
    of_intervals = "alpha" not in d
    columns = _split_rates_coverage if of_intervals else _split_rates_rejections
    goal = f"level {d['level']:g}" if of_intervals else f"alpha {d['alpha']:g}"
    what = "Simulated coverage over splits" if of_intervals else "Simulated type I error over splits"
    return Document(
        title=what,
        tables=tuple(_split_rates_tables(d, goal, columns)),
        notes=(Note("", COVERED),) if of_intervals else (),
    )


def split_rates_records(d: Facts) -> list[dict[str, Any]]:
    """One record per learner, method and splits."""
    return [dict(one) for one in d["results"]]


def _split_rates_tables(d: Facts, goal: str, columns: Callable[[Sequence[Facts]], list[Column]]) -> list[Table]:
    tables = []
    for learner, world, n in dict.fromkeys((one["learner"], one["world"], one["n"]) for one in d["results"]):
        rows = [one for one in d["results"] if (one["learner"], one["world"], one["n"]) == (learner, world, n)]
        known = f", whose error is {rows[0]['truth']:.4f}" if "truth" in rows[0] else ""
        title = f"{learner} in {world}, n = {n:,}{known}; {goal}, {rows[0]['repeats']:,} samples, seed {d['seed']}"
        tables.append(table_of(f"{learner} {world} {n}", columns(rows), title=Cell(title, given=True)))
    return tables


def _split_rates_rejections(rows: Sequence[Facts]) -> list[Column]:
    return [
        ("test", "l", given(one["test"] for one in rows)),
        ("splits", "l", given(one["splits"] for one in rows)),
        ("rejected", "r", [share(one["rejected"]) for one in rows]),
        ("± MC error", "r", [f"{one['error']:.2%}" for one in rows]),
        ("refused", "r", [share(one["refused"]) for one in rows]),
        ("", "l", [one["word"] for one in rows]),
    ]


def _split_rates_coverage(rows: Sequence[Facts]) -> list[Column]:
    return [
        ("interval", "l", given(one["method"] for one in rows)),
        ("splits", "l", given(one["splits"] for one in rows)),
        ("mean", "r", [_number(one["mean"]) for one in rows]),
        ("+-", "r", [_number(one["half_width"]) for one in rows]),
        ("learner", "r", [_percent(one["covers_learner"]) for one in rows]),
        ("model", "r", [_percent(one["covers_model"]) for one in rows]),
        ("target", "r", [_percent(one["covers_target"]) for one in rows]),
        ("", "l", [one["word"].removeprefix("too ") for one in rows]),
    ]


def _percent(value: float | None) -> str:
    return "--" if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return "--" if value is None else f"{value:.3f}"


def held_out_document(d: Facts) -> Document:
    """How often the rates of half of the settings were too good for the other half."""
    rows = d["results"]
    columns: list[Column] = [
        ("held out", "l", [one["held_out"] for one in rows]),
        ("cards of", "l", [one["kind"] for one in rows]),
        ("cells", "r", [f"{one['cells']:,}" for one in rows]),
        ("printed", "r", [share(one["printed"]) for one in rows]),
        ("optimistic", "r", [share(one["optimistic"]) for one in rows]),
        ("too low", "r", [share(one["pessimistic"]) for one in rows]),
        ("mean", "r", [f"{100 * one['mean_gap']:+.1f}" for one in rows]),
        ("worst", "r", [f"{100 * one['worst_gap']:+.1f}" for one in rows]),
    ]
    worst = max(rows, key=lambda one: float(one["worst_gap"]))
    return Document(
        title="Held-out check of simulated rates",
        opening=(f"cards of half of the settings against the other half, {d['halves']} times, seed {d['seed']}",),
        tables=(table_of("rates", columns),),
        notes=(
            Note("printed", "the share of cells that have a rate: the others are unlike all of the other half"),
            Note("optimistic", f"the printed rate is better than the measured one by more than {_points(d)} points"),
            Note("too low", "the printed rate is worse than the measured one by more than 5 points"),
            Note("mean, worst", "printed less measured in points, towards optimism"),
            Note("worst cell", str(worst["worst_cell"])),
        ),
    )


def held_out_records(d: Facts) -> list[dict[str, Any]]:
    """One record per kind of cards, and one for all."""
    return [dict(one) for one in d["results"]]


def _points(d: Facts) -> str:
    return f"{100 * d['allowed']:g}"


OUTCOMES = {
    "met": "",
    "explained": "beyond the bound, with a reason below the table",
    "missed": "beyond the bound by more than 2 Monte-Carlo errors",
    "refused": "no sample had an answer",
}


def outside_document(d: Facts) -> Document:
    """A table per area, question and bound; how many rates miss theirs stands on top."""
    rows = d["results"]
    counts = {name: sum(one["outcome"] == name for one in rows) for name in OUTCOMES}
    counted = ", ".join(f"{count} {name}" for name, count in counts.items() if count or name == "missed")
    tables = []
    for area, asks, bound in dict.fromkeys((one["area"], one["asks"], _bound(one)) for one in rows):
        inside = [one for one in rows if (one["area"], one["asks"], _bound(one)) == (area, asks, bound)]
        reasons = dict.fromkeys(one["reason"] for one in inside if one["outcome"] == "explained")
        title = f"{area}: {asks}, bound {bound}"
        table = table_of(title, _outside_columns(inside), title=Cell(title, given=True))
        tables.append(with_foot(table, *(f"explained: {reason}" for reason in reasons)))
    return Document(
        title="Error rates outside the lab's simulations",
        opening=(f"{len(rows):,} rates: {counted}", f"seed {d['seed']}; printed: simulated rate beside the number"),
        tables=tuple(tables),
        notes=tuple(Note(name, words) for name, words in OUTCOMES.items() if counts[name] and words),
    )


def outside_records(d: Facts) -> list[dict[str, Any]]:
    """One record per setting and metric."""
    return [dict(one) for one in d["results"]]


def _outside_columns(rows: Sequence[Facts]) -> list[Column]:
    return [
        ("setting", "l", given(one["setting"] for one in rows)),
        ("n", "r", given(one["n"] for one in rows)),
        ("metric", "l", given(one["metric"] for one in rows)),
        ("samples", "r", [f"{one['repeats']:,}" for one in rows]),
        ("measured", "r", ["--" if one["measured"] is None else f"{share(one['measured'])} ± {100 * one['error']:.1f}"
                           for one in rows]),
        ("printed", "r", [share(one["printed"]) for one in rows]),
        ("", "l", [one["outcome"] for one in rows]),
    ]  # fmt: skip


def _bound(one: Facts) -> str:
    """The allowed rates, as 93 to 97.5% or up to 6%."""
    if one["asks"] != "coverage":
        return f"up to {100 * one['high']:g}%" if one["high"] else "never"
    return f"{100 * one['low']:.4g} to {100 * one['high']:.4g}%"


def failures_document(d: Facts) -> Document:
    """A table per case: what each method says, and what is true."""
    tables = []
    for case in dict.fromkeys(one["case"] for one in d["results"]):
        rows = [one for one in d["results"] if one["case"] == case]
        tables.append(
            table_of(
                str(case),
                [
                    ("method", "l", given(one["method"] for one in rows)),
                    ("says", "r", [f"{one['value']:.4f}" for one in rows]),
                    ("± MC error", "r", ["exact" if one["repeats"] == 0 else f"{one['error']:.4f}" for one in rows]),
                    ("truth", "r", [f"{one['truth']:.4f}" for one in rows]),
                ],
                title=Cell(str(case), given=True),
            )
        )
    return Document(title="Methods that fail", tables=tuple(tables))


def failures_records(d: Facts) -> list[dict[str, Any]]:
    """One record per case and method."""
    return [dict(one) for one in d["results"]]


def world_document(d: Facts) -> Document:
    """One simulation with its true values; or all of them with their parameters."""
    if len(d["worlds"]) > 1:
        return Document(title="Simulations", opening=tuple(_line(one) for one in d["worlds"]))
    (one,) = d["worlds"]
    parameters = [f"parameters: {_parameters(one)}"] if one["parameters"] else []
    known = {name: value for name, value in d["values"].items() if value is not None}
    table = table_of(
        "values", [("metric", "l", given(known)), ("true value", "r", [f"{value:.6g}" for value in known.values()])]
    )
    notes = [Note("", f"true values are exact to {d['accuracy']:g}")] if d["values"] else []
    if d["bayes_error"] is not None:
        notes.append(Note("Bayes error", f"{d['bayes_error']:.6f}"))
    return Document(
        title=f"Simulation {one['name']}",
        opening=(f"{one['name']}: {one['about']}", *parameters),
        tables=(table,) if known else (),
        notes=tuple(notes),
    )


def world_records(d: Facts) -> list[dict[str, Any]]:
    """One record per true value of a simulation, or one per simulation."""
    if len(d["worlds"]) == 1:
        name = d["worlds"][0]["name"]
        return [{"world": name, "metric": metric, "value": value} for metric, value in d["values"].items()]
    return [{"world": one["name"], "about": one["about"], "parameters": _parameters(one)} for one in d["worlds"]]


def _line(one: Facts) -> str:
    return f"{one['name']}{f' ({_parameters(one)})' if one['parameters'] else ''}: {one['about']}"


def _parameters(one: Facts) -> str:
    return ", ".join(f"{name}={value}" for name, value in one["parameters"].items())
