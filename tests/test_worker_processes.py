"""Workers leave Ctrl-C to the process that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from heldout.worker_processes import apart_from_ctrl_c

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
BLOCKED = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"


def test_processes_and_threads_started_within_it_are_not_interrupted():
    seen = []
    asks = threading.Thread(target=lambda: seen.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())))
    with apart_from_ctrl_c():
        asks.start()
        child = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True)
    asks.join()
    assert (child.stdout, seen) == ("True\n", [True])


def test_this_process_is_interrupted_as_before_after_an_error_too():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with pytest.raises(ValueError, match="full"), apart_from_ctrl_c():
        raise ValueError("full")
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
