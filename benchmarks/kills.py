"""A validation of 2,000 fits that is killed 100 times at random moments, beside one that is left alone.

Both must end with the same bytes: the same JSON and the same files of fits. `make kills` writes
docs/measured/kills.json; KILLS=10 FITS=200 runs fewer, and then writes nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.machine import machine, versions
from benchmarks.pages import MEASURED

PATH = MEASURED / "kills.json"
KILLS, FITS, FOLDS = 100, 2000, 20
LEARNER = '''
import numpy as np


class Centroid:
    """Predicts the class whose mean is nearest."""

    def get_params(self, deep=True):
        return {}

    def set_params(self, **given):
        return self

    def fit(self, X, y):
        X, y = np.asarray(X), np.asarray(y)
        self.classes_ = np.unique(y)
        self.means = np.array([X[y == one].mean(axis=0) for one in self.classes_])
        return self

    def predict(self, X):
        far = ((np.asarray(X)[:, None, :] - self.means) ** 2).sum(axis=2)
        return self.classes_[far.argmin(axis=1)]
'''
STARTING, FITTING = "while it starts", "while it fits"


def command(run: str, fits: int, jobs: int) -> list[str]:
    """The same validation in a run folder."""
    splits = f"{fits // FOLDS}x{FOLDS}"
    return [
        *(sys.executable, "-m", "heldout", "validate", "learner.py:Centroid", "--data", "rows.csv", "--target", "y"),
        *("--cv", splits, "--run", run, "--json", "--n-jobs", str(jobs)),
    ]


def prepared(folder: Path) -> None:
    """Rows to learn from, and the learner."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    lines = [",".join(map(str, (*line, label))) for line, label in zip(np.round(X, 6), y, strict=True)]
    (folder / "rows.csv").write_text("\n".join(["a,b,c,y", *lines]) + "\n", encoding="utf-8")
    (folder / "learner.py").write_text(LEARNER, encoding="utf-8")


def finished(folder: Path, run: str, fits: int) -> bytes:
    """Run to the end; what it prints."""
    done = subprocess.run(command(run, fits, 1), cwd=folder, stdout=subprocess.PIPE, check=True)  # noqa: S603 our own
    return done.stdout


def pieces(folder: Path, run: str) -> int:
    """How many files of fits there are."""
    return sum(1 for _ in (folder / run / "pieces").glob("[!.]*.parquet"))


def digests(folder: Path, run: str) -> dict[str, str]:
    """The hash of every file of fits."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / run / "pieces").iterdir())
    }


def killed(folder: Path, fits: int, most: int, rng: np.random.Generator) -> dict[str, Any] | None:
    """Start the validation and kill it at a random moment, after so many fits at most; None where it had ended."""
    jobs = 2 if rng.uniform() < 0.2 else 1
    while_starting = rng.uniform() < 0.25
    before, wanted = pieces(folder, "killed"), int(rng.integers(1, most + 1))
    process = subprocess.Popen(command("killed", fits, jobs), cwd=folder, stdout=subprocess.DEVNULL)  # noqa: S603 our own
    if while_starting:
        time.sleep(rng.uniform(0, 3))
    else:
        while process.poll() is None and abs(pieces(folder, "killed") - before) < wanted:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.03))
    process.send_signal(signal.SIGKILL)
    if process.wait() != -signal.SIGKILL:
        return None
    return {"when": STARTING if while_starting else FITTING, "jobs": jobs, "files": pieces(folder, "killed")}


def measured(kills: int, fits: int) -> dict[str, Any]:
    """Kill so often, then let it end; whether the bytes are those of a run that was left alone."""
    rng = np.random.default_rng(0)
    with TemporaryDirectory() as place:
        folder = Path(place)
        prepared(folder)
        calm = finished(folder, "calm", fits)
        moments: list[dict[str, Any]] = []
        too_late = 0
        while len(moments) < kills:
            moment = killed(folder, fits, 2 * fits // kills, rng)
            too_late += moment is None
            moments += [] if moment is None else [moment]
            sys.stderr.write(f"\r{len(moments)} of {kills} kills, {pieces(folder, 'killed'):,} files of fits ")
        last = finished(folder, "killed", fits)
        same = {"json": last == calm, "files": digests(folder, "killed") == digests(folder, "calm")}
        left = sorted(path.name for path in (folder / "killed").rglob("*.part"))
    return {
        "fits": fits,
        "kills": kills,
        "ended_before_the_signal": too_late,
        **{f"kills {when}": sum(one["when"] == when for one in moments) for when in (STARTING, FITTING)},
        "kills with two jobs": sum(one["jobs"] == 2 for one in moments),
        "same_json": same["json"],
        "same_files": same["files"],
        "temporary_files_left": len(left),
        "met": all(same.values()) and not left,
        "moments": moments,
    }


def main() -> int:
    """Run, write what was measured, and say whether the bytes are the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--fits", type=int, default=FITS)
    asked = parser.parse_args()
    found = {"machine": machine(), "versions": versions(), **measured(asked.kills, asked.fits)}
    if (asked.kills, asked.fits) == (KILLS, FITS):
        PATH.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"\n{json.dumps({name: one for name, one in found.items() if name != 'moments'})}\n")
    return 0 if found["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
