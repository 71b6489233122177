"""Results as text, Markdown, LaTeX, CSV, HTML and JSON.

Every renderer works on the plain dictionary that a result's `to_dict()` gives, so a saved JSON file can be drawn later.
`tables` decides what stands where; the renderers only draw it and escape what the user supplied.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

FORMATS: dict[str, str] = {
    "text": "heldout.report.render.text:evaluation_text",
    "json": "heldout.report.render.json_text:to_json",
    "md": "heldout.report.render.markdown:evaluation_markdown",
    "latex": "heldout.report.render.latex:evaluation_latex",
    "csv": "heldout.report.render.csv_text:evaluation_csv",
    "html": "heldout.report.render.html:evaluation_html",
}
"""Where the renderer of each format lives; it is loaded when asked for."""
OWN: dict[tuple[str, str], str] = {
    ("heldout.bias-variance/1", "text"): "heldout.report.kinds.bias_variance:bias_variance_text",
    ("heldout.ceiling/1", "text"): "heldout.report.kinds.ceiling:ceiling_text",
    ("heldout.comparison/1", "csv"): "heldout.report.kinds.comparison_csv:comparison_csv",
    ("heldout.detection/1", "csv"): "heldout.report.kinds.images:pictures_csv",
    ("heldout.estimation-bias/1", "text"): "heldout.report.kinds.estimation_bias:estimation_bias_text",
    ("heldout.corpus-rates/1", "text"): "heldout.report.kinds.corpus_rates:corpus_rates_text",
    ("heldout.coverage/1", "text"): "heldout.report.kinds.error_rates:rates_text",
    ("heldout.failures/1", "text"): "heldout.report.kinds.selection_bias:failures_text",
    ("heldout.fold-comparison/1", "csv"): "heldout.report.kinds.fold_comparison:fold_comparison_csv",
    ("heldout.folds-choice/1", "csv"): "heldout.report.kinds.fold_choice:folds_choice_csv",
    ("heldout.gate/1", "text"): "heldout.report.kinds.gate:gate_text",
    ("heldout.learning-curve/1", "csv"): "heldout.report.kinds.learning_curve:learning_curve_csv",
    ("heldout.masks/1", "csv"): "heldout.report.kinds.images:pictures_csv",
    ("heldout.plan/1", "text"): "heldout.report.kinds.plan:plan_text",
    ("heldout.ranking/1", "csv"): "heldout.report.kinds.ranking_csv:ranking_csv",
    ("heldout.runs/1", "text"): "heldout.report.kinds.runs:runs_text",
    ("heldout.selection/1", "csv"): "heldout.report.kinds.selection:selection_csv",
    ("heldout.selection-bias/1", "text"): "heldout.report.kinds.selection_bias:selection_bias_text",
    ("heldout.split-coverage/1", "text"): "heldout.report.kinds.split_rates:split_coverage_text",
    ("heldout.split-size/1", "text"): "heldout.report.kinds.split_rates:split_size_text",
    ("heldout.table/1", "csv"): "heldout.report.kinds.joint_table:table_csv",
    ("heldout.size/1", "text"): "heldout.report.kinds.error_rates:rates_text",
    ("heldout.test/1", "text"): "heldout.report.kinds.textbook_test:decision_text",
    ("heldout.text/1", "csv"): "heldout.report.kinds.text:text_csv",
    ("heldout.threshold-bias/1", "text"): "heldout.report.kinds.selection_bias:threshold_bias_text",
    ("heldout.validation/1", "csv"): "heldout.report.kinds.validation_csv:validation_csv",
    ("heldout.version-space/1", "csv"): "heldout.report.kinds.version_space:version_space_csv",
    ("heldout.world/1", "text"): "heldout.report.kinds.error_rates:world_text",
}
"""Where a result of one schema has a renderer of its own."""


def drawn(result: Mapping[str, Any], form: str, **options: Any) -> str:
    """The result in one of `FORMATS`, ending in a newline."""
    module, _, name = OWN.get((result.get("schema", ""), form), FORMATS[form]).partition(":")
    text: str = getattr(import_module(module), name)(result, **options)
    return text if text.endswith("\n") else text + "\n"
