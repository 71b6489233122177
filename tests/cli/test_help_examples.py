"""Every example of every help text runs, on small files that are made here under the names that the examples use."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from heldout.cli import verbs


def examples(command=verbs):
    """The examples of a command and of the commands under it."""
    yield from getattr(command, "examples", ())
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            yield from examples(command.get_command(ctx, name))


EXAMPLES = list(dict.fromkeys(examples()))
SMALLER = {
    "heldout demo --repeat": ("--repeat", "2"),
    "heldout lab split-coverage": ("--repeats", "3"),
    "heldout lab split-size": ("--repeats", "3"),
    "heldout lab corpus-rates": ("--repeats", "3", "--n-resamples", "100"),
    "heldout lab selection-bias": ("--repeats", "3"),
    "heldout lab threshold-bias": ("--repeats", "3"),
    "heldout lab failures": ("--repeats", "3"),
    "heldout lab outside": ("--only", "verdicts", "--repeats", "3"),
    "heldout lab bias-variance": ("--repeats", "20"),
    "heldout lab estimation-bias": ("--repeats", "20"),
    "heldout lab compare": ("--repeats", "3"),
    "heldout lab split-power": ("--repeats", "3"),
    "heldout lab overfitting": ("--repeats", "20"),
    "heldout lab held-out": ("--halves", "1"),
    "heldout lab size": ("--repeats", "20"),
    "heldout lab power": ("--repeats", "20"),
    "heldout lab coverage": ("--repeats", "20"),
    "heldout detect": ("--n-resamples", "100"),
    "heldout select": ("--cv", "3", "--inner-cv", "2"),
}
"""What is added to an example that would take long, or put in place of its own values."""
HOURS = {
    "heldout lab cards": ("--world", "coin:p=0.5,", "--upto", "5"),
    "heldout lab corpus-cards": ("--help",),
    "heldout lab split-cards": ("--help",),
}
"""Examples that take hours whatever is added, or have nothing to add: what is left of them."""
CODES = {"heldout gate": (0, 1, 3), "heldout lab outside": (0, 1), "heldout lab held-out": (0, 1)}
"""Commands whose exit code is a verdict."""
TOML = '[nb]\nlearner = "sklearn.naive_bayes:GaussianNB"\n\n[tree]\nlearner = "sklearn.tree:DecisionTreeClassifier"\n'
FILES = [(name, "old") for name in ("predictions", "old", "released", "a")]
FILES += [(name, "new") for name in ("new", "candidate", "b")]
"""Files of predictions, and which of two models is in them."""
PY = """
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

