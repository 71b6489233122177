"""A limit of the address space (ulimit -v), under which numerical libraries hang or end the process themselves."""

from __future__ import annotations

import os

from heldout.errors import UsageError

LEAST = 3 * 2**29
"""Bytes of address space that a small evaluation needs: most of it is reserved by libraries and never used."""
LEAN = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_IO_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""Settings under which libraries reserve less: buffers of each thread, and a gigabyte of Arrow's own allocator."""


def check_address_space() -> None:
    """Refuse a limit under which nothing would work, and make do with what a larger one leaves."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    for name, value in LEAN.items():
        os.environ.setdefault(name, value)
    if limit < LEAST:
        raise UsageError(
            f"the address space is limited to {limit // 2**20:,} MB, and heldout needs {LEAST // 2**20:,} MB",
            fix=f"raise the limit: ulimit -v {LEAST // 2**10}",
        )
