"""Every file of a folder of nasty inputs through the command line, against the outcome its manifest wants.

    python tests/nasty/run.py DIR

DIR/manifest.json lists files with a kind, what is wrong with them, the outcome wanted, words a helpful message has, and
figures where the file is legal. Options are chosen by the kind and by the columns that a file has, never by its name.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

PICTURES = {"coco-gt": "detect", "coco-dt": "detect", "boxes": "detect", "mask": "masks"}
"""Kinds of files with boxes or masks, and the verb that judges them."""
TEXTS = ("text-ref", "text-hyp")
KINDS = ("predictions", "confusion", "costs", "leak", "pair", "cv", *PICTURES, *TEXTS)
"""What the command line can judge so far."""
NOT_FEATURES = ("part", "group", "time")
TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the command line did with one file."""

    code: int
    said: str
    """All of its output."""
    result: dict[str, Any] | None
    """The JSON, where it got that far."""

    @property
    def remarks(self) -> str:
        """Checks and notes: what a reader is told beside the figures."""
        found = self.result or {}
        estimates = {} if "differences" in found else told_of(found)
        named = [*estimates.items(), *((one["metric"], one) for one in found.get("differences", ()))]
        notes = [f"{name}: {note}" for name, one in named for note in one.get("notes") or ()]
        return "\n".join([*(check["text"] for check in found.get("checks", ())), *notes])


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How one file ended: agree, differ or not answered, and why."""

    file: str
    kind: str
    ending: str
    why: str = ""


def told_of(found: dict[str, Any]) -> dict[str, Any]:
    """The estimates by name; of models on the same images or texts, those of the first."""
    estimates: dict[str, Any] = found.get("estimates", {})
    return estimates[found["models"][0]] if estimates and "models" in found else estimates


def answer(arguments: list[str], verb: str = "evaluate") -> Answer:
    """Run `heldout evaluate`, or another verb, as it would run in a shell."""
    from heldout.cli import verbs

    run = CliRunner().invoke(verbs, [verb, *arguments, "--format", "json"])
    said = run.output + (f"\nTraceback: {run.exception!r}" if run.exception and not _is_exit(run.exception) else "")
    try:
        result = json.loads(run.stdout) if run.exit_code == 0 else None
    except ValueError:
        result = None
    return Answer(code=run.exit_code, said=said, result=result)


def _is_exit(problem: BaseException) -> bool:
    return isinstance(problem, SystemExit)


def header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as lines:
        return next(csv.reader(lines), [])


def leak_arguments(path: Path, training: Path, folder: Path) -> list[str]:
    """A file with a column `part` is divided by it; any other is held against the training file.

    These files have no predictions: a copy of the last column that may be one predicts it perfectly.
    """
    names = header(path)
    judged = [name for name in names if name not in NOT_FEATURES][-1]
    named = ["--truth", judged, "--pred", PREDICTED]
    if "part" not in names:
        test = _predicted(path, judged, folder / path.name)
        return [str(test), *named, *([] if path == training else ["--train", str(training)])]
    for part in ("test", "train"):
        _predicted(path, judged, folder / f"{part}.csv", part)
    return [str(folder / "test.csv"), *named, "--train", str(folder / "train.csv")]


PREDICTED = "predicted"


def _predicted(path: Path, judged: str, copy: Path, part: str | None = None) -> Path:
    """A copy with a column that predicts another one perfectly; of some rows, where a part is named."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    with copy.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, [*header(path), PREDICTED])
        writer.writeheader()
        writer.writerows({**row, PREDICTED: row[judged]} for row in rows if part is None or row["part"] == part)
    return copy


def arguments(entry: dict[str, Any], folder: Path, entries: list[dict[str, Any]], scratch: Path) -> list[str]:
    """The options for a file of this kind."""
    path = folder / entry["file"]
    if entry["kind"] == "confusion":
        return ["--confusion", str(path)]
    if entry["kind"] == "costs":
        legal = next(e for e in entries if e["kind"] == "predictions" and e["expect"]["outcome"] == "ok")
        return [str(folder / legal["file"]), "--cost", str(path)]
    if entry["kind"] == "leak":
        training = next(e for e in entries if e["kind"] == "leak" and e["expect"]["outcome"] == "ok")
        return leak_arguments(path, folder / training["file"], scratch)
    if entry["kind"] == "pair":  # each file is held against the first, the first against itself
        first = next(e for e in entries if e["kind"] == "pair")
        return [str(folder / first["file"]), str(path)]
    if entry["kind"] == "cv":
        return ["--fold-scores", str(path)]
    if entry["kind"] in PICTURES:
        return pictured(entry, folder, entries)
    if entry["kind"] in TEXTS:
        return [str(folder / next(e["file"] for e in entries if e["kind"] == "text-ref")), str(path)]
    return [str(path)]


def verb_of(kind: str) -> str:
    """The verb that judges files of a kind."""
    if kind in TEXTS:
        return "text"
    return PICTURES.get(kind) or ("compare" if kind in ("pair", "cv") else "evaluate")


def pictured(entry: dict[str, Any], folder: Path, entries: list[dict[str, Any]]) -> list[str]:
    """A truth and what was said of it: the file at hand, and the first sound one of the other side."""
    path, kind = str(folder / entry["file"]), entry["kind"]
    if kind == "boxes":
        return [path, path]
    other = {"coco-gt": "coco-dt", "coco-dt": "coco-gt", "mask": "mask"}[kind]
    sound = next(str(folder / e["file"]) for e in entries if e["kind"] == other and e["expect"]["outcome"] == "ok")
    return [path, sound] if kind == "coco-gt" else [sound, path]


