"""How every file is written: whole or not at all, through links and pipes, and with a sentence where that fails."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from heldout.errors import UsageError

FIX = "choose a folder that exists and may be written"
FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Why a disk takes no more."""


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
        temporary = _temporary(target)
        yield temporary
        _synced(temporary)
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


def write_new_files(files: Mapping[Path, bytes]) -> None:
    """Write files that do not exist yet, each whole: all of them, or none."""
    for path in files:
        if path.exists() or path.is_symlink():
            raise UsageError(
                f"{path} exists already and is not written over", fix="remove it, or choose another folder"
            )
    laid: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, content in files.items():
            laid[path] = _temporary(path)
            laid[path].write_bytes(content)
            _synced(laid[path])
            laid[path].chmod(_rights(path))
        for path, temporary in laid.items():
            name_new(temporary, path)
            made.append(path)
    except BaseException as problem:
        for one in made:
            one.unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise _unwritable(path, problem) from None
        raise
    finally:
        for temporary in laid.values():
            with suppress(OSError):
                temporary.unlink()


def check_writable(path: str | Path, *, option: str) -> None:
    """Refuse, before the work is done, a file that could not be written after it."""
    target = Path(path).resolve()
    try:
        if target.is_dir():
            raise UsageError(f"{option} {path} cannot be written: it is a folder", fix="name a file")
        if is_special(target):
            return
        if not target.parent.is_dir():
            raise UsageError(f"{option} {path} cannot be written: there is no folder {Path(path).parent}", fix=FIX)
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as problem:
        raise _unwritable(f"{option} {path}", problem) from None


def check_folder(path: str | Path, *, option: str) -> None:
    """Refuse, before the work is done, a folder into which no file could be written after it."""
    folder = Path(path).resolve()
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{option} {path} is a file, and a folder is needed", fix="name a folder")
        there = next(one for one in (folder, *folder.parents) if one.exists())
        with tempfile.TemporaryFile(dir=there):
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


def _temporary(target: Path) -> Path:
    """A new empty file beside a file."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
    os.close(handle)
    return Path(name)


def name_new(temporary: Path, path: Path) -> None:
    """Give a temporary file a name that no file has; a file that came into being meanwhile stays."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        temporary.rename(path)


def _synced(path: Path) -> None:
    """Have the disk hold the file before it gets its name: some disks say only then that they are full."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _rights(target: Path) -> int:
    """The rights of the file that is replaced, or those of any new file."""
    with suppress(OSError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _unwritable(path: str | Path, problem: OSError) -> UsageError:
    told = re.search(r"\[errno (\d+)\]", str(problem))  # how Arrow gives the number of an error
    number = int(told[1]) if told is not None else problem.errno
    reason = os.strerror(number) if number else str(problem)
    fix = "free space on the disk, or write to another place" if number in FULL else FIX
    return UsageError(f"{path} cannot be written: {reason}", fix=fix)
