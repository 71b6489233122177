"""Files that are there whole or not at all, also after a crash."""

from __future__ import annotations

import os
import platform
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path

TEMPORARY = re.compile(r"\.[0-9a-f]+\.(?P<host>[^.]*)\.(?P<process>\d+)\.[0-9a-f]+\.part")
LONG_AGO = 24 * 3600
"""Seconds after which a temporary file of another machine is nobody's any more."""


def laid_down(folder: Path, name: str, data: bytes) -> Path:
    """Write bytes to disk under a temporary name of this process; the path, to be renamed or dropped."""
    path = folder / f".{name[:16]}.{_host()}.{os.getpid()}.{secrets.token_hex(4)}.part"
    try:
        with path.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
    return path


def put(temporary: Path, path: Path) -> None:
    """Give a temporary file its name in one step, and have the folder on disk remember it."""
    os.replace(temporary, path)  # noqa: PTH105 the name of the guarantee
    if os.name == "posix":  # elsewhere a folder cannot be opened; its journal keeps the name
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def sweep(folder: Path) -> None:
    """Remove temporary files whose process has ended."""
    for path in folder.glob(".*.part"):
        found = TEMPORARY.fullmatch(path.name)
        if found and _abandoned(path, found["host"], int(found["process"])):
            with suppress(OSError):
                path.unlink()


def _host() -> str:
    return re.sub(r"[^0-9A-Za-z-]", "-", platform.node())[:40]


def _abandoned(path: Path, host: str, process: int) -> bool:
    if host == _host() and os.name == "posix":
        try:
            os.kill(process, 0)  # signal 0 only asks
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False
    try:
        return time.time() - path.stat().st_mtime > LONG_AGO
    except OSError:
        return False
