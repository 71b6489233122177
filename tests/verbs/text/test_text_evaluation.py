from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from tests.language.encoders import write_encoder
from tests.language.writings import garbled, sentences

WANTED = sentences(50)
GOOD, BAD = garbled(WANTED, 0.15), garbled(WANTED, 0.5, seed=3)


def refused(*arguments, **options):
    with pytest.raises(UsageError) as problem:
        heldout.text(*arguments, **options)
    return str(problem.value)


def test_one_system_has_values_with_intervals():
    found = heldout.text(WANTED, GOOD)
    assert (found.models, found.baseline, found.verdict, found.differences) == (
        ("hypothesis",),
        "hypothesis",
        None,
        (),
    )
    assert list(found.estimates["hypothesis"])[:3] == ["bleu", "chrf", "ngram_precision_1"]
    assert found["bleu"].low < found["bleu"] < found["bleu"].high
    assert found.references == (1, 1)
    assert set(found.signatures) == {"bleu", "chrf"}


def test_several_systems_are_judged_against_the_first():
    found = heldout.text(WANTED, {"good": GOOD, "bad": BAD})
    assert found.verdict == "WORSE"
    assert [(one.metric, one.model, one.baseline, one.verdict) for one in found.differences] == [
        ("bleu", "bad", "good", "WORSE"),
        ("chrf", "bad", "good", "WORSE"),
    ]
    assert found["bleu"].pvalue_adjusted == pytest.approx(2 * found["bleu"].pvalue)
    assert [check.text for check in found.checks] == [
        "2 metrics and no primary metric: p-values are corrected for their number (Holm)"
    ]
    turned = heldout.text(WANTED, {"good": GOOD, "bad": BAD}, baseline="bad", primary="chrf")
    assert (turned.verdict, turned["chrf"].pvalue_adjusted) == ("BETTER", turned["chrf"].pvalue)
    assert turned["bleu"].value == -found["bleu"].value


def test_the_same_texts_are_not_told_apart():
    reach = heldout.text(WANTED, {"a": GOOD, "b": GOOD}, primary="bleu", confidence_level=0.9)["bleu"].high
    for margin, verdict in ((reach + 1e-6, "EQUIVALENT"), (reach - 1e-6, "UNDECIDED")):
        assert heldout.text(WANTED, {"a": GOOD, "b": GOOD}, primary="bleu", margin=margin).verdict == verdict
    assert heldout.text(WANTED, {"a": GOOD, "b": GOOD}, primary="bleu").verdict == "UNDECIDED"


def test_a_lower_edit_rate_is_better():
    found = heldout.text(WANTED[:30], {"bad": BAD[:30], "good": GOOD[:30]}, metrics="ter")
    assert found.verdict == "BETTER"
    assert found["ter"].value < 0


