from __future__ import annotations

import pytest

from heldout.errors import UsageError
from heldout.inputs import limits
from heldout.verbs.chunked import table_source as room


@pytest.mark.parametrize(
    ("given", "bytes_"),
    [
        ("4G", 4 * 2**30),
        ("500M", 500 * 2**20),
        ("1.5g", 3 * 2**29),
        ("64 KiB", 64 * 2**10),
        ("2GB", 2 * 2**30),
        ("12345", 12345),
        (10**6, 10**6),
        (2.5e6, 2_500_000),
    ],
)
def test_amounts_of_memory_are_read(given, bytes_):
    assert room.memory_limit(given) == bytes_


@pytest.mark.parametrize("given", ["much", "4X", "-1G", "", "0", 0, -5, float("nan"), True])
def test_what_is_no_amount_is_refused(given):
    with pytest.raises(UsageError) as refused:
        room.memory_limit(given)
    assert str(refused.value) == (
        f"memory is {given!r}, which is not an amount of memory\n"
        "  Fix: give bytes, or a number with K, M, G or T, such as 4G or 500M"
    )


def test_the_usual_room_is_two_gib_or_a_quarter_of_a_small_machine(monkeypatch):
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**20}  # 4 GiB
    monkeypatch.setattr(limits.os, "sysconf", pages.__getitem__)
    monkeypatch.setattr(room, "machine_memory", limits.machine_memory.__wrapped__)
    assert room.memory_limit(None) == 2**30
    pages["SC_PHYS_PAGES"] = 2**24
    assert room.memory_limit(None) == 2 * 2**30
    pages["SC_PHYS_PAGES"] = -1  # where the system does not say
    assert room.memory_limit(None) == 2 * 2**30


def test_a_table_needs_several_times_its_size():
    assert room.fits(100, 100 * room.WORKING)
    assert not room.fits(101, 100 * room.WORKING)
