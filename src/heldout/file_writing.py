"""How every file is written: whole or not at all, through links and pipes, and with a sentence where that fails."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from heldout.errors import UsageError

FIX = "choose a folder that exists and may be written"


@contextmanager
def new_content(path: str | Path) -> Iterator[Path]:
    """Where to write what a file shall hold: a temporary file beside it that takes its name at the end, in one step.

    A reader sees the old file or the new one, never half of it. A link is followed and stays a link. Pipes and
    devices are written directly, because a new file in their place would not be connected to their reader.
    """
    target = Path(path).resolve()
    temporary: Path | None = None
    try:
        if is_special(target):
            yield target
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
        os.close(handle)
        temporary = Path(name)
        yield temporary
        temporary.chmod(_rights(target))
        temporary.replace(target)
    except OSError as problem:
        raise _unwritable(path, problem) from None
    finally:
        if temporary is not None:
            with suppress(OSError):  # it has its name already
                temporary.unlink()


def write_file(path: str | Path, content: str | bytes) -> Path:
    """Write a text, as UTF-8 with its line ends as they are, or bytes; the path.

    >>> write_file(Path(tempfile.mkdtemp()) / "a.txt", "1").read_text()
    '1'
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", errors="backslashreplace")
    with new_content(path) as place, place.open("wb") as file:
        file.write(data)
    return Path(path)


def check_writable(path: str | Path, *, option: str) -> None:
    """Refuse, before the work is done, a file that could not be written after it."""
    target = Path(path).resolve()
    if target.is_dir():
        raise UsageError(f"{option} {path} cannot be written: it is a folder", fix="name a file")
    if is_special(target):
        return
    if not target.parent.is_dir():
        raise UsageError(f"{option} {path} cannot be written: there is no folder {Path(path).parent}", fix=FIX)
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as problem:
        raise _unwritable(f"{option} {path}", problem) from None


def is_special(path: Path) -> bool:
    """Whether a path is a pipe, a device or a socket."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _rights(target: Path) -> int:
    """The rights of the file that is replaced, or those of any new file."""
    with suppress(OSError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _unwritable(path: str | Path, problem: OSError) -> UsageError:
    return UsageError(f"{path} cannot be written: {problem.strerror or problem}", fix=FIX)
