from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest

from heldout.report import FORMATS, drawn
from heldout.report.render.csv_text import HEAD, evaluation_csv
from heldout.report.render.html import evaluation_html
from heldout.report.render.json_text import to_json
from heldout.report.render.latex import evaluation_latex
from heldout.report.render.markdown import evaluation_markdown

ALL = ["binary", "multiclass", "regression", "grouped", "undefined", "hostile", "crowded"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ALL)
def test_every_format_draws_every_result(form, name, request):
    text = drawn(request.getfixturevalue(name), form)
    assert text.endswith("\n")
    assert "\x1b" not in text.replace('"', "") or form == "csv"


def test_markdown_table(binary):
    lines = evaluation_markdown(binary).splitlines()
    assert lines[0] == "## challenger.csv"
    assert "| roc_auc | 0.816 | [0.791, 0.839] | delong_logit | 0.500 |" in lines
    assert "| accuracy | 0.790 | [0.772, 0.807] | 1580/2000 | wilson | 0.851 |" in lines
    assert lines[-1] == "- **H204** the calibration slope is below 1: scores are too extreme"


def test_markdown_escapes_what_came_from_outside(hostile):
    text = evaluation_markdown(hostile)
    assert "<" not in text
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    widths = [{len(re.split(r"(?<!\\)\|", line)) - 2 for line in block} for block in blocks]
    assert widths == [{6}, {7}, {3}, {5}, {4}]  # metrics, matrix, pairs, classes, segments: no label adds a column


def test_every_class_is_in_markdown(crowded):
    assert evaluation_markdown(crowded).count("| class 0") >= 100


def test_latex_table(binary):
    text = evaluation_latex(binary)
    assert r"roc\_auc & 0.816 & [0.791, 0.839] & delong\_logit & 0.500 \\" in text
    assert r"log\_loss & 0.337 & [0.310, 0.365] & student &  \\" in text
    assert r"at threshold 0.2 & value & 95\% interval & counts & method & constant \\" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == text.count(r"\end{tabular}") == 3


def test_latex_escapes_what_came_from_outside(hostile):
    text = evaluation_latex(hostile)
    assert r"\input" not in text
    assert r"\textbackslash{}input\{a\} 100\% \& \{\_\textasciicircum{}\textasciitilde{}\}" in text
    body = text.split("\n", 1)[1]
    assert not re.search(r"(?<!\\)[%#$^~]", body)
    assert all(line.isprintable() for line in text.splitlines())
    assert len(re.findall(r"(?<!\\)\{", body)) == len(re.findall(r"(?<!\\)\}", body))


def test_csv_is_tidy_and_complete(grouped, binary):
    rows = list(csv.DictReader(io.StringIO(evaluation_csv(grouped))))
    assert tuple(rows[0]) == HEAD
    assert [(r["metric"], r["segment"], r["value"], r["level"]) for r in rows] == [
        ("roc_auc", "", "0.8163", "0.95"),
        ("roc_auc", "site=north", "0.83", "0.975"),
        ("roc_auc", "site=south", "0.79", "0.975"),
    ]
    assert "prevalence" in evaluation_csv(binary)  # also what the text leaves out


def test_csv_undefined_is_empty_and_noted(undefined):
    first = next(csv.DictReader(io.StringIO(evaluation_csv(undefined))))
    assert (first["value"], first["low"], first["notes"]) == (
        "",
        "",
        "the log loss is infinite: row 7 gave 0 to what happened",
    )


def test_csv_is_no_formula(hostile):
    cells = [cell for row in csv.reader(io.StringIO(evaluation_csv(hostile))) for cell in row]
    assert "'=cmd|' /C calc'!A0" in cells
    assert not any(cell[:1] in "=@+" and cell for cell in cells)
    assert "a\nb\x1b[31m|\u202e" in cells  # otherwise labels are data and stay as they are


def test_csv_keeps_negative_numbers(regression):
    assert "\nr2,,,-0.0412,-0.0998,0.0113,0.95," in evaluation_csv(regression)


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

    Tags().feed(evaluation_html(hostile))
    assert set(seen) <= {"div", "p", "br", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li", "b"}
    assert len(evaluation_html(hostile)) < 40_000


def test_html_table(binary):
    assert '<td style="text-align:left">roc_auc</td><td style="text-align:right">0.816</td>' in evaluation_html(binary)


def test_whether_segments_differ_is_in_every_format(grouped):
    assert "\n\nroc_auc differs by site: p 0.024 \\(Holm\\)\n\n" in evaluation_markdown(grouped)
    assert "largest supported gap \\+0.040 \\[\\+0.004, \\+0.076\\]: north - south\n" in evaluation_markdown(grouped)
    assert r"Largest supported gap +0.040 {[}+0.004, +0.076{]}: north - south." in evaluation_latex(grouped)
    assert "<br>largest supported gap +0.040 [+0.004, +0.076]: north - south<" in evaluation_html(grouped)


def test_names_of_segments_do_not_push_the_numbers_out(hostile):
    text = evaluation_markdown(hostile)
    assert r"largest supported gap \+0.300 \[\+0.100, \+0.500\]: &lt;script&gt;ale... - xxxxxxxxxxx..." in text
