"""The script that draws charts is kept in the user's cache folder, and only a copy of the user's own is trusted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from heldout.charts import vega

SCRIPT = "/* made by vl-convert */"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = []

    class Converter:
        @staticmethod
        def javascript_bundle():
            made.append(1)
            return SCRIPT

    monkeypatch.setattr(vega, "converter", lambda: Converter)
    return made


def bundle():
    """What a new process would get."""
    vega.bundle.cache_clear()
    try:
        return vega.bundle()
    finally:
        vega.bundle.cache_clear()


def kept() -> Path:
    return next(Path(os.environ["XDG_CACHE_HOME"]).rglob("vega-*.js"))


def test_a_copy_is_kept_for_the_user_alone_and_used_again(cache):
    assert [bundle(), bundle()] == [SCRIPT, SCRIPT]
    assert len(cache) == 1
    if os.name == "posix":
        assert [stat.S_IMODE(one.stat().st_mode) for one in (kept(), kept().parent)] == [0o600, 0o700]


@pytest.mark.parametrize(
    "planted",
    [
        lambda: kept().write_text(kept().read_text() + "alert(1)"),
        lambda: kept().write_text("alert(1)"),
        lambda: kept().write_bytes(b"\xff\xfe"),
        lambda: kept().write_bytes(kept().read_bytes()[:-3]),
        pytest.param(lambda: kept().chmod(0o666), marks=pytest.mark.skipif(os.name != "posix", reason="rights")),
        pytest.param(lambda: kept().parent.chmod(0o777), marks=pytest.mark.skipif(os.name != "posix", reason="rights")),
        pytest.param(
            lambda: os.chown(kept(), 65534, 65534),
            marks=pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away"),
        ),
    ],
    ids=["added-to", "another", "not-text", "cut", "writable", "folder-writable", "of-another-user"],
)
def test_a_copy_that_another_may_have_written_or_that_is_damaged_is_made_again(cache, planted):
    bundle()
    planted()
    assert bundle() == SCRIPT
    assert len(cache) == 2
    assert bundle() == SCRIPT
    assert len(cache) == 2  # and is whole again


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(cache, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert bundle() == SCRIPT
