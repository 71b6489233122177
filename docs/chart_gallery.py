"""The gallery of charts: `make chart-pictures` draws one of each kind into docs/images/charts with the command shown.

Names of charts as arguments, such as `roc lift`, draw only these.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from PIL import Image

import heldout
from heldout.charts.plot import VIEWS
from heldout.cli import verbs

IMAGES = Path(__file__).parent / "images" / "charts"
WIDTH = 560
"""Pixels of the widest picture: what a card of the gallery shows."""
ONE = "heldout evaluate clinic/challenger.csv --group patient_id --threshold 0.2"
TWO = "heldout compare clinic/champion.csv clinic/challenger.csv --group patient_id"
BOXES = "heldout detect objects.csv old-boxes.csv new-boxes.csv --primary AP50"
NUMBERS = "heldout evaluate prices.csv"
LEARNERS = "sklearn.tree:DecisionTreeClassifier sklearn.naive_bayes:GaussianNB"
TREE = f"heldout validate {LEARNERS} --data points.csv --target kind"
SINE = "heldout lab bias-variance --world sine:noise=0.3 --n 15 --repeats 200"
TABLE = "heldout lab table weather.csv"
GRID = "heldout lab version-space grid.csv --space rectangles --target inside --concept a=1..3,b=1..3"
FOLDS = "heldout lab estimation-bias --learner linear --n 20 --n-resamples 20 --repeats 150"
COIN = "heldout test binomial 15 --of 20 --alternative greater --against 0.8"
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Metrics and differences": {
        "metrics": ONE,
        "differences": f"{TWO} --primary roc_auc --margin 0.01",
        "segments": f"{ONE} --by site",
        "classes": "heldout evaluate flowers.csv",
        "confusion": "heldout evaluate flowers.csv",
        "more_data": f"{TWO} --primary roc_auc",
        "ranks": "heldout compare scores.csv --across-sets",
    },
    "Scores and thresholds": {
        "roc": TWO,
        "roc_steps": "heldout evaluate twenty.csv",
        "precision_recall": TWO,
        "gain": TWO,
        "lift": TWO,
        "cost": TWO,
        "calibration": ONE,
        "scores": ONE,
    },
    "Numbers": {"predicted": NUMBERS, "residuals": NUMBERS, "quantiles": NUMBERS},
    "Data": {
        "shift": "heldout evaluate clinic/challenger.csv --group patient_id --reference last-year.csv",
        "part_sizes": "heldout split points.csv --parts train=6,validation=2,test=2 --stratify kind",
        "part_shares": "heldout split points.csv --parts train=6,validation=2,test=2 --stratify kind",
    },
    "Learners": {
        "fold_values": TREE,
        "holdout": f"{TREE} --holdout 0.33",
        "learning_curve": f"{TREE} --learning-curve -m error_rate",
        "fold_choice": f"{FOLDS} --folds 2,10,loo",
        "fold_bias": f"{TREE} --choose-folds -m error_rate",
    },
    "Images and texts": {
        "by_iou": BOXES,
        "sizes": BOXES,
        "segment_values": "heldout text wanted.txt old.txt new.txt --primary bleu",
    },
    "Tests and sample size": {"critical_region": COIN, "power": COIN},
    "Simulations": {
        "rates": "heldout lab coverage normal wilson clopper_pearson --world coin:p=0.01 --n 50",
        "estimates": "heldout lab selection-bias --n 60 --configurations 50 --null --repeats 100 --n-resamples 100",
        "verdicts": "heldout lab compare linear knn:k=1 --n 60 --repeats 40 --test mcnemar@10,kfold_paired_t@10",
        "errors": "heldout lab estimation-bias --learner knn --n 60 --sweep k=1,3,7,15,31 --repeats 30",
        "parts": f"{SINE} --learner poly --sweep degree=0,1,3,5",
        "predictions": f"{SINE} --learner poly:degree=5",
        "bias_variance": f"{SINE} --learner poly:degree=5",
        "bayes_regions": "heldout lab true-error --world gaussian:distance=2 --learner linear --learner knn:k=1",
        "joint": TABLE,
        "class_given_x": TABLE,
        "x_given_class": TABLE,
        "instance_space": GRID,
        "remaining": GRID,
        "overfitting": "heldout lab overfitting noisy.csv --n 12",
    },
}
"""Heading → chart → the command that draws it."""
GALLERY = {chart: command for group in GROUPS.values() for chart, command in group.items()}


def page() -> str:
    """The gallery in Markdown: a card per chart."""
    parts = []
    for heading, group in GROUPS.items():
        cards = "\n".join(card(chart, command) for chart, command in group.items())
        parts.append(f"### {heading}\n\n::::{{grid}} 1 1 2 2\n:gutter: 3\n\n{cards}::::\n")
    return "\n".join(parts)


def card(chart: str, command: str) -> str:
    """Picture, name, what it shows and the command."""
    text = VIEWS[chart]
    lines = re.sub(" (?=--?[a-z])", " \\\\\n    ", f"{command} --chart {chart}.svg")  # an option per line
    return (
        f":::{{grid-item-card}} `{chart}`: {text}\n"
        f":img-bottom: images/charts/{chart}.png\n:img-alt: {chart}: {text}\n\n"
        f"```console\n$ {lines}\n```\n:::\n"
    )


def inputs() -> None:
    """Write the files that the commands read, from fixed seeds, into the current folder."""
    rng = np.random.default_rng(3)
    heldout.demo("clinic")
    heldout.demo("before", random_state=7).path.rename("last-year.csv")
    truth = rng.integers(0, 3, 300)
    taken = np.where(rng.random(300) < 0.75, truth, rng.integers(0, 3, 300))
    names = np.array(["iris", "rose", "tulip"])
    write("flowers.csv", "y_true,y_pred", zip(names[truth], names[taken], strict=True))
    labels = rng.permutation(np.arange(20) % 2)
    write("twenty.csv", "y_true,y_score", zip(labels, np.round(rng.random(20) * 0.6 + 0.4 * labels, 2), strict=True))
    price = rng.gamma(4, 50, 400)
    write("prices.csv", "y_true,y_pred", zip(price.round(1), (price * rng.normal(1, 0.15, 400)).round(1), strict=True))
    learners = {"forest": 0.86, "boosting": 0.87, "linear": 0.82, "tree": 0.78}
    scores = np.array(list(learners.values())) + rng.normal(0, 0.05, (14, 1)) + rng.normal(0, 0.02, (14, 4))
    write("scores.csv", "dataset," + ",".join(learners), ([f"set{at}", *row] for at, row in enumerate(scores.round(3))))
    points, kind = heldout.lab.gaussian(distance=2, dimensions=4).sample(120, np.random.default_rng(6))
    write("points.csv", "a,b,c,d,kind", ([*row.round(3), "AB"[one]] for row, one in zip(points, kind, strict=True)))
    boxes(rng)
    texts(rng)
    weather = [
        (sky, wind, does) for sky in ("sunny", "rainy") for wind in ("weak", "strong") for does in ("play", "stay")
    ]
    p = (0.30, 0.05, 0.15, 0.10, 0.08, 0.12, 0.02, 0.18)
    write("weather.csv", "sky,wind,class,p", ((*row, one) for row, one in zip(weather, p, strict=True)))
    grid = "1,1,yes 2,3,yes 3,2,yes 0,4,no 5,1,no 4,5,no 0,0, 5,5,"
    write("grid.csv", "a,b,inside", (row.split(",") for row in grid.split()))
    noisy = [(x, c, 0.14 if (c == "yes") == (x > 2) else 0.06) for x in range(5) for c in ("no", "yes")]
    write("noisy.csv", "x,class,p", noisy)


def boxes(rng: np.random.Generator) -> None:
    """Objects of three sizes, and two detectors of which the second is more exact."""
    head = "image,label,x,y,w,h"
    objects, old, new = [], [], []
    for image in range(40):
        for place, size in enumerate((20, 60, 120)):
            x, label = 200 * place, ("cat", "dog")[(image + place) % 2]
            objects.append((image, label, x, 0, size, size))
            for rows, blur in ((old, 0.16), (new, 0.08)):
                dx, dy = rng.normal(0, blur * size, 2).round(1)
                rows.append((image, label, x + dx, dy, size, size, round(rng.beta(4, 2), 3)))
    write("objects.csv", head, objects)
    write("old-boxes.csv", f"{head},score", old)
    write("new-boxes.csv", f"{head},score", new)


def texts(rng: np.random.Generator) -> None:
    """References, and two systems that get some words wrong."""
    nouns, does = ["cat", "dog", "bird", "fish"], ["sees", "likes", "follows", "finds"]
    wanted = [f"the {rng.choice(nouns)} {rng.choice(does)} the old {rng.choice(nouns)} today" for _ in range(60)]
    for name, share in {"wanted": 0.0, "old": 0.25, "new": 0.10}.items():
        lines = [" ".join("thing" if rng.random() < share else word for word in line.split()) for line in wanted]
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write(name: str, head: str, rows: object) -> None:
    lines = [",".join(map(str, row)) for row in rows]  # type: ignore[attr-defined]
    Path(name).write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


def draw(chart: str, command: str) -> bytes:
    """Run the command, and give its picture small: 64 colours are enough for lines and areas."""
    words = [*shlex.split(command)[1:], "--chart", f"{chart}.png"]
    if "split" in words:
        words += ["--into", tempfile.mkdtemp(dir=".")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ended = CliRunner().invoke(verbs, words)
    if not Path(f"{chart}.png").exists():
        raise RuntimeError(f"{command} drew no {chart}\n{ended.output}") from ended.exception
    image = Image.open(f"{chart}.png").convert("RGB")
    image.thumbnail((WIDTH, 2 * WIDTH), Image.Resampling.LANCZOS)
    kept = BytesIO()
    image.quantize(64).save(kept, "PNG", optimize=True)
    return kept.getvalue()


def main(names: list[str]) -> None:
    """Draw all charts, or those named."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        inputs()
        for chart, command in GALLERY.items():
            if not names or chart in names:
                path = IMAGES / f"{chart}.png"
                path.write_bytes(draw(chart, command))
                print(f"{chart}  {path.stat().st_size / 1024:.0f} kB")  # noqa: T201 a script


if __name__ == "__main__":
    main(sys.argv[1:])
