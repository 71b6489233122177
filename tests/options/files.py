"""The files that the modes of every verb read: small, seeded, and with a column for every option that names one.

Every table of predictions has beside the usual columns others that only an option can name: gold, rating, guess, who,
mass, key, day, shop, site, part, maker. `gaps/` has the same tables with missing values, `fewer/` with fewer rows.
"""

from __future__ import annotations

import json
from pathlib import Path
from zlib import crc32

import numpy as np

import heldout
from heldout.cards.lookup import shipped_cards
from tests.language.encoders import write_encoder

ROWS = 48
CLASSES = np.array(["a", "b", "c"])
Columns = dict[str, np.ndarray]


def write_files(folder: Path) -> None:
    """Everything that the modes read, in this folder."""
    (folder / "made").mkdir()
    for name, columns in (predictions() | rows_to_learn() | several_models()).items():
        rows = len(next(iter(columns.values())))
        shuffled = np.random.default_rng(crc32(name.encode())).permutation(rows)
        write_table(folder / name, columns)
        write_table(folder / "gaps" / name, with_gaps(columns))
        write_table(folder / "fewer" / name, {key: values[: rows - 8] for key, values in columns.items()})
        write_table(
            folder / "nameless" / name, {key: values[shuffled] for key, values in columns.items() if key != "id"}
        )
    for make in (write_counts, write_scores, write_logs, write_boxes, write_masks, write_texts, write_rest, write_runs):
        make(folder)


