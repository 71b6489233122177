"""Any encoder that Hugging Face's library can load, as an embedder; torch is loaded when it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError

AT_ONCE = 32
"""Texts that go through the encoder together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class HuggingFace:
    """A tokenizer and a model of the library; called with texts it gives the vectors of their tokens."""

    name: str
    tokenizer: Any
    model: Any
    layer: int | None

    @property
    def marks(self) -> frozenset[int]:
        """The tokens at both ends of a text, which may be matched but do not count themselves."""
        ends = (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id)
        return frozenset(id for id in ends if id is not None)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The number of every token of each text, marks included."""
        return [list(ids) for ids in self.tokenizer(list(texts), truncation=True)["input_ids"]]

    def __call__(self, texts: Sequence[str]) -> list[Array]:
        """A line for every token of each text, marks included."""
        import torch

        found: list[Array] = []
        for start in range(0, len(texts), AT_ONCE):
            some = list(texts[start : start + AT_ONCE])
            read = self.tokenizer(some, return_tensors="pt", padding=True, truncation=True)
            with torch.no_grad():
                states = self.model(**read, output_hidden_states=True).hidden_states
            vectors = np.asarray(states[-1 if self.layer is None else self.layer])
            known = np.asarray(read["attention_mask"], dtype=bool)
            found += [line[kept] for line, kept in zip(vectors, known, strict=True)]
        return found


def hugging_face(name: str, layer: int | None = None) -> HuggingFace:
    """An encoder by local path or name, where the packages transformers and torch are installed."""
    try:
        import torch  # noqa: F401  (transformers is of no use without it)
        from transformers import AutoModel, AutoTokenizer
    except ImportError:
        raise UsageError(
            f"the encoder {name} needs the packages transformers and torch, which are not installed",
            fix="pip install transformers torch, or name a folder with a BERT of its own (config.json, vocab.txt, "
            "model.safetensors)",
        ) from None
    try:
        tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name).eval()
    except (OSError, ValueError) as problem:
        said = " ".join(str(problem).split())[:200]
        raise UsageError(f"the encoder {name} cannot be loaded: {said}", fix="name a folder, or a model") from None
    return HuggingFace(name=name, tokenizer=tokenizer, model=model, layer=layer)
