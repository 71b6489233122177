"""The kinds of results, in one table: what each is called, and the module that has its document and its records.

A module in this folder has `document(d)`, which gives a Document, and `records(d)`, which gives plain rows for frames
and CSV. Both work on the dictionary of a result, so that a saved JSON file can be rendered later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from heldout.errors import UsageError, did_you_mean
from heldout.report.document import Document

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How one kind of result is called and shown."""

    module: str
    """The file in this folder that has its document and records."""
    prefix: str = ""
    """What the names of both functions begin with, where a file has several kinds."""
    unit: str = "row"
    """What is sampled independently, where rows share no group."""
    figures: Mapping[str, str] = field(default_factory=dict)
    """Chart → section of the HTML report, where it differs from the usual one."""
    blocks: Mapping[str, str] = field(default_factory=dict)
    """Section of the HTML report → `module:function` that adds HTML of its own to it."""


IMAGE_FIGURES = {"classes": "segments", "sizes": "segments", "by_iou": "segments"}
CONFUSION = {"confusion": "extra_blocks:confusion_html"}
KINDS: dict[str, Kind] = {
    "evaluation": Kind(module="evaluation", blocks=CONFUSION),
    "comparison": Kind(module="comparison"),
    "fold-comparison": Kind(module="validation", prefix="fold_comparison_"),
    "ranking": Kind(module="ranking", unit="data set"),
    "gate": Kind(module="gate"),
    "validation": Kind(module="validation"),
    "learning-curve": Kind(module="learner_choices", prefix="learning_curve_"),
    "folds-choice": Kind(module="learner_choices", prefix="fold_choice_"),
    "split": Kind(module="row_split"),
    "selection": Kind(module="selection"),
    "threshold-choice": Kind(module="threshold_choice"),
    "detection": Kind(module="images", unit="image", figures=IMAGE_FIGURES),
    "masks": Kind(module="images", unit="image", figures=IMAGE_FIGURES, blocks=CONFUSION),
    "text": Kind(
        module="text", unit="segment", figures={"segment_values": "distributions"},
        blocks={"disagreement": "extra_blocks:examples_html"},
    ),
    "plan": Kind(module="plan"),
    "look-plan": Kind(module="plan", prefix="looks_"),
    "test": Kind(module="textbook_test"),
    "runs": Kind(module="runs", unit="run"),
    "coverage": Kind(module="simulated_rates", prefix="error_rates_", unit="sample"),
    "size": Kind(module="simulated_rates", prefix="error_rates_", unit="sample"),
    "corpus-rates": Kind(module="simulated_rates", prefix="corpus_rates_", unit="sample"),
    "split-coverage": Kind(module="simulated_rates", prefix="split_rates_", unit="sample"),
    "split-size": Kind(module="simulated_rates", prefix="split_rates_", unit="sample"),
    "failures": Kind(module="simulated_rates", prefix="failures_", unit="sample"),
    "held-out": Kind(module="simulated_rates", prefix="held_out_", unit="sample"),
    "outside": Kind(module="simulated_rates", prefix="outside_", unit="sample"),
    "selection-bias": Kind(module="simulated_bias", prefix="selection_bias_", unit="sample"),
    "threshold-bias": Kind(module="simulated_bias", prefix="threshold_bias_", unit="sample"),
    "estimation-bias": Kind(module="simulated_bias", prefix="estimation_bias_", unit="sample"),
    "bias-variance": Kind(module="simulated_bias", prefix="bias_variance_", unit="training set"),
    "learner-tests": Kind(module="learner_simulations", prefix="learner_tests_", unit="sample"),
    "true-error": Kind(module="learner_simulations", prefix="true_error_", unit="point"),
    "overfitting": Kind(module="learner_simulations", prefix="overfitting_", unit="sample"),
    "sweep": Kind(module="learner_simulations", prefix="sweep_", unit="training set"),
    "ceiling": Kind(module="simulated_bias", prefix="ceiling_"),
    "table": Kind(module="joint_table", unit="point"),
    "version-space": Kind(module="version_space"),
    "world": Kind(module="simulated_rates", prefix="world_"),
}  # fmt: skip
"""Every kind of result by the name in its `schema` field, heldout.NAME/1."""


def kind_name(d: Mapping[str, Any]) -> str:
    """The kind of a result's dictionary; an unknown one is an error.

    >>> kind_name({"schema": "heldout.gate/1"})
    'gate'
    """
    schema = str(d.get("schema", ""))
    name = schema.removeprefix("heldout.").removesuffix("/1")
    if schema != f"heldout.{name}/1" or name not in KINDS:
        known = [f"heldout.{kind}/1" for kind in KINDS]
        hint = did_you_mean(schema, known)
        raise UsageError(f"no kind of result has the schema {schema!r}{hint}", fix=f"choose one of {', '.join(known)}")
    return name


def kind_of(d: Mapping[str, Any]) -> Kind:
    """How a result's dictionary is shown."""
    return KINDS[kind_name(d)]


def _function(d: Mapping[str, Any], name: str) -> Any:
    kind = kind_of(d)
    return getattr(import_module(f"heldout.report.kinds.{kind.module}"), f"{kind.prefix}{name}")


def document(d: Mapping[str, Any]) -> Document:
    """What a reader meets, from the top down."""
    made: Document = _function(d, "document")(d)
    return made


def records(d: Mapping[str, Any]) -> list[Record]:
    """Plain rows with the same keys, for frames and CSV; an undefined number is None."""
    rows: list[Record] = _function(d, "records")(d)
    keys = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in keys} for row in rows]
