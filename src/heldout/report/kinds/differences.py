"""Differences of models from a reference model: tables, marks and sentences that every comparison shares.

A result with differences has `models`, `baseline`, `primary`, `level`, `unit`, `differences` and `best_of_many` in its
dictionary, whatever verb made it. What is significant, corrected and decided was settled in verbs/judgement.py; here it
is only put into words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import floor, log10
from typing import Any

from heldout.estimates.rounding import number, spec
from heldout.intervals.confidence_sequences import price
from heldout.report.document import Cell, Column, Note, Table, given, table_of, with_foot
from heldout.report.kinds.estimates import ci_head, gathered, time_columns, time_note, time_record, type_one_note
from heldout.report.number_text import interval_text, p_text, percent, signed, signed_interval, value_text

Facts = Mapping[str, Any]
Compared = Mapping[str, Any]
"""One difference as a plain dictionary, as `Difference.to_dict` gives it."""
NOT_SIGNIFICANT = "~"
SPENDING_NAMES = {"obrien-fleming": "O'Brien-Fleming", "pocock": "Pocock"}
NAMED = 10
"""How many models a sentence names before it counts the rest."""


def shown_differences(d: Facts) -> list[Compared]:
    """The differences a reader is shown, the primary metric first; JSON and CSV have all of them."""
    shown = [one for one in d["differences"] if one["printed"] or one["metric"] == d["primary"]]
    return sorted(shown, key=lambda one: bool(one["metric"] != d["primary"]))


def difference_records(d: Facts) -> list[dict[str, Any]]:
    """One record per difference, with the values of both models; JSON has their intervals too."""
    names = (
        *("value", "low", "high", "level", "pvalue", "pvalue_adjusted", "test"),
        *("verdict", "rows_needed", "better"),
    )
    return [
        {
            **{name: one[name] for name in ("metric", "model", "baseline")},
            **{f"{side}_value": _value(d, one[side], one["metric"]) for side in ("model", "baseline")},
            **{name: one[name] for name in names},
            **time_record(one),
            "notes": "; ".join(one["notes"]),
        }
        for one in d["differences"]
    ]


def _value(d: Facts, model: str, metric: str) -> float | None:
    """The value of a metric under a model; of scores on splits, their mean."""
    estimate = d["estimates"].get(model, {}).get(metric)
    value: float | None = d.get("means", {}).get(model) if estimate is None else estimate["value"]
    return value


def interval(one: Compared) -> str:
    """The interval of a difference in brackets, both ends with their signs."""
    return signed_interval(one)


def difference_tables(d: Facts, *, value: str = "metric") -> list[Table]:
    """Two models side by side in one table; three or more in a table per metric, each against the reference model."""
    shown = shown_differences(d)
    if not shown:
        return []
    if len(d["models"]) == 2:
        return [_two_models(d, shown, value)]
    metrics = list(dict.fromkeys(one["metric"] for one in shown))
    tables = [_many_models(d, [one for one in shown if one["metric"] == metric]) for metric in metrics]
    # marks stand once: below the last table of a brief document, and of the whole one
    kept = 1 if d["primary"] else len(tables)
    left = len(tables) - kept
    brief_marks = marks(d, [one for one in shown if one["metric"] in metrics[:kept]])
    tables = [replace(table, in_brief=at < kept) for at, table in enumerate(tables)]
    if left:
        more = f"{left} more metric{'' if left == 1 else 's'}"
        tables[kept - 1] = replace(tables[kept - 1], brief_foot=tuple(given(brief_marks)), left_out=more)
        tables[-1] = with_foot(tables[-1], *marks(d, shown))
    else:
        tables[-1] = with_foot(tables[-1], *brief_marks)
    return tables


def _two_models(d: Facts, shown: Sequence[Compared], value: str) -> Table:
    """One line per metric, with the values of both models."""
    other = next(name for name in d["models"] if name != d["baseline"])
    columns: list[Column] = [
        (value, "l", given(_starred(d, one["metric"]) for one in shown)),
        *((Cell(name, given=True), "r", [value_of(d, name, one["metric"], one) for one in shown])
          for name in (d["baseline"], other)),
        *difference_columns(d, shown),
    ]  # fmt: skip
    table = table_of("metric", columns, section="differences", fold_last=True)
    return with_foot(table, *marks(d, shown))


def _many_models(d: Facts, shown: Sequence[Compared]) -> Table:
    """One line per model: its value, and its difference from the reference model."""
    metric = shown[0]["metric"]
    names = [d["baseline"], *(one["model"] for one in shown)]
    finest = max(shown, key=lambda one: int(spec(one["value"], one["low"], one["high"]).strip(".ef")))
    first, *rest = difference_columns(d, shown)
    columns: list[Column] = [
        ("model", "l", given(names)),
        (Cell(_starred(d, metric), given=True), "r", [value_of(d, name, metric, finest) for name in names]),
        (first[0], first[1], ["reference", *first[2]]),
        *((head, side, ["", *cells]) for head, side, cells in rest),
    ]
    return table_of(metric, columns, section="differences", fold_last=True)


def value_of(d: Facts, model: str, metric: str, beside: Compared) -> str:
    """The value of a metric under a model, with the digits of the difference beside it; -- where it has none."""
    e = d["estimates"].get(model, {}).get(metric)
    if not e:
        return "--"
    form = spec(beside["value"], beside["low"], beside["high"])
    known = e["value"] is not None and beside["value"] and form.endswith("f")
    return number(e["value"], form) if known else value_text(e)


def difference_columns(d: Facts, shown: Sequence[Compared]) -> list[Column]:
    """Difference, interval, p-value, test; a difference that is not significant is shown as ~."""
    untold = {"UNDECIDED": NOT_SIGNIFICANT, None: "--"}
    values = [untold.get(one["verdict"]) or signed(one["value"], one) for one in shown]
    adjusted = [p_text(one["pvalue_adjusted"], d["level"]) + ("h" if _is_marked(d, one) else "") for one in shown]
    return [
        ("difference", "r", given(values)),
        (ci_head(d["level"]), "l", [interval(one) for one in shown]),
        ("p", "l", given(adjusted)),
        *time_columns(shown),
        ("test", "l", given(one["test"] for one in shown)),
    ]


def values_by_model(d: Facts) -> list[Table]:
    """Each metric's value and interval under every model, for documents that have room."""
    shown = dict.fromkeys(one["metric"] for one in d["differences"] if one["printed"])
    names = [name for name in shown if all(name in d["estimates"].get(model, {}) for model in d["models"])]
    columns: list[Column] = [
        ("metric", "l", given(names)),
        *(
            (Cell(model, given=True), "l", [_with_interval(d["estimates"][model][name]) for name in names])
            for model in d["models"]
        ),
    ]
    return [table_of("models", columns, in_brief=False)] if names else []


