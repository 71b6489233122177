"""Virtual environments with the wheel of this tree and some of its extras, and nothing else.

They are kept in .venv-tutorials, one per set of extras, until the constraints or the requirements change; the wheel
itself is installed anew in each run of the tests, by the first of its processes that needs the environment.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.parser import Parser
from fcntl import LOCK_EX, flock
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv-tutorials"
CONSTRAINTS = ROOT / "constraints.txt"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


def run(command: list[str | Path], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command that sees nothing of this environment."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=outside | variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def built_wheel(folder: Path) -> Path:
    """The wheel of this tree."""
    _checked(run([*PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, ROOT], folder))
    (wheel,) = folder.glob("*.whl")
    return wheel


def folder_name(targets: tuple[str, ...]) -> str:
    """What an environment is called by what it has: heldout-charts-matplotlib."""
    return "-".join(re.findall(r"[\w.]+", " ".join(targets)))


def environment(wheel: Path, targets: tuple[str, ...], test_run: str) -> Path:
    """The Python of an environment that has what is named: heldout with some extras, and maybe other packages."""
    place = FOLDER / folder_name(targets)
    python = Path(sysconfig.get_path("scripts", "venv", {"base": str(place), "platbase": str(place)})) / "python"
    FOLDER.mkdir(exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        flock(lock, LOCK_EX)  # until the file is closed, by the end of the process at the latest
        _install(wheel, targets, python, (_fingerprint(wheel), test_run))
    return python


def _install(wheel: Path, targets: tuple[str, ...], python: Path, wanted: tuple[str, str]) -> None:
    """Install what is not there: packages where the fingerprint is another one, the wheel where the run is."""
    place = FOLDER / folder_name(targets)
    stamp, into = place / "stamp", [*PIP, "--python", python, "install", "--no-compile"]
    there = stamp.read_text(encoding="utf-8").splitlines() if stamp.exists() else []
    if there == [*wanted]:
        return
    if there[:1] == [wanted[0]]:
        _checked(run([*into, "--no-index", "--no-deps", "--force-reinstall", wheel], FOLDER))
    else:
        shutil.rmtree(place, ignore_errors=True)
        venv.create(place, with_pip=False)
        first, *others = targets
        _checked(run([*into, "--constraint", CONSTRAINTS, f"{wheel}{first.removeprefix('heldout')}", *others], FOLDER))
    stamp.write_text("\n".join(wanted), encoding="utf-8")


def _fingerprint(wheel: Path) -> str:
    """Of everything that decides which versions are installed."""
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        facts = Parser().parsestr(archive.read(path).decode("utf-8"))
    requirements = "\n".join(sorted(facts.get_all("Requires-Dist", [])))
    return sha256((sys.version + requirements + CONSTRAINTS.read_text(encoding="utf-8")).encode()).hexdigest()


def _checked(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.returncode == 0, ended.stdout + ended.stderr
