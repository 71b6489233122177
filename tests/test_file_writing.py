"""A file is written whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from heldout import UsageError, file_writing
from heldout.file_writing import check_folder, check_writable, new_content, write_file, write_new_files


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("old.txt").write_text("old", encoding="utf-8")
    return tmp_path


def names():
    return sorted(path.name for path in Path().iterdir())


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), MemoryError(), ValueError("bad")])
def test_an_error_in_the_middle_leaves_the_old_file(problem):
    def interrupted():
        with new_content("old.txt") as place:
            place.write_text("half", encoding="utf-8")
            raise problem

    with pytest.raises(type(problem)):
        interrupted()
    assert (Path("old.txt").read_text(encoding="utf-8"), names()) == ("old", ["old.txt"])


@pytest.mark.parametrize(
    ("number", "fix"),
    [
        (errno.ENOSPC, "free space on the disk, or write to another place"),
        (errno.EACCES, "choose a folder that exists and may be written"),
    ],
)
def test_a_disk_that_is_full_when_the_file_is_synced(monkeypatch, number, fix):
    def full(handle):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError) as told:
        write_file("old.txt", "new")
    assert str(told.value) == f"old.txt cannot be written: {os.strerror(number)}\n  Fix: {fix}"
    assert (Path("old.txt").read_text(encoding="utf-8"), names()) == ("old", ["old.txt"])


def test_an_error_of_arrow_is_told_by_its_number(monkeypatch):
    def full(handle):
        raise OSError("Error writing bytes to file. Detail: [errno 28] No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"old\.txt cannot be written: No space left on device\n"):
        write_file("old.txt", "new")


def test_new_files_are_all_there_or_none(monkeypatch):
    files = {Path(name): name.encode() for name in ("a", "b", "c")}
    write_new_files(files)
    assert [path.read_bytes() for path in files] == [b"a", b"b", b"c"]
    with pytest.raises(UsageError, match=r"^c exists already and is not written over\n"):
        write_new_files({Path("d"): b"d", Path("c"): b"new"})
    assert names() == ["a", "b", "c", "old.txt"]


def test_a_file_that_appears_meanwhile_stays_and_the_others_are_removed(monkeypatch):
    given = file_writing.name_new

    def late(temporary, path):
        if path.name == "b":
            path.write_text("of another process", encoding="utf-8")
        given(temporary, path)

    monkeypatch.setattr(file_writing, "name_new", late)
    with pytest.raises(UsageError, match=r"^b cannot be written: File exists\n"):
        write_new_files({Path("a"): b"a", Path("b"): b"b"})
    assert names() == ["b", "old.txt"]
    assert Path("b").read_text(encoding="utf-8") == "of another process"


def test_a_disk_without_hard_links(monkeypatch):
    def refused(self, target):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    write_new_files({Path("a"): b"a"})
    assert (Path("a").read_bytes(), names()) == (b"a", ["a", "old.txt"])
    real = file_writing.name_new
    monkeypatch.setattr(file_writing, "name_new", lambda temporary, path: (path.touch(), real(temporary, path)))
    with pytest.raises(UsageError, match=r"^b cannot be written: File exists\n"):
        write_new_files({Path("b"): b"b"})


def test_what_cannot_be_written_is_said_before_the_work():
    with pytest.raises(UsageError, match=r"^--report none/x cannot be written: there is no folder none\n"):
        check_writable("none/x", option="--report")
    with pytest.raises(UsageError, match=r"^--run old\.txt is a file, and a folder is needed\n"):
        check_folder("old.txt", option="--run")
    check_folder("new/deep", option="--run")
    assert names() == ["old.txt"]
