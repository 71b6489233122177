from __future__ import annotations

import sys

import numpy as np
import pytest
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER

from heldout.errors import UsageError
from heldout.formulas import text_corpora as corpora
from heldout.language import sacre
from tests.language.writings import garbled, sentences

FIRST = sentences(40)
SECOND = garbled(FIRST, 0.3, seed=5)
SAID = ["", *garbled(FIRST, 0.4, seed=6)[1:]]
ONE = [[text] for text in FIRST]
TWO = [[a, b] for a, b in zip(FIRST, SECOND, strict=True)]
SOME = [[a, b] if at % 3 else [a] for at, (a, b) in enumerate(zip(FIRST, SECOND, strict=True))]
STREAMS = {
    "one": (ONE, [FIRST]),
    "two": (TWO, [FIRST, SECOND]),
    "some": (SOME, [FIRST, [b if at % 3 else None for at, b in enumerate(SECOND)]]),
}


def total(columns):
    return {name: column.sum(axis=0) for name, column in columns.items()}


@pytest.mark.parametrize("how", STREAMS)
@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "none"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_bleu_is_that_of_sacrebleu_to_the_last_digit(how, tokenize, lowercase):
    references, streams = STREAMS[how]
    theirs = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    reading = sacre.Reading(tokenize=tokenize, lowercase=lowercase)
    columns = sacre.bleu_columns(SAID, references, reading)
    assert float(corpora.bleu()(total(columns))) == theirs.corpus_score(SAID, streams).score
    assert sacre.signature("bleu", references, reading) == str(theirs.get_signature())


@pytest.mark.parametrize("how", STREAMS)
@pytest.mark.parametrize("words", [0, 2])
def test_chrf_is_that_of_sacrebleu_to_the_last_digit(how, words):
    references, streams = STREAMS[how]
    theirs = CHRF(word_order=words)
    columns = sacre.chrf_columns(SAID, references, words=words, lowercase=False)
    assert float(corpora.chrf(words=words)(total(columns))) == theirs.corpus_score(SAID, streams).score
    assert sacre.signature("chrf" + "+" * words, references, sacre.Reading()) == str(theirs.get_signature())


@pytest.mark.parametrize("how", STREAMS)
def test_ter_is_that_of_sacrebleu_to_the_last_digit(how):
    references, streams = STREAMS[how]
    theirs = TER()
    columns = sacre.ter_columns(SAID[:12], references[:12])
    assert float(corpora.TER(total(columns))) == theirs.corpus_score(SAID[:12], [one[:12] for one in streams]).score
    assert sacre.signature("ter", references, sacre.Reading()) == str(theirs.get_signature())


def test_every_segment_has_the_counts_of_sacrebleu():
    columns = sacre.bleu_columns(SAID, TWO, sacre.Reading())
    theirs = np.array(BLEU()._extract_corpus_statistics(SAID, [FIRST, SECOND]))
    lengths = [columns["ngrams"][:, 0], columns["reference_length"]]
    assert np.array_equal(np.column_stack([*lengths, columns["matches"], columns["ngrams"]]), theirs)


def test_the_version_is_that_of_the_package():
    assert sacre.version() == sacrebleu.__version__


def test_an_unknown_tokenizer_is_named():
    with pytest.raises(UsageError) as problem:
        sacre.bleu_columns(["a"], [["a"]], sacre.Reading(tokenize="14a"))
    assert str(problem.value) == (
        "no tokenizer is named '14a'; did you mean '13a'?\n"
        "  Fix: choose one of 13a, intl, char, zh, none, flores101, flores200, spm, ja-mecab, ko-mecab"
    )


def test_without_sacrebleu_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(UsageError) as problem:
        sacre.bleu_columns(["a"], [["a"]], sacre.Reading())
    assert str(problem.value) == (
        "metrics of texts need the package sacrebleu, which is not installed\n  Fix: pip install 'heldout[text]'"
    )
