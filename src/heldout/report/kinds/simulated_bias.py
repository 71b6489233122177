"""Simulated bias and variance of learners, of error estimators and of choosing the best; bounds on the Bayes error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor, log10, sqrt
from typing import Any

from heldout.estimates.rounding import number
from heldout.report.document import Cell, Document, Note, Table, table_of
from heldout.report.kinds.estimates import ci_head
from heldout.report.number_text import amount, interval_text, like, percent, value_text

Facts = Mapping[str, Any]
SHOWN = 12
"""Points that a screen has room for; JSON has them all."""
DESIGNS = {
    "fixed": "{n} rows at the same x",
    "random": "{n} new rows",
    "bootstrap": "bootstrap resamples of {n} rows",
}
MONTE_CARLO = "± is one Monte-Carlo standard error"
CURVE = {
    "x": "x", "truth": "truth", "mean": "mean rule", "bias2": "bias²", "variance": "variance",
    "expected_loss": "expected loss",
}  # fmt: skip


def bias_variance_document(d: Facts) -> Document:
    """The parts with their Monte-Carlo errors, their sum, and what is seen point by point."""
    where = "" if d["world"] is None else f" in {d['world']}"
    sets = DESIGNS[d["design"]].format(n=f"{d['n']:,}")
    error = MONTE_CARLO if d["world"] else "± is one standard error of the resamples and of the rows"
    return Document(
        title=f"Bias and variance of {d['learner']}",
        opening=(f"{d['learner']}{where}, {d['loss']} loss: {d['repeats']:,} training sets, {sets}",),
        tables=(*(_parts(one, d) for one in d["decompositions"]), *([_curve(d["curve"])] if d["curve"] else [])),
        notes=(Note("", error), *(Note("", text) for text in d["notes"])),
    )


def bias_variance_records(d: Facts) -> list[dict[str, Any]]:
    """One record per part of each decomposition, then the expected loss."""
    rows = [
        {"decomposition": one["name"], "part": part["name"], "value": part["value"], "error": part["error"]}
        for one in d["decompositions"]
        for part in one["parts"]
    ]
    return [*rows, {"decomposition": "", "part": "expected loss", **d["expected_loss"]}]


def _parts(one: Facts, d: Facts) -> Table:
    """Each part, and below them what they add up to."""
    named = {"squared": "noise + bias² + variance" if d["world"] else "bias² + variance"}
    title = f"{named[one['name']]}:" if one["name"] in named else f"by {one['name']}:"
    seen = "" if d["measured"] is None else f"measured on new rows: {with_error(d['measured'])}"
    names = [part["name"] for part in one["parts"]]
    return table_of(
        one["name"],
        [
            ("part", "l", [*names, "expected loss"]),
            ("value ± error", "l", [*map(with_error, one["parts"]), with_error(d["expected_loss"])]),
        ],
        title=Cell(title),
        foot=(Cell(seen),) if seen else (),
    )


def with_error(part: Facts) -> str:
    """A value and its standard error, with two digits of the error; without one it is exact.

    >>> with_error({"value": 0.0899, "error": 0.0012}), with_error({"value": 0.09, "error": 0.0})
    ('0.0899 ± 0.0012', '0.0900')
    """
    value, error = part["value"], part["error"]
    form = f".{min(max(1 - floor(log10(error)), 0), 9)}f" if error else ".4f"
    return number(value, form) + (f" ± {number(error, form)}" if error else "")


def quantity_table(name: str, rows: Iterable[tuple[str, str, str]], title: str = "") -> Table:
    """Quantities one below the other: what each is, its value, and a word on it."""
    names, values, words = zip(*rows, strict=True)
    return table_of(name, [("", "l", names), ("value ± error", "l", values), ("", "l", words)], title=Cell(title))


def _curve(curve: Sequence[Facts]) -> Table:
    """What is true, what rules say on average, and the parts; a screen has a dozen points from end to end."""
    last = len(curve) - 1
    chosen = sorted({round(step * last / (SHOWN - 1)) for step in range(SHOWN)})
    points = [curve[at] for at in chosen]
    return table_of(
        "curve",
        [(head, "r", [_number(point[key]) for point in points]) for key, head in CURVE.items()],
        section="distributions",
        foot=(Cell(f"{len(chosen)} of {len(curve)} points"),) if len(chosen) < len(curve) else (),
    )


def _number(value: float) -> str:
    """A number in at most ten columns.

    >>> _number(0.123456), _number(-0.00001), _number(123456.0)
    ('0.1235', '0.0000', '1.235e+05')
    """
    if abs(value) >= 1e4:
        return f"{value:.3e}"
    shown = f"{value:.4f}"
    return "0.0000" if shown == "-0.0000" else shown


METHODS = {
    "apparent": "the winner's own",
    "tibshirani": "Tibshirani and Tibshirani",
    "nested": "chosen on other folds",
    "bootstrap_corrected": "BBC-CV",
}


def selection_bias_document(d: Facts) -> Document:
    """By how much estimates of the winner's accuracy are too high."""
    which = "none better than a coin" if d["null"] else "their accuracies Beta(9, 6)"
    setting = f"The best of {d['configurations']:,} configurations on {d['n']:,} rows, {which}"
    effort = f"{d['repeats']:,} samples, {d['folds']} folds"
    rows = [(METHODS[name], with_error(bias), direction(bias, 1)) for name, bias in d["biases"].items()]
    return Document(
        title="Optimism of selection",
        opening=(f"{setting}: {effort}; its accuracy is {d['truth']['value']:.4f} on average",),
        tables=(quantity_table("biases", rows, "estimated minus true accuracy"),),
        verdict_label="COVERAGE",
        verdict=(f"BBC-CV's {d['level']:.0%} interval covers the truth in {percent_error(d['coverage'])} of samples.",),
        notes=(Note("", MONTE_CARLO),),
    )


