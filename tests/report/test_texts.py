from __future__ import annotations

import heldout
from heldout.report import drawn

WANTED = ["the cat sat on the mat", "it stayed there all day long", "then it went home again"] * 4
SAID = ["the cat sat on a mat", "it stayed there all day", "then it went away"] * 4


def test_one_system_is_a_table_of_values():
    found = heldout.text(WANTED, {"mine": SAID}, metrics="bleu,ngram_recall_1")
    version = found.signatures["bleu"].rpartition(":")[2]
    bleu, recall = found.estimates["mine"].values()
    lines = drawn(found.to_dict(), "text").splitlines()
    assert lines[:5] == [
        "12 segments, 1 reference each",
        f"bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{version}",
        "",
        "metric          system  value  95% interval    method",
        f"bleu            mine       {bleu.value:.0f}  [{bleu.low:.0f}, {bleu.high:.0f}]        t on influence",
    ]
    assert lines[5].startswith(f"ngram_recall_1  mine    {recall.value:.3f}  [")
    assert "VERDICT" not in "".join(lines)


def test_references_and_documents_are_counted():
    wanted = [[text, text] if at % 2 else [text] for at, text in enumerate(WANTED)]
    found = heldout.text(wanted, SAID, groups=[at // 3 for at in range(12)])
    assert str(found).startswith("12 segments in 4 documents, 1 to 2 references each\n")


def test_what_a_user_wrote_cannot_steer_the_terminal():
    found = heldout.text(WANTED, {"a": SAID, "\x1b[31mred": [text + " \x1b[2J" for text in SAID]})
    assert "\x1b" not in str(found)
    assert "\x1b" not in drawn(found.to_dict(), "md")


def test_html_shows_the_metrics_and_escapes_texts():
    page = heldout.text(WANTED, {"a": ["<script>alert(1)</script>", *SAID[1:]]})._repr_html_()
    assert "bleu" in page
    assert "<script>alert" not in page


def test_notes_on_values_name_their_place():
    found = heldout.text(["a b c d e", "f g h i j"], {"a": ["a b c d e", "f g h i j"], "b": ["x", "y"]}, metrics="bleu")
    said = " ".join(str(found).split())
    assert "at the end of its range; the interval rests on 2 units (all rows) (bleu of a, bleu of b)" in said


def test_the_page_has_verdict_differences_and_segments(tmp_path):
    other = ["the cat sat on the mat", *SAID[1:]]
    found = heldout.text(WANTED, {"a": SAID, "b": other}, primary="bleu")
    page = found.report(tmp_path / "page.html").read_text(encoding="utf-8")
    titles = ["Verdict", "Metrics", "Differences", "Where the systems differ most", "Checks, methods, provenance"]
    places = [page.index(f">{title}</h2>") for title in titles]
    assert places == sorted(places)
    assert {name.partition(":")[0] for name in found.plot.figures()} == {"metrics", "differences"}


def test_the_page_of_one_system_tells_its_values(tmp_path):
    found = heldout.text(WANTED, SAID, metrics="bleu")
    page = found.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "bleu is 60, 95% interval 47 to 72." in page
    assert list(found.plot.figures()) == ["metrics"]
