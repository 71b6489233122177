"""Workers that are killed and replaced: a case that hangs, or dies, or asks for endless memory, is a finding."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from socket import socketpair
from typing import Any, Self

from tests.fuzz.cases import Case, case
from tests.fuzz.oracles import Problem
from tests.fuzz.verdicts import Verdict
from tests.fuzz.worker import PATIENCE

ROOT = Path(__file__).parents[2]
SECONDS = 20.0
"""How much time of a processor a case may take."""
GIGABYTES = 2.0
"""How much memory a case may ask for, beside what is loaded."""
START = 120.0
"""Seconds that a worker may take to start, on a busy machine."""
CASES = 5000
"""After so many cases a worker is replaced."""
Asked = tuple[int, int] | Case


class Worker:
    """One process, and the case that it is at."""

    def __init__(self, seconds: float = SECONDS, *, faulty: bool = False) -> None:
        self.seconds = seconds
        mine, theirs = socketpair()
        self.log = Path(tempfile.mkstemp(prefix="fuzz-", suffix=".log")[1])
        limits = (str(GIGABYTES), str(seconds))
        command = [
            sys.executable,
            "-m",
            "tests.fuzz.worker",
            str(theirs.fileno()),
            str(self.log),
            *limits,
            *["faulty"] * faulty,
        ]
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "ARROW_IO", "POLARS_MAX")}
        with self.log.open("ab") as messages:
            self.process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], cwd=ROOT, env={**os.environ, **threads},
                stdout=subprocess.DEVNULL, stderr=messages,
            )  # fmt: skip
        theirs.close()
        self.socket = Connection(mine.detach())
        self.asked: Asked | None = None
        self.answered = 0
        self.deadline = 0.0
        if not self.socket.poll(START):
            self.end()
            raise RuntimeError(f"a worker did not start in {START:.0f} seconds")
        self.socket.recv()

    def ask(self, asked: Asked) -> None:
        self.asked = asked
        self.deadline = time.monotonic() + 1.1 * PATIENCE * self.seconds
        self.socket.send(asked)

    @property
    def left(self) -> float:
        """Seconds that are left for the case."""
        return max(0.0, self.deadline - time.monotonic())

    def answer(self) -> Verdict:
        """The verdict of the case that was asked; of a case that ends the worker, how it ended."""
        asked, self.asked = self.asked, None
        self.answered += 1
        assert asked is not None
        try:
            if self.socket.poll(self.left):
                return self.socket.recv()
            self.process.kill()
            how = "time limit"
        except (EOFError, ConnectionResetError):
            how = ""
        code = self.process.wait()
        if code >= 0:
            raise RuntimeError(
                f"the fuzzer failed on {asked}:\n{self.log.read_text(encoding='utf-8', errors='replace')}"
            )
        ended = signal.Signals(-code)
        how = how or ("time limit" if ended == signal.SIGXCPU else f"signal {ended.name}")
        one = asked if isinstance(asked, Case) else case(*asked)
        return Verdict(" ".join(one.command), one.kind, code, (self._problem(how),))

    def _problem(self, how: str) -> Problem:
        """How the worker ended, and where: the first function of heldout in its stack."""
        stack = self.log.read_text(encoding="utf-8", errors="replace")
        frames = re.findall(r'File "[^"]*/heldout/([^"]+)", line (\d+) in (\S+)', stack)
        file, line, function = frames[0] if frames else ("?", "?", "?")
        return Problem(f"{how} in {file} {function}", f"line {line}\n{stack[-1500:]}")

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait()
        self.log.unlink(missing_ok=True)


class Pool:
    """Some workers, replaced when they end."""

    def __init__(self, count: int = 1, *, faulty: bool = False, seconds: float = SECONDS) -> None:
        self.made = partial(Worker, seconds, faulty=faulty)
        self.workers = [self.made() for _ in range(count)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        for worker in self.workers:
            worker.end()

    def verdicts(self, asked: Iterable[tuple[int, int]]) -> Iterator[tuple[Any, Verdict]]:
        """The verdict of every case, as they come."""
        todo = iter(asked)
        busy = [at for at in range(len(self.workers)) if self._next(at, todo)]
        while busy:
            ready = wait([self.workers[at].socket for at in busy], timeout=min(self.workers[at].left for at in busy))
            for at in [at for at in busy if self.workers[at].socket in ready or not self.workers[at].left]:
                question = self.workers[at].asked
                verdict = self.workers[at].answer()
                self._replace_spent(at)
                if not self._next(at, todo):
                    busy.remove(at)
                yield question, verdict

    def verdict(self, one: Case) -> Verdict:
        """The verdict of a case, by the first worker."""
        self.workers[0].ask(one)
        verdict = self.workers[0].answer()
        self._replace_spent(0)
        return verdict

    def fresh(self) -> None:
        """Replace the first worker: what earlier cases did to it is gone."""
        self.workers[0].end()
        self.workers[0] = self.made()

    def _next(self, at: int, todo: Iterator[tuple[int, int]]) -> bool:
        """Give a worker its next case; False where there is none."""
        for question in todo:
            self.workers[at].ask(question)
            return True
        return False

    def _replace_spent(self, at: int) -> None:
        """Replace a worker that a case has ended, or that has had many: what they left counts towards its memory."""
        if not self.workers[at].alive or self.workers[at].answered >= CASES:
            self.workers[at].end()
            self.workers[at] = self.made()
