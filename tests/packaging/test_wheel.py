"""The wheel, built and installed into an empty environment, does what the repository does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import heldout

ROOT = Path(__file__).parents[2]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
pytestmark = pytest.mark.packaging


def run(command: list[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    quiet = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=quiet,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = run([*PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder, ROOT], folder)
    assert build.returncode == 0, build.stdout + build.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel, tmp_path_factory):
    """The commands of an environment that has heldout from the wheel; this one lends it the dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    paths = {"base": str(folder), "platbase": str(folder)}
    scripts, site = (Path(sysconfig.get_path(name, "venv", paths)) for name in ("scripts", "purelib"))
    install = run([*PIP, "--python", scripts / "python", "install", "--no-deps", "--no-index", wheel], folder)
    assert install.returncode == 0, install.stdout + install.stderr
    # A path in a .pth file is searched last, and .pth files there are not read: the editable heldout stays out.
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return scripts


def test_the_wheel_holds_types_schemas_and_data(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "heldout/py.typed" in names
    assert "heldout/__main__.py" in names
    assert "heldout/report/schemas.json" in names
    for cards in ("cards", "corpus-cards", "split-cards"):
        assert f"heldout/data/{cards}.json" in names
    assert {name.partition("/")[0] for name in names} == {"heldout", f"heldout-{heldout.__version__}.dist-info"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_holds_every_file_of_the_source(wheel):
    source = ROOT / "src"
    here = {
        p.relative_to(source).as_posix()
        for p in (source / "heldout").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert here - set(zipfile.ZipFile(wheel).namelist()) == set()


def names_and_tag(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith(".dist-info/WHEEL")]
        return archive.namelist(), Parser().parsestr(archive.read(path).decode("utf-8"))["Tag"]


LIBRARY = "heldout/compiled/kernels.library"


def test_a_wheel_with_compiled_loops_is_for_one_platform_and_any_python(wheel):
    names, tag = names_and_tag(wheel)
    python, interface, platform = tag.split("-")
    assert (python, interface) == ("py3", "none")
    assert (platform == "any") == (LIBRARY not in names)
    if any(map(shutil.which, ("cc", "gcc", "clang"))):
        assert LIBRARY in names


def test_a_wheel_without_a_compiler_is_for_all_platforms(tmp_path, monkeypatch):
    source = tmp_path / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    monkeypatch.setenv("PATH", str(tmp_path))
    build = run(
        [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", tmp_path, source], tmp_path
    )
    assert build.returncode == 0, build.stdout + build.stderr
    names, tag = names_and_tag(*tmp_path.glob("*.whl"))
    assert (tag, LIBRARY in names, "heldout/compiled/kernels.c" in names) == ("py3-none-any", False, True)


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no compiler")
def test_builds_at_the_same_time_do_not_disturb_each_other(tmp_path):
    (tmp_path / "src/heldout/compiled").mkdir(parents=True)
    shutil.copy(ROOT / "src/heldout/compiled/kernels.c", tmp_path / "src/heldout/compiled")
    build = "import pathlib, sys; from hatch_build import _compiled; sys.exit(not _compiled(pathlib.Path(sys.argv[1])))"
    builds = [subprocess.Popen([sys.executable, "-c", build, tmp_path], cwd=ROOT) for _ in range(6)]
    assert [one.wait() for one in builds] == [0] * 6
    assert [path.name for path in (tmp_path / "src/heldout/compiled").glob("kernels.*y")] == ["kernels.library"]
    assert not list(tmp_path.rglob("*.new"))


def test_the_wheel_asks_for_little(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        facts = Parser().parsestr(archive.read(path).decode("utf-8"))
    assert facts["Version"] == heldout.__version__
    core = {line.partition(">")[0] for line in facts.get_all("Requires-Dist") if "extra ==" not in line}
    assert core == {"click", "narwhals", "numpy", "pyarrow", "scipy"}


def test_the_installed_package_is_the_one_from_the_wheel(scripts):
    found = run([scripts / "python", "-c", "import heldout; print(heldout.__file__)"], scripts)
    assert found.returncode == 0, found.stderr
    assert Path(found.stdout.strip()).is_relative_to(scripts.parent)


def test_the_installed_package_tells_its_version(scripts):
    told = run([scripts / "python", "-m", "heldout", "--version"], scripts)
    assert told.returncode == 0, told.stderr
    assert heldout.__version__ in told.stdout


def test_the_installed_command_runs_the_demo(scripts, tmp_path):
    demo = run([scripts / "heldout", "demo"], tmp_path)
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert "roc_auc" in demo.stdout


def test_the_citation_names_this_version_and_its_licence():
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert {f"version: {heldout.__version__}", "license: Apache-2.0", "cff-version: 1.2.0"} <= set(lines)
