"""Every kind of result keeps the one contract: every format, valid JSON, frame equal to CSV, a repr of one screen."""

from __future__ import annotations

import csv
import json
import re
from copy import deepcopy
from dataclasses import replace
from html import unescape
from importlib import import_module
from io import StringIO
from math import isnan
from pkgutil import walk_packages

import jsonschema
import pytest

import heldout
from heldout.errors import UsageError
from heldout.inputs.reading import Check
from heldout.report import FORMATS, rendered
from heldout.report.document import Document, brief, whole
from heldout.report.kinds import KINDS, document, records
from heldout.report.schema import schema
from heldout.verbs.result import Result, report_text
from tests.laws.every_kind import MAKERS, result_of

ALL = sorted(KINDS)


def test_every_kind_has_an_example():
    assert sorted(MAKERS) == ALL


def test_every_class_of_result_is_a_kind_in_the_table():
    for module in walk_packages(heldout.__path__, "heldout."):
        if not module.name.startswith(("heldout.cli", "heldout.__main__", "heldout.engines.")):
            import_module(module.name)
    kinds = [found.kind for found in subclasses(Result) if "kind" in vars(found)]
    assert sorted(kinds) == ALL


def subclasses(of: type) -> list[type]:
    return [found for direct in of.__subclasses__() for found in (direct, *subclasses(direct))]


@pytest.mark.parametrize("kind", ALL)
def test_the_kind_is_what_it_says(kind):
    result = result_of(kind)
    d = result.to_dict()
    assert (result.kind, d["schema"]) == (kind, f"heldout.{kind}/1")
    assert result.unit == d["unit"] == KINDS[kind].unit  # no example has groups


@pytest.mark.parametrize("kind", ALL)
def test_a_copy_is_equal_and_another_result_is_not(kind):
    result = result_of(kind)
    again = deepcopy(result)
    assert (again == result, hash(again) == hash(result)) == (True, True)
    assert result != replace(result, checks=(*result.checks, Check(code="H111", text="another")))
    assert result != result.to_dict()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ALL)
def test_every_format_works(kind, form):
    result = result_of(kind)
    text = rendered(result.to_dict(), form)
    assert text.endswith("\n")
    assert text.strip()
    if form in ("text", "md", "latex", "html"):
        shown = (whole if form in ("md", "latex") else brief)(result.document())
        assert shown.tables or shown.verdict or shown.opening
        places = {
            "head": [table.head[0].text for table in shown.tables],
            "cell": [table.rows[0][0].text for table in shown.tables if table.rows],
            "verdict": shown.verdict,
            "note": [note.text for note in shown.notes],
        }
        letters = _letters(text, form)
        for place, texts in places.items():
            assert [words for words in texts if _letters(words, "")[:20] not in letters] == [], place


def _letters(text: str, form: str) -> str:
    """Letters and digits alone: without markup, escapes and the ends of lines."""
    text = re.sub(r"\\text\w+\{\}", "", text) if form == "latex" else unescape(text) if form in ("html", "md") else text
    return "".join(character for character in text if character.isalnum())


@pytest.mark.parametrize("kind", ALL)
def test_methods_give_what_the_formats_give(kind):
    result = result_of(kind)
    d = result.to_dict()
    methods = {"text": result.to_text, "json": result.to_json, "md": result.to_markdown, "latex": result.to_latex}
    methods |= {"csv": result.to_csv, "html": result.to_html}
    assert {form: method() for form, method in methods.items()} == {form: rendered(d, form) for form in methods}
    assert (str(result), result._repr_html_()) == (result.to_text(), result.to_html())


@pytest.mark.parametrize("kind", ALL)
def test_json_validates(kind):
    d = json.loads(result_of(kind).to_json())
    jsonschema.Draft202012Validator(schema(d["schema"])).validate(d)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema(d["schema"])).validate({**d, "surprise": 1})


