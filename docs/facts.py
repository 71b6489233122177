"""The tables that are written from the code: metrics, interval methods, default tests, error codes."""

from __future__ import annotations

import inspect
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

import heldout
from heldout.errors import CODES
from heldout.estimates.interval_choice import KINDS
from heldout.formulas import METRICS, Metric
from heldout.inputs.limits import LIMITS
from heldout.intervals.shares import SHARES
from heldout.verbs.compare.paired_difference import TESTS
from heldout.verbs.compare.unpaired_difference import INDEPENDENT_TESTS
from heldout.verbs.glossary import LISTED, METHODS, PRINTED_METHODS, WORDS
from heldout.verbs.test_names import NAMED_TESTS

TASKS = ("binary", "multiclass", "multilabel", "regression")
SETTINGS: dict[str, dict[str, Any]] = {
    "500 independent rows": {"rows": 500},
    "60 rows": {"rows": 60},
    "2,500 rows": {"rows": 2500},
    "groups": {"rows": 500, "groups": np.arange(500) // 2},
    "weights": {"rows": 500, "sample_weight": 1.0 + np.arange(500) % 2},
    "two independent samples": {"rows": 500, "paired": False},
}
"""What the default test of a metric can depend on."""

LISTED_METHODS = tuple(name for names in METHODS if (name := names.split(" | ")[0]) not in WORDS)
"""The first name of every method that is printed and is no word of the glossary."""
PAGES_OF_WORDS = {
    "concepts.md#estimate-and-target": ("true error", "sample error", "target", "estimate", "generalisation error"),
    "concepts.md#clusters": ("group", "unit"),
    "concepts.md#many-tests": ("p adj", "primary", "simultaneous"),
    "concepts.md#equivalence-and-margins": ("margin", "equivalent", "rope", "undecided", "verdict"),
    "concepts.md#dependence-in-time": ("time", "autocorrelation", "series", "horizon", "effective rows"),
    "concepts.md#data-reuse-and-looks": ("look", "alpha spent", "own score", "validation set", "test set"),
    "tutorials/reading-the-table.md": ("value", "count", "method", "coverage", "dummy", "note"),
    "tutorials/i-have-a-learner.md": ("learner", "cross-validation", "holdout", "training error", "overfitting"),
    "tutorials/choosing-a-model.md": ("configuration", "nested cross-validation"),
    "tutorials/choosing-a-threshold.md": ("threshold", "operating point", "cost matrix", "certified"),
    "tutorials/comparing-two-models.md": ("paired", "difference", "baseline", "p"),
    "tutorials/gating-in-ci.md": ("gate", "pass", "fail", "inconclusive"),
    "tutorials/how-many-rows.md": ("power", "beta"),
    "many-data-sets.md": ("average rank", "critical difference", "won-tied-lost"),
    "measured-error-rates.md": ("lab", "world", "card", "mc error", "alpha"),
    "course/11-bias-variance-and-bayes-error.md": ("bias-variance decomposition", "bayes classifier", "noise"),
}
"""Where to read more about a word."""

PEERS = Path(__file__).parent / "measured" / "peers.json"
INTERVAL_METHODS = tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind if name != "auto"))
"""What `method=` takes."""


def pages() -> dict[str, str]:
    """File name (without suffix) to Markdown."""
    return {
        "metrics": metrics(),
        "intervals": intervals(),
        "default-tests": default_tests(),
        "named-tests": named_tests(),
        "tests-in-words": tests_in_words(),
        "errors": errors(),
        "limits": limits(),
        "peers": peers(),
        "outside": outside(),
        "glossary": glossary(WORDS, LISTED),
        "glossary-methods": glossary(PRINTED_METHODS, LISTED_METHODS),
    }


def metrics() -> str:
    """One line per metric: what it is, its range, which way is better, the sums it needs, its interval."""
    head = ("name", "definition", "range", "better", "needs", "default interval")
    return table(
        head,
        (
            (
                f"`{name}`",
                metric.definition,
                between(*metric.range),
                metric.better or "–",
                ", ".join(f"`{need}`" for need in metric.needs),
                default_interval(metric),
            )
            for name, metric in METRICS.items()
        ),
    )


def default_interval(metric: Metric) -> str:
    """What the one place that chooses would choose, in its own words; for shares, in those of Wilson."""
    if metric.via is not None:
        return f"that of `{metric.via[0]}`, carried over"
    return first_line(KINDS[metric.interval]["auto"]) or first_line(SHARES["wilson"])


def intervals() -> str:
    """One line per method that can be chosen by name: what it is and for which metrics, as `heldout explain` has it."""
    return table(("method", "what it is", "metrics"), ((f"`{name}`", *in_words(name)) for name in INTERVAL_METHODS))


