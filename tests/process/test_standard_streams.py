"""Standard streams that are closed, full or no longer read: the exit code is that of the result, or 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors are closed by the shell of POSIX")
COUNTS = ("evaluate", "--wrong", "3", "--of", "30")
GATE = ("gate", "old.csv", "new.csv", "--primary", "roc_auc", "--margin", "0.01")
FAILED = 1
FULL_DISK = (
    "error: the output cannot be written: No space left on device\n"
    "  Fix: free space on the disk of the output, or write to another place\n"
)


def by_shell(folder, closed, *arguments):
    """Run the program with streams closed as a shell closes them."""
    command = " ".join(["exec", sys.executable, "-m", "heldout", *arguments, closed])
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        (">&-", (*COUNTS, "-o", "out.txt"), 0),
        (">&-", GATE, FAILED),
        ("2>&-", ("evaluate", "missing.csv"), 2),
        ("<&- >&- 2>&-", GATE, FAILED),
    ],
)
def test_a_closed_stream_changes_no_exit_code_and_no_file(folder, closed, arguments, code):
    before = (folder / "old.csv").read_bytes()
    assert by_shell(folder, closed, *arguments).returncode == code
    assert (folder / "old.csv").read_bytes() == before  # nothing was written to a file that took the stream's number
    if "-o" in arguments:
        assert "3/30" in (folder / "out.txt").read_text(encoding="utf-8")


def test_a_closed_standard_input_is_empty(folder):
    found = by_shell(folder, "<&-", "evaluate", "-")
    assert (found.returncode, found.stderr) == (
        2,
        (
            "error[H100] standard input is empty (0 bytes)\n  Fix: export the predictions again\n"
            "  See: heldout explain H100\n"
        ),
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
def test_full_disks_are_2_and_never_look_like_a_failed_gate(run):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        assert run(*COUNTS, stdout=full) == (2, "", FULL_DISK)
        assert run("evaluate", "missing.csv", stderr=full)[0] == 2
        assert run(*GATE, stdout=full, stderr=full)[0] == 2


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_fills_up_in_the_middle_of_the_output_is_an_error(folder, unbuffered):
    command = f"ulimit -f 1; trap '' XFSZ; exec {sys.executable} -m heldout evaluate old.csv --json > out.json"
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    found = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False, env=env)
    assert (found.returncode, found.stderr) == (2, FULL_DISK.replace("No space left on device", "File too large"))


def test_a_pipe_that_does_not_block_gets_everything(folder, start):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = start("evaluate", "old.csv", "--json", stdout=writer, env={"PYTHONUNBUFFERED": "1"})
    os.close(writer)
    with open(reader, encoding="utf-8") as stream:  # noqa: PTH123
        found = json.load(stream)
    assert (process.wait(60), found["schema"]) == (0, "heldout.evaluation/1")


@pytest.mark.parametrize("merged", [False, True])
def test_annotations_that_nobody_reads_change_no_exit_code(folder, merged):
    command = " ".join([sys.executable, "-m", "heldout", *GATE, "--github", "2>&1" if merged else "2>&1 >/dev/null"])
    found = subprocess.run(
        ["bash", "-c", f"{command} | :; exit ${{PIPESTATUS[0]}}"], cwd=folder, capture_output=True, check=False
    )
    assert found.returncode == FAILED


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
def test_annotations_on_a_full_disk_change_nothing_else(run):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        code, output, _ = run(*GATE, "--github", stderr=full)
    assert (code, "FAIL" in output) == (FAILED, True)


def test_a_gate_whose_output_nobody_reads_has_its_exit_code_and_its_files(folder, start):
    process = start(*GATE, "--junit", "gate.xml", "--report", "gate.html")
    process.stdout.close()
    assert process.wait(60) == FAILED
    assert "<failure" in (folder / "gate.xml").read_text(encoding="utf-8")
    assert (folder / "gate.html").read_text(encoding="utf-8").endswith("</body></html>\n")
    assert "Broken" not in process.stderr.read()


def test_help_that_nobody_reads_is_no_error(start):
    process = start("evaluate", "--help")
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (0, "")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_learner_warns_of_is_a_note_and_no_output_of_worker_processes(folder, run, jobs):
    learner = folder / "learner.py"
    text = learner.read_text(encoding="utf-8").replace("import hashlib,", "import warnings, hashlib,")
    text = text.replace("        time.sleep(self.seconds)", "        warnings.warn('did not converge')")
    learner.write_text("import warnings\nwarnings.warn('imported')\n" + text, encoding="utf-8")
    (folder / "made.py").write_text(
        "from learner import Majority\ncandidates = {'m': (Majority(), {'seconds': [0, 1]})}\n", encoding="utf-8"
    )
    rows = ("--data", "rows.csv", "--target", "y", "--cv", "3", "--n-jobs", jobs)
    code, output, error = run("validate", "learner:Majority()", *rows)
    assert (code, error) == (0, "")
    assert "note H321  Majority() warned in 4 of 4 fits: UserWarning: did not converge\n" in output
    code, output, error = run("select", "made.py", *rows, "-q")
    assert (code, output, error) == (0, "", "")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_learner_prints_is_no_part_of_the_result(folder, run, jobs):
    learner = folder / "learner.py"
    text = learner.read_text(encoding="utf-8")
    text = text.replace(
        "        time.sleep(self.seconds)", "        print('fitting', flush=True); os.write(1, b'from C')"
    )
    learner.write_text(text, encoding="utf-8")
    arguments = ("validate", "learner:Majority()", "--data", "rows.csv", "--target", "y", "--cv", "3")
    code, output, error = run(*arguments, "--json", "--n-jobs", jobs)
    assert code == 0
    assert next(iter(json.loads(output))) == "schema"
    assert error.count("fitting") == error.count("from C") > 2


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_worker_that_ends_is_an_error_with_its_causes(folder, run, end):
    learner = folder / "learner.py"
    text = learner.read_text(encoding="utf-8").replace("        time.sleep(self.seconds)", f"        {end}")
    learner.write_text(text, encoding="utf-8")
    code, output, error = run(
        "validate", "learner:Majority()", "--data", "rows.csv", "--target", "y", "--cv", "3", "--n-jobs", "2"
    )
    assert (code, output) == (2, "")
    assert error == (
        "error[H317] a worker process ended before its work was done: memory ran out and the system killed it, or the "
        "code that it ran ended it, as os._exit and os.abort do\n"
        "  Fix: free memory or run fewer processes, --n-jobs 1; take os._exit and os.abort out of your code\n"
        "  See: heldout explain H317\n"
    )


@pytest.mark.parametrize(
    ("rows", "options"),
    [("y_true,y_score,weight\n1,0.5,1e300\n", ()), ("y_true,y_score\n1,0\n1,0\n", ("--method", "bca"))],
    ids=["weight", "bca"],
)
def test_warnings_that_are_errors_change_no_exit_code(folder, run, rows, options):
    (folder / "rows.csv").write_text(rows, encoding="utf-8")
    code, _, error = run("evaluate", "rows.csv", *options, env={"PYTHONWARNINGS": "error"})
    assert (code, error) == (0, "")
