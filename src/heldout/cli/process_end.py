"""How the program ends: on signals, and without waiting for threads of native libraries."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")
PATIENCE = 10.0
"""Seconds after which a signal ends the program though it is inside native code, such as a learner's fit, or in code
that catches every exception and goes on."""
SOON = 0.01
"""Seconds until a signal is sent again."""
LATE = b"\ninterrupted; the program did not end by itself, and was ended\n"
AGAIN = 1.0
"""Seconds within which a further signal says what the first one said, as where a terminal and a parent both send one.
After them it says that the orderly end takes too long."""
_signals: list[tuple[int, float]] = []
"""The signals that were handled, and when."""
_order: list[int] = []
"""The first signal that came; of several that wait for native code, Python handles that of the lowest number first."""
_ended = threading.Event()
"""Whether the work is done, and nothing is left that a signal could interrupt."""


class Stopped(KeyboardInterrupt):
    """A signal that ends the program as Ctrl-C does: temporary files are removed, worker processes ended."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def stop_on_signals() -> None:
    """End in an orderly way on SIGINT, SIGTERM and SIGHUP; what is ignored, as by nohup, stays ignored.

    Python runs a handler only between two of its own instructions. A thread therefore watches for signals too, and ends
    the program if native code holds it up, or a learner does not let the exception through.
    """
    numbers = [getattr(signal, name) for name in STOPPING if hasattr(signal, name)]
    for number in numbers:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)
    sys.unraisablehook = _unraised
    threading.excepthook = _raised_in_thread
    if os.name != "posix":
        return
    os.register_at_fork(after_in_child=_as_before)
    with suppress(OSError, RuntimeError):  # without a free descriptor or thread a signal waits for native code
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=_watch, args=(reader,), name="signals", daemon=True).start()


def _stop(number: int, _frame: FrameType | None) -> None:
    """Raise at the first signal, and let the orderly end that it begins take its course."""
    is_first, now = not _signals, time.monotonic()  # before the next line: two at once must not both be the second
    _signals.append((number, now))
    if is_first and not _ended.is_set():
        raise Stopped(number)
    first, came = _signals[0]
    if now - came > AGAIN:
        os._exit(128 + first)


def work_is_done() -> None:
    """From now on a signal decides the exit code, and raises nothing."""
    _ended.set()


def _unraised(problem: sys.UnraisableHookArgs) -> None:
    """A signal that came in a callback that cannot raise, such as that of a weak reference, comes again at once."""
    from heldout.worker_processes import not_interrupted

    not_interrupted(problem)
    number = problem.exc_value.exit_code - 128 if isinstance(problem.exc_value, Stopped) else 0
    if number and signal.getsignal(number) is _stop:
        again = threading.Timer(SOON, _again, (number,))
        again.daemon = True
        again.start()


def _raised_in_thread(problem: threading.ExceptHookArgs) -> None:
    """Print what a thread has raised, but not once a signal ends the program: threads that manage workers lose them."""
    if not _signals:
        threading.__excepthook__(problem)


def _again(number: int) -> None:
    _signals.clear()
    signal.raise_signal(number)


def _watch(reader: int) -> None:
    while True:
        (number,) = os.read(reader, 1)
        if signal.getsignal(number) is _stop:
            _order.append(number)
            time.sleep(PATIENCE)  # an orderly end takes less
            with suppress(OSError):
                os.write(2, LATE)
            os._exit(128 + number)


def _as_before() -> None:
    """Signals do what they would do without us: in a process that a learner forks."""
    signal.set_wakeup_fd(-1)
    for name in STOPPING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is _stop:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


def leave(code: int) -> NoReturn:
    """End the process with a code, after everything that is registered to be done at its end.

    A signal decides the code, also where a learner has caught its exception and gone on.

    The interpreter itself is not taken down. A thread of Arrow that gives memory back to Python while that happens
    aborts the process (exit code 134), and no thread of a native library can be waited for.
    """
    with suppress(Exception):
        threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001 as Python does first: ends pools of workers
    with suppress(Exception):
        atexit._run_exitfuncs()  # noqa: SLF001 as Python does then: removes temporary folders
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    first = [*_order, *(number for number, _ in _signals)]
    os._exit(128 + first[0] if first else code)