def in_words(method: str) -> tuple[str, str]:
    """Description and metrics of an interval method."""
    texts = heldout.explain(method).split("\n\n")
    text = next(one for one in texts if "(interval method)" in one).partition("\n")[2]
    description, metrics = (
        " ".join(part.split()) for part in re.split(r"^  (?:for|also|source) {4,}", text, flags=re.MULTILINE)[:2]
    )
    return description, re.sub(r"[a-z][\w@%.]*(?=,|$| and)", r"`\g<0>`", metrics).replace("`metrics`", "metrics")


def errors() -> str:
    """One line per code."""
    return table(
        ("code", "what it means"),
        ((f'<span id="{code.lower()}"></span>`{code}`', text) for code, text in CODES.items()),
    )


def limits() -> str:
    """One line per limit on inputs."""
    most = {limit: f"{limit.most:,}" if limit.most else "the machine's" for limit in LIMITS}
    head = ("at most", "of what", "why", "what to do with more")
    return table(head, ((most[limit], limit.what, limit.why, limit.fix) for limit in LIMITS))


def default_tests() -> str:
    """One line per set of metrics that are tested alike: the test that `compare` really used, setting by setting."""
    alike: dict[tuple[str, ...], list[str]] = {}
    tested: set[str] = set()
    for task in TASKS:
        found = [used_tests(task, **options) for options in SETTINGS.values()]
        names = [name for name in METRICS if any(name in one for one in found)]
        tested |= set(names)
        for name in names:
            first, *others = (one.get(name, "none") for one in found)
            cells = (task, first, *("same" if other == first else other for other in others))
            alike.setdefault(cells, []).append(f"`{name}`")
    head = ("task", "metrics", *SETTINGS)
    without = ", ".join(f"`{name}`" for name in METRICS if name not in tested)
    lines = table(head, ((task, ", ".join(names), *cells) for (task, *cells), names in alike.items()))
    return f"{lines}\nNot compared: {without}.\n"


def used_tests(task: str, *, rows: int, paired: bool = True, **options: Any) -> dict[str, str]:
    """The tests that two made-up models get, by metric."""
    truth, models = made_up(task, rows)
    given = models if paired else {name: (truth, said) for name, said in models.items()}
    every = ["all", *(name for name, metric in METRICS.items() if metric.by_name and task in metric.tasks)]

    def compared(metrics: Sequence[str]) -> Any:
        named = {"n_resamples": 199, "paired": paired, **options}
        return heldout.compare(truth if paired else None, given, metrics=metrics, **named)

    found = compared([one.metric for one in compared(every).differences])  # by name: "all" skips what resamples
    return {one.metric: re.sub(r", \d+ vs \d+", "", one.test) for one in found.differences}


def made_up(task: str, rows: int) -> tuple[Any, dict[str, Any]]:
    """A truth, and two models that are about equally good and often differ."""
    rng = np.random.default_rng(0)
    if task == "binary":
        truth = rng.integers(0, 2, rows)
        said = [1 / (1 + np.exp(0.75 - 1.5 * truth - rng.standard_normal(rows))) for _ in "ab"]
    elif task == "multiclass":
        truth = rng.integers(0, 3, rows)
        odds = [np.exp(rng.standard_normal((rows, 3)) + np.eye(3)[truth]) for _ in "ab"]
        said = [one / one.sum(axis=1, keepdims=True) for one in odds]
    elif task == "multilabel":
        truth = rng.integers(0, 2, (rows, 3))
        said = [1 / (1 + np.exp(1 - 2 * truth - rng.standard_normal((rows, 3)))) for _ in "ab"]
    else:
        truth = rng.gamma(3, 1, rows)
        said = [truth * np.exp(0.3 * rng.standard_normal(rows)) for _ in "ab"]
    return truth, dict(zip("ab", said, strict=True))


def named_tests() -> str:
    """One line per test that can be asked for by name."""
    kinds: Iterable[tuple[str, Mapping[str, Any]]] = (("same rows", TESTS), ("independent", INDEPENDENT_TESTS))
    return table(
        ("name", "rows", "suits"),
        ((f"`{name}`", kind, words) for kind, tests in kinds for name, (_, _, words) in tests.items()),
    )


def tests_in_words() -> str:
    """One line per test: what it asks, its formula, when it is used, as `heldout explain` has it."""
    return table(
        ("test", "asks", "formula", "used for"),
        ((f"`{name}`", one.asks, one.formula, one.default) for name, one in NAMED_TESTS.items()),
    )


