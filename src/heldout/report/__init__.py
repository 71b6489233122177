"""Results as text, Markdown, LaTeX, CSV, HTML and JSON.

Everything works on the plain dictionary that a result's `to_dict()` gives, so a saved JSON file can be rendered later.
`kinds` decides what stands where; the renderers only draw it and escape what came from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

from heldout.errors import UsageError, did_you_mean
from heldout.estimates.rounding import decimals
from heldout.report.document import Document, for_command_line, for_python
from heldout.report.kinds import document, records

Format = Literal["text", "json", "md", "latex", "csv", "html"]
DRAWN = {
    "text": "heldout.report.render.text:document_text",
    "md": "heldout.report.render.markdown:document_markdown",
    "latex": "heldout.report.render.latex:document_latex",
    "html": "heldout.report.render.html:document_html",
}
"""Formats that draw a document, and where their renderer lives; it is loaded when it is used."""
FORMATS = (*DRAWN, "csv", "json")


def rendered(
    d: Mapping[str, Any], form: str, *, drawn: Document | None = None, digits: int | None = None,
    on_command_line: bool = False, escape_formulas: bool = True, **options: Any,
) -> str:  # fmt: skip
    """A result's dictionary in one of `FORMATS`, ending in a newline.

    `drawn` is its document, where there is one already; `digits` the decimals of every number, in formats for readers.
    The command line names options, Python names methods and arguments. `escape_formulas` is about CSV alone.
    """
    if form == "json":
        from heldout.report.render.data_formats import to_json

        return to_json(d)
    if form == "csv":
        from heldout.report.render.data_formats import records_csv

        return records_csv(records(d), escape_formulas=escape_formulas)
    if form not in DRAWN:
        raise UsageError(
            f"no format is named {form!r}{did_you_mean(form, FORMATS)}", fix=f"choose one of {', '.join(FORMATS)}"
        )
    module, _, name = DRAWN[form].partition(":")
    with decimals(digits):
        shown = drawn or document(d)
    shown = for_command_line(shown) if on_command_line else for_python(shown)
    text: str = getattr(import_module(module), name)(shown, **options)
    return text
