"""A small encoder with random weights, in a folder as Hugging Face has them."""

from __future__ import annotations

import json

import numpy as np

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog", "##s", "the", "sat", "run", "##ning", "!", ".")
SIZE, WIDE, LAYERS, HEADS, LONGEST = 8, 16, 2, 2, 12


def shapes():
    found = {
        "embeddings.word_embeddings.weight": (len(PIECES), SIZE),
        "embeddings.position_embeddings.weight": (LONGEST, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        **norm("embeddings"),
    }
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            found |= dense(f"{layer}.attention.{name}", SIZE, SIZE)
        found |= dense(f"{layer}.intermediate.dense", WIDE, SIZE) | dense(f"{layer}.output.dense", SIZE, WIDE)
        found |= norm(f"{layer}.attention.output") | norm(f"{layer}.output")
    return found


def dense(name, out, into):
    return {f"{name}.weight": (out, into), f"{name}.bias": (out,)}


def norm(name):
    return {f"{name}.LayerNorm.weight": (SIZE,), f"{name}.LayerNorm.bias": (SIZE,)}


def write_safetensors(path, arrays):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        raw = array.astype("<f4").tobytes()
        ends = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": ends}
        data += raw
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def write_encoder(folder):
    rng = np.random.default_rng(3)
    folder.mkdir()
    write_safetensors(folder / "model.safetensors", {name: rng.normal(size=shape) for name, shape in shapes().items()})
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    config = {
        "model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "max_position_embeddings": LONGEST, "layer_norm_eps": 1e-12,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": true}', encoding="utf-8")
    return folder
