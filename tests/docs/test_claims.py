"""Percentages and ratios in the README, the documentation and strings of the package equal what was measured."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from benchmarks import large, pages, results, scaling
from docs import claims
from tests.lab.corpora import test_corpus_cards_page as corpora
from tests.lab.folds import test_split_cards_page as splits

STORED = tomllib.loads(claims.LIST.read_text(encoding="utf-8"))
KEYS = {
    "measured": {"page", "text", "file", "values"},
    "shown": {"page", "text", "values"},
    "allowed": {"page", "text", "reason"},
}


@pytest.fixture(scope="module")
def texts():
    """Page or module → its prose."""
    return claims.pages()


def generated():
    """Page → mark → what is written between it and its end, from files of what was measured."""
    found = {path: dict(parts) for path, parts in pages.blocks(results.read(results.PATH)).items()}
    for path, parts in (pages.page_rate_blocks() | pages.reliability_blocks()).items():
        found.setdefault(path, {}).update(parts)
    found[large.PAGE] |= large.page_parts(large.read(large.PATH))
    for engine in scaling.ENGINES:
        found[scaling.PAGES / f"{engine}.md"] = scaling.page_parts(results.read(scaling.PATH), engine)
    if pages.BY_HAND.exists():
        for path, parts in pages.by_hand_blocks(json.loads(pages.BY_HAND.read_text(encoding="utf-8"))).items():
            found.setdefault(path, {}).update(parts)
    return found


def marks(path, pattern=r"<!-- end of ([\w -]+) -->"):
    return set(re.findall(pattern, path.read_text(encoding="utf-8")))


def test_every_percentage_and_ratio_comes_from_somewhere(texts):
    """New: bind the sentence in docs/measured/claims.toml to the measured file, or measure it, or say less."""
    assert claims.unaccounted(texts) == {}


def test_every_sentence_of_the_list_is_on_its_page(texts):
    assert claims.stale(texts) == []


@pytest.mark.parametrize("kind", KEYS)
def test_entries_of_the_list_are_complete(kind):
    assert [one for one in STORED[kind] if set(one) != KEYS[kind] or not all(one.values())] == []


def test_what_stands_between_marks_is_what_was_measured():
    for path, parts in generated().items():
        page = path.read_text(encoding="utf-8")
        assert pages.refreshed(page, parts) == page, f"write {path.name} again with `python -m benchmarks.pages`"


def test_nothing_else_stands_between_marks():
    made = generated()
    if not pages.BY_HAND.exists():  # then the marks enclose nothing
        for name in ("README.md", "docs/by-hand.md"):
            assert "<!-- by-hand table -->\n<!-- end of by-hand table -->" in (claims.ROOT / name).read_text(
                encoding="utf-8"
            )
            made.setdefault(claims.ROOT / name, {})["by-hand table"] = ""
    found = {path: marks(path) for path in claims.markdown() if marks(path)}
    assert found == {path: set(parts) for path, parts in made.items()}


def test_tables_that_are_compared_line_by_line_have_their_comparison():
    named = set().union(*(marks(path, r"<!-- table: ([\w-]+) -->") for path in claims.markdown()))
    assert named == set(corpora.TABLES) | set(splits.TABLES)


# What the reader of pages finds.


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("covers in 8 to 18% of samples", ["8", "18"]),
        ("rejected 12%, 9% and 7%, then 0.5–1.5%", ["12", "9", "7", "0.5", "1.5"]),
        ("14.6× as fast, 3.3 times, 31x, 15-fold, 20 percent", ["14.6", "3.3", "31", "15", "20"]),
        ("10 × 10 folds of 1,000 rows, lift@10%, 0x1f, p = 0.05", []),
    ],
)
def test_percentages_and_ratios_are_found(text, numbers):
    assert [text[slice(*span)] for span in claims.claimed(text)] == numbers


def test_a_number_that_comes_from_nowhere_is_told_with_the_words_around_it(texts):
    page = "README.md"
    added = {page: texts[page] + " The interval covers in 93.1% of samples, and it is 4× as fast."}
    (found,) = claims.unaccounted(added).values()
    assert ["93.1% of samples" in found[0], "4× as fast" in found[1], len(found)] == [True, True, 2]


def test_a_sentence_whose_number_is_no_longer_the_measured_one_is_told(texts):
    page = "docs/lab-learners-and-splits.md"
    changed = {**texts, page: texts[page].replace("(56% in the table above)", "(55% in the table above)")}
    assert [one for one in claims.stale(changed) if page in one] != []
    assert "(55% in the table above)" in claims.unaccounted(changed)[page][0]


def test_a_place_that_is_not_one_number_is_an_error():
    file = "docs/measured/split-size.json"
    with pytest.raises(ValueError, match=r"split-size.json has 2 numbers at .* but must have one"):
        claims.read(file, "results[test=naive_fold_t; splits=10x10].rejected")
    with pytest.raises(ValueError, match=r"split-size.json has 0 numbers"):
        claims.read(file, "max results[test=nobody's].rejected")


def test_a_line_that_no_block_prints_is_an_error():
    with pytest.raises(ValueError, match=r"prints no .recall 0\.99."):
        claims.printed("docs/tutorials/reading-the-table.md", "recall 0.99")


def test_strings_of_a_module_are_read_without_their_examples():
    code = 'f"""{x} of 3%"""\n\ndef f():\n    """Covers 90%.\n\n    >>> f()\n    \'80%\'\n\n    Or 70%.\n    """\n'
    assert claims.strings(code) == "{} of 3% ¶ Covers 90%. Or 70%. "
