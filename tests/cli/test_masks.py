from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from heldout.cli import verbs


@pytest.fixture
def folders(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("truth", "old", "new"):
        (tmp_path / name).mkdir()
    for image in range(12):
        truth = rng.integers(0, 3, (6, 7)).astype(np.uint8)
        Image.fromarray(truth).save(tmp_path / "truth" / f"{image}.png")
        for name, share in (("old", 0.4), ("new", 0.1)):
            wrong = rng.random(truth.shape) < share
            said = np.where(wrong, rng.integers(0, 3, truth.shape), truth).astype(np.uint8)
            np.save(tmp_path / name / f"{image}.npy", said)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(verbs, ["masks", *(str(one) for one in arguments)])


def test_one_model(folders):
    found = run(folders / "truth", folders / "new", "--labels", "0=road,1=car,2=sky")
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert lines[0] == "12 images (the unit of resampling), 504 pixels, 3 classes"
    assert lines[1] == "pixels added up over images; IoU = TP / (TP + FP + FN)"
    assert lines[3].split()[:2] == ["new", "value"]
    assert any(line.startswith("road") for line in lines)
    assert "intervals of all 3 classes are simultaneous" in lines
    assert all(len(line) <= 80 for line in lines)


def test_two_models(folders):
    found = run(folders / "truth", folders / "old", folders / "new")
    assert "VERDICT  new is BETTER than old on mean_iou" in found.stdout
    assert "iou of new minus old, by class" in found.stdout
    assert all(len(line) <= 80 for line in found.stdout.splitlines())
    told = json.loads(run(folders / "truth", folders / "old", folders / "new", "--format", "json").stdout)
    assert (told["schema"], told["verdict"], told["unit"]) == ("heldout.masks/1", "BETTER", "image")


def test_what_is_wrong_ends_with_2(folders):
    (folders / "new" / "3.npy").unlink()
    found = run(folders / "truth", folders / "new")
    assert (found.exit_code, found.stderr) == (
        2,
        (
            "error[H101] new lacks 1 image ('3')\n  Fix: give every image a truth and a prediction of the same "
            "name\n  See: heldout explain H101\n"
        ),
    )
    found = run(folders / "truth", folders / "old", "--labels", "road")
    assert (found.exit_code, found.stderr) == (
        2,
        "error: --labels has 'road', which is not a class\n  Fix: give whole numbers: 0,1,2 or 0=road,1=car\n",
    )
    found = run(folders / "truth")
    assert found.stderr == (
        "error: 1 file was given, and a truth and predictions are needed\n"
        "  Fix: for example heldout masks truth/ predicted/\n"
    )


def test_report_writes_a_page(folders, tmp_path):
    page = tmp_path / "page.html"
    found = run(folders / "truth", folders / "old", folders / "new", "--report", page, "--quiet")
    assert (found.exit_code, found.stdout, found.stderr) == (0, "", "")
    assert "<h1>Segmentation of old and new</h1>" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("0=sky,1=sky,2=car", "labels calls the classes 0, 1 all 'sky'"),
        ("0=road,1=car,1=sky", "--labels has the class 1 twice, as 'car' and as 'sky'"),
    ],
)
def test_two_classes_of_one_name_or_code_are_refused(folders, labels, message):
    found = run(folders / "truth", folders / "new", "--labels", labels)
    assert found.exit_code == 2
    assert message in found.output


def test_precision_and_recall_by_class_are_shown(folders):
    told = run(folders / "truth", folders / "new", "--labels", "0=road,1=car,2=sky").stdout
    assert [line for line in told.splitlines() if line.startswith("class") and "precision" in line and "recall" in line]
