from __future__ import annotations

import shutil

import numpy as np
import pytest

from heldout import compiled


@pytest.fixture
def library(monkeypatch, tmp_path):
    """A copy of the source and of the library, which a test may change."""
    if compiled._library() is None:
        pytest.skip("the package was built without a compiler")
    for file in ("SOURCE", "LIBRARY"):
        copy = tmp_path / getattr(compiled, file).name
        shutil.copy(getattr(compiled, file), copy)
        monkeypatch.setattr(compiled, file, copy)
    compiled._library.cache_clear()
    yield compiled
    compiled._library.cache_clear()


def test_a_function_takes_arrays_and_whole_numbers(library):
    twice = np.empty(1)
    count = library.kernel("ordered_pairs")
    assert count(np.array([0, 1], dtype=np.int32), np.array([1, 1], dtype=np.int32), 1, 2, twice) == 0
    assert twice.tolist() == [3.0]


def test_an_array_with_gaps_is_refused(library):
    with pytest.raises(AssertionError):
        library.kernel("ordered_pairs")(np.zeros(8)[::2])


def test_few_rows_do_without(library):
    assert library.kernel("ordered_pairs", 9_999) is None
    assert library.kernel("ordered_pairs", 10_000) is not None


def test_a_setting_switches_it_off(library, monkeypatch):
    monkeypatch.setenv("HELDOUT_COMPILED", "0")
    assert library.kernel("ordered_pairs") is None


def test_a_library_of_another_source_is_not_used(library):
    library.SOURCE.write_text(library.SOURCE.read_text() + "\n")
    assert library.kernel("ordered_pairs") is None


def test_a_file_that_is_no_library_is_not_used(library):
    library.LIBRARY.unlink()
    library.LIBRARY.write_bytes(b"of another system")
    assert library.kernel("ordered_pairs") is None


def test_a_package_without_the_library_works(library):
    library.LIBRARY.unlink()
    assert library.kernel("ordered_pairs") is None
