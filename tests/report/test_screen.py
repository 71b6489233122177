"""A result on one screen: a repr keeps the decision whole; verbose text, Markdown and LaTeX cut nothing."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout import plan
from heldout.report import rendered
from heldout.report.document import Cell, Document, Note, Table, with_foot
from heldout.report.kinds import document
from heldout.report.render.latex import document_latex
from heldout.report.render.markdown import document_markdown
from heldout.report.render.text import document_text
from tests.laws.every_kind import MAKERS, result_of
from tests.report.comparisons import champions, compared, differing, three
from tests.report.test_gate import FAILED, OPEN, decided

MANY = "accuracy,balanced_accuracy,precision,recall,f1,mcc,roc_auc,brier,log_loss,average_precision"


def words(text: str) -> str:
    return " ".join(text.split())


def two_models(**options):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    first, second = (np.clip(truth * gain + rng.random(300) * (1 - gain), 0.01, 0.99) for gain in (0.3, 0.25))
    return heldout.compare(truth, {"old": first, "new": second}, **options)


@pytest.mark.parametrize("options", [{}, {"metrics": MANY}, {"metrics": MANY, "primary": "f1"}])
def test_the_repr_of_a_comparison_keeps_the_verdict(options):
    result = two_models(**options)
    lines = repr(result).splitlines()
    assert len(lines) <= 24
    assert lines[-1].startswith("[Comparison: ")
    shown = words(repr(result))
    assert [sentence for sentence in result.document().verdict if words(sentence) not in shown] == []


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_the_repr_of_every_kind_keeps_its_verdict_and_its_opening(kind):
    result = result_of(kind)
    shown = words(repr(result))
    made = result.document()
    said = [*made.opening, *made.verdict]
    assert [sentence for sentence in said if words(sentence)[:600] not in shown] == []
    assert made.verdict_label in repr(result) or not made.verdict


@pytest.mark.parametrize("sentences", [1, 4, 18])
@pytest.mark.parametrize("rows", [1, 30])
@pytest.mark.parametrize("notes", [0, 30])
def test_tables_and_notes_are_shortened_and_not_the_verdict(rows, notes, sentences):
    table = Table(name="t", head=(Cell("metric"),), rows=((Cell("row"),),) * rows, align="l")
    made = Document(
        title="x",
        opening=("opening",),
        tables=(with_foot(table, "foot"), table, table),
        verdict=tuple(f"sentence {k}" for k in range(sentences)),
        notes=tuple(Note("", f"note {k}") for k in range(notes)),
    )
    text = document_text(made, lines=23)
    assert len(text.splitlines()) <= 23
    assert "opening" in text
    assert f"sentence {sentences - 1}\n" in text
    whole = document_text(made)
    assert ("not shown: " in text) == (len(whole.splitlines()) > 23)


def test_what_is_left_out_is_counted():
    table = Table(name="t", head=(Cell("metric"),), rows=((Cell("row"),),) * 30, align="l")
    made = Document(title="x", tables=(table, table), verdict=("yes",), notes=(Note("H1", "a"), Note("", "b")))
    text = document_text(made, lines=10)
    assert text == "metric\n" + "row\n" * 5 + "\nVERDICT  yes\n\nnot shown: 25 rows, 1 table, 2 notes\n"


def test_a_verdict_on_more_models_than_a_screen_has_lines_keeps_its_ends():
    made = Document(title="x", verdict=tuple(f"sentence {k}" for k in range(60)))
    lines = document_text(made, lines=23).splitlines()
    assert len(lines) <= 23
    assert lines[0] == "VERDICT  sentence 0"
    assert "         sentence 59" in lines
    assert lines[-1] == "not shown: 39 sentences"


def test_gates_plans_and_tests_keep_their_headline():
    needed = plan.difference("accuracy", 0.85, gain=0.02, disagree=0.08)
    assert all(words(line) in words(repr(needed)) for line in needed.document().opening)
    tested = result_of("test")
    assert f"DECISION  {tested.document().verdict[0][:20]}" in repr(tested)
    long = decided(OPEN, FAILED, checks=[{"code": "H1", "text": "word " * 100, "labels": False}] * 9)
    text = document_text(document(long), lines=23)
    assert words(f"INCONCLUSIVE  INCONCLUSIVE: {document(long).verdict[0].partition(': ')[2]}") in words(text)


def test_the_smallest_p_is_that_of_the_smallest_unadjusted_one_where_adjusted_ones_tie():
    holm = {"correction": "holm", "tests": 2, "pvalue_adjusted": 0.915}
    d = compared(
        differing("mae", 0.01, -0.1, 0.12, pvalue=0.86, rows_needed=52_173, **holm),
        differing("r2", 0.02, -0.02, 0.06, pvalue=0.457, rows_needed=812, **holm),
    )
    assert document(d).verdict == (
        "UNDECIDED whether challenger is better than champion: no difference is significant (smallest p 0.915, r2).",
        "About 812 rows would settle a difference of this size (80% power).",
    )


def test_python_names_methods_and_the_command_line_its_flags():
    assert "\n1 more metric: see .to_markdown(), .to_csv() or .to_json()\n" in rendered(three(), "text")
    assert "\n1 more metric: see --format md, csv or json\n" in rendered(three(), "text", on_command_line=True)
    assert "--" not in rendered(decided(OPEN), "text")
    assert rendered(decided(OPEN), "text", on_command_line=True).endswith("--allow-inconclusive.\n")


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_no_kind_names_a_flag_in_python(kind):
    result = result_of(kind)
    text = "\n".join((result.to_text(), result.to_markdown(), repr(result), result.to_html()))
    assert "--format" not in text
    assert "--metric" not in text
    assert "--allow" not in text


LONG = "balanced_accuracy_of_the_challenger_that_was_trained_on_all_rows_of_the_year_before_last_in_all_clinics"


def test_verbose_text_cuts_no_name():
    d = champions()
    for one in d["differences"]:
        one["model"] = one["model"].replace("challenger", LONG)
    d["models"][1] = LONG
    d["estimates"][LONG] = d["estimates"].pop("challenger")
    text = rendered(d, "text", verbose=True)
    assert "..." not in text
    assert LONG in text
    assert "..." in rendered(d, "text")


def test_footnotes_and_captions_are_never_cut():
    foot = "a footnote with many words " * 60
    table = Table(
        name="t", head=(Cell("metric"),), rows=((Cell("row"),),), align="l", title=Cell("caption " * 120, given=True)
    )
    made = Document(title="x", tables=(with_foot(table, foot),), notes=(Note("H1", "noted " * 200),))
    for text in (document_markdown(made), document_latex(made)):
        assert "..." not in text
        assert text.count("many words") == 60
        assert text.lower().count("caption ") + text.lower().count("caption.") + text.count("caption*") >= 119
        assert text.count("noted") == 200
