"""Compiles the loops in C into the package where there is a compiler; the package works without them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any
from zlib import crc32

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("src/heldout/compiled/kernels.c")
LIBRARY = SOURCE.with_name("kernels.library")
FLAGS = ("-std=c99", "-O3", "-fPIC", "-shared", "-ffp-contract=off")  # the same bits on every processor
COMPILERS = ("cc", "gcc", "clang")


class Compiled(BuildHookInterface):
    """A wheel for this platform, and any Python, if the library can be compiled; else one for every platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 the hook's parameters
        """Called before the files of a wheel are listed."""
        root = Path(self.root)
        if self.target_name == "wheel" and _compiled(root):
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"
            build_data["pure_python"] = False
            build_data["artifacts"].append(f"/{LIBRARY.as_posix()}")


def _compiled(root: Path) -> bool:
    """Whether the library is there, made anew; a process that runs meanwhile finds the old one or the new one."""
    library = root / LIBRARY
    made = library.with_suffix(f".{os.getpid()}.new")  # of this build alone: another may be under way
    compilers = [] if os.environ.get("HELDOUT_COMPILED") == "0" else filter(None, map(shutil.which, COMPILERS))
    for compiler in compilers:
        command = [
            compiler,
            *FLAGS,
            f"-DCHECKSUM={crc32((root / SOURCE).read_bytes())}",
            "-o",
            str(made),
            str(root / SOURCE),
        ]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:  # noqa: S603 our own file
            made.replace(library)
            return True
    made.unlink(missing_ok=True)
    library.unlink(missing_ok=True)
    print("heldout is built without its loops in C: no C compiler was found", file=sys.stderr)  # noqa: T201
    return False
