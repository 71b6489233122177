"""Sound contents of every kind that heldout reads, small and made from a random state: what mutations begin with."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.fuzz.contents import Content, Lines, Pixels, Raw, Table, Tree

WORDS = ("cat", "dog", "emu")


def beside(rng: Random, size: int) -> dict[str, list[Any]]:
    """Some of the columns that may stand beside truth and predictions."""
    columns: dict[str, list[Any]] = {
        "id": [f"r{k}" for k in range(size)],
        "group": [f"g{k // 2}" for k in range(size)],
        "weight": [rng.choice((0.5, 1.0, 2.0)) for _ in range(size)],
        "time": [k + 1 for k in range(size)],
        "site": [rng.choice("uv") for _ in range(size)],
        "fold": [k % 3 for k in range(size)],
    }
    return {name: values for name, values in columns.items() if rng.random() < 0.4}


def mixed_labels(rng: Random, size: int, names: tuple[Any, ...]) -> list[Any]:
    """Labels among which every class occurs, as long as there are rows enough."""
    labels = [names[k % len(names)] for k in range(size)]
    rng.shuffle(labels)
    return labels


def scores(rng: Random, size: int = 14) -> Table:
    names = rng.choice(((0, 1), ("no", "yes"), (False, True), ("ill", "well")))
    truth = mixed_labels(rng, size, names)
    score = [round(0.3 * (label == names[1]) + 0.69 * rng.random(), 3) for label in truth]
    return Table({"y_true": truth, "y_score": score, **beside(rng, size)})


def labels(rng: Random, size: int = 14) -> Table:
    names = rng.choice(((0, 1), WORDS, ("no", "yes"), (1, 2, 3)))
    truth = mixed_labels(rng, size, names)
    predicted = [label if rng.random() < 0.7 else rng.choice(names) for label in truth]
    return Table({"y_true": truth, "y_pred": predicted, **beside(rng, size)})


def classes(rng: Random, size: int = 14) -> Table:
    truth = mixed_labels(rng, size, WORDS)
    shares = [[rng.random() + (word == label) for word in WORDS] for label in truth]
    columns = {f"p_{word}": [round(one[k] / sum(one), 9) for one in shares] for k, word in enumerate(WORDS)}
    columns["p_emu"] = [1 - a - b for a, b in zip(columns["p_cat"], columns["p_dog"], strict=True)]
    return Table({"y_true": truth, **columns, **beside(rng, size)})


def numbers(rng: Random, size: int = 14) -> Table:
    truth = [round(rng.gauss(5, 2), 3) for _ in range(size)]
    return Table({"y_true": truth, "y_pred": [round(y + rng.gauss(0, 1), 3) for y in truth], **beside(rng, size)})


def several_labels(rng: Random, size: int = 14) -> Table:
    def bits() -> list[Any]:
        return [rng.randrange(2) for _ in range(size)]

    return Table({"y_true_a": bits(), "y_true_b": bits(), "y_pred_a": bits(), "y_pred_b": bits(), **beside(rng, size)})


def features(rng: Random, size: int = 24) -> Table:
    """Rows to learn from."""
    columns: dict[str, list[Any]] = {
        "x1": [round(rng.gauss(0, 1), 2) for _ in range(size)],
        "x2": [round(rng.gauss(0, 1), 2) for _ in range(size)],
    }
    plain = {name: values for name, values in beside(rng, size).items() if name in ("weight", "time", "fold")}
    if rng.random() < 0.4:
        plain["group"] = [k // 2 for k in range(size)]
    y = mixed_labels(rng, size, rng.choice(((0, 1), ("n", "p"), WORDS)))
    return Table({**columns, **plain, "y": y if rng.random() < 0.8 else columns["x1"][::-1]})


def counts(rng: Random) -> Table:
    """A confusion matrix, or costs: the classes in the header and in the first column."""
    names = rng.choice((("no", "yes"), WORDS, ("0", "1")))
    return Table({"": list(names), **{name: [rng.randrange(20) for _ in names] for name in names}})


def class_counts(rng: Random) -> Table:
    return Table({"class": list(WORDS), **{name: [rng.randrange(20) for _ in WORDS] for name in ("tp", "fp", "fn")}})


def fold_scores(rng: Random) -> Content:
    values = [round(0.8 + 0.1 * rng.random(), 3) for _ in range(6)]
    if rng.random() < 0.5:
        return Lines([str(value) for value in values])
    return Table({"fold": [k // 2 for k in range(6)], "learner": list("ababab"), "accuracy": values})


def set_scores(rng: Random) -> Table:
    learners = {name: [round(rng.random(), 3) for _ in range(6)] for name in ("tree", "forest", "knn")}
    return Table({"dataset": [f"s{k}" for k in range(6)], **learners})


def joint_table(rng: Random) -> Table:
    """Probabilities of every point and class."""
    points = [(sky, wind, label) for sky in ("sun", "rain") for wind in ("weak", "strong") for label in ("yes", "no")]
    columns = {name: [point[k] for point in points] for k, name in enumerate(("sky", "wind", "class"))}
    return Table({**columns, "p": [0.125] * 8, "mine": [rng.choice(("yes", "no"))] * 8})


def concept(rng: Random) -> Table:
    """Rows of a concept, some of them not labelled."""
    rows = [(rng.choice(("sun", "rain")), rng.choice(("dry", "wet")), rng.randrange(4)) for _ in range(6)]
    label = [None if k > 3 else "yes" if rows[k][0] == "sun" else "no" for k in range(6)]
    return Table({**{name: [row[k] for row in rows] for k, name in enumerate(("sky", "road", "size"))}, "ride": label})


def box_table(rng: Random, *, found: bool) -> Table:
    size = 6
    columns: dict[str, list[Any]] = {"image": [f"i{k // 2}" for k in range(size)], "label": list("abaabb")}
    columns |= {name: [rng.randrange(20) for _ in range(size)] for name in "xy"}
    columns |= {name: [10 + rng.randrange(10) for _ in range(size)] for name in "wh"}
    return Table({**columns, "score": [round(rng.random(), 2) for _ in range(size)]} if found else columns)


def ranked(rng: Random) -> Table:
    return Table({"correct": [rng.randrange(2) for _ in range(8)], "score": [round(rng.random(), 2) for _ in range(8)]})


def segmentation(rng: Random, x: float, y: float) -> Any:
    if rng.random() < 0.5:
        return [[x, y, x + 8, y, x + 8, y + 8, x, y + 8]]
    return {"size": [32, 32], "counts": [int(x) * 32 + int(y), 40, 1024 - 40 - int(x) * 32 - int(y)]}


def coco(rng: Random, *, found: bool) -> Tree:
    """Objects in three images, or detections of them."""
    lines = []
    for k in range(5):
        x, y = rng.randrange(16), rng.randrange(16)
        line: dict[str, Any] = {"image_id": 1 + k % 3, "category_id": 1 + k % 2, "bbox": [x, y, 8, 8]}
        line["segmentation"] = segmentation(rng, x, y)
        lines.append(line | ({"score": round(rng.random(), 2)} if found else {"id": k + 1, "area": 64, "iscrowd": 0}))
    if found:
        return Tree(lines)
    images = [{"id": k, "width": 32, "height": 32, "file_name": f"{k}.png"} for k in (1, 2, 3)]
    return Tree(
        {"images": images, "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "annotations": lines}
    )


def label_map(rng: Random) -> Pixels:
    array = np.array([[rng.randrange(3) for _ in range(5)] for _ in range(4)], np.uint8)
    return Pixels(array, rng.choice(("png", "npy", "tiff")))


def texts(rng: Random, count: int = 5) -> Content:
    pool = ("the", "cat", "sat", "on", "a", "mat", "rain", "falls", ".", "12%")
    lines = [" ".join(rng.choices(pool, k=rng.randrange(1, 7))) for _ in range(count)]
    if rng.random() < 0.3:
        return Tree([{"pred": line, "ref": line, "doc": k // 2} for k, line in enumerate(lines)], "jsonl")
    return Lines(lines)


def harness_log(rng: Random) -> Tree:
    """A sample log of lm-evaluation-harness."""
    return Tree(
        [
            {"doc_id": k, "doc": {"question": f"{k} + 1", "subject": "ab"[k % 2]}, "target": str(k + 1),
             "arguments": {"gen_args_0": {"arg_0": f"{k} + 1 ="}}, "resps": [["4"]], "filtered_resps": ["4"],
             "filter": "none", "metrics": ["exact_match"], "exact_match": float(rng.randrange(2))}
            for k in range(5)
        ],
        "jsonl",
    )  # fmt: skip


def inspect_log(rng: Random) -> Tree:
    """A log of Inspect, as one JSON file or as an archive."""
    samples = [
        {"id": f"s{k // 2}", "epoch": 1 + k % 2, "input": f"question {k // 2}", "target": "x",
         "metadata": {"part": "ab"[k // 4]}, "scores": {"match": {"value": rng.choice("CI"), "answer": "x"}}}
        for k in range(6)
    ]  # fmt: skip
    header = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    if rng.random() < 0.5:
        return Tree({**header, "samples": samples})
    return Tree({"header.json": header, **{f"samples/{k}.json": one for k, one in enumerate(samples)}}, "eval")


def threshold(rng: Random) -> Tree:
    return Tree(
        {"schema": "heldout.threshold/1", "threshold": round(rng.random(), 2), "positive": 1, "rows": "ab" * 32}
    )


def candidates(rng: Random) -> Tree:
    tree = {
        "learner": "sklearn.tree:DecisionTreeClassifier(random_state=0)",
        "complexity": 2,
        "parameters": {"min_samples_leaf": 2},
        "grid": {"max_depth": [1, 2]},
    }
    bayes = {
        "learner": "sklearn.naive_bayes:GaussianNB",
        "grid": {"var_smoothing": {"low": 1e-9, "high": 0.1, "log": True}},
    }
    return Tree({"tree": tree, "bayes": bayes} if rng.random() < 0.5 else {"tree": tree}, "toml")


METRIC = Raw(
    b"import numpy as np\nimport heldout\n\n"
    b'heldout.define("lateness", lambda truth, predicted: np.maximum(truth - predicted, 0))\n'
)
"""A file for --define. It is the user's own code, so it is not mutated."""
