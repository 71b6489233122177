from __future__ import annotations

from math import erf, exp, sqrt

import numpy as np
import pytest

from heldout.errors import DataError, UsageError
from heldout.language import encoder as rooms
from heldout.language.encoder import read_encoder
from heldout.language.encoder_files import FOLDER, is_plain_bert, read_safetensors
from tests.language.encoders import HEADS, LAYERS, SIZE, write_encoder, write_safetensors


@pytest.fixture
def folder(tmp_path):
    return write_encoder(tmp_path / "small")


def by_hand(weights, ids):
    """One text through the encoder, number by number."""

    def dense(x, name):
        return [w @ x + b for w, b in zip(weights[f"{name}.weight"], weights[f"{name}.bias"], strict=True)]

    def normal(x, name):
        x = np.array(x, dtype=float)
        scaled = (x - x.mean()) / sqrt(x.var() + 1e-12)
        return scaled * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]

    kinds = ("word_embeddings", "position_embeddings", "token_type_embeddings")
    words, places, types = (weights[f"embeddings.{kind}.weight"] for kind in kinds)
    hidden = [normal(words[id] + places[at] + types[0], "embeddings") for at, id in enumerate(ids)]
    for number in range(LAYERS):
        layer, part = f"encoder.layer.{number}", SIZE // HEADS
        query, key, value = (
            [dense(x, f"{layer}.attention.self.{name}") for x in hidden] for name in ("query", "key", "value")
        )
        mixed = []
        for at in range(len(ids)):
            line = []
            for cut in (slice(head * part, (head + 1) * part) for head in range(HEADS)):
                scores = [np.dot(query[at][cut], other[cut]) / sqrt(part) for other in key]
                shares = np.array([exp(score - max(scores)) for score in scores])
                line += list(shares @ np.array([one[cut] for one in value]) / shares.sum())
            mixed.append(line)
        hidden = [
            normal(np.array(dense(np.array(m), f"{layer}.attention.output.dense")) + x, f"{layer}.attention.output")
            for m, x in zip(mixed, hidden, strict=True)
        ]
        wide = [[0.5 * w * (1 + erf(w / sqrt(2))) for w in dense(x, f"{layer}.intermediate.dense")] for x in hidden]
        hidden = [
            normal(np.array(dense(np.array(w), f"{layer}.output.dense")) + x, f"{layer}.output")
            for w, x in zip(wide, hidden, strict=True)
        ]
    return np.array(hidden)


def test_vectors_are_those_of_the_arithmetic_by_hand(folder):
    (found,) = read_encoder(folder)(["The cats sat!"])
    wanted = by_hand(read_safetensors(folder / "model.safetensors"), [2, 7, 4, 6, 8, 11, 3])
    assert found == pytest.approx(wanted, abs=1e-4)


def test_texts_beside_it_change_nothing(folder, monkeypatch):
    texts = ["cat", "the dog sat running!", "", "the the the", "zebra."]
    encode = read_encoder(folder)
    together = encode(texts)
    monkeypatch.setattr(rooms, "TOKENS_AT_ONCE", 1)
    alone = encode(texts)
    assert [one.shape for one in together] == [(3, SIZE), (8, SIZE), (2, SIZE), (5, SIZE), (4, SIZE)]
    for one, other in zip(together, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


def test_a_text_is_read_as_far_as_there_are_positions(folder):
    encode = read_encoder(folder)
    assert encode.tokens(["cat " * 30]) == [[2, *[4] * 10, 3]]
    assert encode(["cat " * 30])[0].shape == (12, SIZE)
    assert encode.marks == {2, 3}


def test_layers_differ_and_the_last_is_the_default(folder):
    last, second, none = (read_encoder(folder, layer)(["the cat"])[0] for layer in (None, 2, 0))
    assert np.array_equal(last, second)
    assert not np.allclose(last, none)


def test_a_layer_that_does_not_exist_is_refused(folder):
    with pytest.raises(UsageError) as problem:
        read_encoder(folder, 3)
    assert str(problem.value) == "the layer is 3, but small has the layers 0 to 2\n  Fix: leave it out"


def test_only_a_folder_with_everything_is_a_plain_bert(folder):
    assert is_plain_bert(folder)
    (folder / "vocab.txt").unlink()
    assert not is_plain_bert(folder)


def test_a_folder_without_a_config_is_refused(tmp_path):
    with pytest.raises(DataError) as problem:
        read_encoder(tmp_path)
    assert str(problem.value) == (
        f"[H100] {tmp_path}/config.json cannot be read: No such file or directory\n  Fix: {FOLDER}"
    )


@pytest.mark.parametrize("data", [b"", b"\xff" * 20, b"\x02\0\0\0\0\0\0\0[]"])
def test_a_broken_file_of_weights_is_refused(tmp_path, data):
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    with pytest.raises(DataError) as problem:
        read_safetensors(path)
    assert str(problem.value) == (
        "[H100] model.safetensors is not a sound safetensors file: it has no header\n"
        "  Fix: copy or download the file again"
    )


def test_a_file_that_is_cut_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    write_safetensors(path, {"a": np.ones((3, 4))})
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match="safetensors is not a sound safetensors file"):
        read_safetensors(path)