def test_documents_are_the_units():
    alone = heldout.text(WANTED, {"a": GOOD, "b": BAD}, metrics="bleu")
    found = heldout.text(WANTED, {"a": GOOD, "b": BAD}, metrics="bleu", groups=np.arange(50) // 10)
    assert (found.rows, found.units) == (50, 5)
    assert found["bleu"].value == alone["bleu"].value
    assert found["bleu"].test == "swaps, interval by t, whole documents"
    assert found["bleu"].pvalue > alone["bleu"].pvalue


def test_the_segments_that_tell_most_are_told():
    said = list(GOOD)
    wrong = said[7] = " ".join(["nothing of the kind"] * 9)
    found = heldout.text(WANTED, {"good": GOOD, "other": said}, metrics="bleu")
    told = found.segments["other"][0]
    assert (told["segment"], told["text"], told["baseline"]) == (8, wrong, GOOD[7])
    assert told["moved"] < 0
    assert told["reference"] == WANTED[7]
    alone = heldout.text(WANTED, said, metrics="bleu").segments["hypothesis"]
    assert alone[0]["segment"] == 8
    assert all(one["moved"] < 0 and one["baseline"] is None for one in alone)


def test_settings_are_those_of_sacrebleu():
    found = heldout.text(WANTED, GOOD, tokenize="char", lowercase=True, smoothing="floor", smoothing_value=0.1, order=2)
    assert found.signatures["bleu"].rpartition("|")[0] == "nrefs:1|case:lc|eff:no|tok:char|smooth:floor[0.10]"
    assert found["bleu"] != heldout.text(WANTED, GOOD)["bleu"].value


def test_a_metric_that_was_named_is_tested():
    found = heldout.text(WANTED, {"a": GOOD, "b": BAD}, metrics=["ngram_recall_2", "bleu"])
    assert [one.metric for one in found.differences] == ["ngram_recall_2", "bleu"]
    assert heldout.text(WANTED, GOOD, metrics="chrf++").signatures["chrf++"].find("nw:2") > 0


def test_bertscore_takes_any_embedder():
    def letters(texts):
        return [np.eye(128)[[ord(c) % 128 for c in text]].reshape(-1, 128) for text in texts]

    found = heldout.text(["abc", "ab"], {"a": ["abd", "ba"], "b": ["", "x"]}, metrics="bertscore", embedder=letters)
    values = [[float(one) for one in found.estimates[name].values()] for name in "ab"]
    assert values[0] == pytest.approx([(2 / 3 + 1) / 2] * 3)
    assert values[1] == [0, 0, 0]
    assert found.signatures == {"bertscore": "model:letters|layer:last|idf:no|rescaled:no"}
    assert [one.metric for one in found.differences] == ["bertscore_f"]


def test_of_several_references_the_best_counts():
    def words(texts):
        return [np.eye(128)[[ord(word[0]) for word in text.split()]].reshape(-1, 128) for text in texts]

    found = heldout.text([["a b", "a c c c"]], ["a c"], metrics="bertscore", embedder=words).estimates["hypothesis"]
    assert [float(one) for one in found.values()] == pytest.approx([1, 1, 1])


def test_rare_tokens_count_more(tmp_path):
    folder = write_encoder(tmp_path / "small")
    wanted, said = ["the cat", "the dog", "the cat sat"], ["the dog", "the dog", "the the sat"]
    plain, weighed = (
        heldout.text(wanted, said, metrics="bertscore", embedder=folder, idf=idf)["bertscore"] for idf in (False, True)
    )
    assert weighed < plain.value  # "the", which all have, no longer helps
    signature = heldout.text(wanted, said, metrics="bertscore", embedder=folder, idf=True, layer=1).signatures
    assert signature == {"bertscore": "model:small|layer:1|idf:yes|rescaled:no"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"metrics": "blue"},
            (
                "no metric of texts is named 'blue'; did you mean 'bleu'?\n"
                "  Fix: choose among bleu, chrf, chrf++, ter, bertscore, ngrams, ngrams_unclipped"
            ),
        ),
        (
            {"baseline": "hypotheses"},
            ("no system is named 'hypotheses'; did you mean 'hypothesis'?\n  Fix: choose one of hypothesis"),
        ),
        (
            {"smoothing": "expo"},
            ("no smoothing is named 'expo'; did you mean 'exp'?\n  Fix: choose one of exp, floor, add-k, none"),
        ),
        ({"order": 0}, "the order is 0, but must lie between 1 and 9\n  Fix: BLEU has 4"),
        (
            {"metrics": "bertscore", "embedder": lambda texts: [np.ones((1, 2)) for _ in texts], "idf": True},
            (
                "idf needs to know which token is which, and the embedder has no method tokens\n"
                "  Fix: leave out idf, or give "
                "the embedder a method tokens(texts) with a list of numbers for each text"
            ),
        ),
    ],
)
def test_what_cannot_be_understood_is_refused(options, said):
    assert refused(["a"], ["a"], **options) == said


@pytest.mark.parametrize(
    ("embedder", "said"),
    [
        (lambda texts: [], "the embedder gave 0 arrays for 2 texts"),
        (
            lambda texts: [np.ones(3) for _ in texts],
            "the embedder gave an array that has not two dimensions for 2 texts",
        ),
    ],
)
def test_an_embedder_that_gives_something_else_is_refused(embedder, said):
    with pytest.raises(heldout.DataError) as problem:
        heldout.text(["a"], ["b"], metrics="bertscore", embedder=embedder)
    assert str(problem.value) == f"[H112] {said}\n  Fix: give for each text an array with a line per token"


def test_a_name_that_is_not_there_is_refused():
    with pytest.raises(UsageError) as problem:
        heldout.text(["a"], ["a"], metrics="bleu,chrf")["belu"]
    assert str(problem.value) == "no estimate is named 'belu'; did you mean 'bleu'?\n  Fix: choose one of bleu, chrf"


