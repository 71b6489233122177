"""The operating point explorer: a threshold that the reader moves, and what it would do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.curves.threshold_table import Thresholds
from heldout.report.html_report.markup import boxed
from heldout.report.number_text import percent

RATES = {
    "recall": "Recall (sensitivity)",
    "specificity": "Specificity",
    "precision": "Precision (PPV)",
    "npv": "NPV",
    "accuracy": "Accuracy",
    "flagged": "Share predicted positive",
}
OUTCOMES = {
    "cost": "Expected cost per 1,000 rows",
    "benefit": "Net benefit per 1,000 rows",
    "alerts": "Alerts a day",
}
SETTINGS = (
    ("prevalence", "Prevalence in use", "%", "0.0001", "100"),
    ("miss", "Cost of a false negative", "", "0", ""),
    ("alarm", "Cost of a false positive", "", "0", ""),
    ("daily", "Rows a day", "", "0", ""),
    ("capacity", "Maximum alerts per day", "", "0", ""),
    ("least", "Minimum recall", "%", "0", "100"),
)
RULES = {
    "hand": "by hand",
    "cost": "lowest expected cost",
    "capacity": "most alerts within the capacity",
    "recall": "highest with the recall assured",
}


def explorer_data(found: Thresholds, *, chosen_on: Mapping[str, Any] | None, facts: dict[str, Any]) -> dict[str, Any]:
    """What the explorer's script reads; what no threshold changes is written once."""
    return {**found.to_dict(), "chosen_on": chosen_on, **facts}


def explorer_html(found: Thresholds) -> str:
    """The explorer before its script has filled in the numbers."""
    level = percent(found.level)
    kept = (
        ""
        if len(found.threshold) > found.scores
        else f" Of {found.scores:,} thresholds {len(found.threshold):,} are kept."
    )
    lead = (
        "<p>Rows with a score at or above the threshold are predicted positive. The bands are simultaneous over all "
        f"thresholds ({level}), so they stay valid for a threshold chosen here; bands of values that combine two rates "
        f"are conservative.{kept}</p>"
    )
    return (
        f'<div class="explorer" id="explore"><noscript><p>The explorer needs JavaScript.</p></noscript>{lead}'
        f"{_dial(len(found.threshold))}"
        f'<div class="columns"><div>{_values("Rates", RATES)}{_counts()}</div>'
        f"<div>{_settings()}{_values('In use', OUTCOMES)}{_limits()}</div></div>"
        '<p><button type="button" id="freeze">Freeze this threshold</button> '
        '<span id="frozen" role="status"></span></p>'
        '<p class="foot">A threshold chosen on these rows looks better on them than it is. Frozen, it goes into '
        "threshold.json with the rule and a hash of the rows; judge it on other rows with "
        "<code>heldout evaluate OTHER.csv --threshold-from threshold.json</code>.</p></div>"
    )


def _dial(count: int) -> str:
    rules = "".join(
        f'<label><input type="radio" name="rule" value="{rule}"{" checked" if rule == "hand" else ""}> {said}</label>'
        for rule, said in RULES.items()
    )
    return (
        '<div class="dial"><label for="threshold">Threshold</label>'
        '<input type="number" id="threshold" step="any" autocomplete="off">'
        f'<input type="range" id="slider" min="0" max="{count - 1}" step="1" aria-label="Threshold, from low to high">'
        '<p id="exact" role="status"></p>'
        f'<fieldset class="rules"><legend>Chosen</legend>{rules}</fieldset></div>'
    )


def _values(title: str, names: dict[str, str]) -> str:
    rows = "".join(
        f'<tr data-value="{name}"><th scope="row">{said}</th><td class="n value"></td><td class="ends"></td>'
        f'<td class="bars">{_empty_bar() if names is RATES else ""}</td></tr>'
        for name, said in names.items()
    )
    head = '<tr><th scope="col">{}</th><th scope="col" class="n">value</th><th scope="col">band</th><td></td></tr>'
    return boxed(title, f"<table><thead>{head.format(title)}</thead><tbody>{rows}</tbody></table>")


def _empty_bar() -> str:
    return (
        '<svg class="bar" viewBox="0 0 120 16" width="120" height="16" aria-hidden="true"><path d=""/>'
        '<circle cx="0" cy="8" r="3.5"/></svg>'
    )


def _counts() -> str:
    called = "".join(f'<th scope="col" class="n">predicted {word}</th>' for word in ("positive", "negative"))
    rows = "".join(
        f'<tr><th scope="row">{truth}</th>'
        + "".join(f'<td class="n" data-count="{count}"></td>' for count in counts)
        + "</tr>"
        for truth, counts in (("positive", ("tp", "fn")), ("negative", ("fp", "tn")))
    )
    head = f'<tr><th scope="col">Rows</th>{called}</tr>'
    return boxed("Counts", f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>")


def _settings() -> str:
    inputs = "".join(
        f'<label>{said}<span><input type="number" id="{name}" step="any" min="{low}"{f" max={high!r}" if high else ""} '
        f'autocomplete="off">{unit}</span></label>'
        for name, said, unit, low, high in SETTINGS
    )
    return f'<fieldset class="settings"><legend>Conditions of use</legend>{inputs}</fieldset>'


def _limits() -> str:
    return '<ul class="limits"><li id="within"></li><li id="assured"></li></ul>'
