"""Generated texts against references: values by metric and system, differences, the segments that matter most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import TONES, Cell, Column, Document, Note, Table, given, table_of, with_foot
from heldout.report.kinds.comparison import models_title
from heldout.report.kinds.differences import difference_notes, difference_records, difference_tables, verdict_sentences
from heldout.report.kinds.estimates import (
    check_notes,
    ci_head,
    coverage_column,
    coverage_note,
    estimate_record,
    gathered,
    intervals,
    values,
)
from heldout.report.kinds.evaluation import in_words
from heldout.report.number_text import percent
from heldout.report.plain_text import shortened

LONGEST, BRIEF = 200, 28
"""Characters of a text that are shown, and that fit on a screen."""
FEW = 3
"""How many segments a brief document shows for each direction."""
Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """Texts from the top down: segments and signatures, values, differences, the verdict, notes."""
    several = len(d["models"]) > 1
    word = str(d["verdict"] or "")
    first = d["estimates"][d["baseline"]]
    return Document(
        title=models_title("Texts", d),
        opening=(_counted(d),),
        facts=tuple(_signatures(d)),
        tables=(_values(d), *(difference_tables(d) if several else ()), *_examples(d)),
        verdict=verdict_sentences(d) if several else (),
        notes=(*check_notes(d), *(difference_notes(d) if several else ()), *_estimate_notes(d)),
        word=word,
        tone=TONES.get(word, "open"),
        headline=() if several else tuple(f"{in_words(name, first[name])}." for name in _metrics(d)[:2]),
        data=_data(d),
        sections={
            "distributions": "Values by segment",
            "more_data": "Confidence intervals with more segments",
            "disagreement": "Where the systems differ most" if several else "Segments with the lowest values",
        },
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per system and metric; of several systems, one per difference."""
    if len(d["models"]) > 1:
        return difference_records(d)
    return [
        {"metric": metric, "model": name, **estimate_record(e)}
        for name in d["models"]
        for metric, e in d["estimates"][name].items()
    ]


def _counted(d: Facts) -> str:
    """How many segments, documents and references there are."""
    rows = f"{d['rows']:,} segment{'' if d['rows'] == 1 else 's'}"
    units = f" in {d['units']:,} documents" if d["units"] != d["rows"] else ""
    fewest, most = d["references"]["fewest"], d["references"]["most"]
    each = f"{fewest} to {most} references each" if fewest != most else f"{most} references each"
    matched = ", matched by id" if d["matched"]["by"] == "id" else ""
    return f"{rows}{units}, {'1 reference each' if fewest == most == 1 else each}{matched}"


def _signatures(d: Facts) -> list[str]:
    """The signature by which each number can be repeated; n-grams are counted as those of BLEU are."""
    shown = {name.partition("_")[0] for name in _metrics(d)}
    if "ngram" in shown:
        shown.add("bleu")
    return [f"{kind}|{words}" for kind, words in d["signatures"].items() if kind in shown]


def _metrics(d: Facts) -> list[str]:
    """The metrics whose values are shown; of BERTScore all three."""
    first = d["estimates"][d["baseline"]]
    return [name for name, e in first.items() if e["printed"] or name == d["primary"] or "bertscore" in name]


def _values(d: Facts) -> Table:
    """One line per metric and system: value, interval, method."""
    lines = [(metric, name, d["estimates"][name][metric]) for metric in _metrics(d) for name in d["models"]]
    estimates = [e for *_, e in lines]
    table = table_of(
        "value",
        [
            ("metric", "l", [metric for metric, *_ in lines]),
            ("system", "l", given(name for _, name, _ in lines)),
            ("value", "r", values(estimates)),
            (ci_head(d["level"]), "l", intervals(estimates)),
            ("method", "l", given(e["method"] for e in estimates)),
            coverage_column(estimates),
        ],
    )
    return with_foot(table, *coverage_note(estimates, d["level"]))


def _examples(d: Facts) -> list[Table]:
    """The segments that move a system's value, or its difference, most."""
    return [
        table
        for name, segments in d["segments"].items()
        if segments
        for table in (_example(d, name, segments, brief=True), _example(d, name, segments, brief=False))
    ]


def _example(d: Facts, name: str, segments: list[Facts], *, brief: bool) -> Table:
    metric, several = segments[0]["metric"], len(d["models"]) > 1
    if several:
        title = f"segments that move {name} against {d['baseline']} most ({metric})"
    else:
        title = f"segments that lower {metric} most"
    kept = _few(segments) if brief else segments
    texts, numbers = [(name, "text"), ("reference", "reference")], [(name, "value")]
    if several:
        texts.insert(1, (d["baseline"], "baseline"))
        numbers.insert(0, (d["baseline"], "baseline_value"))
    if brief:
        texts, numbers = [texts[0], texts[-1]], []
    longest = BRIEF if brief else LONGEST
    columns: list[Column] = [
        ("segment", "r", [str(one["segment"]) for one in kept]),
        ("moves", "r", [f"{one['moved']:+.3g}" for one in kept]),
        *((Cell(f"{metric} of {whom}", given=True), "r", [number_text(one[key]) for one in kept])
          for whom, key in numbers),
        *((Cell(whom, given=True), "l", given(shortened(one[key], longest) for one in kept)) for whom, key in texts),
    ]  # fmt: skip
    # the HTML report sets the texts one below the other instead
    return table_of(
        "examples", columns, title=Cell(title, given=True), section="", in_brief=brief, in_full=not brief
    )  # fmt: skip


def _few(segments: list[Facts]) -> list[Facts]:
    """The first few of each direction: those that move the value up, and those that move it down."""
    ways = [[one for one in segments if (one["moved"] > 0) == (segments[0]["moved"] > 0)]]
    ways.append([one for one in segments if one not in ways[0]])
    return [one for way in ways for one in way[:FEW]]


def number_text(value: float | None) -> str:
    """The metric of a segment: points of 100 with one decimal, shares with three."""
    return "--" if value is None else f"{value:.1f}" if abs(value) >= 2 else f"{value:.3f}"


def _estimate_notes(d: Facts) -> tuple[Note, ...]:
    several = len(d["models"]) > 1
    return gathered(
        (f"{metric} of {name}" if several else metric, d["estimates"][name][metric]["notes"])
        for metric in _metrics(d)
        for name in d["models"]
    )


def _data(d: Facts) -> dict[str, str]:
    """Segments, documents, references, and the level."""
    fewest, most = d["references"]["fewest"], d["references"]["most"]
    return {
        "segments": f"{d['rows']:,}",
        **({"documents": f"{d['units']:,}"} if d["units"] != d["rows"] else {}),
        "references of each": f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}",
        "confidence level": percent(d["level"]),
    }
