"""Signals end the program with a documented code, and nothing of it stays behind: no process, no temporary file."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
VALIDATE = ("validate", "learner.py:Majority(seconds=0.1)", "--data", "rows.csv", "--target", "y", "--cv", "10x10")
KEPT = "\ninterrupted; finished fits are kept in kept: the same command goes on\n"


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_ends_the_program_in_an_orderly_way(folder, start, helpers, name, code):
    (folder / "out.txt").write_text("old", encoding="utf-8")
    process = start(*VALIDATE, "--run", "kept", "-o", "out.txt")
    helpers.wait_for(lambda: any((folder / "kept" / "pieces").glob("*.parquet")))
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (code, "", KEPT)
    assert (folder / "out.txt").read_text(encoding="utf-8") == "old"
    assert helpers.left_in(folder) == []


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGKILL", -9)])
def test_no_worker_outlives_the_program(folder, start, helpers, name, code):
    process = start(*VALIDATE, "--n-jobs", "2")
    helpers.begun(folder, processes=2)
    assert len(helpers.alive(process.pid)) >= 3
    process.send_signal(getattr(signal, name))
    assert process.wait(30) == code
    helpers.wait_for(lambda: helpers.alive(process.pid) == [], seconds=10)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SIGINT", "ended by SIGINT"),
        ("SIGTERM", "ended by SIGTERM"),
        ("SIGHUP", "ended by SIGHUP"),
        ("SIGKILL", "the gate has not finished: it is running, or it was killed"),
    ],
)
def test_a_gate_that_a_signal_ends_leaves_no_earlier_junit_file(folder, start, helpers, name, message):
    (folder / "gate.xml").write_text('<testsuite failures="0"/>', encoding="utf-8")
    (folder / "mine.py").write_text("import time\nopen('begun', 'w').write('1')\ntime.sleep(60)\n", encoding="utf-8")
    asked = ("--primary", "mine", "--margin", "0.1", "--define", "mine.py", "--junit", "gate.xml")
    process = start("gate", "old.csv", "new.csv", *asked)
    helpers.begun(folder)
    process.send_signal(getattr(signal, name))
    assert process.wait(30) != 0
    assert f'<error type="error" message="{message}"/>' in (folder / "gate.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_signal_in_a_callback_that_cannot_raise_prints_no_traceback(folder, start, helpers, jobs):
    """Python prints what such a callback raises, and goes on."""
    collected = (
        "        import signal, weakref\n"
        "        class Part: pass\n"
        "        part = Part()\n"
        "        kept = weakref.ref(part, lambda _: os.kill(os.getpid(), signal.SIGINT) or time.sleep(0.1))\n"
        "        del part\n"
    )
    text = (folder / "learner.py").read_text(encoding="utf-8")
    at = text.index("        time.sleep(self.seconds)\n")
    (folder / "learner.py").write_text(text[:at] + collected + text[at:], encoding="utf-8")
    process = start(*VALIDATE, "--n-jobs", str(jobs))
    helpers.begun(folder)
    time.sleep(0.3)
    if jobs > 1:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=8)
    assert (process.returncode, out, "Exception ignored" in err, "Traceback" in err) == (130, "", False, False), err


@pytest.mark.parametrize("ended", [True, False])
def test_what_a_thread_raises_is_printed_unless_a_signal_has_come(folder, start, helpers, ended):
    """The thread that manages worker processes may lose them before it is told to end."""
    raises = (
        "        import threading\n"
        "        lost = threading.Thread(target=lambda: [time.sleep(1), 1 / 0])\n"
        "        lost.start()\n"
        "        try:\n"
        "            time.sleep(2)\n"
        "        finally:\n"
        "            lost.join()\n"
    )
    text = (folder / "learner.py").read_text(encoding="utf-8").replace("        time.sleep(self.seconds)\n", raises)
    (folder / "learner.py").write_text(text, encoding="utf-8")
    process = start("validate", "learner.py:Majority()", *VALIDATE[2:-1], "2", "-q")
    helpers.begun(folder)
    if ended:
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, "ZeroDivisionError" in err) == ((143, False) if ended else (0, True))


def test_native_code_does_not_hold_up_a_signal_for_long(folder, helpers):
    import subprocess

    code = (
        "import heldout.cli.process_end as end, sys; end.PATIENCE = 0.3; sys.argv = ['heldout', *sys.argv[1:]]; "
        "from heldout.cli import main; main()"
    )
    learner = "learner.py:Majority(native=True)"
    command = [sys.executable, "-c", code, "validate", learner, "--data", "rows.csv", "--target", "y", "--cv", "3"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        helpers.begun(folder)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 143
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(("seconds", "patience"), [(0.3, 60), (30, 1)])
def test_a_learner_that_catches_everything_changes_no_exit_code(folder, helpers, seconds, patience):
    """Neither where it goes on to the end, nor where it would go on for long."""
    import subprocess

    code = (
        f"import heldout.cli.process_end as end, sys; end.PATIENCE = {patience}; "
        "sys.argv = ['heldout', *sys.argv[1:]]; "
        "from heldout.cli import main; main()"
    )
    swallow = f"        try:\n            time.sleep(0.3)\n        except:\n            time.sleep({seconds})\n"
    text = (folder / "learner.py").read_text(encoding="utf-8").replace("        time.sleep(self.seconds)\n", swallow)
    (folder / "learner.py").write_text(text, encoding="utf-8")
    asked = ["validate", "learner.py:Majority()", "--data", "rows.csv", "--target", "y", "--cv", "2"]
    process = subprocess.Popen([sys.executable, "-c", code, *asked], stderr=subprocess.PIPE)
    try:
        helpers.begun(folder)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 143
        late = b"\ninterrupted; the program did not end by itself, and was ended\n"
        assert process.stderr.read() == (late if seconds == 30 else b"")
    finally:
        process.kill()
        process.communicate()


def test_an_interrupted_run_without_a_finished_fit_promises_nothing(folder, start, helpers):
    process = start(*VALIDATE[:1], "learner.py:Majority(seconds=30)", *VALIDATE[2:], "--run", "kept")
    helpers.begun(folder)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("", "\ninterrupted\n")


def test_a_signal_that_is_ignored_stays_ignored(folder, start, helpers):
    process = start(*VALIDATE[:-1], "3", "-q", wrapper=("nohup",))
    helpers.begun(folder)
    process.send_signal(signal.SIGHUP)
    assert process.wait(60) == 0


def test_ctrl_c_reaches_no_worker(folder, start, helpers):
    """A terminal sends it to all processes; a worker that is still starting would print a traceback."""
    from pathlib import Path

    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc")
    process = start(*VALIDATE, "--n-jobs", "2")
    helpers.begun(folder, processes=2)
    for worker in set((folder / "begun").read_text(encoding="utf-8").split()):
        status = Path(f"/proc/{worker}/status").read_text(encoding="utf-8")
        blocked = int(next(line for line in status.splitlines() if line.startswith("SigBlk")).split()[1], 16)
        assert blocked >> (signal.SIGINT - 1) & 1
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "\ninterrupted; with --run DIR a run can go on\n")


MANY = """
import atexit, os, signal, sys
import heldout.cli as cli
import heldout.cli.process_end as end

