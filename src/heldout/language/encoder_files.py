"""The files of a BERT encoder as Hugging Face has them: config.json, vocab.txt, model.safetensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.columns.number_parsing import as_float, whole_number
from heldout.inputs.formats.delimited_text import decoded
from heldout.inputs.formats.json_text import json_value
from heldout.inputs.message_text import quoted

FOLDER = "name a folder with config.json, vocab.txt and model.safetensors of one encoder"
FILES = ("config.json", "vocab.txt", "model.safetensors")
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
"""Pieces that every vocabulary must have."""
KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}
LARGEST = 100_000_000
"""Bytes of a header beyond which a file is not taken for one of this format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The shape of an encoder."""

    layers: int
    heads: int
    longest: int
    epsilon: float


def is_plain_bert(folder: Path) -> bool:
    """Whether a folder holds all that an encoder needs."""
    if not all((folder / name).is_file() for name in FILES):
        return False
    settings = _settings(folder / "config.json")
    return settings.get("model_type") == "bert" and settings.get("hidden_act") == "gelu"


def read_config(folder: Path) -> Config:
    """The shape of the encoder in a folder."""
    settings = _settings(folder / "config.json")
    least = {"num_hidden_layers": 1, "num_attention_heads": 1, "max_position_embeddings": 3}
    counts = []
    for name, fewest in least.items():
        count = whole_number(settings.get(name))
        if count is None or count < fewest:
            text = f"{name} in config.json of {folder} is {quoted(settings.get(name))}, not a number from {fewest} on"
            raise DataError(text, code="H100", fix=FOLDER)
        counts.append(count)
    given = settings.get("layer_norm_eps")
    epsilon = as_float(given) if isinstance(given, int | float) else float("nan")
    if not (isfinite(epsilon) and epsilon > 0):
        text = f"layer_norm_eps in config.json of {folder} is {quoted(given)}, not a number above zero"
        raise DataError(text, code="H100", fix=FOLDER)
    return Config(layers=counts[0], heads=counts[1], longest=counts[2], epsilon=epsilon)


def is_lowercase(folder: Path) -> bool:
    """Whether upper case does not matter to the vocabulary in a folder."""
    path = folder / "tokenizer_config.json"
    return bool(_settings(path).get("do_lower_case", True)) if path.is_file() else True


def read_vocabulary(folder: Path) -> dict[str, int]:
    """The number of every piece: one per line of vocab.txt."""
    lines = decoded(_bytes(folder / "vocab.txt"), "utf-8", f"{folder}/vocab.txt").split("\n")
    return {piece: number for number, piece in enumerate(line.removesuffix("\r") for line in lines) if piece}


def _settings(path: Path) -> dict[str, Any]:
    content = json_value(decoded(_bytes(path), "utf-8", str(path)), str(path), fix=FOLDER)
    if not isinstance(content, dict):
        raise DataError(f"{path} holds no JSON object", code="H100", fix=FOLDER)
    return content


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        text = f"{path} cannot be read: {problem.strerror or problem}"
        raise DataError(text, code="H100", fix=FOLDER) from None


def check_parts(folder: Path, config: Config, weights: Mapping[str, Array], numbers: Mapping[str, int]) -> None:
    """Raise unless weights, vocabulary and settings are of one encoder."""
    words = weights.get("embeddings.word_embeddings.weight")
    if words is None or words.ndim != 2:
        raise DataError(f"{folder} has no weights of words", code="H100", fix=FOLDER)
    size = words.shape[1]
    if not size or size % config.heads:
        text = f"the {size} numbers of a word in {folder} cannot be divided among {config.heads} heads"
        raise DataError(text, code="H100", fix=FOLDER)
    lacking = [mark for mark in MARKS if mark not in numbers]
    if lacking or max(numbers.values(), default=0) >= len(words):
        pieces = max(numbers.values(), default=0) + 1
        wrong = f"lacks {lacking[0]}" if lacking else f"has {pieces:,} pieces, and {len(words):,} have weights"
        raise DataError(f"vocab.txt of {folder} {wrong}", code="H100", fix=FOLDER)
    for name, shape in _shapes(config, weights, size):
        array = weights.get(name)
        if array is None or array.shape[1:] != shape[1:] or len(array) < shape[0]:
            has = "has no" if array is None else f"has {' x '.join(map(str, array.shape))}"
            text = f"{folder} {has} weights {name}, where {' x '.join(map(str, shape))} are needed"
            raise DataError(text, code="H100", fix=FOLDER)


def _shapes(config: Config, weights: Mapping[str, Array], size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The weights of an encoder and their shapes."""
    yield "embeddings.position_embeddings.weight", (config.longest, size)
    yield "embeddings.token_type_embeddings.weight", (1, size)
    yield from _of_norm("embeddings", size)
    for layer in (f"encoder.layer.{number}" for number in range(config.layers)):
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            yield from _of_dense(f"{layer}.attention.{name}", size, size)
        wide = weights.get(f"{layer}.intermediate.dense.bias", np.zeros(0))
        yield from _of_dense(f"{layer}.intermediate.dense", wide.size, size)
        yield from _of_dense(f"{layer}.output.dense", size, wide.size)
        yield from _of_norm(f"{layer}.attention.output", size)
        yield from _of_norm(f"{layer}.output", size)


def _of_dense(name: str, out: int, into: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (out, into)
    yield f"{name}.bias", (out,)


def _of_norm(name: str, size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.LayerNorm.weight", (size,)
    yield f"{name}.LayerNorm.bias", (size,)


def read_safetensors(path: Path) -> dict[str, Array]:
    """The arrays of a file by name; they are read from the disk when they are used."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            head = file.read(size).decode("utf-8") if 2 <= size <= LARGEST else "null"
        header = json_value(head, path.name)
        if not isinstance(header, dict):
            raise ValueError("it has no header")  # noqa: TRY004, TRY301  (told below, as all that can be wrong here)
        found = {name: facts for name, facts in header.items() if name != "__metadata__" and facts["dtype"] in KINDS}
        return {name: _array(path, 8 + size, facts) for name, facts in found.items()}
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as problem:
        reason = problem.message if isinstance(problem, DataError) else str(problem)
        fix = "copy or download the file again"
        raise DataError(f"{path.name} is not a sound safetensors file: {reason}", code="H100", fix=fix) from None


def _array(path: Path, start: int, facts: dict[str, Any]) -> Array:
    first, last = facts["data_offsets"]
    kind, shape = np.dtype(KINDS[facts["dtype"]]), tuple(facts["shape"])
    sides = [whole_number(one) for one in (first, last, *shape)]
    if any(side is None or side < 0 for side in sides) or last - first != kind.itemsize * prod(shape):
        raise ValueError(f"bytes {first} to {last} for the shape {list(shape)}")
    return np.memmap(path, dtype=kind, mode="r", offset=start + first, shape=shape)
