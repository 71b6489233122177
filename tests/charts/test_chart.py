"""Charts that show and save themselves, without a network."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from gzip import decompress
from hashlib import sha256
from html import unescape

import pytest

from heldout.charts import vega
from heldout.charts.chart import MIME
from heldout.errors import UsageError


def scripts(page):
    """Scripts that are run: those without a type."""
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


def test_a_chart_is_saved_in_every_format(evaluation, tmp_path):
    chart = evaluation.plot.roc()
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctype html>"}
    for form, start in starts.items():
        place = chart.save(tmp_path / f"roc.{form}")
        assert place == tmp_path / f"roc.{form}"
        assert place.read_bytes().startswith(start)


def test_a_picture_has_the_words_of_the_chart(evaluation, tmp_path):
    text = evaluation.plot.roc().save(tmp_path / "roc.svg").read_text(encoding="utf-8")
    assert "ROC curve" in text
    assert f"area {evaluation['roc_auc']}" in text


def test_an_unknown_format(evaluation, tmp_path):
    with pytest.raises(UsageError) as caught:
        evaluation.plot.roc().save(tmp_path / "roc.gif")
    assert str(caught.value) == (
        "a chart cannot be saved as 'roc.gif'\n  Fix: end the name in one of .svg, .png, .pdf, .html, .csv"
    )


def test_the_page_of_a_chart_runs_what_its_policy_allows_and_nothing_else(evaluation, tmp_path):
    page = evaluation.plot.roc().save(tmp_path / "roc.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    hashes = [f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in scripts(page)]
    assert len(hashes) == 2
    assert policy == f"default-src 'none'; script-src {' '.join(hashes)}; style-src 'unsafe-inline'; img-src data:"
    assert "ast:true" in scripts(page)[1]
    assert re.findall(r'(?:src|href)="?http', page) == []
    assert len(page) < 1_100_000


def test_a_hostile_name_ends_no_script(comparison, tmp_path, hostile):
    page = comparison.plot.roc().save(tmp_path / "roc.html").read_text(encoding="utf-8")
    assert hostile not in page
    text = re.search(r'<script type="application/json" id="spec">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(text)["params"][0]["value"][0].startswith(hostile)
    assert unescape(re.search(r'aria-label="([^"]*)"', page)[1]) == comparison.plot.figure("roc").alt


def test_a_notebook_gets_the_specification_and_a_frame_that_needs_no_network(evaluation):
    chart = evaluation.plot.confusion()
    shown = chart._repr_mimebundle_()
    assert list(shown) == [MIME, "text/html", "text/plain"]
    assert shown[MIME]["description"] == shown["text/plain"] == str(chart)
    frame = shown["text/html"]
    assert frame.startswith('<iframe sandbox="allow-scripts" title="Confusion matrix"')
    assert len(frame) < 600_000
    page = unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    packed = re.search(r'id="vega">([^<]*)<', page)[1]
    assert decompress(b64decode(packed)).decode() == vega.bundle()


def test_the_script_is_kept_and_a_folder_that_cannot_be_written_is_no_failure(tmp_path, monkeypatch):
    text = vega.bundle()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = vega._kept()
    vega._keep(place, text)
    assert place.read_text(encoding="utf-8").partition("\n")[2] == text  # behind its hash
    assert [one.name for one in place.parent.iterdir()] == [place.name]
    (tmp_path / "file").write_text("", encoding="utf-8")
    vega._keep(tmp_path / "file" / "heldout" / "vega.js", text)


def test_json_in_a_page_cannot_end_its_element():
    text = vega.embedded_json({"a": "</script>&\u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script>&\u2028"}


@pytest.mark.parametrize(("name", "shown"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_a_missing_extra_is_named(evaluation, tmp_path, monkeypatch, name, shown):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError) as caught:
        evaluation.plot.roc().save(tmp_path / "roc.svg")
    assert str(caught.value) == (f"charts need {shown}, which is not installed\n  Fix: pip install 'heldout[charts]'")


def test_the_numbers_need_no_extra(evaluation, monkeypatch):
    for name in ("altair", "vl_convert"):
        monkeypatch.setitem(sys.modules, name, None)
    assert evaluation.plot.roc().data.equals(evaluation.plot.figure("roc").data)


@pytest.mark.parametrize(("name", "shown"), [("\x1b", r"\x1b"), ("\ufffe", r"\ufffe")], ids=ascii)
def test_characters_that_no_picture_may_hold_are_shown_as_escapes(name, shown, tmp_path):
    """Run apart from the tests: vl-convert aborts the process at a character that XML does not allow."""
    code = (
        "import heldout\n"
        f"rows = heldout.evaluate(['a', {name!r}, 'a', {name!r}], [{name!r}, 'a', 'a', {name!r}])\n"
        "for form in ('svg', 'png', 'pdf'):\n"
        "    rows.plot.confusion().save(f'confusion.{form}')\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=300)
    assert f">{shown}</text>" in (tmp_path / "confusion.svg").read_text(encoding="utf-8")
