"""Files of several models: their names, and truth and models apart."""

from __future__ import annotations

from collections.abc import Sequence
from glob import has_magic
from pathlib import Path

from heldout.errors import UsageError


def named(files: Sequence[str]) -> dict[str, str]:
    """The files by the names of their models: without folder and ending, as far as that distinguishes them.

    >>> named(["runs/a.csv", "b.csv"]), named(["old/model.csv", "new/model.csv"])
    ({'a': 'runs/a.csv', 'b': 'b.csv'}, {'old/model': 'old/model.csv', 'new/model': 'new/model.csv'})
    """
    if len(files) < 2:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        fix = "for example heldout compare old.csv new.csv, or name columns of one file: --model NAME=COLUMN"
        raise UsageError(f"{count}, and a comparison needs two", fix=fix)
    paths = [_before_pattern(Path(name)) for name in files]
    for names in (
        [path.stem for path in paths],
        [path.name for path in paths],
        [path.with_suffix("").as_posix() for path in paths],
    ):
        if len(set(names)) == len(files):
            return dict(zip(names, files, strict=True))
    # the same file twice is a fair question: it must not differ from itself
    return {f"{path.stem} ({i})": name for i, (path, name) in enumerate(zip(paths, files, strict=True), 1)}


def _before_pattern(path: Path) -> Path:
    """The folder that a pattern begins with, where it is one: `runs/old/*.parquet` is the model old."""
    from heldout.inputs.formats.files import exists

    fixed = [part for part in path.parts if not has_magic(part)]
    return path if len(fixed) == len(path.parts) or exists(path) or not fixed else Path(*fixed)


def truth_and_models(files: tuple[str, ...], needed: str, example: str) -> tuple[str, dict[str, str]]:
    """The truth, and the others by the names of their models.

    >>> truth_and_models(("gt.json", "yolo.json"), "a truth and detections are needed", "")
    ('gt.json', {'yolo': 'yolo.json'})
    """
    if len(files) < 2:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        raise UsageError(f"{count}, and {needed}", fix=f"for example {example}")
    truth, *others = files
    if len(others) == 1:
        (name,) = list(named([truth, others[0].removesuffix(".gz")]))[1:]
        return truth, {name: others[0]}
    return truth, named(others)
