"""Worker processes that never outlive the process that started them, however that one ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

INTERVAL = 0.5
"""Seconds between two looks at whether the parent is still there."""


@cache
def end_with(parent: int) -> None:
    """In a worker process of the parent: end it when the parent has ended, also by a signal that no handler sees.

    Elsewhere, as in a thread of the parent itself or on a cluster, nothing is done.
    """
    from multiprocessing import parent_process

    started_by = parent_process()
    if started_by is not None and started_by.pid == parent:
        sys.unraisablehook = not_interrupted
    if os.name == "posix" and started_by is not None and started_by.pid == parent:
        threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


@contextmanager
def apart_from_ctrl_c() -> Iterator[None]:
    """Processes and threads that are started within this leave Ctrl-C, which a terminal sends to all, to this process.

    It ends them. A worker that is still starting would print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # when it starts, Python lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def not_interrupted(problem: sys.UnraisableHookArgs) -> None:
    """Print what a callback that cannot raise, such as that of a weak reference, has raised, but no interruption."""
    if not issubclass(problem.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(problem)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(INTERVAL)
    os._exit(1)
