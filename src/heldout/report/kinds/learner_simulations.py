"""Learners and hypotheses in known distributions: true errors, tests of two learners, overfitting, curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Cell, Document, Note, Table, given, table_of
from heldout.report.kinds.estimates import source_name
from heldout.report.kinds.simulated_bias import MONTE_CARLO, with_error
from heldout.report.kinds.simulated_rates import share

Facts = Mapping[str, Any]


def learner_tests_document(d: Facts) -> Document:
    """How often each test called either learner better, beside the truth."""
    first, second = d["models"]
    rows = d["results"]
    errors = [with_error(one) for one in d["errors"]]
    best = "" if d["bayes_error"] is None else f" (Bayes error {d['bayes_error']:.4f})"
    head = f"{first} and {second} in {d['world']}, n = {d['n']:,}"
    table = table_of(
        "tests",
        [
            ("test", "l", given(one["test"] for one in rows)),
            ("splits", "l", given(one["splits"] for one in rows)),
            ("first", "r", [share(one["first"]) for one in rows]),
            ("second", "r", [share(one["second"]) for one in rows]),
            ("neither", "r", [share(one["neither"]) for one in rows]),
            ("± MC error", "r", [f"{one['error']:.1%}" for one in rows]),
        ],
    )
    return Document(
        title="What tests over splits say of two learners",
        opening=(f"{head}; alpha {d['alpha']:g}, {d['repeats']:,} samples, seed {d['seed']}",),
        tables=(table,),
        verdict=(
            f"True error: {first} {errors[0]}, {second} {errors[1]}{best}.",
            f"In truth {d['better']} is better." if d["better"] else "Neither is known to be better.",
        ),
        verdict_label="TRUTH",
        notes=(
            Note("", MONTE_CARLO),
            Note(
                "",
                "first, second, neither: share of the samples in which that learner is called significantly better",
            ),
        ),
    )


def learner_tests_records(d: Facts) -> list[dict[str, Any]]:
    """One record per test."""
    models = dict(zip(("first_model", "second_model"), d["models"], strict=True))
    return [{**models, **one} for one in d["results"]]


def true_error_document(d: Facts) -> Document:
    """The true error of each rule, how far it is above the Bayes error, and its training error."""
    rows = d["rules"]
    fitted = any(one["training_error"] is not None for one in rows)
    training = [
        (
            "training error",
            "r",
            ["" if one["training_error"] is None else f"{one['training_error']:.4f}" for one in rows],
        )
    ]
    exact = all(not one["true_error"]["error"] for one in rows)
    source = source_name(d)
    return Document(
        title=f"True errors in {source or d['world']}",
        name=Cell(source, given=True),
        opening=()
        if source
        else (f"{d['world']}" + (f", fitted to {d['n']:,} rows, seed {d['seed']}" if d["n"] else ""),),
        tables=(
            table_of(
                "rules",
                [
                    ("rule", "l", given(one["name"] for one in rows)),
                    ("true error", "l", [with_error(one["true_error"]) for one in rows]),
                    ("above Bayes", "r", [f"{one['above_bayes']:.4f}" for one in rows]),
                    *(training if fitted else []),
                ],
            ),
        ),
        verdict=(f"No rule errs less than {with_error(d['bayes_error'])} (Bayes error).",),
        verdict_label="BAYES",
        notes=(
            Note("", "all true errors are exact" if exact else f"{MONTE_CARLO}; errors without it are exact"),
            *(Note("", text) for text in d["notes"]),
        ),
    )


def true_error_records(d: Facts) -> list[dict[str, Any]]:
    """One record per rule."""
    return [
        {
            "rule": one["name"],
            "true_error": one["true_error"]["value"],
            "error": one["true_error"]["error"],
            "above_bayes": one["above_bayes"],
            "training_error": one["training_error"],
        }
        for one in d["rules"]
    ]


def overfitting_document(d: Facts) -> Document:
    """The pair that shows overfitting in one sample, and how often the best-looking hypothesis overfits."""
    name = source_name(d)
    tables: list[Table] = []
    if d["pair"]:
        tables.append(
            table_of(
                "pair",
                [
                    ("", "l", [one["name"] for one in d["pair"]]),
                    ("sample error", "r", [f"{one['sample_error']:.4f}" for one in d["pair"]]),
                    ("true error", "r", [f"{one['true_error']:.4f}" for one in d["pair"]]),
                ],
                title=Cell(f"sample {d['number']:,}, {d['n']:,} rows, seed {d['seed']}"),
                foot=tuple(Cell(_predicts(one, d), given=True) for one in d["pair"]),
            )
        )
    tables.append(
        table_of(
            "means",
            [
                ("hypothesis of least sample error", "l", ["sample error", "true error", "share of samples: overfits"]),
                ("mean ± error", "l", [with_error(d[key]) for key in ("sample_error", "true_error", "overfits")]),
            ],
            title=Cell(f"{d['repeats']:,} samples of {d['n']:,} rows"),
        )
    )
    found = (
        "h, which has the least sample error, overfits: h' has a higher sample error and a lower true error."
        if d["pair"]
        else "In none of these samples does the hypothesis of least sample error overfit."
    )
    return Document(
        title="Overfitting: two hypotheses",
        name=Cell(name, given=True),
        facts=(f"{d['size']:,} hypotheses ({d['space']})", f"least true error {d['best']:.4f}"),
        columns=(
            *((part, ", ".join(names)) for part, names in d["columns"].items() if names),
            ("positive", str(d["positive"])),
        ),
        tables=tuple(tables),
        verdict=(found,),
        verdict_label="RESULT",
        notes=(
            Note("", f"{MONTE_CARLO}; errors in the sample and true errors are exact"),
            *(Note("", text) for text in d["notes"]),
        ),
    )


def _predicts(one: Facts, d: Facts) -> str:
    """Which class a hypothesis predicts where, in words."""
    plain = {"nothing": d["negative"], "everything": d["positive"]}
    if one["hypothesis"] in plain:
        return f"{one['name']} predicts {plain[one['hypothesis']]} everywhere"
    return f"{one['name']} predicts {d['positive']} for {one['hypothesis']}, else {d['negative']}"


def overfitting_records(d: Facts) -> list[dict[str, Any]]:
    """One record per hypothesis of the pair, then the means over samples."""
    pair = [{key: one[key] for key in ("name", "hypothesis", "sample_error", "true_error")} for one in d["pair"] or []]
    mean = {key: d[key]["value"] for key in ("sample_error", "true_error", "overfits")}
    return [*pair, {"name": "least sample error, mean over samples", "hypothesis": None, **mean}]


def sweep_document(d: Facts) -> Document:
    """A line per value and a column per quantity."""
    names = [one["name"] for one in d["steps"][0]["quantities"]]
    by_name = [{one["name"]: one for one in step["quantities"]} for step in d["steps"]]
    where = "" if d["world"] is None else f" in {d['world']}"
    rows = "" if d["n"] is None else f", {d['n']:,} rows"
    what = "Bias and variance" if d["question"] == "bias_variance" else "Training, holdout and true error"
    least = [] if d["least"] is None else [Note("", f"the best rule there is has the error {d['least']:.4f}")]
    return Document(
        title=f"{what} against {d['parameter']}",
        opening=(f"{d['learner']}{where}{rows}, {d['loss']} loss; {d['repeats']:,} training sets at each value",),
        tables=(
            table_of(
                "steps",
                [
                    (Cell(d["parameter"], given=True), "r", [f"{step['value']:g}" for step in d["steps"]]),
                    *((name, "l", [with_error(one[name]) for one in by_name]) for name in names),
                ],
            ),
        ),
        notes=(Note("", MONTE_CARLO), *least, *(Note("", text) for text in d["notes"])),
    )


def sweep_records(d: Facts) -> list[dict[str, Any]]:
    """One record per value and quantity."""
    return [
        {"parameter": d["parameter"], "at": step["value"], "quantity": one["name"], **_measured(one)}
        for step in d["steps"]
        for one in step["quantities"]
    ]


def _measured(one: Facts) -> dict[str, Any]:
    return {"value": one["value"], "error": one["error"]}
