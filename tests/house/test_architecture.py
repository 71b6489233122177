"""docs/architecture.md is true: its modules exist, every layer is named, and each journey loads what it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import heldout

ROOT = Path(__file__).parents[2]
SRC = Path(heldout.__file__).parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MODULES = {
    ".".join(path.relative_to(SRC).with_suffix("").parts)
    for path in SRC.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
}
FOLDERS = {".".join(path.parent.relative_to(SRC).parts) for path in SRC.rglob("__init__.py")}
LAYERS = {path.name.removesuffix(".py") for path in SRC.iterdir() if path.suffix == ".py" or path.is_dir()}
COMMON = "### `heldout evaluate predictions.csv`"


def named(text: str) -> set[str]:
    """Words in backticks that look like modules of the package: a layer, then names after dots."""
    words = re.findall(r"`([a-z_]+(?:\.[a-z_]+)*)`", text)
    return {word for word in words if word.split(".")[0] in LAYERS}


def section(heading: str) -> str:
    return re.split(r"^##", PAGE.split(heading, 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def loaded(folder: Path, *command: str) -> set[str]:
    """The modules of the package that a command loads, without folders."""
    code = (
        "import json, sys\n"
        "from heldout.cli import verbs\n"
        "try: verbs.main(sys.argv[1:])\n"
        "except SystemExit as left: assert not left.code, left.code\n"
        "print('\\n' + json.dumps([name for name in sys.modules if name.startswith('heldout.')]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=folder, capture_output=True, text=True, check=True
    )
    names = json.loads(ended.stdout.splitlines()[-1])
    return {name.removeprefix("heldout.") for name in names} & MODULES


def test_every_module_it_names_exists():
    words = {word for word in named(PAGE) if "." in word}
    attributes = {word for word in words if word not in MODULES | FOLDERS}
    assert not {word for word in attributes if word.rpartition(".")[0] not in MODULES}, attributes
    assert len(words) > 100


def test_every_layer_is_named():
    layers = LAYERS - {"__pycache__", "__init__", "py"}
    missing = {layer for layer in layers if not re.search(rf"`{layer}(\.[a-z_]+)*`", section("## The layers"))}
    assert not {layer for layer in missing if layer != "py.typed"}, missing


def test_the_layers_are_those_that_are_enforced():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    assert "ignore_imports" not in contract
    enforced = {name for line in contract["layers"] for name in re.findall(r"[a-z_]+", line)}
    assert enforced <= {name for word in re.findall(r"`([a-z_.]+)`", section("## The layers")) for name in [word]}


JOURNEYS = {
    COMMON: ("evaluate", "champion.csv"),
    "### `heldout compare champion.csv challenger.csv --report report.html`": (
        "compare", "champion.csv", "challenger.csv", "--report", "report.html",
    ),
    "### `heldout detect truth.json detections.json`": ("detect", "truth.json", "detections.json"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("journeys")
    heldout.demo(place, rows=300)
    image = {"id": 1, "width": 10, "height": 10, "file_name": "a.png"}
    objects = [
        {"id": k, "image_id": 1, "category_id": 1, "bbox": [k, 1, 3, 3], "area": 9, "iscrowd": 0} for k in (1, 5)
    ]
    truth = {"images": [image], "categories": [{"id": 1, "name": "cat"}], "annotations": objects}
    detections = [{"image_id": 1, "category_id": 1, "bbox": [k, 1, 3, 3], "score": 0.5 + k / 20} for k in (1, 5)]
    (place / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    (place / "detections.json").write_text(json.dumps(detections), encoding="utf-8")
    return place


@pytest.mark.parametrize("heading", JOURNEYS)
def test_a_journey_names_every_module_that_the_command_loads(heading, folder):
    modules = loaded(folder, *JOURNEYS[heading])
    told = named(section(heading))
    told_before = named(section(COMMON))
    shared = named(section(list(JOURNEYS)[1])) if "detect" in heading else set()
    assert sorted(modules - told - told_before - shared) == [], "loaded, and not on the page"
    assert sorted((told & MODULES) - modules) == [], "on the page, and not loaded"