def selection_bias_records(d: Facts) -> list[dict[str, Any]]:
    """One record per estimate of the winner's accuracy, then the coverage of BBC-CV."""
    rows = [{"quantity": f"bias of {METHODS[name]}", **bias} for name, bias in d["biases"].items()]
    return [*rows, {"quantity": "coverage of BBC-CV", **d["coverage"]}]


def percent_error(rate: Facts) -> str:
    """A rate with its Monte-Carlo error, in percent."""
    return f"{rate['value']:.1%} ± {rate['error']:.1%}"


def direction(bias: Facts, optimistic: int) -> str:
    """What a bias of more than three standard errors is; `optimistic` is the sign that flatters."""
    if abs(bias["value"]) <= 3 * bias["error"]:
        return "no bias found"
    return "optimistic" if bias["value"] * optimistic > 0 else "pessimistic"


COSTS = {"on the rows that chose it": "apparent", "in truth": "truth", "cross-fitted": "cross_fitted"}


def threshold_bias_document(d: Facts) -> Document:
    """Apparent and true cost of a chosen threshold."""
    positive = f"{d['prevalence']:.0%} of them positive and {d['apart']:g} apart"
    setting = f"The cheapest threshold on {d['n']:,} rows, {positive}"
    costs = f"a false positive costs {d['fp']:g}, a false negative {d['fn']:g}"
    rows = [(name, with_error(d[key]), "") for name, key in COSTS.items()]
    rows.append(("of the best threshold", f"{d['best']:.4f}", ""))
    covered = f"The {d['level']:.0%} t interval of cross-fitted costs covers the true cost in"
    return Document(
        title="Optimism of choosing a threshold",
        opening=(f"{setting}; {costs}: {d['repeats']:,} samples",),
        tables=(quantity_table("costs", rows, "mean cost of a row"),),
        verdict_label="COVERAGE",
        verdict=(f"{covered} {percent_error(d['coverage'])} of samples.",),
        notes=(Note("", MONTE_CARLO),),
    )


def threshold_bias_records(d: Facts) -> list[dict[str, Any]]:
    """One record per cost, then the coverage of the cross-fitted interval."""
    rows = [{"quantity": f"cost {name}", **d[key]} for name, key in COSTS.items()]
    rows.append({"quantity": "cost of the best threshold", "value": d["best"], "error": 0.0})
    return [*rows, {"quantity": "coverage of the cross-fitted interval", **d["coverage"]}]


QUANTITIES = {"mean": "on average", "truth": "the truth", "bias": "bias", "variance": "variance"}


def estimation_bias_document(d: Facts) -> Document:
    """What each estimator gives on average, its bias against the truth, and its variance."""
    samples = f"{d['repeats']:,} samples of {d['n']:,} rows, of which the holdout keeps {d['test']:,}"
    least = "the error of the best rule" if d.get("loss") == "squared" else "the Bayes error"
    return Document(
        title=f"Estimators of the error of {d['learner']}",
        opening=(f"{d['learner']} in {d['world']}: {samples}; {least} is {d['bayes_error']:.4f}",),
        tables=(*map(_estimator, d["estimators"]), *_by_folds(d)),
        notes=(Note("", MONTE_CARLO), *(Note("", text) for text in d["notes"])),
    )


