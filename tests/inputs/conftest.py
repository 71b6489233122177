"""What the tests of the door share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from heldout.errors import HeldoutError


@pytest.fixture
def said() -> Callable[..., str]:
    """What a call says when it refuses."""

    def refusal(step, *arguments, **named) -> str:
        with pytest.raises(HeldoutError) as caught:
            step(*arguments, **named)
        return str(caught.value)

    return refusal


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, bytes | str], Path]:
    """A file with these contents."""

    def written(name: str, contents: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        return path

    return written
