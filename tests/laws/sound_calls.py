"""What every command prints for a sound call, as JSON: `python -m tests.laws.sound_calls [backwards]`.

The laws of determinism run it in several processes and compare what they print.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.cases import Case, finished
from tests.fuzz.contents import Content, Lines, Pixels, Table, Tree
from tests.fuzz.recipes import RECIPES
from tests.fuzz.running import outcome

SEVERAL = {"evaluate": 6, "compare": 6, "gate": 3, "text": 2, "detect": 3, "masks": 2, "validate": 2, "select": 2}
"""Verbs of which several calls are made; of others one."""
TRIES = 40
"""Drafts of a command among which a sound one is sought."""
LEFT_OUT = ("demo", "lab split-cards", "lab corpus-cards", "lab outside", "lab held-out", "lab cards")
"""Commands that print how long they took, or take minutes."""


def calls() -> Iterator[tuple[str, Case]]:
    """Calls of every command, by a name: small ones, and large ones of verbs that resample."""
    for command, (_, recipe) in RECIPES.items():
        name = " ".join(command)
        for number in range(SEVERAL.get(command[0], 1)) if name not in LEFT_OUT else ():
            drafts = (recipe(Random(f"{name} {number} {at}")) for at in range(TRIES))
            cases = (finished(draft, draft.files, "sound", ("again",), Random(0)) for draft in drafts)
            sound = next((case for case in cases if outcome(case).code != 2), None)
            assert sound is not None, f"no sound call of {name} among {TRIES}"
            yield f"{name} {number}", sound
    yield from large_calls()


def large_calls() -> Iterator[tuple[str, Case]]:
    """Rows enough for libraries to share them out among threads."""
    rng = np.random.default_rng(0)
    size = 20_000
    truth = rng.integers(0, 2, size)
    group = rng.integers(0, size // 4, size).tolist()
    models = {
        name: Table(
            {
                "y_true": truth.tolist(),
                "y_score": np.clip(gain * truth + rng.random(size) / 2, 0, 1).tolist(),
                "group": group,
            },
            form,
        )
        for name, gain, form in (("old.csv", 0.3, "csv"), ("new.parquet", 0.4, "parquet"))
    }
    quick: tuple[tuple[str, ...], ...] = (("--n-resamples", "200"), ("--json",))
    yield "many rows", Case(("evaluate",), (("old.csv",), ("--method", "percentile"), *quick), {**models})
    yield "many rows in chunks", Case(("evaluate",), (("new.parquet",), ("--memory", "100K"), *quick), {**models})
    for more in ((("--test", "permutation"),), (("--unpaired",),)):
        words = (("old.csv",), ("new.parquet",), ("--metric", "roc_auc,brier,f1"), *more, *quick)
        yield f"many rows {more[0]}", Case(("compare",), words, {**models})
    words = ("the", "cat", "sat", "on", "a", "mat")
    texts: dict[str, Content] = {
        f"{name}.txt": Lines([" ".join(rng.choice(words, 8)) for _ in range(300)]) for name in ("refs", "one", "two")
    }
    yield "many texts", Case(("text",), (*((name,) for name in texts), *quick), texts)
    maps: dict[str, Content] = {
        f"{side}/{k}.npy": Pixels(rng.integers(0, 3, (40, 40)).astype(np.uint8), "npy")
        for side in ("truth", "one", "two")
        for k in range(30)
    }
    yield "many masks", Case(("masks",), (("truth",), ("one",), ("two",), ("--json",)), maps)
    yield "many boxes", Case(("detect",), (("truth.json",), ("one.json",), ("two.json",), *quick), boxes(rng))


def boxes(rng: np.random.Generator) -> dict[str, Content]:
    """Objects in eighty images, and two detectors."""
    places = rng.integers(0, 60, (400, 2)).tolist()
    lines = [{"image_id": k % 80, "category_id": 1 + k % 3, "bbox": [x, y, 20, 20]} for k, (x, y) in enumerate(places)]
    truth = {
        "images": [{"id": k, "width": 100, "height": 100} for k in range(80)],
        "categories": [{"id": k, "name": f"c{k}"} for k in (1, 2, 3)],
        "annotations": [{**line, "id": k, "area": 400, "iscrowd": 0} for k, line in enumerate(lines)],
    }
    found = {
        f"{name}.json": Tree(
            [{**line, "score": float(score)} for line, score in zip(lines, rng.random(400), strict=True)]
        )
        for name in ("one", "two")
    }
    return {"truth.json": Tree(truth), **found}


def printed(*, backwards: bool = False) -> dict[str, Any]:
    """Exit code, output and messages of every call, made in this order or from the last to the first."""
    made = dict(calls())
    order = reversed(made) if backwards else made
    ended = {name: outcome(replace(made[name], forms=())) for name in order}
    return {name: [ended[name].code, ended[name].out, ended[name].err] for name in made}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        json.dump(printed(backwards="backwards" in sys.argv), sys.stdout)
