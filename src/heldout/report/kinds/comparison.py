"""A comparison of models on rows: how they were matched, differences, subgroups, the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from heldout.report.document import TONES, Cell, Document, Note, Table, given, table_of
from heldout.report.kinds.differences import (
    NOT_SIGNIFICANT,
    difference_notes,
    difference_records,
    difference_tables,
    interval,
    looks_notes,
    shown_differences,
    values_by_model,
    verdict_sentences,
)
from heldout.report.kinds.estimates import of_decisions, units_fact, units_name
from heldout.report.kinds.evaluation_breakdowns import WORST, bar, short, too_small, varies
from heldout.report.number_text import Estimated, amount, percent, signed

Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """A comparison from the top down: how rows were matched, differences, subgroups, the verdict, notes."""
    word = str(d["verdict"] or "")
    return Document(
        title=models_title("Comparison", d),
        opening=(_matched(d),),
        facts=(*(units_fact(d) if d["paired"] else ()), f"task: {d['task']}"),
        tables=(*difference_tables(d), *values_by_model(d), *_subgroup_tables(d)),
        verdict=verdict_sentences(d),
        notes=(*looks_notes(d, shown_differences(d)), *_checks(d), *difference_notes(d)),
        word=word,
        tone=TONES.get(word, "open"),
        data=_data(d),
        sections={"disagreement": "Where the models disagree"},
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per difference: of all rows, then of every subgroup."""
    first = ("metric", "model", "baseline")
    rows = [{**{name: one[name] for name in first}, "segment": "", **one} for one in difference_records(d)]
    better = {one["metric"]: one["better"] for one in d["differences"]}
    for column, models in d["segments"].items():
        for of_model in models:
            rows += _subgroup_records(column, of_model, better)
    return rows


def _subgroup_records(column: str, of_model: Facts, better: Facts) -> Iterator[dict[str, Any]]:
    """The differences of one model in the subgroups of a column, and the subgroups that are too small for them."""

    def record(key: str, name: str, **facts: Any) -> dict[str, Any]:
        models = {side: of_model[side] for side in ("model", "baseline")}
        return {"metric": name, **models, "segment": f"{column}={key}", **facts}

    for key, part in of_model["shown"].items():
        for name, one in part["differences"].items():
            also = {"level": of_model["level"], "better": better.get(name), "notes": "; ".join(one["notes"])}
            yield record(key, name, **{**one, **also})
    for one in of_model.get("small", ()):  # results of earlier versions do not name them
        yield record(one["segment"], "too_small", notes=one["reason"])


def models_title(what: str, d: Facts) -> str:
    """What it is, and of which models where they are few."""
    *first, last = d["models"] or [""]
    names = f"{', '.join(first)} and {last}" if first else last
    return f"{what} of {names}" if 0 < len(d["models"]) <= 3 else what


def _matched(d: Facts) -> str:
    """How many rows the models share, and how many were left out."""
    rows = f"{d['rows']:,} row{'' if d['rows'] == 1 else 's'}"
    if not d["paired"]:
        count = "two" if len(d["models"]) == 2 else str(len(d["models"]))
        return f"{_samples(d['samples'])}; rows are not matched: {count} independent samples"
    matched = d["matched"]
    if matched["by"] not in ("id", "content"):
        return f"{rows} matched by {matched['by']}"
    only = ", ".join(f"{count:,} only in {name}" for name, count in matched["only"].items())
    return f"{rows} matched by {matched['by']} ({only})"


def _samples(samples: Facts) -> str:
    """The size of every sample, in clusters too where rows share them."""
    return ", ".join(
        f"{one['rows']:,} rows in {name}" + (f" ({one['units']:,} clusters)" if one["units"] != one["rows"] else "")
        for name, one in samples.items()
    )


def _checks(d: Facts) -> tuple[Note, ...]:
    """The checks; those that only matter to decided labels where such a metric is shown."""
    labels = any(of_decisions(one["metric"]) for one in shown_differences(d))
    return tuple(Note(check["code"], check["text"]) for check in d["checks"] if labels or not check.get("labels"))


def _data(d: Facts) -> dict[str, str]:
    data = {"rows": f"{d['rows']:,}"}
    if d["units"] != d["rows"]:
        data[units_name(d)] = f"{d['units']:,}"
    return {**data, "task": d["task"], "confidence level": percent(d["level"])}


def _subgroup_tables(d: Facts) -> list[Table]:
    """Per subgroup column and model: every subgroup with its difference; a brief document has one metric."""
    return [
        _subgroup_table(d, column, of_model, name, first=at == 0)
        for column, models in d["segments"].items()
        for of_model in models
        for at, name in enumerate(_metrics(of_model) or [""])
    ]


def _metrics(of_model: Facts) -> list[str]:
    # a subgroup with few rows of one class has some of the metrics only
    every = sorted((part["differences"] for part in of_model["shown"].values()), key=len, reverse=True)
    return list(dict.fromkeys(name for differences in every for name in differences))


def _subgroup_table(d: Facts, column: str, of_model: Facts, name: str, *, first: bool) -> Table:
    shown = {key: part for key, part in of_model["shown"].items() if name in part["differences"]}
    differences = [part["differences"][name] for part in shown.values()]
    grouped = d["rows"] != d["units"]
    which = f"{name}: {short(of_model['model'])} - {short(of_model['baseline'])}".removeprefix(": ")
    return table_of(
        "segments",
        [
            ("subgroup", "l", given(shown)),
            ("rows", "r", [amount(part["rows"]) for part in shown.values()]),
            *([(f"{d['unit']}s", "r", [amount(part["units"]) for part in shown.values()])] if grouped else []),
            ("difference", "r", [Cell(_significant(one), given=True) for one in differences]),
            ("CI", "l", [interval(one) for one in differences]),
        ],
        title=Cell(f"{which} by {short(column)}, simultaneous: {percent(of_model['level'])} each", given=True),
        section="segments",
        bars=tuple(map(bar, differences)),
        in_brief=first,
        brief_rows=WORST,
        rows_are=("subgroup", "subgroups"),
        foot=(
            *too_small(of_model),
            *varies(
                of_model["heterogeneity"].get(name),
                d["level"],
                f"the difference varies by {short(column)}",
                f"the difference does not vary significantly by {short(column)}",
            ),
        ),
    )


def _significant(one: Estimated) -> str:
    """The difference, or the mark that it is not significant."""
    if one["low"] is None or one["high"] is None or one["low"] <= 0 <= one["high"]:
        return NOT_SIGNIFICANT
    return signed(one["value"], one)