def write_table(path: Path, columns: Columns) -> None:
    path.parent.mkdir(exist_ok=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def with_gaps(columns: Columns) -> Columns:
    """The table without every tenth prediction or feature."""
    names = ("y_score", "score_new", "p_a", "p_is_a", "y_pred", "said_a", "size", "age")
    name = next(one for one in names if one in columns)
    kept = np.arange(len(columns[name])) % 10 != 3
    return {**columns, name: np.where(kept, columns[name].astype(str), "")}


def beside(seed: int) -> Columns:
    """The columns that only an option names."""
    at, rng = np.arange(ROWS), np.random.default_rng(99)
    return {
        "id": np.char.add("r", at.astype(str)),
        "key": np.char.add("k", ((at + 5) % ROWS).astype(str)),
        "who": np.char.add("p", (at % 16).astype(str)),
        "mass": 1 + at % 3,
        "day": at // 2,
        "shop": np.array(["s", "t"])[at % 2],
        "site": np.array(["north", "south"])[(at // 3) % 2],
        "part": at % 4,
        "maker": np.repeat("m", ROWS),
        "age": rng.integers(20, 80, ROWS),
        "bmi": np.random.default_rng(seed).normal(25, 3, ROWS).round(1),
    }


def predictions() -> dict[str, Columns]:
    """Tables of predictions of four models on the same rows, for every task."""
    tables: dict[str, Columns] = {}
    made = np.random.default_rng(0)
    truth, kind, real = made.integers(0, 2, ROWS), made.integers(0, 3, ROWS), made.normal(10, 2, ROWS).round(3)
    tags = made.integers(0, 2, (ROWS, 3))
    for seed, model in enumerate(("old", "new", "third", "anchor"), 1):
        rng = np.random.default_rng(seed)
        score, rating = (np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0.02, 0.98).round(3) for _ in range(2))
        drawn = [
            (rng.multinomial(600, rng.dirichlet((2, 2, 2), ROWS)) + 400 * np.eye(3)[kind]) / 1000 for _ in range(2)
        ]
        marks = [np.where(rng.random((ROWS, 3)) < 0.2, 1 - tags, tags) for _ in range(2)]
        found = [(real + rng.normal(0, spread, ROWS)).round(3) for spread in (1, 2)]
        more = beside(seed) | {"rating": rating, "logits": (8 * score - 4).round(3)} | by_class("q_", drawn[1])
        binary = {"y_true": truth, "gold": np.roll(truth, 1), "guess": (rating >= 0.5).astype(int)}
        words = {"y_true": CLASSES[kind], "gold": np.roll(CLASSES[kind], 1), "guess": CLASSES[drawn[1].argmax(axis=1)]}
        numbers = {"y_true": real, "gold": real + 1, "y_pred": found[0], "guess": found[1]}
        several = by_class("is_", tags) | by_class("gold_", tags[::-1]) | by_class("guess_", marks[1])
        labels = {"y_pred": (score >= 0.5).astype(int)}
        tables |= {
            f"labels-{model}.csv": more | binary | labels,
            f"scores-{model}.csv": more | binary | {"y_score": score},
            f"both-{model}.csv": more | binary | {"y_score": score} | labels,
            f"words-{model}.csv": more | words | {"y_pred": CLASSES[drawn[0].argmax(axis=1)]},
            f"shares-{model}.csv": more | words | by_class("p_", drawn[0]),
            f"tags-{model}.csv": more | several | by_class("said_", marks[0]),
            f"chances-{model}.csv": more | several | by_class("p_is_", 0.1 + 0.8 * (0.3 * drawn[0] + 0.7 * marks[0])),
            f"numbers-{model}.csv": more | numbers,
        }
    return tables


def by_class(prefix: str, values: np.ndarray) -> Columns:
    return {f"{prefix}{name}": values[:, i].round(6) for i, name in enumerate(CLASSES)}


def rows_to_learn() -> dict[str, Columns]:
    """Features with a class, and features with a number."""
    rng, at = np.random.default_rng(7), np.arange(60)
    kind = rng.integers(0, 2, 60)
    features = {"size": rng.normal(kind, 1).round(3), "width": rng.normal(2 * kind, 2).round(3)}
    more = {
        "who": at // 3, "day": at, "site": at % 2, "mass": 1 + at % 3, "part": at % 3,
    }  # fmt: skip
    number = (features["size"] + rng.normal(0, 1, 60)).round(3)
    return {
        "classes.csv": {**features, **more, "sick": np.array(["no", "yes"])[kind]},
        "kinds.csv": {**features, **more, "sick": CLASSES[np.minimum(kind + at % 2, 2)]},
        "amounts.csv": {**features, **more, "sick": number},
    }


def several_models() -> dict[str, Columns]:
    """The rows of two models below each other and side by side; training rows, and rows of an earlier test."""
    tables = predictions()
    old, new = tables["scores-old.csv"], tables["scores-new.csv"]
    stacked = {name: np.concatenate([old[name], new[name]]) for name in old}
    said = ("y_score", "rating", "logits", "guess", "q_a", "q_b", "q_c")
    left = {name: values for name, values in old.items() if name not in said}
    return {
        "stacked.csv": {**stacked, "maker": np.repeat(["old", "new"], ROWS)},
        "wide.csv": {**left, "score_old": old["y_score"], "score_new": new["y_score"], "score_gold": new["rating"]},
        "train.csv": {**left, "age": left["age"] + 5, "key": np.char.add("t", left["key"])},
        "unlike.csv": {**new, "id": np.char.add("x", new["id"]), "y_score": (new["y_score"] * 0.7).round(3)},
    }


def write_counts(folder: Path) -> None:
    """Confusion matrices, counts by class, and costs."""
    (folder / "confusion.csv").write_text(",no,yes\nno,40,10\nyes,5,45\n", encoding="utf-8")
    (folder / "confusion3.csv").write_text(",a,b,c\na,20,3,2\nb,4,15,1\nc,2,3,30\n", encoding="utf-8")
    (folder / "classes-counts.csv").write_text("class,tp,fp,fn\na,20,6,5\nb,15,6,5\nc,30,3,5\n", encoding="utf-8")
    for name, labels in (("costs-01", "01"), ("costs-abc", "abc"), ("costs-words", ("no", "yes"))):
        rows = [
            f"{a}," + ",".join(str(3 * (i > j) + 2 * (i < j)) for j in range(len(labels))) for i, a in enumerate(labels)
        ]
        (folder / f"{name}.csv").write_text("\n".join(["," + ",".join(labels), *rows]) + "\n", encoding="utf-8")


def write_scores(folder: Path) -> None:
    """Scores of cross-validation folds, and of learners on data sets."""
    rng = np.random.default_rng(3)
    for name, mean in (("folds-old", 0.8), ("folds-new", 0.83)):
        values = rng.normal(mean, 0.02, 10).round(4)
        (folder / f"{name}.txt").write_text("\n".join(map(str, values)) + "\n", encoding="utf-8")
    sets = {"dataset": np.char.add("d", np.arange(12).astype(str))}
    write_table(
        folder / "sets.csv",
        {
            **sets,
            **{one: rng.normal(0.7 + 0.04 * i, 0.03, 12).round(4) for i, one in enumerate(("svm", "tree", "forest"))},
        },
    )


def write_logs(folder: Path) -> None:
    """Evaluation logs of two models on the same samples."""
    for seed, model in enumerate(("old", "new", "third"), 5):
        right = np.random.default_rng(seed).random(20) < 0.6 + 0.05 * seed / 5
        lines = [
            {
                "doc_id": i, "doc": {"question": f"{i} + 1", "answer": str(i + 1), "subject": f"s{i % 7}",
                "mass": 1 + i % 3},
                "target": str(i + 1), "arguments": {"gen_args_0": {"arg_0": f"{i} + 1 =", "arg_1": {"until": ["\n"]}}},
                "resps": [["x"]], "filtered_resps": [str(i + 1) if hit else "x"], "filter": "none",
                "metrics": ["exact_match", "other"], "exact_match": float(hit), "other": float(i % 3 > 0),
            }
            for i, hit in enumerate(right.tolist())
        ]  # fmt: skip
        gaps = [{**line, "doc": {**line["doc"], "mass": None}} if line["doc_id"] % 9 == 4 else line for line in lines]
        for place, kept in ((folder, lines), (folder / "fewer", lines[:-4]), (folder / "gaps", gaps)):
            (place / f"lm-{model}.jsonl").write_text("\n".join(map(json.dumps, kept)) + "\n", encoding="utf-8")
        samples = [
            {
                "id": f"q{i}", "epoch": 1, "input": f"{i} + 1", "target": str(i + 1),
                "metadata": {"subject": f"s{i % 7}", "mass": 1 + i % 3},
                "scores": {"match": {"value": "C" if hit else "I"}, "other": {"value": "C" if i % 3 else "I"}},
            }
            for i, hit in enumerate(right.tolist())
        ]  # fmt: skip
        for place, missing in ((folder, -1), (folder / "gaps", 4)):
            kept = [
                {**one, "metadata": {**one["metadata"], **({"mass": None} if i == missing else {})}}
                for i, one in enumerate(samples)
            ]
            log = {"version": 2, "status": "success", "eval": {"task": "sums", "model": model}, "samples": kept}
            (place / f"inspect-{model}.json").write_text(json.dumps(log), encoding="utf-8")


def write_boxes(folder: Path) -> None:
    """Objects and detections of two models, as tables and as COCO files, and a list of matched detections."""
    rng = np.random.default_rng(4)
    images, labels = np.repeat(np.arange(10), 2), np.tile(["cat", "dog"], 10)
    x, y = 100 * np.tile([0, 1], 10), np.zeros(20, dtype=int)
    size = np.where(images < 5, 30, 60)
    truth = {"image": images, "label": labels, "x": x, "y": y, "w": size, "h": size}
    write_table(folder / "boxes.csv", truth)
    categories = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
    kinds = np.where(labels == "cat", 1, 2)

    def object_of(i: int, left: float, size: float) -> dict[str, object]:
        corners = [left, 0.0, left + size, 0.0, left + size / 2, size]  # a triangle: masks overlap less than boxes
        return {"image_id": int(images[i]), "category_id": int(kinds[i]), "bbox": [left, 0.0, size, size],
                "segmentation": [corners], "area": size * size, "iscrowd": 0}  # fmt: skip

    whole = {
        "images": [{"id": i, "file_name": f"{i}.png", "width": 200, "height": 100} for i in range(10)],
        "categories": categories,
        "annotations": [{"id": i + 1, **object_of(i, float(x[i]), float(size[i]))} for i in range(20)],
    }
    (folder / "coco.json").write_text(json.dumps(whole), encoding="utf-8")
    for name, spread in (("old", 9), ("new", 4), ("third", 6)):
        shifted = np.maximum(0, x + rng.integers(0, spread, 20))
        score = rng.uniform(0.2, 0.95, 20).round(3)
        said = np.where(rng.random(20) < 0.15, labels[::-1], labels)
        write_table(folder / f"boxes-{name}.csv", {**truth, "label": said, "x": shifted, "score": score})
        found = [
            {
                **object_of(i, float(shifted[i]), float(size[i])),
                "category_id": 1 + int(said[i] == "dog"),
                "score": float(score[i]),
            }
            for i in range(20)
        ]
        (folder / f"coco-{name}.json").write_text(json.dumps(found), encoding="utf-8")
    write_table(
        folder / "ranked.csv",
        {"score": np.arange(12)[::-1] / 12, "correct": np.array([1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0])},
    )


def write_masks(folder: Path) -> None:
    """Label maps of ten images, of the truth and of two models."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, (10, 6, 7)).astype(np.uint8)
    for name, share in (("masks", 0.0), ("masks-old", 0.4), ("masks-new", 0.1)):
        (folder / name).mkdir(exist_ok=True)
        wrong = rng.random(truth.shape) < share
        maps = np.where(wrong, rng.integers(0, 3, truth.shape), truth).astype(np.uint8)
        for i, one in enumerate(maps):
            np.save(folder / name / f"{i}.npy", one)


def write_texts(folder: Path) -> None:
    """References, a second file of references, two systems, and the document of each segment."""
    rng = np.random.default_rng(9)
    words = np.array(
        "The people of foreign towns like small red cars and old green houses by the sea very much".split()  # noqa: SIM905
    )
    wanted = [list(rng.permutation(words)[:9]) for _ in range(12)]
    files = {"references": 0.0, "more-references": 0.3, "system-old": 0.5, "system-new": 0.2}
    for name, share in files.items():
        lines = [" ".join(rng.choice(words) if rng.random() < share else word for word in line) for line in wanted]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "documents.txt").write_text("\n".join(f"d{i // 2}" for i in range(12)) + "\n", encoding="utf-8")


CANDIDATES = """
[nb]
learner = "sklearn.naive_bayes:GaussianNB"

[nearest]
learner = "sklearn.neighbors:KNeighborsClassifier"

[nearest.grid]
n_neighbors = [1, 5]
"""
METRICS = """
import numpy as np

import heldout
from tests.language.encoders import write_encoder
import heldout
from tests.language.encoders import write_encoder


def loss(truth, told):
    if truth.dtype.kind == "f":
        return np.abs(truth - told) ** 1.5
    return 2.0 * (truth != told).reshape(len(truth), -1).mean(axis=1)


heldout.define("own", loss)
"""
WEATHER = """sky,wind,class,p,model,easy
sunny,weak,play,0.30,play,play
sunny,weak,stay,0.05,play,play
sunny,strong,play,0.15,stay,play
sunny,strong,stay,0.10,stay,play
rainy,weak,play,0.08,stay,stay
rainy,weak,stay,0.12,stay,stay
rainy,strong,play,0.02,stay,stay
rainy,strong,stay,0.18,stay,stay
"""
WIDE = "x,class,p\n1,30,10\n2,20,40\n"
BIKE = """sky,wind,road,ride,walk
sunny,weak,dry,yes,yes
sunny,strong,dry,yes,no
rainy,strong,wet,no,no
cloudy,weak,dry,,
rainy,weak,wet,,
sunny,weak,wet,,
"""


def write_runs(folder: Path) -> None:
    """Two recorded results."""
    for name in ("old", "new"):
        heldout.evaluate(folder / f"scores-{name}.csv").save(
            folder / ".heldout", name={"old": "first", "new": "second"}[name]
        )


def write_rest(folder: Path) -> None:
    """Candidates, a metric of the user's own, and tables of joint probabilities and concepts."""
    write_encoder(folder / "encoder")
    (folder / "candidates.toml").write_text(CANDIDATES, encoding="utf-8")
    (folder / "metrics.py").write_text(METRICS, encoding="utf-8")
    weather = {
        "": WEATHER, "wide": WIDE, "other": WEATHER.replace("class", "kind"),
        "counts": WEATHER.replace(",p,", ",mass,"),
    }  # fmt: skip
    for place, text in weather.items():
        (folder / place).mkdir(exist_ok=True)
        (folder / place / "weather.csv").write_text(text, encoding="utf-8")
    (folder / "bike.csv").write_text(BIKE, encoding="utf-8")
    frozen = {"schema": "heldout.threshold/1", "threshold": 0.3, "positive": 1}
    (folder / "threshold.json").write_text(json.dumps(frozen), encoding="utf-8")
    cards = shipped_cards()
    fewer = {name: cards["features"][name] for name in list(cards["features"])[:50]}
    (folder / "cards.json").write_text(json.dumps({**cards, "features": fewer}), encoding="utf-8")
    (folder / "numbers.txt").write_text("0.3\n-1.2\n2.2\n0.8\n", encoding="utf-8")
