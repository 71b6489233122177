"""Files of an encoder that are damaged, or of two encoders."""

from __future__ import annotations

import json

import numpy as np
import pytest

from heldout.errors import DataError
from heldout.language.encoder import read_encoder
from heldout.language.encoder_files import FOLDER, read_safetensors
from tests.language.encoders import PIECES, shapes, write_encoder, write_safetensors


@pytest.fixture
def folder(tmp_path):
    return write_encoder(tmp_path / "small")


def refusal(folder):
    with pytest.raises(DataError) as problem:
        read_encoder(folder)
    assert str(problem.value).endswith(f"\n  Fix: {FOLDER}") or problem.value.code == "H115"
    return problem.value.message


@pytest.mark.parametrize("name", ["num_hidden_layers", "num_attention_heads", "max_position_embeddings"])
@pytest.mark.parametrize("value", [None, 0, -1, 1.5, "2", True, [2], 10**400])
def test_numbers_of_the_config(folder, name, value):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), name: value}))
    assert refusal(folder).startswith(f"{name} in config.json of {folder} is ")


@pytest.mark.parametrize(
    ("file", "data", "message"),
    [
        ("config.json", b"[]", "{folder}/config.json holds no JSON object"),
        ("config.json", b"{", "{folder}/config.json is not valid JSON: Expecting property name"),
        ("config.json", b"[" * 9000, "{folder}/config.json has 9,000 levels of nested lists and objects"),
        ("tokenizer_config.json", b"7", "{folder}/tokenizer_config.json holds no JSON object"),
        ("vocab.txt", b"\xff", "line 1 of {folder}/vocab.txt cannot be decoded: byte 0xff"),
        ("vocab.txt", b"[PAD]\n[UNK]\n[SEP]", "vocab.txt of {folder} lacks [CLS]"),
        (
            "vocab.txt",
            "\n".join([*PIECES, "more"]).encode(),
            "vocab.txt of {folder} has 14 pieces",
        ),
    ],
)
def test_files_that_are_damaged(folder, file, data, message):
    (folder / file).write_bytes(data)
    with pytest.raises(DataError) as problem:
        read_encoder(folder)
    assert problem.value.message.startswith(message.format(folder=folder))


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("embeddings.word_embeddings.weight", None, "has no weights of words"),
        (
            "embeddings.position_embeddings.weight",
            (5, 8),
            "has 5 x 8 weights embeddings.position_",
        ),
        (
            "encoder.layer.1.output.dense.bias",
            None,
            "has no weights encoder.layer.1.output",
        ),
        (
            "encoder.layer.0.attention.self.key.weight",
            (8, 9),
            "has 8 x 9 weights encoder.layer.0.attention",
        ),
    ],
)
def test_weights_of_another_encoder(folder, name, shape, message):
    """Without this an encoder fails in the middle of a product."""
    arrays = {known: np.zeros(size) for known, size in shapes().items() if known != name}
    write_safetensors(folder / "model.safetensors", arrays | ({} if shape is None else {name: np.zeros(shape)}))
    assert refusal(folder).startswith(f"{folder} {message}")


@pytest.mark.parametrize(
    "facts",
    [
        {"dtype": "F32", "shape": [2**32, 2**32], "data_offsets": [0, 0]},
        {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1.5], "data_offsets": [0, 6]},
        {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]},
        {"dtype": "F32", "shape": [10**9], "data_offsets": [0, 4 * 10**9]},
        {"dtype": "F32", "shape": [1]},
        7,
    ],
)
def test_arrays_that_are_not_in_the_file(tmp_path, facts):
    head = json.dumps({"a": facts}).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(head).to_bytes(8, "little") + head + bytes(16))
    with pytest.raises(DataError, match="is not a sound safetensors file"):
        read_safetensors(path)
