from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from heldout.boxes.average_precision import FIGURES
from heldout.cli import verbs

BOXES = [(image, 100 * i, 0) for image in "abcdefghijkl" for i in range(1 + (image > "f"))]


@pytest.fixture
def files(tmp_path):
    """A truth, a good and a bad detector, as tables."""

    def write(name, rows, *more):
        lines = [",".join(["image", "label", "x", "y", "w", "h", *more]), *rows]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(tmp_path / name)

    truth = write("truth.csv", [f"{image},cat,{x},{y},50,40" for image, x, y in BOXES])
    good = write(
        "good.csv",
        [f"{image},cat,{x + 1},{y},50,40,{0.9 - 0.02 * i}" for i, (image, x, y) in enumerate(BOXES)],
        "score",
    )
    bad = write(
        "bad.csv",
        [f"{image},cat,{x + 12 + i},{y},50,40,{0.9 - 0.02 * i}" for i, (image, x, y) in enumerate(BOXES)],
        "score",
    )
    return truth, good, bad


def run(*arguments):
    return CliRunner().invoke(verbs, [str(one) for one in arguments])


def test_one_detector(files):
    found = run("detect", *files[:2], "--n-resamples", 200)
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert lines[0] == "12 images (the unit of resampling), 18 objects, 1 class; detections: 18 by good"
    assert lines[1] == "COCO: IoU .50 to .95, 101 recalls, 100 detections per image and class"
    assert lines[3].split() == ["good", "value", "95%", "CI", "coverage*"]
    assert [line.split()[0] for line in lines[4:16]] == list(FIGURES)
    assert "intervals: image bootstrap, 200 resamples" in lines
    assert all(len(line) <= 80 for line in lines)


def test_two_detectors_have_a_verdict(files):
    found = run("detect", *files, "--n-resamples", 200)
    assert found.exit_code == 0, found.output
    assert "VERDICT  bad is WORSE than good on AP" in found.stdout
    assert "tests: paired image bootstrap" in found.stdout
    assert all(len(line) <= 80 for line in found.stdout.splitlines())


def test_standard_input_is_read_as_what_it_is(files, tmp_path):
    coco = {
        "images": [{"id": 7}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 7, "category_id": 1, "bbox": [0, 0, 4, 5]}],
    }
    found = [{"image_id": 7, "category_id": 1, "bbox": [0, 0, 4, 5], "score": 0.9}]
    for name, content in (("truth", coco), ("found", found)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    truth, _, bad = files
    for asked in (
        (tmp_path / "truth.json", "-", tmp_path / "found.json"),
        ("-", tmp_path / "found.json", tmp_path / "truth.json"),
        (truth, "-", bad),
    ):
        *named, piped = map(str, asked)
        answer = CliRunner().invoke(verbs, ["detect", *named, "--json"], input=Path(piped).read_bytes())
        straight = run("detect", *(piped if name == "-" else name for name in named), "--json")
        assert answer.exit_code == 0, answer.output
        values = [list(json.loads(one.stdout)["estimates"].values()) for one in (answer, straight)]
        assert values[0] == values[1]


def test_json_and_csv(files, tmp_path):
    told = json.loads(run("detect", *files, "--n-resamples", 100, "--format", "json").stdout)
    assert (told["schema"], told["verdict"], told["models"]) == ("heldout.detection/1", "WORSE", ["good", "bad"])
    rows = list(csv.DictReader(io.StringIO(run("detect", *files, "--n-resamples", 100, "--format", "csv").stdout)))
    assert next(row["metric"] for row in rows if (row["model"], row["baseline"]) == ("bad", "good")) == "AP"
    assert float(rows[0]["value"]) == told["estimates"]["good"]["AP"]["value"]
    out = tmp_path / "out.md"
    assert run("detect", *files, "--n-resamples", 100, "--format", "md", "--output", out).exit_code == 0
    assert "average precision of good by IoU threshold" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", [(), ("--rule", "coco")])
def test_an_iou_is_refused_where_coco_rules_set_it(files, rule):
    found = run("detect", *files[:2], "--iou", 0.3, *rule)
    assert (found.exit_code, found.stdout, found.stderr) == (
        2,
        "",
        "error: --iou has no effect with --rule coco: it takes IoU .50 to .95\n  Fix: leave out --iou\n",
    )


def test_the_metric_that_decides_in_any_case(files):
    found = json.loads(run("detect", *files, "--primary", "ap50", "--n-resamples", 100, "--json").stdout)
    assert found["primary"] == "AP50"


def test_options(files):
    found = run("detect", *files[:2], "--rule", "voc", "--iou", 0.3, "--n-resamples", 100, "--level", 0.9)
    assert "AP30" in found.stdout
    assert "90% CI" in found.stdout
    assert run("detect", *files[:2], "--class-agnostic", "--n-resamples", 100, "-q").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["x.json"],
            (
                "error: 1 file was given, and a truth and detections are needed\n"
                "  Fix: for example heldout detect truth.json detections.json\n"
            ),
        ),
        (
            ["nowhere.json", "also.json"],
            (
                "error[H100] there is no file nowhere.json\n  Fix: check the path and the folder it starts from\n  "
                "See: heldout explain H100\n"
            ),
        ),
    ],
)
def test_what_is_wrong_ends_with_2(arguments, message):
    found = run("detect", *arguments)
    assert (found.exit_code, found.stderr) == (2, message)


def test_a_result_can_be_recorded(files, tmp_path):
    found = run("detect", *files[:2], "--n-resamples", 100, "-q", "--save", "first", "--run", tmp_path / "store")
    assert found.exit_code == 0, found.output
    listed = run("runs", tmp_path / "store")
    assert "first" in listed.stdout


def test_report_writes_a_page_beside_the_answer(files, tmp_path):
    page = tmp_path / "page.html"
    plain = run("detect", *files[:2], "--n-resamples", 100)
    found = run("detect", *files[:2], "--n-resamples", 100, "--report", page)
    assert (found.exit_code, found.stdout, found.stderr) == (0, plain.stdout, f"wrote {page}\n")
    text = page.read_text(encoding="utf-8")
    assert "<h1>Object detection of good</h1>" in text
    assert "<dt>command</dt><dd>heldout" in text


@pytest.mark.parametrize("option", ["--report", "--output"])
def test_an_input_is_not_written_over(files, option):
    before = Path(files[1]).read_text(encoding="utf-8")
    found = run("detect", *files[:2], option, files[1])
    assert found.exit_code == 2
    assert (
        found.stderr == f"error: {option} {files[1]} is an input and would be overwritten\n  Fix: choose another file\n"
    )
    assert Path(files[1]).read_text(encoding="utf-8") == before
