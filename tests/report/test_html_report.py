"""The page as text: views in their order, nothing from outside unescaped, nothing loaded, small, readable."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from importlib.resources import files
from time import process_time

import numpy as np
import pytest

import heldout
from heldout.report.document import Bar, Cell, Table
from heldout.report.html_report.markup import table_html
from heldout.report.html_report.sections import ORDER
from heldout.verbs.demo import clinic
from heldout.verbs.evaluate.chosen_rows import chosen_rows
from heldout.verbs.result import report_text

HOSTILE = "</script><script>alert(1)</script>\"'&\u2028"
READING = {"truth": "y_true", "y_score": "y_prob", "groups": "patient_id", "id": "id", "threshold": 0.2}


class Parsed(HTMLParser):
    """Tags with their attributes, and the text of each script."""

    def __init__(self, text: str):
        super().__init__()
        self.tags, self.scripts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] == "script" and self.scripts:
            attrs, text = self.scripts[-1]
            self.scripts[-1] = (attrs, text + data)

    def handle_endtag(self, tag):
        if tag == "script":
            self.tags.append(("/script", {}))


@pytest.fixture(scope="module")
def evaluation():
    return heldout.evaluate(clinic(300, 3), segments=["site"], **READING)


@pytest.fixture(scope="module")
def text(evaluation):
    return report_text(evaluation, command="heldout evaluate <b>")


def sections(text: str) -> list[str]:
    return [tag["id"] for name, tag in Parsed(text).tags if name == "section"]


def test_the_views_of_an_evaluation_stand_in_their_order(text):
    wanted = [
        "verdict", "metrics", "explorer", "confusion", "curves", "calibration", "segments", "disagreement",
        "distributions", "more_data", "provenance",
    ]  # fmt: skip
    assert sections(text) == wanted
    assert wanted == [name for name in ORDER if name in wanted]


def test_the_views_of_a_comparison_stand_in_their_order():
    models = {name: clinic(300, 3, model=name) for name in ("champion", "challenger")}
    found = sections(report_text(heldout.compare(models, primary="roc_auc", segments=["site"], **READING)))
    assert found == [
        "verdict", "metrics", "differences", "curves", "calibration", "segments", "disagreement", "more_data",
        "provenance",
    ]  # fmt: skip


def test_a_view_is_there_only_where_its_data_is():
    assert sections(report_text(heldout.evaluate_counts(wrong=3, of=20))) == [
        "verdict",
        "metrics",
        "more_data",
        "provenance",
    ]
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=60)
    found = sections(report_text(heldout.evaluate(numbers, numbers + rng.normal(size=60))))
    assert found == ["verdict", "metrics", "disagreement", "distributions", "more_data", "provenance"]
    assert "explorer" not in sections(report_text(heldout.evaluate([1, 0, 1, 0] * 5, [1, 0, 0, 0] * 5)))


def test_the_verdict_comes_first_and_says_what_is_beaten(text):
    strip = text[text.index('class="strip"') : text.index("<dl>")]
    assert "BETTER THAN A DUMMY MODEL" in strip
    beaten = r"<p>roc_auc is 0\.\d+, 95% CI 0\.\d+ to 0\.\d+: better than the dummy model \(0\.500\)\.</p>"
    assert re.search(beaten, strip)


def test_only_our_own_scripts_may_run_and_each_is_known_by_its_hash(text):
    policy = next(tag["content"] for name, tag in Parsed(text).tags if tag.get("http-equiv"))
    code = [script for attrs, script in Parsed(text).scripts if attrs["type"] == "module"]
    hashes = {f"'sha256-{b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in code}
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert set(allowed["script-src"].split()) == hashes
    assert allowed["default-src"] == "'none'"
    assert allowed["img-src"] == "data:"
    assert len(code) == 3
    assert {attrs["type"] for attrs, _ in Parsed(text).scripts} == {"module", "application/json"}


def test_nothing_is_loaded(text):
    for name, tag in Parsed(text).tags:
        assert not {"src", "srcset", "data", "action", "background"} & set(tag), (name, tag)
        assert tag.get("href", "#").startswith("#"), (name, tag)
        assert not [key for key in tag if key.startswith("on")]
    assert "@import" not in text
    assert "url(" not in (files("heldout.report.html_report") / "assets" / "report.css").read_text(encoding="utf-8")


def test_what_came_from_outside_is_text(tmp_path):
    rng = np.random.default_rng(3)
    code = rng.integers(0, 2, 80)
    columns = {
        "truth": np.array([HOSTILE, "b"])[code],
        "y_prob": np.round(np.clip(code * 0.4 + 0.6 * rng.random(80), 0, 1), 3),
        HOSTILE: np.where(np.arange(80) % 2, HOSTILE, "other"),
    }
    found = heldout.evaluate(columns, truth="truth", y_score="y_prob", pos_label="b", segments=[HOSTILE], threshold=0.5)
    text = report_text(found, command=HOSTILE)
    parsed = Parsed(text)
    assert len(parsed.scripts) == text.count("<script")
    assert "alert(1)</script>" not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text
    data = {attrs["id"]: json.loads(script) for attrs, script in parsed.scripts if "id" in attrs}
    assert data["heldout-thresholds"]["positive"] == "b"
    assert HOSTILE[:10] in json.dumps(data["heldout-figures"], ensure_ascii=False)


def test_the_explorer_has_the_hash_of_the_rows(evaluation, text):
    data = next(json.loads(script) for attrs, script in Parsed(text).scripts if attrs.get("id") == "heldout-thresholds")
    assert data["chosen_on"] == chosen_rows(evaluation.batch)
    assert data["start"] == 0.2
    assert data["tp"] == evaluation.thresholds().tp.tolist()


def test_copies_are_what_the_command_line_prints(evaluation, text):
    from heldout.report import rendered

    data = next(json.loads(script) for attrs, script in Parsed(text).scripts if attrs.get("id") == "heldout-copies")
    assert data == {form: rendered(evaluation.to_dict(), form) for form in ("text", "md", "latex", "csv")}


def test_a_page_with_ten_charts_is_small(text):
    assert text.count("data-figure=") >= 9
    assert len(text.encode()) < 2_500_000


def test_a_million_rows_make_a_small_page_quickly():
    from heldout.charts.vega import bundle

    bundle()  # made once on a machine, then kept
    rng = np.random.default_rng(1)
    score = rng.random(1_000_000)
    found = heldout.evaluate(
        (rng.random(1_000_000) < score**2).astype(int), y_score=score, metrics=["roc_auc", "recall"]
    )
    started = process_time()
    text = report_text(found)
    assert process_time() - started < 3
    assert len(text.encode()) < 2_500_000


def test_without_what_draws_charts_the_numbers_are_still_there(evaluation, monkeypatch):
    monkeypatch.setattr("heldout.report.html_report.html_file._installed", lambda: False)
    text = report_text(evaluation)
    assert 'id="heldout-figures"' not in text
    assert text.count("Numbers behind this chart") >= 8
    assert "pip install &#x27;heldout[charts]&#x27;" in text


def test_numbers_stand_point_under_point():
    cells = [Cell(x) for x in ("0.826", "0.0067", "12", "~")]
    table = Table(
        name="t", title=Cell(""), head=(Cell("a"), Cell("b")), rows=tuple((Cell("x"), c) for c in cells), align="lr"
    )
    pads = re.findall(r'class="n"(?: style="--pad:([0-9.]+)ch")?>[^<b]', table_html(table))
    assert pads == ["1", "", "4.5", ""]  # 0.826 lacks one digit, 12 lacks four and the point


def test_bars_are_drawn_on_one_scale():
    rows = tuple((Cell(x), Cell("[]")) for x in "ab")
    head = (Cell("metric"), Cell("95% interval"))
    table = Table(
        name="t", title=Cell(""), head=head, rows=rows, align="ll", bars=(Bar(0.0, 0.25, 0.5), Bar(0.5, 0.75, 1.0))
    )
    assert re.findall(r"M([0-9.]+) 8H([0-9.]+)", table_html(table)) == [("4.0", "60.0"), ("60.0", "116.0")]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_texts_have_the_contrast_of_aa_in_light_and_dark():
    style = (files("heldout.report.html_report") / "assets" / "report.css").read_text(encoding="utf-8")
    grounds = [
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r"\{([^{}]*--paper:[^{}]*)\}", style)
    ]
    assert len(grounds) == 4
    for colours in grounds:
        for name in ("ink", "muted", "accent", "good", "bad"):
            for ground in ("paper", "quiet"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground, colours)
    assert contrast(grounds[0]["on-accent"], grounds[0]["accent"]) >= 4.5
    assert contrast(grounds[1]["on-accent"], grounds[1]["accent"]) >= 4.5


def test_a_page_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(heldout.HeldoutError) as refused:
        heldout.evaluate_counts(wrong=3, of=20).report(tmp_path / "missing" / "page.html")
    assert str(refused.value) == (
        f"{tmp_path / 'missing' / 'page.html'} cannot be written: No such file or directory\n"
        "  Fix: choose a folder that exists and may be written"
    )