@pytest.mark.parametrize("kind", ALL)
def test_the_frame_equals_the_csv(kind):
    result = result_of(kind)
    table = list(csv.reader(StringIO(result.to_csv())))
    frame = result.to_frame("pyarrow")
    assert frame.column_names == table[0]
    assert frame.num_rows == len(table) - 1 > 0
    for line, row in zip(table[1:], frame.to_pylist(), strict=True):
        assert [_text(value) for value in row.values()] == [cell.removeprefix("'") for cell in line]


def _text(value) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("kind", ALL)
def test_frames_of_results_and_charts_have_the_lines_of_their_records(kind, backend):
    result = result_of(kind)
    for holder, part in [(result, ()), *((one, (name,)) for one in result.figures().values() for name in one.parts)]:
        frame, records = holder.to_frame(*part, backend=backend), holder.records(*part)
        columns = frame.column_names if backend == "pyarrow" else list(frame.columns)
        assert (len(frame), columns) == (len(records), list(records[0]) if records else columns)


@pytest.mark.parametrize("kind", ALL)
def test_the_repr_fits_one_screen(kind):
    lines = repr(result_of(kind)).splitlines()
    assert 2 <= len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[-1].startswith(f"[{type(result_of(kind)).__name__}: ")


@pytest.mark.parametrize("kind", ALL)
def test_every_kind_has_a_report(kind, tmp_path, monkeypatch):
    made = {"to_dict": 0, "document": 0}
    result = result_of(kind)
    to_dict = type(result).to_dict

    def counted_dict(self):
        made["to_dict"] += self is result
        return to_dict(self)

    def counted_document(d):
        made["document"] += 1
        return document(d)

    monkeypatch.setattr(type(result), "to_dict", counted_dict)
    monkeypatch.setattr("heldout.report.kinds.document", counted_document)
    monkeypatch.setattr("heldout.report.document", document, raising=False)
    path = result.report(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert made == {"to_dict": 1, "document": 1}
    assert text.startswith("<!doctype html>")
    assert 'id="verdict"' in text
    assert 'id="provenance"' in text
    assert "://" not in text.partition("<script")[0]
    shown = result.document()
    letters = _letters(re.sub("<[^>]*>", "", text.partition("<script")[0]), "html")
    words = [*shown.opening, *shown.facts, *shown.headline, *shown.verdict, *(note.text for note in whole(shown).notes)]
    assert [text for text in words if _letters(text, "")[:60] not in letters] == []


@pytest.mark.parametrize("kind", ALL)
def test_every_kind_can_be_saved_and_shown_again(kind, tmp_path):
    result = result_of(kind)
    record = result.save(tmp_path / "store", name="kept")
    assert json.loads(json.dumps(record.result)) == json.loads(result.to_json())
    assert rendered(record.result, "md") == result.to_markdown()


@pytest.mark.parametrize("kind", ALL)
def test_charts_are_listed_and_can_be_computed(kind):
    result = result_of(kind)
    listed = result.plot()
    assert all(isinstance(words, str) and words for words in listed.values())
    assert {name.partition(":")[0] for name in result.figures()} <= {name.partition(":")[0] for name in listed}


@pytest.mark.parametrize("kind", ALL)
def test_documents_are_complete(kind):
    made = result_of(kind).document()
    assert isinstance(made, Document)
    assert made.title
    for table in made.tables:
        assert len(table.head) == len(table.align)
        assert all(len(row) == len(table.head) for row in table.rows)
        assert not table.bars or len(table.bars) == len(table.rows)
        assert not table.marks or len(table.marks) == len(table.rows)


def test_an_unknown_kind_is_an_error():
    for call in (document, records, lambda d: rendered(d, "md")):
        with pytest.raises(UsageError, match=r"no kind of result has the schema 'heldout\.gatte/1'; did you mean"):
            call({"schema": "heldout.gatte/1"})


def test_an_unknown_format_is_an_error():
    with pytest.raises(UsageError, match="no format is named 'markdown'"):
        rendered(result_of("gate").to_dict(), "markdown")


def test_an_unknown_frame_is_an_error():
    with pytest.raises(UsageError, match="no frame is named 'panda'; did you mean 'pandas'"):
        result_of("gate").to_frame("panda")


def test_the_report_is_written_by_one_function():
    assert report_text(result_of("plan")).count("<main>") == 1