def glossary(words: Mapping[str, str], names: Iterable[str]) -> str:
    """A definition list of words with an anchor each; names of the same word stand together."""
    others = {name: [other for other, text in words.items() if text == words[name]] for name in names}
    ordered = sorted(names, key=lambda name: re.sub(r"\W", "", name))
    entries = ("\n".join([*others[name], f"  {words[name]}{read_on(name)}\n"]) for name in ordered)
    return "\n".join(["```{glossary}", *entries, "```", ""])


def read_on(name: str) -> str:
    """The page that has more on a word, if there is one."""
    page = next((page for page, names in PAGES_OF_WORDS.items() if name in names), None)
    return "" if page is None else f" [More]({page})."


def outside() -> str:
    """What `heldout lab outside` found: rates that are met by area, then all that are not, missed ones first."""
    stored = json.loads((Path(__file__).parent / "measured" / "outside.json").read_text(encoding="utf-8"))
    found, outcomes = stored["results"], ("missed", "explained", "refused", "met")
    areas = dict.fromkeys(one["area"] for one in found)
    counted = {area: Counter(one["outcome"] for one in found if one["area"] == area) for area in areas}
    head = ("area", *outcomes)
    total = Counter(one["outcome"] for one in found)
    rows = [(area, *(str(count[word]) for word in outcomes)) for area, count in counted.items()]
    rows.append(("all", *(str(total[word]) for word in outcomes)))
    listed = sorted((one for one in found if one["outcome"] != "met"), key=lambda one: outcomes.index(one["outcome"]))
    lines = [outside_cells(one) for one in listed]
    columns = ("outcome", "setting", "n", "rate", "measured", "allowed", "printed", "why")
    return f"{table(head, rows)}\n{table(columns, lines)}"


def outside_cells(one: Mapping[str, Any]) -> Sequence[str]:
    """A rate that is not met, as a reader sees it."""
    rate = "–" if one["measured"] is None else f"{one['measured']:.1%} ± {100 * one['error']:.1f}"
    printed = "–" if one["printed"] is None else f"{one['printed']:.1%}"
    asked = f"{one['asks']} of {one['metric']}"
    why = one["reason"] or ("no result: too few rows or clusters" if one["outcome"] == "refused" else "")
    return (one["outcome"], one["setting"], one["n"], asked, rate, f"{one['low']:g} to {one['high']:g}", printed, why)


def peers() -> str:
    """Coverage of other packages' intervals and error rates of their tests, beside ours, as `make peers` found them."""
    found = json.loads(PEERS.read_text(encoding="utf-8"))
    packages = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    error = max(line["error"] for line in found["lines"])
    about = (
        f"Measured on {found['date']} with {packages}. In simulations named `coin` all possible samples were "
        f"enumerated; in the others the Monte-Carlo error is {100 * error:.1f} points or less. A share in brackets is "
        f"that of samples without a result: they are left out of the coverage, and a test does not reject there. "
        f"Samples on which a metric is 0/0 are left out. The bootstrap was not run with more than 100 rows."
    )
    titles = {
        "interval": f"Coverage of intervals at {found['level']:.0%}",
        "size": f"Type I error of tests at {found['alpha']:.0%}",
        "power": f"Power of tests at {found['alpha']:.0%} if the second model is better",
    }
    parts = {title: [one for one in found["lines"] if one["question"] == name] for name, title in titles.items()}
    return "\n\n".join([about, *(f"### {title}\n\n{side_by_side(lines)}" for title, lines in parts.items())])


def side_by_side(lines: Sequence[Mapping[str, Any]]) -> str:
    """A line per world, metric and call, a column per number of rows."""
    columns = sorted({line["n"] for line in lines})
    groups: dict[tuple[str, str], dict[tuple[str, str], dict[int, str]]] = {}
    for line in lines:
        group = groups.setdefault((line["world"], line["metric"]), {})
        group.setdefault((line["package"], line["method"]), {})[line["n"]] = rate(line)
    return table(
        ("simulation", "metric", "package", "call", *(f"n = {n}" for n in columns)),
        (
            (f"`{world}`", f"`{metric}`", *name, *(rates.get(n, "–") for n in columns))
            for (world, metric), group in groups.items()
            for name, rates in group.items()
        ),
    )


def rate(line: Mapping[str, Any]) -> str:
    """A rate, and in brackets the share of samples without an answer."""
    missing = f" ({line['undefined']:.0%})" if line["undefined"] >= 0.005 else ""
    return ("–" if line["rate"] is None else f"{line['rate']:.1%}") + missing


def first_line(function: object) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def between(low: float, high: float) -> str:
    """The range as a reader writes it: closed ends in square brackets, open infinite ones in round."""
    left = "(−∞" if low == -inf else f"[{low:g}"
    right = "∞)" if high == inf else f"{high:g}]"
    return f"{left}, {right}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; what would end a cell or start markup is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines) + "\n"


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("\n", " ")
