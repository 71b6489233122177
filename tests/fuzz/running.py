"""One case in this process: a folder of its own, the command line as a shell would call it, and what it left behind."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
import traceback
from contextlib import chdir, suppress
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from tests.fuzz.cases import Case


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the command line did."""

    code: int
    out: str
    err: str
    written: dict[str, bytes] = field(default_factory=dict)
    """Files that were not there before."""
    changed: tuple[str, ...] = ()
    """Inputs that are not as they were."""
    left: tuple[str, ...] = ()
    """Temporary files, threads and processes that are still there."""
    seconds: float = 0.0
    raised: str = ""
    """Where a refusal was raised: module and function."""


def outcome(case: Case) -> Outcome:
    """Run a case in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder, own_temporary_files() as temporary, chdir(folder):
        before = {name: content.data() for name, content in case.files.items()}
        for name, data in before.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(data)
        threads = set(threading.enumerate())
        start = time.perf_counter()
        code, out, err, origin = typed(case.arguments, before[case.stdin] if case.stdin else b"")
        seconds = time.perf_counter() - start
        left = [f"thread {one.name}" for one in threading.enumerate() if one not in threads]
        left += [f"process {one}" for one in children()]
        left += [f"temporary file {one.name}" for one in Path(temporary).iterdir()]
        after = {str(path.relative_to(".")): path for path in Path().rglob("*") if path.is_file()}
        changed = [name for name, data in before.items() if name not in after or after[name].read_bytes() != data]
        written = {name: path.read_bytes() for name, path in after.items() if name not in before}
    return Outcome(
        code=code, out=out, err=err, written=written, changed=tuple(changed), left=tuple(left), seconds=seconds,
        raised=origin,
    )  # fmt: skip


def typed(arguments: list[str], stdin: bytes = b"") -> tuple[int, str, str, str]:
    """Exit code, output, messages, and where a refusal came from; metrics that were defined are gone afterwards."""
    from heldout import cli
    from heldout.formulas import METRICS

    metrics, answer, origins = dict(METRICS), cli.exit_code_for, [""]

    def listening(problem: Exception) -> int:
        origins.append(origin_of(problem))
        return answer(problem)

    cli.exit_code_for = listening
    try:
        result = CliRunner().invoke(cli.verbs, arguments, input=stdin)
    finally:
        cli.exit_code_for = answer
        METRICS.clear()
        METRICS.update(metrics)
    return result.exit_code, result.stdout, result.stderr, origins[-1]


def origin_of(problem: BaseException) -> str:
    """The module and the function that raised a problem, or the one that it was made of."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    *_, (frame, _) = [(None, 0), *traceback.walk_tb(problem.__traceback__)]
    if frame is None:
        return ""
    return f"{frame.f_code.co_filename.rpartition('/heldout/')[2]} {frame.f_code.co_name}"


class own_temporary_files:  # noqa: N801 used as a function
    """A folder for temporary files, empty at the beginning."""

    def __enter__(self) -> str:
        self.before = tempfile.tempdir
        self.folder = tempfile.mkdtemp()
        tempfile.tempdir = self.folder
        return self.folder

    def __exit__(self, *problem: object) -> None:
        tempfile.tempdir = self.before
        shutil.rmtree(self.folder, ignore_errors=True)


def children() -> list[str]:
    """Processes that this one has started and not ended, where the system tells."""
    found: list[str] = []
    with suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            found += (task / "children").read_text(encoding="ascii").split()
    return found
