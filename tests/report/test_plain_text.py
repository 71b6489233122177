from __future__ import annotations

from hypothesis import given, strategies as st

from heldout.report.plain_text import columns_of, folded, padded, shortened, visible


@given(st.text())
def test_what_is_visible_is_printable_and_one_line(text):
    assert visible(text).isprintable()
    assert visible(text)


def test_blanks_and_lookalikes_can_be_told_apart():
    assert [visible(x) for x in ("yes", "yes ", "\u200byes", "", "\ud800", "naïve")] == [
        "yes",
        '"yes "',
        "\\u200byes",
        '""',
        "\\ud800",
        "naïve",
    ]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=40), st.integers(4, 30))
def test_shortened_text_fits(text, width):
    assert columns_of(shortened(text, width)) <= width
    assert columns_of(padded(shortened(text, width), width, "r")) == width


def test_wide_letters_count_twice():
    assert columns_of("日本") == 4
    assert shortened("日本語テキスト", 8) == "日本..."


@given(st.lists(st.text(alphabet="abc日", min_size=1, max_size=50), max_size=20), st.integers(12, 40))
def test_folded_lines_fit_and_keep_every_short_word(words, width):
    lines = folded(" ".join(words), width, "note H1  ", "     ")
    assert all(columns_of(line) <= width for line in lines)
    assert [w for w in words if columns_of(w) <= width - 5] == [
        w for w in " ".join(lines).split()[2:] if "..." not in w
    ]