def _with_interval(e: Facts) -> str:
    return f"{value_text(e)} {interval_text(e)}"


def _starred(d: Facts, metric: str) -> str:
    return f"{metric} *" if metric == d["primary"] else metric


def _is_marked(d: Facts, one: Compared) -> bool:
    """Whether the p-value is marked as corrected (Holm); that of the primary metric is explained by its star."""
    return one["metric"] != d["primary"] and one["pvalue_adjusted"] is not None and one["correction"] == "holm"


def marks(d: Facts, shown: Sequence[Compared]) -> list[str]:
    """What the marks in the table mean, and the simulated type I error of its tests."""
    lines = []
    alpha = percent(round(1 - d["level"], 12))
    others = len(d["models"]) - 1
    if d["primary"] and any(one["metric"] == d["primary"] for one in shown):
        together = f"; p is corrected for {others} models" if others > 1 else ""
        lines.append(f"* primary metric, tested alone at {alpha}{together}")
    corrected = [one for one in shown if _is_marked(d, one)]
    if corrected:
        tests = corrected[0]["tests"]
        over = f" of {others} models" if others > 1 else ""
        metrics = tests // others if others > 1 else tests
        word = f"{'secondary ' if d['primary'] else ''}metric{'' if metrics == 1 else 's'}"
        lines.append(f"h: Holm-adjusted over the {metrics} {word}{over}")
    if any(one["verdict"] == "UNDECIDED" for one in shown):
        lines.append(f"{NOT_SIGNIFICANT} not significant at {alpha}")
    if any(one["verdict"] == "UNDECIDED" and _excludes_zero(one) for one in corrected):
        lines.append("confidence intervals are not adjusted for the number of metrics")
    lines += time_note(shown)
    return [*lines, *type_one_note(shown, d["level"])]