def test_a_frame_has_a_line_for_each_metric():
    """Of one system its value; of several their differences, with both values."""
    alone = heldout.text(WANTED, {"a": GOOD}, metrics="bleu,ter").to_frame()
    assert alone["model"].tolist() == ["a", "a"]
    assert list(alone.columns) == [
        *("metric", "model", "value", "low", "high", "level", "method", "units", "better", "notes")
    ]
    found = heldout.text(WANTED, {"a": GOOD, "b": BAD}, metrics="bleu")
    frame = found.to_frame()
    assert frame[["metric", "model", "baseline"]].to_numpy().tolist() == [["bleu", "b", "a"]]
    values = [found.estimates[name]["bleu"].value for name in ("b", "a")]
    assert frame[["model_value", "baseline_value"]].to_numpy().tolist() == [values]
    assert frame["value"].tolist() == pytest.approx([values[0] - values[1]])


def test_texts_that_are_read_in_part_are_told(tmp_path):
    folder = write_encoder(tmp_path / "small")
    long = "cat " * 11
    found = heldout.text(["the cat", long], ["the dog", long + "dog"], metrics="bertscore", embedder=folder)
    assert [check.text for check in found.checks] == [
        "2 texts are longer than the 10 tokens the encoder reads; what follows is not compared"
    ]


def test_marks_may_be_matched_but_do_not_count():
    class Marked:
        marks = frozenset([0])

        def tokens(self, texts):
            return [[0, *map(ord, text)] for text in texts]

        def __call__(self, texts):
            return [
                np.eye(128)[[1 if token in {0, ord("z")} else token for token in line]] for line in self.tokens(texts)
            ]

    found = heldout.text(["ab", "a"], {"s": ["az", ""]}, metrics="bertscore", embedder=Marked()).estimates["s"]
    assert [float(one) for one in found.values()] == pytest.approx([1 / 2, 1 / 4, 1 / 3])  # z has found the mark


def test_segments_have_the_values_that_sacrebleu_gives_them():
    from sacrebleu import sentence_bleu, sentence_chrf, sentence_ter

    for metric, theirs in (("bleu", sentence_bleu), ("chrf", sentence_chrf), ("ter", sentence_ter)):
        found = heldout.text(WANTED, {"good": GOOD, "bad": BAD}, metrics=metric)
        assert found.segment_metric == metric
        wanted = [theirs(text, [one]).score for text, one in zip(BAD, WANTED, strict=True)]
        assert found.segment_values["bad"] == pytest.approx(wanted, abs=1e-9)
        told = found.segments["bad"][0]
        assert told["value"] == found.segment_values["bad"][told["segment"] - 1]
        assert told["baseline_value"] == found.segment_values["good"][told["segment"] - 1]


def test_tokenised_texts_are_told_as_sacrebleu_warns():
    cut, plain = ["the cat sat on the mat ."] * 120, ["the cat sat on the mat."] * 120
    note = (
        "120 of 120 segments of cut end in ' .': they look tokenised, which changes BLEU; give texts as people write"
        " them (detokenised), or choose tokenize='none' (--tokenize none)"
    )
    found = heldout.text(plain, {"plain": plain, "cut": cut}, metrics="bleu", n_resamples=100)
    assert [one.text for one in found.checks if one.code == "H111"] == [note]
    kept = heldout.text(plain, {"plain": plain, "cut": cut}, metrics="bleu", tokenize="none", n_resamples=100)
    assert not [one for one in kept.checks if "tokenised" in one.text]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"metrics": "bleu", "smoothing": "add-k", "smoothing_value": -1},
            "smoothing_value is -1, but must be 0 or more",
        ),
        ({"metrics": "bleu", "smoothing": "floor", "smoothing_value": float("nan")}, "smoothing_value is nan"),
        ({"metrics": "chrf", "smoothing": "none"}, "the smoothing none has no effect without bleu"),
        ({"metrics": "chrf", "tokenize": "char"}, "the tokenizer char has no effect without bleu or n-grams"),
    ],
)
def test_options_without_effect_and_wrong_amounts_are_refused(options, said):
    with pytest.raises(UsageError, match=said):
        heldout.text(WANTED, GOOD, **options)