def figures_differ(found: dict[str, Any], expected: dict[str, Any], tolerance: float) -> Iterator[str]:
    """Every figure that is not as expected."""
    facts = {"n": found.get("rows"), "positive": found.get("positive"), "classes": len(found.get("labels", ()))}
    told = {one["metric"]: one for one in found.get("differences", ())} or told_of(found)
    for name, wanted in expected.items():
        if name in ("oracle", "note"):
            continue
        value = facts[name] if name in facts else told.get(name, {"value": "absent"})["value"]
        if wanted == "Infinity":
            good = value is None and any("inf" in note for note in told[name]["notes"])
        elif isinstance(wanted, float):
            good = isinstance(value, int | float) and math.isclose(value, wanted, rel_tol=0, abs_tol=tolerance)
        else:
            good = value == wanted
        if not good:
            yield f"{name} is {value}, expected {wanted}"


def lacks(text: str, words: list[str]) -> list[str]:
    return [f"{word!r} is not mentioned" for word in words if word.lower() not in text.lower()]


def refused(entry: dict[str, Any], got: Answer) -> list[str]:
    """Why this is not a good refusal: exit 2, the file and the words of the manifest in a message, no traceback."""
    if got.code != 2:
        return [f"exit {got.code} where a refusal (2) was expected"]
    faults = ["there is a traceback"] if "Traceback" in got.said else []
    message = got.said.split("\n  Fix:")[0]
    faults += [] if message.count("\n") <= 1 and "Fix:" in got.said else ["it is not a sentence and a remedy"]
    if entry["kind"] != "leak":  # a divided file has other names
        # where the files of a pair do not fit each other, they are called by the names of their models
        faults += lacks(message, [Path(entry["file"]).stem if entry["kind"] == "pair" else entry["file"]])
    return faults + lacks(got.said, entry["expect"]["must_mention"])


def accepted(entry: dict[str, Any], got: Answer) -> list[str]:
    """Why this is not a good evaluation: exit 0 and the figures of the manifest."""
    if got.code != 0 or got.result is None:
        return [f"exit {got.code} where an evaluation (0) was expected"]
    noted = re.search(r"to (1e-\d+)", entry.get("note", ""))
    tolerance = float(noted[1]) if noted else TOLERANCE
    if entry["kind"] == "pair" and got.result["matched"]["by"] != "id":
        return ["rows were not matched by id"]
    return list(figures_differ(got.result, entry.get("expected", {}), tolerance))


def warned(entry: dict[str, Any], got: Answer) -> list[str]:
    return accepted(entry, got) or lacks(got.remarks, entry["expect"]["must_mention"])


def undefined(entry: dict[str, Any], got: Answer) -> list[str]:
    """Some figure is null, and what is said about it has the words of the manifest."""
    faults = accepted(entry, got)
    if faults or got.result is None:
        return faults
    # of scores of folds it is the test that may have no answer
    told = told_of(got.result) or {"p": {"value": got.result["differences"][0]["pvalue"]}}
    empty = [name for name, one in told.items() if one["value"] is None]
    return lacks(got.remarks, entry["expect"]["must_mention"]) if empty else ["no figure is undefined"]


def judged(entry: dict[str, Any], got: Answer) -> list[str]:
    """What is wrong with an answer; nothing where one of the outcomes wanted is there."""
    wanted = entry["expect"]["outcome"]
    strict = wanted == "ok"
    ways = []
    if re.search(r"\bok\b", wanted):
        ways.append(warned if strict and entry["expect"]["must_mention"] else accepted)
    if "error for MAPE" in wanted or "undefined" in wanted:
        ways.append(undefined)
    if "warn" in wanted:
        ways.append(warned)
    if "error" in wanted:
        ways.append(refused)
    faults = [way(entry, got) for way in ways]
    return [] if not all(faults) else min(faults, key=len)


def verdicts(folder: Path) -> Iterator[Verdict]:
    """How every file of the folder's manifest ends."""
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    for entry in entries:
        file, kind = entry["file"], entry["kind"]
        if kind not in KINDS:
            yield Verdict(file=file, kind=kind, ending="not answered")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            given = arguments(entry, folder, entries, Path(scratch))
            got = answer(given, verb_of(kind))
        faults = judged(entry, got)
        why = "; ".join(faults) + (f" | {got.said.strip()[:400]}" if got.result is None else f" | {got.remarks[:400]}")
        yield Verdict(file=file, kind=kind, ending="differ" if faults else "agree", why=why if faults else "")


def main(folder: Path) -> int:
    found = list(verdicts(folder))
    for verdict in found:
        if verdict.ending == "differ":
            print(f"{verdict.file} ({verdict.kind}): {verdict.why}")
    for kind in dict.fromkeys(verdict.kind for verdict in found):
        counts = Counter(verdict.ending for verdict in found if verdict.kind == kind)
        print(
            f"{kind:12} {counts['agree']:4} agree {counts['differ']:4} differ {counts['not answered']:4} not answered"
        )
    return int(any(verdict.ending == "differ" for verdict in found))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