def _excludes_zero(one: Compared) -> bool:
    return one["low"] is not None and one["high"] is not None and not one["low"] <= 0 <= one["high"]


def looks_notes(d: Facts, shown: Iterable[Compared]) -> tuple[Note, ...]:
    """How verdicts allow for several looks at growing data, and what that costs in rows."""
    looks = d.get("looks")
    if not looks:
        return ()
    costs = sorted(price(one["wider"], one["level"]) for one in shown if one.get("wider", 1.0) > 1)
    ends = list(dict.fromkeys(f"{cost:.1f}" for cost in (*costs[:1], *costs[-1:])))
    rows = f"about {' to '.join(ends)} times the {d['unit']}s of a single look (80% power)"
    if looks["kind"] == "sequential":
        text = "verdicts are valid at every look while rows are added (confidence sequences)"
        return (Note("looks", f"{text}; they need {rows}" if costs else text),)
    name = SPENDING_NAMES[looks["spending"]]
    single = p_text(looks["nominal_alpha"], d.get("level", 0.95))
    edge = f"{looks['boundary']:.2f} standard errors (p {single} as a single look)"
    text = f"look {looks['look']} of {looks['of']}, {name} spending: a difference must reach {edge}"
    return (Note("looks", text),)


def difference_notes(d: Facts, metrics: Iterable[str] | None = None) -> tuple[Note, ...]:
    """Each note on a shown difference once, with what it belongs to."""
    kept = None if metrics is None else set(metrics)
    shown = [one for one in shown_differences(d) if kept is None or one["metric"] in kept]
    several = len(d["models"]) > 2
    return gathered((f"{one['metric']} of {one['model']}" if several else one["metric"], one["notes"]) for one in shown)


def verdict_sentences(d: Facts) -> tuple[str, ...]:
    """One or more sentences for each model that is judged; then, for many models, which of them are alike."""
    others = [name for name in d["models"] if name != d["baseline"]]
    return (*(line for name in others for line in _of_model(d, name)), *_best(d))


def _of_model(d: Facts, name: str) -> list[str]:
    own = [one for one in d["differences"] if one["model"] == name]
    if d["primary"]:
        return [line for one in own if one["metric"] == d["primary"] for line in _on_primary(d, one)]
    return _on_any(d, name, [one for one in own if one["printed"]])


def _on_primary(d: Facts, one: Compared) -> list[str]:
    """The verdict on the primary metric."""
    who, where = f"{one['model']} is {one['verdict']}", f"on {one['metric']}"
    if one["verdict"] in ("BETTER", "WORSE"):
        return [f"{who} than {one['baseline']} {where} ({signed(one['value'], one)}, {_range(one)}).", *_at_least(one)]
    if one["verdict"] == "EQUIVALENT":
        within = f"within {one['margin']:g} either way"
        return [f"{who} to {one['baseline']} {where}: {within} ({signed(one['value'], one)}, {_range(one)})."]
    return [
        f"UNDECIDED whether {one['model']} is better than {one['baseline']} {where} ({_range(one)}).",
        _settled_by(d, one),
    ]


