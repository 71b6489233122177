"""Names that came from outside do nothing where a result is shown: spreadsheets, documents, build logs, terminals."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from heldout.report.kinds import gate as drawing

SIGNS = tuple("=+-@\t\r\n＝＋－＠")
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
BUILD_COMMANDS = re.compile(r"^\s*::|##(\[|vso\[|teamcity\[)", re.MULTILINE)
LATEX_COMMANDS = {
    "begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule", "par", "noindent", "textbf",
    "usepackage", "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar",
    "textquotedbl",
}  # fmt: skip


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def computed(text, delimiter):
    """Cells that a spreadsheet would compute, were this its delimiter."""
    cells = [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) for cell in row]
    return [cell for cell in cells if cell.startswith(SIGNS) and not is_number(cell)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_spreadsheet_computes_nothing(results, delimiter):
    for result in results.values():
        assert computed(result.to_csv(), delimiter) == []
        assert BUILD_COMMANDS.match(result.to_csv()) is None
        for figure in result.figures().values():
            assert computed(figure.to_csv(), delimiter) == []


def test_formulas_are_kept_where_that_is_asked_for(results, attack):
    kept = io.StringIO(results["evaluation"].to_csv(escape_formulas=False))
    cells = [cell for row in csv.reader(kept) for cell in row]
    assert attack in cells or not attack.isprintable()


def test_numbers_and_labels_that_are_numbers_stay_numbers():
    import heldout

    found = heldout.evaluate([-1, 1, -1, 1] * 10, [-1, 1, 1, 1] * 10, segments={"s": ["-5", "+2.5", "-1e3", "7"] * 10})
    cells = {cell for row in csv.reader(io.StringIO(found.to_csv())) for cell in row}
    assert {"s=-5", "s=+2.5"} <= cells or {"-5", "+2.5"} <= cells
    assert not any(cell.startswith("'") for cell in cells)


def test_markdown_has_text_and_tables_only(results):
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    for result in results.values():
        tokens = markdown.parse(result.to_markdown())
        inside = [one for token in tokens for one in [token, *(token.children or [])]]
        kinds = {one.type for one in inside}
        assert kinds <= {
            "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "text_special",
            "softbreak", "strong_open", "strong_close", "table_open", "table_close", "thead_open", "thead_close",
            "tbody_open", "tbody_close", "tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close",
            "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
        }, kinds  # fmt: skip
        source = result.to_markdown()
        assert re.search(r"(?<!\\)://|(?i:www)\.|(?<!\\)@", source) is None  # no address, no person
        assert BUILD_COMMANDS.search(source) is None


def test_latex_has_our_commands_only(results):
    for result in results.values():
        source = result.to_latex()
        assert set(re.findall(r"\\([A-Za-z]+)", source)) <= LATEX_COMMANDS
        bare = re.sub(r"\\[{}$&#%_\\]|^%.*$", "", source, flags=re.MULTILINE)
        assert not set("$#~^%") & set(bare)
        assert bare.count("{") == bare.count("}")
        assert CONTROLS.search(source) is None
        assert BUILD_COMMANDS.search(source) is None


def test_the_screen_shows_text_only(results):
    for result in results.values():
        for text in (result.to_text(), result.to_text(width=40), repr(result)):
            assert CONTROLS.search(text) is None
            assert BUILD_COMMANDS.search(text) is None


def test_json_is_data_and_no_command_of_a_build(results):
    for result in results.values():
        text = result.to_json()
        assert json.loads(text) == result.to_dict()
        assert BUILD_COMMANDS.search(text) is None


def test_annotations_are_one_command_each(results):
    d = results["gate"].to_dict()
    lines = drawing.github(d).split("\n")
    assert len(lines) == len(d["hurdles"]) + 1
    assert lines[-1] == ""
    assert all(re.match(r"::(notice|error|warning) title=heldout gate [A-Z]+::", line) for line in lines[:-1])
    assert CONTROLS.search(drawing.github(d)) is None


def test_junit_is_the_same_tree_whatever_the_names(results):
    text = drawing.junit(results["gate"].to_dict())
    assert "<!" not in text
    tree = ET.fromstring(text)
    assert [one.tag for one in tree.iter()][:2] == ["testsuite", "testcase"]
    assert {one.tag for one in tree.iter()} <= {"testsuite", "testcase", "failure", "system-out"}


def test_a_report_runs_our_scripts_and_loads_nothing(results, tmp_path):
    from html.parser import HTMLParser

    class Page(HTMLParser):
        def __init__(self):
            super().__init__()
            self.scripts, self.policies, self.odd = 0, [], []

        def handle_starttag(self, tag, attributes):
            given = dict(attributes)
            self.scripts += tag == "script"
            if tag == "meta" and given.get("http-equiv") == "Content-Security-Policy":
                self.policies.append(given["content"])
            loads = tag in {"img", "iframe", "object", "embed", "link", "base", "form"} or "src" in given
            handles = any(name.startswith("on") for name in given)
            leads = tag == "a" and not given["href"].startswith("#")
            self.odd += [(tag, given)] * (loads or handles or leads)

    for name, result in results.items():
        page = Page()
        page.feed(result.report(tmp_path / f"{name}.html").read_text(encoding="utf-8"))
        assert page.odd == []
        (policy,) = page.policies
        assert policy.startswith("default-src 'none'; script-src 'sha256-")
        assert "unsafe-eval" not in policy
        assert policy.endswith("base-uri 'none'; form-action 'none'")
