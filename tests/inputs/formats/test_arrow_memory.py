"""No reader returns while a thread still holds the bytes of Python that it reads."""

from __future__ import annotations

import threading
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from heldout.inputs.formats.arrow_memory import parsed

HELD = 0.2


def slow_thread(source, **options):
    """A reader whose thread holds the source for a while after it has returned, as threads of Arrow do."""
    thread = threading.Thread(target=lambda kept: (time.sleep(HELD), kept.read(1)), args=(source,), daemon=True)
    thread.start()
    return thread


def test_threads_have_let_go_when_a_reader_returns():
    begun = time.monotonic()
    parsed(slow_thread, b"a,b\n1,2\n")
    assert time.monotonic() - begun >= HELD


def test_threads_have_let_go_when_a_reader_raises():
    def failing(source):
        slow_thread(source)
        raise ValueError("damaged")

    begun = time.monotonic()
    with pytest.raises(ValueError, match="damaged"):
        parsed(failing, b"x")
    assert time.monotonic() - begun >= HELD


@pytest.mark.parametrize("damage", [0, 30])
def test_a_whole_and_a_damaged_file_take_no_longer_than_reading_takes(damage):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": list(range(1000))}), sink)
    data = sink.getvalue().to_pybytes()
    begun = time.monotonic()
    try:
        rows = parsed(pq.read_table, data[: len(data) - damage]).num_rows
    except pa.ArrowInvalid:
        rows = None
    assert rows == (None if damage else 1000)
    assert time.monotonic() - begun < 5


def test_no_bytes_at_all():
    with pytest.raises(pa.ArrowInvalid):
        parsed(pq.read_table, b"")
