"""The library itself is not among our dependencies: a stand-in with its conventions takes its place."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from heldout.errors import UsageError
from heldout.language import bertscore as rooms
from heldout.language.bertscore import embedder_of

MARK = 1


class Tokenizer:
    cls_token_id, sep_token_id = MARK, None

    def __call__(self, texts, *, return_tensors=None, padding=False, **_options):
        ids = [[MARK, *(ord(c) for c in text), MARK] for text in texts]
        width = max(map(len, ids)) if padding else 0
        found = {
            "input_ids": [line + [0] * (width - len(line)) for line in ids],
            "attention_mask": [[1] * len(line) + [0] * (width - len(line)) for line in ids],
        }
        return {name: np.array(part) for name, part in found.items()} if return_tensors else found


class Model:
    calls = 0

    def eval(self):
        return self

    def __call__(self, *, input_ids, attention_mask, output_hidden_states):
        assert output_hidden_states
        Model.calls += 1
        layers = [np.stack([input_ids * float(number), attention_mask], axis=-1) for number in (1, 2, 3)]
        return SimpleNamespace(hidden_states=layers)


@pytest.fixture
def library(monkeypatch):
    def loaded(made):
        def from_pretrained(name):
            if name == "nowhere/model":
                raise OSError("nowhere/model is not a local folder\nand is not a valid model identifier")
            return made()

        return SimpleNamespace(from_pretrained=from_pretrained)

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(no_grad=nullcontext))
    parts = SimpleNamespace(AutoTokenizer=loaded(Tokenizer), AutoModel=loaded(Model))
    monkeypatch.setitem(sys.modules, "transformers", parts)


def test_vectors_are_those_of_tokens_and_marks_without_padding(library):
    found = embedder_of("some/model")(["abc", "", "a"])
    assert [one[:, 0].tolist() for one in found] == [[3.0, 291.0, 294.0, 297.0, 3.0], [3.0, 3.0], [3.0, 291.0, 3.0]]


def test_a_layer_may_be_chosen(library):
    assert embedder_of("some/model", 0)(["b"])[0].tolist() == [[1.0, 1.0], [98.0, 1.0], [1.0, 1.0]]


def test_tokens_go_with_the_vectors(library):
    assert embedder_of("some/model").tokens(["ab", ""]) == [[MARK, 97, 98, MARK], [MARK, MARK]]
    assert embedder_of("some/model").marks == {MARK}


def test_texts_go_through_together(library, monkeypatch):
    monkeypatch.setattr(rooms, "AT_ONCE", 2)
    Model.calls = 0
    assert len(embedder_of("some/model")(["a", "b", "c"])) == 3
    assert Model.calls == 2


def test_a_model_that_is_nowhere_is_refused(library):
    with pytest.raises(UsageError) as problem:
        embedder_of("nowhere/model")
    assert str(problem.value) == (
        "the encoder nowhere/model cannot be loaded: nowhere/model is not a local folder and is not a valid model "
        "identifier\n  Fix: name a folder, or a model"
    )
