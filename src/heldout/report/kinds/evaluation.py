"""An evaluation: metrics, operating point, confusion matrix, classes, subgroups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from heldout.errors import UsageError
from heldout.formulas import metric
from heldout.report.document import Cell, Document, Note, Table, given, table_of, with_foot
from heldout.report.kinds.estimates import (
    alike_notes,
    check_notes,
    ci_head,
    counts,
    coverage_column,
    coverage_note,
    estimate_record,
    intervals,
    of_decisions,
    printed,
    source_name,
    time_columns,
    time_note,
    units_name,
    values,
    without_numbers,
)
from heldout.report.kinds.evaluation_breakdowns import (
    BRIEF_SEGMENT_METRICS,
    bar,
    brief_class_metrics,
    class_metrics,
    class_table,
    confusion_tables,
    operating_table,
    segment_metrics,
    segment_tables,
)
from heldout.report.kinds.shift import shift_notes, shift_tables
from heldout.report.kinds.threshold_choice import threshold_records, threshold_table
from heldout.report.number_text import Estimated, amount, like, percent, value_text

DESIGNS = (", clustered", ", weighted", ", HAC")
"""What a method's name says about the rows rather than about the method."""
Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """An evaluation from the top down: facts, metrics, operating point, confusion, classes, subgroups, notes."""
    name = source_name(d)
    word = _word(d)
    chosen = d.get("chosen_threshold")
    return Document(
        title=f"Evaluation of {name}" if name else "Evaluation",
        name=Cell(name, given=True),
        facts=_facts(d),
        columns=_columns(d),
        tables=(
            *metric_tables(d),
            *operating_table(d),
            *([threshold_table(chosen)] if chosen else []),
            *confusion_tables(d),
            *class_table(d),
            *segment_tables(d),
            *shift_tables(d),
        ),
        notes=(*_notes(d), *shift_notes(d)),
        word=word,
        tone="good" if word == BEATS_DUMMY else "open",
        headline=tuple(_against_dummy(d)),
        data=_data(d),
        sections={"confusion": "Confusion matrix"} if d["task"] == "binary" else {},
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per estimate, also those that the text leaves out."""
    rows = [_record(name, "", "", e) for name, e in d["estimates"].items()]
    if d.get("operating_point"):
        rows += list(_operating_records(d["operating_point"]))
    if d.get("chosen_threshold"):
        rows += [_record(name, "", "", e) for name, e in threshold_records(d["chosen_threshold"])]
    for label, estimates in d["classes"].items():
        rows += [_record(name, label, "", e) for name, e in estimates.items()]
    for column, segments in d["segments"].items():
        for key, part in segments["shown"].items():
            rows += [_record(name, "", f"{column}={key}", e) for name, e in part["estimates"].items()]
        rows += [_record("too_small", "", f"{column}={one['segment']}", small_record(one)) for one in _small(segments)]
    return rows


def _small(segments: Facts) -> list[Facts]:
    """Subgroups that are too small for some or all metrics; results of earlier versions do not name them."""
    return list(segments.get("small", ()))


def small_record(one: Facts) -> dict[str, Any]:
    """A subgroup that is too small, as an estimate without a value: its rows, and the reason."""
    return {
        "value": None, "low": None, "high": None, "level": None, "better": None, "method": "none",
        "units": one["rows"], "notes": [one["reason"]],
    }  # fmt: skip


def _record(name: str, label: str, segment: str, e: Estimated) -> dict[str, Any]:
    return {"metric": name, "class": label, "segment": segment, **estimate_record(e)}


def _operating_records(point: Facts) -> Iterator[dict[str, Any]]:
    """The certified threshold, then the recall and the misses that it has."""
    certified = f"P(fpr > {point['max_fpr']:g}) <= {point['violation']:.3g}; scores at or above it are positive"
    threshold = {
        "value": point["threshold"], "low": None, "high": None, "level": point["confidence"], "better": None,
        "method": "order statistic", "units": point["negatives"], "notes": [certified],
    }  # fmt: skip
    yield _record("operating_point.threshold", "", "", threshold)
    yield _record("operating_point.recall", "", "", point["recall"])
    yield _record("operating_point.beta", "", "", point["beta"])


def _facts(d: Facts) -> tuple[str, ...]:
    """Rows, positives, classes, clusters and task, as far as they are known; chunks, where rows were read in some."""
    if d.get("class_tables"):
        return f"{d['rows']:,} counts of {len(d['labels'])} classes, each class by itself", f"task: {d['task']}"
    rows = f"{d['rows']:,} row{'' if d['rows'] == 1 else 's'}"
    known = [d["positives"], d["rows"]] if d.get("positives") is not None else None
    positives = d["estimates"].get("prevalence", {"count": known})["count"]
    if d["task"] == "binary" and positives and positives[1]:
        rows += f", {amount(positives[0], ',')} positive ({100 * positives[0] / positives[1]:.1f}%)"
    if d["task"] in {"multiclass", "multilabel"}:
        one, several = ("class", "classes") if d["task"] == "multiclass" else ("label", "labels")
        rows += f", {len(d['labels'])} {one if len(d['labels']) == 1 else several}"
    if d["units"] != d["rows"]:
        rows += f", {d['units']:,} {d.get('unit', 'cluster')}s"
    chunks, engine = d.get("chunks", 1), d.get("engine", "local")
    read = () if chunks == 1 and engine == "local" else (f"{chunks} chunk{'' if chunks == 1 else 's'} ({engine})",)
    return rows, f"task: {d['task']}", *read


def _columns(d: Facts) -> tuple[tuple[str, str], ...]:
    """Which column plays which role, the positive class and the threshold: what was assumed is echoed."""
    columns = [(str(role), str(name)) for role, name in d["columns"].items()]
    if d["positive"] is not None:
        columns.append(("positive", f'"{d["positive"]}"' if isinstance(d["positive"], str) else str(d["positive"])))
    if d["threshold"] is not None:
        columns.append(("threshold", f"{d['threshold']:g}"))
    return tuple(columns)


def metric_tables(d: Facts) -> list[Table]:
    """The metrics; those of labels made by a threshold in a table of their own."""
    shown = printed(d["estimates"])
    at_threshold = d["task"] in {"binary", "multilabel"} and d["threshold"] is not None
    decided = {name for name in shown if at_threshold and of_decisions(name)}
    first = {name: e for name, e in shown.items() if name not in decided}
    second = {name: e for name, e in shown.items() if name in decided}
    tables = [_metric_table(d, "metric", first)] if first else []
    if second:
        tables.append(_metric_table(d, f"at threshold {d['threshold']:g}", second))
    if not tables:
        return []
    dummy = (f"dummy: {d['baseline']['name']}",) if d["baseline"] else ()
    notes = (*coverage_note(shown.values(), d["level"]), *time_note(shown.values()))
    tables[-1] = with_foot(tables[-1], *dummy, *notes)
    return tables


def _metric_table(d: Facts, head: str, shown: Mapping[str, Estimated]) -> Table:
    """Metric, value, interval, counts, method, and what a dummy model reaches; empty columns are left out."""
    dummy = d["baseline"] or {"estimates": {}, "beaten": {}}
    reached = dummy["estimates"]
    # what all methods have in common stands once, in the head
    design = next((word for word in DESIGNS if any(word in str(e["method"]) for e in shown.values())), "")
    table = table_of(
        head,
        [
            (head, "l", given(shown)),
            ("value", "r", values(shown.values())),
            (ci_head(d["level"]), "l", intervals(shown.values())),
            ("counts", "l", [counts(e) for e in shown.values()]),
            (f"method{design}", "l", given(str(e["method"]).replace(design, "") for e in shown.values())),
            coverage_column(shown.values()),
            *time_columns(shown.values()),
            ("dummy", "r", [like(reached[name], e) if name in reached else "" for name, e in shown.items()]),
            ("better?", "l", [{True: "yes", False: "not shown"}.get(dummy["beaten"].get(name), "") for name in shown]),
        ],
    )
    bars = tuple(bar(e) if _is_share(name) else None for name, e in shown.items())
    last = table.head[-1].text == "better?"
    return replace(
        table,
        bars=bars if any(bars) else (),
        marks=tuple(reached.get(name) if one else None for name, one in zip(shown, bars, strict=True)),
        bars_on_screen=False,
        brief_columns=len(table.head) - 1 if last else None,
    )


def _is_share(name: str) -> bool:
    try:
        return metric(name).range == (0.0, 1.0)
    except UsageError:
        return False


def _notes(d: Facts) -> tuple[Note, ...]:
    """The checks, then the notes on metrics, then one note of each sort on classes and subgroups."""
    checks = check_notes(d)
    whole = _by_text((name, e) for name, e in d["estimates"].items() if e.get("printed", True))
    new = {text: places for text, places in whole.items() if not any(text in check.text for check in checks)}
    known = {without_numbers(text) for text in whole}
    return (*checks, *alike_notes(new), *_part_notes(d, known))


def _part_notes(d: Facts, known: set[str]) -> Iterator[Note]:
    """One note of each sort on classes and subgroups; it counts the numbers that the brief or whole document shows."""
    brief, full = (_sorts(d, known, brief=brief) for brief in (True, False))
    for sort, places in full.items():
        shown = brief.get(sort)
        same = shown == places
        if shown and not same:
            yield _first_of(shown, in_full=False)
        yield _first_of(places, in_brief=same)


def _sorts(d: Facts, known: set[str], *, brief: bool) -> dict[str, list[tuple[str, str]]]:
    """A note without its numbers → the places where it is made, each with its text."""
    sorts: dict[str, list[tuple[str, str]]] = {}
    for text, places in _by_text(_parts(d, brief=brief)).items():
        if without_numbers(text) not in known:
            sorts.setdefault(without_numbers(text), []).extend((place, text) for place in places)
    return sorts


def _by_text(estimates: Any) -> dict[str, list[str]]:
    """Every note with the places where it is made."""
    places: dict[str, list[str]] = {}
    for place, e in estimates:
        for text in e["notes"]:
            places.setdefault(text, []).append(place)
    return places


def _parts(d: Facts, *, brief: bool) -> Iterator[tuple[str, Estimated]]:
    """The estimates shown per class and per subgroup, each with the words for where it stands."""
    of_class = brief_class_metrics(d) if brief else class_metrics(d)
    for label, estimates in d["classes"].items():
        yield from ((f'{name} of "{label}"', estimates[name]) for name in of_class if name in estimates)
    for column, segments in d["segments"].items():
        names = segment_metrics(segments)[: BRIEF_SEGMENT_METRICS if brief else None]
        for key, part in segments["shown"].items():
            estimates = part["estimates"]
            yield from ((f'{name} where {column} is "{key}"', estimates[name]) for name in names if name in estimates)


def _first_of(alike: list[tuple[str, str]], **where: bool) -> Note:
    place, text = alike[0]
    more = f"; {len(alike) - 1} more like this, all in the JSON" if len(alike) > 1 else ""
    return Note(place, f"{text}{more}", **where)


BEATS_DUMMY, NOT_SHOWN = "BETTER THAN A DUMMY MODEL", "NOT SHOWN TO BE BETTER THAN A DUMMY MODEL"


def _deciding(d: Facts) -> list[str]:
    """The first printed metric of the scores and the first of the decisions that a dummy model has too."""
    if not d["baseline"]:
        return []
    known = [name for name in printed(d["estimates"]) if name in d["baseline"]["beaten"]]
    first = [[name for name in known if of_decisions(name) is decided][:1] for decided in (False, True)]
    return [name for names in first for name in names]


def _word(d: Facts) -> str:
    deciding = _deciding(d)
    if not deciding:
        return ""
    return BEATS_DUMMY if d["baseline"]["beaten"][deciding[0]] else NOT_SHOWN


def _against_dummy(d: Facts) -> list[str]:
    """Whether the model is better than a dummy model, in a sentence per kind of metric."""
    sentences = []
    for name in _deciding(d):
        e, reached = d["estimates"][name], d["baseline"]["estimates"][name]
        word = "better" if d["baseline"]["beaten"][name] else _not_better(e, reached)
        where = f" at threshold {d['threshold']:g}" if of_decisions(name) and d["threshold"] is not None else ""
        sentences.append(f"{in_words(name, e, where)}: {word} than the dummy model ({like(reached, e)}).")
    return sentences or [f"{in_words(name, e)}." for name, e in list(printed(d["estimates"]).items())[:2]]


def _not_better(e: Estimated, reached: float | None) -> str:
    """Significantly worse than the dummy model where the interval lies wholly on the bad side of its value."""
    if reached is None or e["low"] is None or e["high"] is None:
        return "not significantly better"
    worse = e["high"] < reached if e["better"] == "higher" else e["low"] > reached
    return "significantly worse" if worse else "not significantly better"


def in_words(name: str, e: Estimated, where: str = "") -> str:
    """A metric with its interval, as the beginning of a sentence."""
    if e["low"] is None or e["high"] is None:
        return f"{name}{where} is {value_text(e)}"
    return f"{name}{where} is {value_text(e)}, {ci_head(e['level'])} {like(e['low'], e)} to {like(e['high'], e)}"


def _data(d: Facts) -> dict[str, str]:
    """Rows, positives, clusters, task, level: what the numbers rest on."""
    data = {"counts of all classes" if d.get("class_tables") else "rows": f"{d['rows']:,}"}
    if d.get("positives") is not None and d["rows"]:
        data["positive rows"] = f"{amount(d['positives'], ',')} ({100 * d['positives'] / d['rows']:.1f}%)"
    if d["units"] != d["rows"]:
        data[units_name(d)] = f"{d['units']:,}"
    if d["task"] in {"multiclass", "multilabel"} and d["labels"]:
        data["classes" if d["task"] == "multiclass" else "labels"] = str(len(d["labels"]))
    data |= {"task": d["task"], "confidence level": percent(d["level"])}
    data |= {role: name for role, name in _columns(d) if role in {"positive", "threshold"}}
    return data