def estimation_bias_records(d: Facts) -> list[dict[str, Any]]:
    """One record per estimator and quantity."""
    return [
        {"estimator": one["name"], "target": one["target"], "folds": one["folds"], "quantity": name, **one[key]}
        for one in d["estimators"]
        for key, name in QUANTITIES.items()
    ]


def _estimator(one: Facts) -> Table:
    rows = [
        (name, with_error(one[key]), direction(one[key], -1) if key == "bias" else "")
        for key, name in QUANTITIES.items()
    ]
    return quantity_table(one["name"], rows, f"{one['name']} error, for {one['target']}")


def _by_folds(d: Facts) -> list[Table]:
    """The choice of the number of folds in one table: bias, spread, and both together."""
    rows = sorted((one for one in d["estimators"] if one["folds"]), key=lambda one: int(one["folds"]))
    if not rows:
        return []
    return [
        table_of(
            "by folds",
            [
                ("folds", "r", [str(one["folds"]) for one in rows]),
                ("bias", "r", [f"{one['bias']['value']:.4f}" for one in rows]),
                ("standard deviation", "r", [f"{sqrt(one['variance']['value']):.4f}" for one in rows]),
                ("root mean squared error", "r", [f"{sqrt(one['squared']['value']):.4f}" for one in rows]),
            ],
            title=Cell("by number of folds"),
        )
    ]


def ceiling_document(d: Facts) -> Document:
    """The upper bound first, because it holds; the lower one with its weakness; the floor where rows repeat."""
    plural = "" if d["dimensions"] == 1 else "s"
    rows = f"{d['rows']:,} rows, {len(d['labels'])} classes, {d['dimensions']} dimension{plural}"
    bounds = _bounds(d)
    return Document(
        title="Bounds on the Bayes error",
        facts=(rows, f"{percent(d['level'])} confidence"),
        tables=(
            table_of(
                "bounds",
                [
                    ("bound", "l", [name for name, *_ in bounds]),
                    ("value", "r", [value_text({**e, "notes": []}) for _, e, *_ in bounds]),
                    (ci_head(d["level"]), "l", [interval_text({**e, "notes": []}) for _, e, *_ in bounds]),
                    ("source", "l", [source for *_, source in bounds]),
                ],
                fold_last=True,
            ),
        ),
        verdict_label="BOUNDS",
        verdict=tuple(_sentences(d)),
        notes=tuple(Note("", text) for text in d["notes"]),
        data={"rows": f"{d['rows']:,}", "classes": f"{len(d['labels'])}", "confidence level": percent(d["level"])},
    )


def ceiling_records(d: Facts) -> list[dict[str, Any]]:
    """One record per bound."""
    return [
        {"bound": name, **{key: e[key] for key in ("value", "low", "high", "level")}, "source": source}
        for name, e, source in _bounds(d)
    ]


def _bounds(d: Facts) -> list[tuple[str, Facts, str]]:
    upper = d["upper"]
    vote = "nearest neighbour" if d["neighbours"] == 1 else f"vote of {d['neighbours']} neighbours"
    count = f"{amount(upper['count'][0])} wrong of {amount(upper['count'][1])} unseen rows"
    bounds = [
        ("upper", upper, f"{vote}, {count}"),
        ("lower", d["lower"], "Cover and Hart, from the error of the nearest neighbour"),
    ]
    again = d["repeats"]
    if again is not None:
        lost = f"{again['lost']:,} or more of {again['rows']:,} rows with repeated features are wrong under any rule"
        bounds.append(("floor", again["floor"], lost))
    return bounds


def _sentences(d: Facts) -> list[str]:
    upper, lower = d["upper"], d["lower"]
    trust = "asymptotic" if lower["trustworthy"] else "asymptotic, not reliable in so many dimensions"
    sentences = [
        f"The Bayes error is at most {like(upper['high'], upper)}.",
        f"It is about {like(lower['low'], lower)} or more ({trust}).",
    ]
    if d["repeats"] is not None:
        floor = d["repeats"]["floor"]
        sentences.append(
            f"Where rows repeat, no rule errs on less than {like(floor['low'], floor)}."
            if floor["low"] > 0
            else "Where rows repeat, label noise is not significant."
        )
    return sentences