candidates = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
"""


def table(name, columns):
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def predictions(rng, *, rows=200):
    """Labels, the scores of two models, and columns that the examples name."""
    truth = rng.integers(0, 2, rows)
    scores = {
        name: np.clip(rng.normal(0.35 + 0.3 * truth, spread), 0.001, 0.999).round(4)
        for name, spread in (("old", 0.25), ("new", 0.2))
    }
    beside = {"patient_id": np.arange(rows) // 2, "user": np.arange(rows) // 2, "sex": np.tile(["f", "m"], rows // 2)}
    return truth, scores, beside


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder in which examples run, with the files that they read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    truth, scores, beside = predictions(rng)
    for name, of in FILES:
        table(f"{name}.csv", {"y_true": truth, "y_score": scores[of], **beside})
    x = rng.normal(size=(90, 2)).round(4)
    kind = (x[:, 0] + rng.normal(size=90) > 0).astype(int)
    for name in ("train", "d", "rows"):
        patient = {"patient": np.arange(90) // 3} if name == "rows" else {}
        table(f"{name}.csv", {"a": x[:, 0], "b": x[:, 1], "y": kind, **patient})
    for name in ("a", "b"):
        np.savetxt(f"{name}.txt", rng.uniform(0.7, 0.9, 10))
    (tmp_path / "models.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "models.py").write_text(PY, encoding="utf-8")
    columns = {"y_true": truth, **beside}
    pq.write_table(pa.table({**columns, "y_score": scores["old"]}), "preds.parquet")
    table("counts.csv", {"class": ["a", "b", "c"], "tp": [40, 30, 23], "fp": [8, 10, 9], "fn": [10, 10, 7]})
    texts(tmp_path)
    boxes(tmp_path)
    masks(tmp_path, rng)
    table("weather.csv", {"wind": ["a", "a", "b", "b"], "sun": ["u", "v", "u", "v"], "class": ["n", "y", "n", "y"],
                          "mine": ["n", "n", "y", "y"]})  # fmt: skip
    table("sport.csv", {"sky": ["sunny", "rainy", "sunny"], "wind": ["a", "a", "b"], "enjoy": ["yes", "no", "yes"]})
    return tmp_path


def texts(folder):
    lines = [f"people number {i} like foreign cars very much" for i in range(12)]
    changed = [line.replace("foreign", "imported") if i % 3 else line for i, line in enumerate(lines)]
    worse = [line.replace("very much", "a lot") for line in changed]
    documents = [f"d{i // 2}" for i in range(12)]
    for name, content in (
        *(("references", lines), ("system", changed), ("new", changed), ("old", worse), ("documents", documents)),
    ):
        (folder / f"{name}.txt").write_text("\n".join(content) + "\n", encoding="utf-8")


def boxes(folder):
    """Twelve images with one object each, as COCO and as tables."""
    places = [{"image_id": i, "category_id": 1, "bbox": [10, 10, 50, 40]} for i in range(1, 13)]
    truth = {
        "images": [{"id": i, "width": 100, "height": 100, "file_name": f"{i}.png"} for i in range(1, 13)],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {**one, "id": at, "area": 2000, "iscrowd": 0, "segmentation": runs(10)} for at, one in enumerate(places, 1)
        ],
    }
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    for name, moved in (("detections", 2), ("old", 9), ("new", 1)):
        found = [{**one, "bbox": [10 + moved, 10, 50, 40], "score": 0.9 - 0.03 * at} for at, one in enumerate(places)]
        (folder / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    images = [f"i{i}" for i in range(12)]
    known = {"image": images, "label": ["cat"] * 12, "x": [10] * 12, "y": [10] * 12, "w": [50] * 12, "h": [40] * 12}
    table("boxes.csv", known)
    table("matched.csv", {"correct": ["TP", "FP", "TP"], "score": [0.9, 0.8, 0.7]})
    table("found.csv", {**known, "x": [12] * 12, "score": [round(0.9 - 0.02 * i, 2) for i in range(12)]})


def runs(left):
    """A rectangle of 40 rows in an image of 100 x 100, as COCO's run lengths, which go down the columns."""
    counts = [left * 100 + 10, *[40, 60] * 49, 40]
    return {"size": [100, 100], "counts": [*counts, 10_000 - sum(counts)]}


def masks(folder, rng):
    """Twelve label maps and those of three models, as folders and as COCO."""
    for name in ("truth", "predicted", "old", "new"):
        (folder / name).mkdir()
    for image in range(12):
        right = rng.integers(0, 2, (6, 7)).astype(np.uint8)
        for name, share in (("truth", 0), ("predicted", 0.2), ("old", 0.4), ("new", 0.1)):
            said = np.where(rng.random(right.shape) < share, 1 - right, right).astype(np.uint8)
            Image.fromarray(said).save(folder / name / f"{image}.png")
    shapes = [{"image_id": i, "category_id": 1, "score": 0.9, "segmentation": runs(12)} for i in range(1, 13)]
    (folder / "predicted.json").write_text(json.dumps(shapes), encoding="utf-8")


def two_models(folder):
    """One table with two models in it, under the name that another example has for one model."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    truth, scores, _ = predictions(np.random.default_rng(3))
    columns = {"y_true": truth, **{f"score_{name}": values for name, values in scores.items()}}
    pq.write_table(pa.table(columns), folder / "preds.parquet")


def recorded():
    """Two recorded results under the names that the examples have for ids."""
    for wrong, name in ((12, "7f3a"), (9, "b91c")):
        asked = ["evaluate", "--wrong", str(wrong), "--of", "40", "--save", name, "--quiet"]
        assert CliRunner().invoke(verbs, asked).exit_code == 0


def shortened(example):
    """The words of an example without `heldout`, and what makes it quick."""
    for start, rest in HOURS.items():
        if example.startswith(f"{start} "):
            return [*shlex.split(example)[1:], *rest]
    more = next((added for start, added in SMALLER.items() if example.startswith(start)), ())
    words = shlex.split(example)[1:]
    for name in more[::2]:  # instead of what the example has
        if name in words:
            at = words.index(name)
            del words[at : at + 2]
    return [*words, *more]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example, folder):
    if "--model old=" in example:
        two_models(folder)
    if "Ridge" in example:
        rng = np.random.default_rng(0)
        table("train.csv", {"a": rng.normal(size=60).round(3), "y": rng.normal(size=60).round(3)})
    if example.startswith("heldout runs"):
        recorded()
    found = CliRunner().invoke(verbs, shortened(example.partition(" >")[0]))
    assert found.exit_code in next((codes for verb, codes in CODES.items() if example.startswith(verb)), (0,)), (
        found.output
    )
    assert "error:" not in found.stderr
    assert "error[" not in found.stderr
