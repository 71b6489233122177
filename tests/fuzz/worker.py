"""A process that runs cases one after another: `python -m tests.fuzz.worker SOCKET LOG GIGABYTES SECONDS [faulty]`.

It answers every case with a verdict. Where it dies or hangs, the log has the stack.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
import tempfile
import warnings
from multiprocessing.connection import Connection
from pathlib import Path

from tests.fuzz import planted
from tests.fuzz.cases import Case, case
from tests.fuzz.verdicts import judged

PATIENCE = 6
"""How much longer than its time of a processor a case may take: one that waits for something is killed as well."""


def serve(socket: Connection, log: Path, gigabytes: float, seconds: float) -> None:
    """Answer cases until there are none. A case is a seed and a number, or comes whole."""
    with log.open("a", encoding="utf-8") as stacks:
        faulthandler.enable(stacks)
        faulthandler.register(signal.SIGXCPU, stacks, chain=True)
        judged(case(0, 0))  # what is loaded on first use must not count as the memory or the threads of a case
        limit_memory(gigabytes)
        socket.send(None)
        while True:
            try:
                given = socket.recv()
            except EOFError:
                return
            limit_time(seconds)
            faulthandler.dump_traceback_later(PATIENCE * seconds, file=stacks)
            socket.send(judged(given if isinstance(given, Case) else case(*given)))
            faulthandler.cancel_dump_traceback_later()


def limit_time(seconds: float) -> None:
    """Allow so much more time of a processor than was taken until now: a busy machine must not make a finding."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


def limit_memory(gigabytes: float) -> None:
    """Allow so much more memory than is taken now.

    What is limited is memory that can be written to: the engine that draws charts reserves a terabyte of addresses.
    """
    with Path("/proc/self/statm").open(encoding="ascii") as statm:
        taken = int(statm.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    most = taken + int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main() -> None:
    socket, log, gigabytes, seconds, *faulty = sys.argv[1:]
    warnings.simplefilter("ignore")  # as the command line does
    os.environ["HELDOUT_DEBUG"] = "1"
    if faulty:
        planted.plant_all()
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # files are written to disk with care, which takes time
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        tempfile.tempdir = folder
        os.environ["TMPDIR"] = os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = folder
        serve(Connection(int(socket)), Path(log), float(gigabytes), float(seconds))


if __name__ == "__main__":
    main()
