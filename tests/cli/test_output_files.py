"""Every file that a command is told to write: checked before the work, never two in one, through links and pipes."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from click.testing import CliRunner

from heldout.cli import verbs

LINEAR = "sklearn.linear_model:LogisticRegression"


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i % 5},{int(i % 7 > 3)}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text("a,b,y\n" + rows, encoding="utf-8")
    pairs = "".join(f"{i % 2},{(i % 2) * 0.4 + (i % 9) / 20}\n" for i in range(60))
    for name in ("old.csv", "new.csv"):
        (tmp_path / name).write_text("y_true,y_score\n" + pairs, encoding="utf-8")
    return tmp_path


COUNTS = ("evaluate", "--wrong", "3", "--of", "30")
VALIDATE = ("validate", LINEAR, "--data", "rows.csv", "--target", "y", "--cv", "3")
GATE = ("gate", "old.csv", "new.csv", "--primary", "roc_auc", "--margin", "0.1")


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in a folder")
@pytest.mark.parametrize("option", ["-o", "--report"])
def test_a_pipe_is_written_and_stays_a_pipe(folder, option):
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_text(encoding="utf-8")), daemon=True)
    reader.start()
    assert run(*COUNTS, option, "pipe").exit_code == 0
    reader.join(10)
    assert (folder / "pipe").is_fifo()
    assert "3/30" in read[0] or "<html" in read[0]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("option", ["-o", "--report", "--chart"])
def test_a_link_is_followed_and_stays_a_link(folder, option):
    (folder / "real").mkdir()
    target = folder / "real" / "target.html"
    target.write_text("old", encoding="utf-8")
    (folder / "metrics.html").symlink_to(target)
    found = run("evaluate", "old.csv", option, "metrics.html")
    assert found.exit_code == 0, found.output
    assert (folder / "metrics.html").is_symlink()
    assert target.read_text(encoding="utf-8") != "old"
    assert [path.name for path in (folder / "real").iterdir()] == ["target.html"]


def test_a_file_keeps_its_rights(folder):
    (folder / "mine.txt").write_text("old", encoding="utf-8")
    (folder / "mine.txt").chmod(0o600)
    run(*COUNTS, "-o", "mine.txt")
    assert (folder / "mine.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "arguments",
    [
        ("-o", "rows-train.csv"),
        ("--parts", "x1=1,x2=1", "--column", "part", "-o", "rows-parts.csv"),
        ("--folds", "3", "-o", "rows-folds.csv"),
    ],
)
def test_a_part_of_a_split_is_not_overwritten_by_its_summary(folder, arguments):
    found = run("split", "rows.csv", *arguments)
    assert found.exit_code == 2
    assert "and a part are both rows-" in found.stderr
    assert list(folder.glob("rows-*")) == []


@pytest.mark.parametrize(
    ("command", "first", "second"),
    [
        (VALIDATE, "--keep-predictions", "--timings"),
        (VALIDATE, "--timings", "--model"),
        (VALIDATE, "--model", "--report"),
        (VALIDATE, "--timings", "--output"),
        (GATE, "--junit", "--output"),
        (GATE, "--junit", "--report"),
    ],
)
def test_two_outputs_are_never_one_file(folder, command, first, second):
    found = run(*command, first, "same", second, "./same")
    assert found.exit_code == 2
    assert "are both" in found.stderr
    assert {first, second} <= set(found.stderr.split())
    if first == "--junit":  # a build reads there why there is no verdict
        assert "are both" in (folder / "same").read_text(encoding="utf-8")
    else:
        assert not (folder / "same").exists()


@pytest.mark.parametrize("where", ["none/x", "."])
@pytest.mark.parametrize(
    ("command", "option"),
    [
        *((VALIDATE, name) for name in ("--keep-predictions", "--timings", "--model", "--report", "-o")),
        (GATE, "--junit"),
        (("runs", "export"), "-o"),
        (("lab", "cards", "--dry-run"), "-o"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(folder, command, option, where, monkeypatch):
    import heldout

    monkeypatch.setattr(heldout, "validate", lambda *_, **__: pytest.fail("the work began"))
    found = run(*command, option, where)
    assert (found.exit_code, "cannot be written" in found.stderr) == (2, True), found.stderr


def test_a_dash_is_the_standard_output_of_o_and_refused_elsewhere(folder):
    assert run(*COUNTS, "-o", "-").stdout == run(*COUNTS).stdout
    assert run(*COUNTS, "-q", "-o", "-").stdout == run(*COUNTS).stdout
    for option in ("--report", "--charts"):
        found = run(*COUNTS, option, "-")
        assert (found.exit_code, f"{option} - is not a file" in found.stderr) == (2, True)
    assert not (folder / "-").exists()


@pytest.mark.parametrize("option", ["--into", "--column", "--charts", "--report", "-o", "--run"])
def test_an_empty_name_is_refused(folder, option):
    found = run("split", "rows.csv", option, "")
    assert (found.exit_code, "is empty" in found.stderr) == (2, True), found.output


def test_an_input_is_not_an_output(folder):
    for option in ("--keep-predictions", "--timings", "--model", "-o"):
        found = run(*VALIDATE, option, "rows.csv")
        assert (found.exit_code, "is an input and would be overwritten" in found.stderr) == (2, True)


def outcome(*arguments):
    found = run(*arguments)
    return found.exit_code, found.stderr


FOLD_SCORES = "fold,a,b\n" + "".join(f"{i},{0.7 + i / 100},{0.8 - i / 90}\n" for i in range(5))
READ = [
    ("compare x.csv --fold-scores --n-train 90 --n-test 10 --report x.csv", "x.csv"),
    ("compare x.csv --across-sets --report x.csv", "x.csv"),
    (f"validate {LINEAR} --data rows.csv --target y --metric cost --cost x.csv -o x.csv", "x.csv"),
    ("select x.toml --data rows.csv --target y --report x.toml", "x.toml"),
    ("evaluate old.csv --define x.py -o x.py", "x.py"),
    ("evaluate old.csv --train x.csv -o x.csv", "x.csv"),
    ("evaluate old.csv --reference x.csv --report x.csv", "x.csv"),
    ("evaluate old.csv --threshold-from x.json -o x.json", "x.json"),
    ("evaluate --confusion x.csv -o x.csv", "x.csv"),
    ("evaluate --class-counts x.csv --chart metrics=x.csv", "x.csv"),
    ("validate x.py:Own --data rows.csv --target y --timings x.py", "x.py"),
    ("validate x:Own --data rows.csv --target y --model x.py", "x.py"),
    ("gate old.csv new.csv --primary roc_auc --margin 0.1 --anchor x.csv --junit x.csv", "x.csv"),
    ("gate old.csv new.csv --primary roc_auc --margin 0.1 --noise-floor old.csv x.csv -o x.csv", "x.csv"),
    ("text x.txt y.txt -o y.txt", "y.txt"),
    ("text x.txt y.txt --ref z.txt -o z.txt", "z.txt"),
    ("text x.txt y.txt --group z.txt -o z.txt", "z.txt"),
    ("detect x.json y.json -o y.json", "y.json"),
    ("masks x.png y.png --chart metrics=y.png", "y.png"),
    ("split rows.csv -o rows.csv", "rows.csv"),
    ("plan interval roc_auc --half-width 0.1 --pilot x.csv -o x.csv", "x.csv"),
    ("lab held-out --cards x.json -o x.json", "x.json"),
    ("lab table x.csv -o x.csv", "x.csv"),
    ("test likelihood-ratio x.csv --sigma0 1 --sigma1 2 -o x.csv", "x.csv"),
]


@pytest.mark.parametrize(("command", "read"), READ, ids=[command for command, _ in READ])
def test_no_file_that_is_read_is_written(folder, command, read):
    for name in {word for word in command.split() if "." in word and "/" not in word} | {"x.py"}:
        path = folder / name.rpartition("=")[2].partition(":")[0]
        if not path.exists():
            path.write_text(FOLD_SCORES, encoding="utf-8")
    before = (folder / read).read_bytes()
    option = next(word for word in reversed(command.split()) if word.startswith("-"))
    written = {"-o": "--output"}.get(option, option)
    assert outcome(*command.split()) == (
        2, f"error: {written} {read} is an input and would be overwritten\n  Fix: choose another file\n",
    )  # fmt: skip
    assert (folder / read).read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("kind", ["symlink_to", "hardlink_to"])
def test_a_link_to_an_input_is_that_input(folder, kind):
    getattr(folder / "link.csv", kind)(folder / "old.csv")
    for source, output in (("old.csv", "link.csv"), ("link.csv", "old.csv"), ("*.csv", "link.csv")):
        code, said = outcome("evaluate", source, "-o", output)
        assert (code, said.splitlines()[0]) == (2, f"error: --output {output} is an input and would be overwritten")


def test_nothing_is_written_into_a_folder_that_is_read(folder):
    (folder / "parts").mkdir()
    (folder / "old.csv").rename(folder / "parts" / "p.csv")
    before = (folder / "parts" / "p.csv").read_bytes()
    for output in ("-o parts/p.csv", "-o parts/new.csv", "--report parts/r.html", "--charts parts/c", "--run parts/r"):
        option, path = output.replace("-o ", "--output ").split()
        assert outcome("evaluate", "parts", *output.split()) == (
            2, f"error: {option} {path} lies in parts, whose files are read\n  Fix: choose another folder\n",
        )  # fmt: skip
    assert run("evaluate", "parts", "--run", "parts/.runs", "-q").exit_code == 0  # what is hidden is not read
    assert (folder / "parts" / "p.csv").read_bytes() == before
    assert run("evaluate", "parts").exit_code == 0


def test_charts_do_not_write_over_an_input(folder):
    (folder / "old.csv").rename(folder / "metrics.svg")
    assert outcome("evaluate", "metrics.svg", "--charts", ".") == (
        2, "error: --charts . could write a chart over the input metrics.svg\n  Fix: choose another folder\n",
    )  # fmt: skip


def test_a_folder_of_runs_takes_no_other_files(folder):
    assert run(*COUNTS, "--save", "-q").exit_code == 0
    assert outcome("runs", "export", "-o", ".heldout/new.json") == (
        2, ("error: --output .heldout/new.json lies in a folder of recorded runs, which holds nothing else\n"
        "  Fix: choose another folder\n"),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["index.sqlite", "index.sqlite-journal", "timings.jsonl", "pieces/run-x.parquet"])
def test_the_files_of_a_store_are_not_written_over(folder, name):
    assert run(*COUNTS, "--save", "-q").exit_code == 0
    place = f".heldout/{name}"
    parent = place.rpartition("/")[0]
    assert outcome("runs", "export", "-o", place) == (
        2, f"error: --output {place} belongs to the runs recorded in {parent}\n  Fix: choose another file\n",
    )  # fmt: skip
    assert run("runs", "list").exit_code == 0


def test_the_name_of_the_index_is_that_of_stores():
    from heldout.cli.output_paths import STORE_INDEX
    from heldout.learners.parallel_fits import TIMINGS
    from heldout.store.index import NAME

    assert (STORE_INDEX, TIMINGS) == (NAME, "timings.jsonl")


def test_names_that_differ_in_case_only_may_be_one_file(folder):
    assert "are both" in outcome(*COUNTS, "-o", "OUT", "--report", "out")[1]


@pytest.mark.skipif(sys.platform == "win32", reason="standard input of a shell")
def test_the_file_that_the_shell_gives_as_standard_input_is_not_written_over(folder):
    import subprocess

    before = (folder / "old.csv").read_bytes()
    with (folder / "old.csv").open("rb") as file:
        command = [sys.executable, "-m", "heldout", "evaluate", "-", "-o", "old.csv"]
        found = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (
        2, "error: --output old.csv is the standard input and would be overwritten\n  Fix: choose another file\n",
    )  # fmt: skip
    assert (folder / "old.csv").read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
def test_a_full_disk_is_no_fault_of_heldout(folder):
    import subprocess

    with open("/dev/full", "w") as full:  # noqa: PTH123
        found = subprocess.run(
            [sys.executable, "-m", "heldout", *COUNTS], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert found.returncode == 2
    assert found.stderr.startswith("error: the output cannot be written")


def test_an_option_that_is_not_repeatable_is_given_once(folder):
    for twice in ("--positive 0 --positive 1", "--seed 1 --seed=2", "-f json --format csv"):
        found = run("evaluate", "old.csv", *twice.split())
        assert found.exit_code == 2
        assert "was given 2 times and takes one value" in found.stderr
    assert run("evaluate", "old.csv", "-m", "accuracy", "-m", "roc_auc").exit_code == 0
