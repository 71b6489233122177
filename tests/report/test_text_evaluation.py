from __future__ import annotations

import heldout
from heldout.report import rendered

WANTED = ["the cat sat on the mat", "it stayed there all day long", "then it went home again"] * 4
SAID = ["the cat sat on a mat", "it stayed there all day", "then it went away"] * 4


def test_one_system_is_a_table_of_values():
    found = heldout.text(WANTED, {"mine": SAID}, metrics="bleu,ngram_recall_1")
    version = found.signatures["bleu"].rpartition(":")[2]
    bleu, recall = found.estimates["mine"].values()
    lines = rendered(found.to_dict(), "text").splitlines()
    shown = f"{bleu.value:.0f} [{bleu.low:.0f}, {bleu.high:.0f}]       {bleu.method}       {bleu.card.rate:.0%}"
    assert lines[:5] == [
        "12 segments, 1 reference each",
        f"bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{version}",
        "",
        "metric         system value 95% CI         method                   coverage*",
        f"bleu           mine      {shown}",
    ]
    assert lines[5].startswith(f"ngram_recall_1 mine   {recall.value:.3f} [")
    assert "VERDICT" not in "".join(lines)


def test_references_and_documents_are_counted():
    wanted = [[text, text] if at % 2 else [text] for at, text in enumerate(WANTED)]
    found = heldout.text(wanted, SAID, groups=[at // 3 for at in range(12)])
    assert str(found).startswith("12 segments in 4 documents, 1 to 2 references each\n")


def test_what_a_user_wrote_cannot_steer_the_terminal():
    found = heldout.text(WANTED, {"a": SAID, "\x1b[31mred": [text + " \x1b[2J" for text in SAID]})
    assert "\x1b" not in str(found)
    assert "\x1b" not in rendered(found.to_dict(), "md")


def test_html_shows_the_metrics_and_escapes_texts():
    page = heldout.text(WANTED, {"a": ["<script>alert(1)</script>", *SAID[1:]]})._repr_html_()
    assert "bleu" in page
    assert "<script>alert" not in page


def test_notes_on_values_name_their_place():
    found = heldout.text(["a b c d e", "f g h i j"], {"a": ["a b c d e", "f g h i j"], "b": ["x", "y"]}, metrics="bleu")
    said = " ".join(str(found).split())
    assert "at the end of its range; the interval rests on 2 units (all rows) (bleu of a, bleu of b)" in said


def test_the_report_has_verdict_differences_and_segments(tmp_path):
    other = ["the cat sat on the mat", *SAID[1:]]
    found = heldout.text(WANTED, {"a": SAID, "b": other}, primary="bleu")
    page = found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    titles = [
        "Verdict", "Metrics", "Differences", "Where the systems differ most", "Values by segment",
        "Confidence intervals with more segments", "Checks, methods, provenance",
    ]  # fmt: skip
    places = [page.index(f">{title}</h2>") for title in titles]
    assert places == sorted(places)
    figures = {name.partition(":")[0] for name in found.plot.figures()}
    assert figures == {"metrics", "differences", "segment_values", "more_data"}


def test_the_report_of_one_system_has_its_values_and_signature(tmp_path):
    found = heldout.text(WANTED, SAID, metrics="bleu")
    page = found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    one = found["bleu"]
    assert f"bleu is {one.value:.0f}, 95% CI {one.low:.0f} to {one.high:.0f}." in page
    assert f"bleu|{found.signatures['bleu']}" in page
    assert list(found.plot.figures()) == ["metrics", "segment_values", "more_data"]


def test_the_report_shows_reference_hypotheses_and_values_of_the_segments_that_tell(tmp_path):
    systems = {"a": SAID, "<b>b</b>": ["the cat <i>sat</i>", "", *SAID[2:]]}
    found = heldout.text(WANTED, systems, primary="bleu")
    page = found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    told = found.segments["<b>b</b>"]
    assert [one["segment"] for one in told] == [2, 1]
    assert page.count("<li><dl>") == 2
    assert f"<dt>bleu of a</dt><dd>{told[1]['baseline_value']:.1f}</dd>" in page
    assert f"<dt>bleu of &lt;b&gt;b&lt;/b&gt;</dt><dd>{told[1]['value']:.1f}</dd>" in page
    assert "<dt>reference</dt><dd>the cat sat on the mat</dd>" in page
    assert "<dd>the cat &lt;i&gt;sat&lt;/i&gt;</dd>" in page
    assert "<dd><i>nothing</i></dd>" in page
    assert "<dt>segments</dt><dd>12</dd>" in page


def test_a_brief_document_has_three_segments_a_side_and_a_whole_one_all():
    systems = {"a": SAID, "b": WANTED[:6] + ["nothing of it"] * 6}
    d = heldout.text(WANTED, systems, primary="bleu").to_dict()
    assert len(d["segments"]["b"]) == 10
    text, whole = rendered(d, "text"), rendered(d, "md")
    assert sum(line.lstrip()[:2].strip().isdigit() for line in text.splitlines()[1:]) == 6
    assert whole.count("nothing of it") == 5
    assert "bleu of a" in whole


def test_what_would_settle_it_is_counted_in_what_was_drawn():
    other = ["the cat sat on the mat", *SAID[1:]]
    alone = heldout.text(WANTED, {"a": SAID, "b": other}, primary="bleu")
    grouped = heldout.text(WANTED, {"a": SAID, "b": other}, primary="bleu", groups=[at // 2 for at in range(12)])
    assert "segments would settle" in " ".join(str(alone).split())
    assert "documents would settle" in " ".join(str(grouped).split())
