"""The files of the repository: no registry's address, no path of a machine, versions pinned by name only."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

import heldout

ROOT = Path(__file__).parents[2]
OUR_OWN = {".venv", ".venv-bench", ".venv-engines", ".git", "build", "dist", "_build", "_generated"}

# written in pieces, so that this file passes its own test
MACHINE = re.compile(
    "|".join(
        [r"(?<!\w)/wor" + r"k\b", "/ro" + r"ot/\w", "/ho" + r"me/\w+/", "/Us" + r"ers/\w+/", r"[A-Z]:\\Us" + r"ers\\"]
    )
)
REGISTRY = re.compile(
    "|".join(
        [
            r"py" + r"pi\.org",
            "python" + "hosted",
            "arti" + "factory",
            "index" + "-url",
            "find" + "-links",
            "trusted" + "-host",
            "//npm" + "js",
        ]
    )
    + r"|https?://[^\s/]*:\d+|https?://\d+\.\d+\.\d+\.\d+|https?://[^\s/@]*@"
)


def tracked() -> list[Path]:
    """Files under version control or about to be; in an unpacked archive, all but what a build leaves behind."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True).stdout
        found = [ROOT / name for name in listed.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not OUR_OWN & set(path.relative_to(ROOT).parts)]
    return sorted(path for path in found if path.is_file())


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT).as_posix()}:{number}: {line.strip()[:80]}"
        for path in tracked()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_path_of_a_machine():
    assert lines_with(MACHINE) == []


def test_no_address_of_a_registry():
    assert lines_with(REGISTRY) == []


def test_the_patterns_find_what_they_are_for():
    paths = ["/ro" + "ot/x", "/wo" + "rk/main", "/home" + "/ann/x", "/Users" + "/ann/x", "C:\\Users" + "\\ann"]
    assert all(MACHINE.search(path) for path in paths)
    addresses = [
        "https://py" + "pi.org/simple",
        "--index" + "-url x",
        "http://10.0" + ".0.1/x",
        "https://me:pw" + "@host/x",
        "http://box" + ":8080",
    ]
    assert all(REGISTRY.search(address) for address in addresses)
    assert not MACHINE.search("a framework/model")
    assert not REGISTRY.search("http://www.apache.org/licenses/")


def constraints(*files: str) -> list[str]:
    """Lines of pinned versions; unless named, those of the package and those of the engines."""
    named = files or ("constraints.txt", "constraints-engines.txt")
    return [line for file in named for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("file", ["constraints.txt", "constraints-engines.txt"])
def test_constraints_are_names_and_versions_only(file):
    lines = constraints(file)
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!-]+", line)] == []
    assert lines == sorted(lines, key=str.upper)


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    names = {plain(re.match(r"[\w.-]+", line)[0]) for line in wanted} - {"heldout"}
    pinned = [plain(line.partition("==")[0]) for line in constraints()]
    assert names - set(pinned) == set()
    assert len(pinned) == len(set(pinned))


def test_no_pinned_version_refuses_the_oldest_python():
    """Debian's python is 3.11.2: a pin that asks for 3.11.5 would end `make env` there."""
    asks = {
        (plain(one.name), one.version): SpecifierSet(one.metadata["Requires-Python"] or "") for one in distributions()
    }
    pins = [(plain(name), version) for name, _, version in (line.partition("==") for line in constraints())]
    assert any(pin in asks for pin in pins)
    assert [pin for pin in pins if not asks.get(pin, SpecifierSet()).contains("3.11.0")] == []


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_two_commands_are_on_the_first_screen():
    first_screen = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:40])
    assert "make demo" in first_screen
    assert "make test" in first_screen


def test_the_changelog_knows_the_version():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## Unreleased" in changes
    assert heldout.__version__ in changes
