"""Results as text, Markdown, LaTeX, CSV, HTML and JSON.

Every renderer works on the plain dictionary that a result's `to_dict()` gives, so a saved JSON file can be drawn later.
`tables` decides what stands where; the renderers only draw it and escape what the user supplied.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

FORMATS: dict[str, str] = {
    "text": "heldout.report.text:evaluation_text",
    "json": "heldout.report.jsontext:to_json",
    "md": "heldout.report.markdown:evaluation_markdown",
    "latex": "heldout.report.latex:evaluation_latex",
    "csv": "heldout.report.csvtable:evaluation_csv",
    "html": "heldout.report.html:evaluation_html",
}
"""Where the renderer of each format lives; it is loaded when asked for."""
OWN: dict[tuple[str, str], str] = {
    ("heldout.bias-variance/1", "text"): "heldout.report.bias_variance:bias_variance_text",
    ("heldout.ceiling/1", "text"): "heldout.report.ceiling:ceiling_text",
    ("heldout.comparison/1", "csv"): "heldout.report.comparison_csv:comparison_csv",
    ("heldout.detection/1", "csv"): "heldout.report.pictures:pictures_csv",
    ("heldout.estimation-bias/1", "text"): "heldout.report.estimation_bias:estimation_bias_text",
    ("heldout.corpus-rates/1", "text"): "heldout.report.corpus_rates:corpus_rates_text",
    ("heldout.coverage/1", "text"): "heldout.report.rates:rates_text",
    ("heldout.failures/1", "text"): "heldout.report.choices:failures_text",
    ("heldout.fold-comparison/1", "csv"): "heldout.report.fold_comparison:fold_comparison_csv",
    ("heldout.folds-choice/1", "csv"): "heldout.report.folds_choice:folds_choice_csv",
    ("heldout.gate/1", "text"): "heldout.report.gate:gate_text",
    ("heldout.learning-curve/1", "csv"): "heldout.report.learning_curves:learning_curve_csv",
    ("heldout.masks/1", "csv"): "heldout.report.pictures:pictures_csv",
    ("heldout.plan/1", "text"): "heldout.report.plan:plan_text",
    ("heldout.ranking/1", "csv"): "heldout.report.ranking_csv:ranking_csv",
    ("heldout.runs/1", "text"): "heldout.report.runs:runs_text",
    ("heldout.selection/1", "csv"): "heldout.report.selection:selection_csv",
    ("heldout.selection-bias/1", "text"): "heldout.report.choices:selection_bias_text",
    ("heldout.split-coverage/1", "text"): "heldout.report.split_rates:split_coverage_text",
    ("heldout.split-size/1", "text"): "heldout.report.split_rates:split_size_text",
    ("heldout.table/1", "csv"): "heldout.report.joint_tables:table_csv",
    ("heldout.size/1", "text"): "heldout.report.rates:rates_text",
    ("heldout.test/1", "text"): "heldout.report.decision:decision_text",
    ("heldout.text/1", "csv"): "heldout.report.texts:text_csv",
    ("heldout.threshold-bias/1", "text"): "heldout.report.choices:threshold_bias_text",
    ("heldout.validation/1", "csv"): "heldout.report.validation_csv:validation_csv",
    ("heldout.version-space/1", "csv"): "heldout.report.version_spaces:version_space_csv",
    ("heldout.world/1", "text"): "heldout.report.rates:world_text",
}
"""Where a result of one schema has a renderer of its own."""


def drawn(result: Mapping[str, Any], form: str, **options: Any) -> str:
    """The result in one of `FORMATS`, ending in a newline."""
    module, _, name = OWN.get((result.get("schema", ""), form), FORMATS[form]).partition(":")
    text: str = getattr(import_module(module), name)(result, **options)
    return text if text.endswith("\n") else text + "\n"