def send(name):
    os.kill(os.getpid(), getattr(signal, name))

def work():
    PLACE
    print("not reached")

end.AGAIN = SECONDS
cli.verbs.main = work
cli.main()
"""


def ended(place: str, seconds: float = 60) -> tuple[int, str, str]:
    """How a program ends whose work is these lines."""
    import subprocess

    code = MANY.replace("PLACE", place.replace("\n", "\n    ")).replace("SECONDS", str(seconds))
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    return found.returncode, found.stdout, found.stderr


def test_of_several_signals_the_first_decides_and_ends_in_an_orderly_way():
    place = "try:\n    send('SIGTERM')\nfinally:\n    send('SIGINT')\n    print('removed')"
    assert ended(place) == (143, "removed\n", "")


def test_a_second_signal_while_leaving_changes_nothing():
    place = (
        "atexit.register(lambda: print('removed'))\n"
        "atexit.register(lambda: send('SIGINT'))\n"
        "atexit.register(lambda: send('SIGINT'))\n"
        "send('SIGTERM')"
    )
    assert ended(place) == (143, "removed\n", "")


def test_a_signal_between_the_work_and_the_end_prints_no_traceback():
    place = "real = cli.leave\ncli.leave = lambda code: send('SIGTERM') or send('SIGHUP') or real(code)\nsys.exit(0)"
    assert ended(place) == (143, "", "")


def test_a_signal_that_comes_again_later_ends_the_program_at_once():
    place = "try:\n    send('SIGTERM')\nfinally:\n    send('SIGINT')\n    print('not reached')"
    assert ended(place, seconds=0) == (143, "", "")
