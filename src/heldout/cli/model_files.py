"""Files of several models: their names, and truth and models apart."""

from __future__ import annotations

from collections.abc import Sequence
from glob import has_magic
from pathlib import Path

from heldout.errors import UsageError


def named(files: Sequence[str]) -> dict[str, str]:
    """The files by the names of their models: without folder and ending, where that distinguishes them from the others.

    >>> named(["runs/a.csv", "b.csv.gz"])
    {'a': 'runs/a.csv', 'b': 'b.csv.gz'}
    >>> named(["old/model.csv", "new/model.csv", "c.csv"])
    {'old/model': 'old/model.csv', 'new/model': 'new/model.csv', 'c': 'c.csv'}
    """
    if len(files) < 2:
        count = f"{len(files)} file{' was' if len(files) == 1 else 's were'} given"
        fix = "for example heldout compare old.csv new.csv, or name columns of one file: --model NAME=COLUMN"
        raise UsageError(f"{count}, and a comparison needs two", fix=fix)
    possible = [_possible_names(name, number) for number, name in enumerate(files, 1)]
    while True:
        names = [some[0] for some in possible]
        alike = [some for some in possible if names.count(some[0]) > 1 and len(some) > 1]
        if not alike:
            return dict(zip(names, files, strict=True))
        for some in alike:
            del some[0]


def _possible_names(file: str, number: int) -> list[str]:
    """What a model may be called, the shortest first; the last one is no other file's."""
    from heldout.inputs.formats.compression import without_compression

    path = _before_pattern(Path(file))
    plain = Path(without_compression(str(path)))
    # the same file twice is a fair question: it must not differ from itself
    return [plain.stem, path.name, plain.with_suffix("").as_posix(), f"{plain.stem} ({number})"]


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
        (name,) = list(named([truth, others[0]]))[1:]
        return truth, {name: others[0]}
    return truth, named(others)
