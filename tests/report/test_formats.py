from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest

from heldout.report import FORMATS, rendered
from heldout.report.render.data_formats import to_json

HEAD = ("metric", "class", "segment", "value", "low", "high", "level", "method", "units", "better", "notes")
ALL = ["binary", "multiclass", "regression", "grouped", "undefined", "hostile", "crowded"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ALL)
def test_every_format_draws_every_result(form, name, request):
    text = rendered(request.getfixturevalue(name), form)
    assert text.endswith("\n")
    assert "\x1b" not in text.replace('"', "") or form == "csv"


def test_markdown_table(binary):
    lines = rendered(binary, "md").splitlines()
    assert lines[0] == "## Evaluation of challenger.csv"
    assert "| roc_auc | 0.816 | [0.791, 0.839] | delong_logit | 0.500 | yes |" in lines
    assert "| accuracy | 0.790 | [0.772, 0.807] | 1580/2000 | wilson | 0.851 | not shown |" in lines
    assert lines[-1] == "- **H204** the calibration slope is below 1: scores are overconfident"


def test_markdown_escapes_what_came_from_outside(hostile):
    text = rendered(hostile, "md")
    assert "<" not in text
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    widths = [{len(re.split(r"(?<!\\)\|", line)) - 2 for line in block} for block in blocks]
    assert widths == [{7}, {7}, {3}, {5}, {4}]  # metrics, matrix, pairs, classes, segments: no label adds a column


def test_every_class_is_in_markdown(crowded):
    assert rendered(crowded, "md").count("| class 0") >= 100


def test_latex_table(binary):
    text = rendered(binary, "latex")
    assert r"roc\_auc & 0.816 & [0.791, 0.839] & delong\_logit & 0.500 & yes \\" in text
    assert r"log\_loss & 0.337 & [0.310, 0.365] & student &  &  \\" in text
    assert r"at threshold 0.2 & value & 95\% CI & counts & method & dummy & better? \\" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == text.count(r"\end{tabular}") == 3


def test_latex_escapes_what_came_from_outside(hostile):
    text = rendered(hostile, "latex")
    assert r"\input" not in text
    assert r"\textbackslash{}input\{a\} 100\% \& \{\_\textasciicircum{}\textasciitilde{}\}" in text
    body = text.split("\n", 1)[1]
    assert not re.search(r"(?<!\\)[%#$^~]", body)
    assert all(line.isprintable() for line in text.splitlines())
    assert len(re.findall(r"(?<!\\)\{", body)) == len(re.findall(r"(?<!\\)\}", body))


def test_csv_is_tidy_and_complete(grouped, binary):
    rows = list(csv.DictReader(io.StringIO(rendered(grouped, "csv"))))
    assert tuple(rows[0]) == HEAD
    assert [(r["metric"], r["segment"], r["value"], r["level"]) for r in rows] == [
        ("roc_auc", "", "0.8163", "0.95"),
        ("roc_auc", "site=north", "0.83", "0.975"),
        ("roc_auc", "site=south", "0.79", "0.975"),
    ]
    assert "prevalence" in rendered(binary, "csv")  # also what the text leaves out


def test_csv_undefined_is_empty_and_noted(undefined):
    first = next(csv.DictReader(io.StringIO(rendered(undefined, "csv"))))
    assert (first["value"], first["low"], first["notes"]) == (
        "",
        "",
        "the log loss is infinite: row 7 gave 0 to the true class",
    )


def test_csv_is_no_formula(hostile):
    cells = [cell for row in csv.reader(io.StringIO(rendered(hostile, "csv"))) for cell in row]
    assert "'=cmd|' /C calc'!A0" in cells
    assert not any(cell[:1] in "=@+" and cell for cell in cells)
    assert "a\nb\x1b[31m|\u202e" in cells  # otherwise labels are data and stay as they are


def test_csv_keeps_negative_numbers(regression):
    assert "\nr2,,,-0.0412,-0.0998,0.0113,0.95," in rendered(regression, "csv")


def test_json_is_the_dictionary(hostile):
    assert json.loads(to_json(hostile)) == hostile
    assert to_json(hostile).startswith('{\n  "schema": "heldout.evaluation/1",\n')


def test_json_has_no_nan(binary):
    binary["estimates"]["roc_auc"]["value"] = float("nan")
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        to_json(binary)


def test_html_has_no_markup_from_outside(hostile):
    seen = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):  # noqa: ARG002 the parser's signature
            seen.append(tag)

    Tags().feed(rendered(hostile, "html"))
    assert set(seen) <= {"div", "p", "br", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li", "b"}
    assert len(rendered(hostile, "html")) < 40_000


def test_html_table(binary):
    assert '<td style="text-align:left">roc_auc</td><td style="text-align:right">0.816</td>' in rendered(binary, "html")


def test_whether_segments_differ_is_in_every_format(grouped):
    assert "\n\nroc_auc differs by site: p 0.024 \\(Holm\\)\n\n" in rendered(grouped, "md")
    assert "largest significant gap \\+0.040 \\[\\+0.004, \\+0.076\\]: north - south\n" in rendered(grouped, "md")
    assert r"Largest significant gap +0.040 {[}+0.004, +0.076{]}: north - south." in rendered(grouped, "latex")
    assert "<br>largest significant gap +0.040 [+0.004, +0.076]: north - south<" in rendered(grouped, "html")


def test_names_of_segments_do_not_push_the_numbers_out(hostile):
    text = rendered(hostile, "md")
    assert r"largest significant gap \+0.300 \[\+0.100, \+0.500\]: &lt;script&gt;ale... - xxxxxxxxxxx..." in text