def _on_any(d: Facts, name: str, own: Sequence[Compared]) -> list[str]:
    """Without a primary metric: what is significant after the correction, if anything is."""
    sentences = []
    for word, joint in (("BETTER", "than"), ("WORSE", "than"), ("EQUIVALENT", "to")):
        metrics = [one["metric"] for one in own if one["verdict"] == word]
        if metrics:
            sentences.append(f"{name} is {word} {joint} {d['baseline']} on {_listed(metrics)}.")
    if sentences:
        return sentences
    undecided = f"UNDECIDED whether {name} is better than {d['baseline']}"
    tested = [one for one in own if one["pvalue_adjusted"] is not None]
    if not tested:
        return [f"{undecided}: no metric could be tested."]
    # Holm's correction makes p-values equal: among those the unadjusted one says which difference is nearest
    closest = min(tested, key=lambda one: (float(one["pvalue_adjusted"]), float(one["pvalue"])))
    smallest = f"smallest p {p_text(closest['pvalue_adjusted'], d['level'])}, {closest['metric']}"
    return [f"{undecided}: no difference is significant ({smallest}).", _settled_by(d, closest)]


def _at_least(one: Compared) -> list[str]:
    """The end of the interval nearest to no difference; left out where the interval reaches no difference."""
    if not _excludes_zero(one):
        return []
    word = "gain" if one["verdict"] == "BETTER" else "loss"
    nearest = min(abs(one["low"]), abs(one["high"]))
    return [f"The {word} may be as small as {number(nearest, spec(one['value'], one['low'], one['high']))}."]


FAR = 100
"""So many times the units at hand are more than anybody will collect."""


def _settled_by(d: Facts, one: Compared) -> str:
    units = f"{d['unit']}s"
    if one["pvalue"] is None:
        return "It could not be tested."
    if one["value"] == 0:
        return f"No difference was seen, so no number of {units} can be named."
    if one["rows_needed"] is None:
        return f"The difference seen is too small to say how many {units} would settle it."
    each = "" if d.get("paired", True) else " in each sample"
    needed = rounded_up(one["rows_needed"])
    settled = f"About {needed:,} {units}{each} would settle a difference of this size (80% power)"
    if needed < FAR * d.get("units", needed):
        return f"{settled}."
    return f"{settled}, far more than there are: to show that the models are practically equal, give a margin."


def rounded_up(rows: int) -> int:
    """A number of rows with three digits that count, rounded up.

    >>> rounded_up(22473), rounded_up(87)
    (22500, 87)
    """
    step = 10 ** max(floor(log10(rows)) - 2, 0) if rows > 0 else 1
    return -(-rows // step) * step


def _best(d: Facts) -> list[str]:
    """Which models are not significantly different from the best, and the optimism of picking the best."""
    best = d.get("best_of_many")
    if not best:
        return []
    others = [name for name in best["indistinguishable"] if name != best["best"]]
    alike = (
        f"is not significantly different from {_listed(others)}"
        if others
        else "is significantly better than all others"
    )
    sentences = [f"{best['best']} has the best {best['metric']}, and {alike}."]
    corrected = best["corrected"]
    if corrected is not None and best["optimism"] is not None:
        added = f"too good by about {two_digits(best['optimism'])}" if best["optimism"] else "no better than it is"
        word, bound = ("at most", corrected["high"]) if best["better"] == "lower" else ("at least", corrected["low"])
        form = spec(corrected["value"], corrected["low"], corrected["high"])
        limit = f"{word} {number(bound, form)} ({percent(round(best['level'], 12))} bound)"
        value = number(corrected["value"], form)
        sentences.append(f"The best of {len(d['models'])} looks {added}; corrected for selection: {value}, {limit}.")
    return sentences


def two_digits(x: float) -> str:
    """A number with two digits that count, however small.

    >>> two_digits(0.00012345), two_digits(3.14)
    ('0.00012', '3.1')
    """
    return f"{x:.{max(1 - floor(log10(abs(x))), 0)}f}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _range(one: Compared) -> str:
    if one["low"] is None or one["high"] is None:
        return "no interval"
    return f"{ci_head(one['level'])} {signed_interval(one, joint=' to ', brackets='')}"
