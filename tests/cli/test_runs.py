from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema
from heldout.store import open_store


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, wrong in (("old", 5), ("new", 8)):
        lines = [f"{i},{i % 2},{i % 2 if i % wrong else 1 - i % 2}" for i in range(200)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y_true,y_pred", *lines]) + "\n", encoding="utf-8")
    return tmp_path


def saved(store=".heldout"):
    return open_store(store, make=False).records()


def test_nothing_is_written_unasked(files):
    assert run("evaluate", "old.csv").exit_code == 0
    assert run("compare", "old.csv", "new.csv").exit_code == 0
    assert sorted(path.name for path in files.iterdir()) == ["new.csv", "old.csv"]


def test_two_models_on_the_same_rows_are_two_looks(files):
    first = run("evaluate", "old.csv", "--save")
    second = run("evaluate", "new.csv", "--save", "candidate")
    old, new = saved()
    assert first.stderr == f"recorded as {old.id} in .heldout, look 1 at these rows\n"
    assert second.stderr == f"recorded as {new.id} in .heldout, look 2 at these rows\n"
    assert (old.name, new.name, old.data == new.data) == ("old", "candidate", True)
    said = json.loads(run("runs", "--format", "json").stdout)
    Draft202012Validator(schema("heldout.runs/1")).validate(said)
    assert [(one["look"], one["looks"], one["rows"]) for one in said["runs"]] == [(1, 2, 200), (2, 2, 200)]
    day = old.time[:16].replace("T", " ")
    shown = run("runs").stdout.splitlines()
    assert shown[0] == "id      when (UTC)        name       rows  look    value [interval]"
    assert shown[1] == f"{old.id[:6]}  {day}  old         200  1 of 2  accuracy 0.800 [0.739, 0.850]"


def test_a_recorded_result_is_shown_as_it_was(files):
    printed = run("evaluate", "old.csv", "--save", "--run", "kept").stdout
    assert run("runs", "kept", "show", "old").stdout == printed
    (exported,) = json.loads(run("runs", "kept", "export").stdout)
    assert list(exported) == ["id", "time", "name", "verb", "command", "result", "data", "look"]
    assert exported["result"]["rows"] == 200
    result = run("runs", "kept", "export", "old", "--output", "out.json")
    assert (result.exit_code, result.stderr) == (0, "wrote out.json\n")
    assert json.loads((files / "out.json").read_text(encoding="utf-8"))[0]["name"] == "old"


def test_a_comparison_is_recorded_too(files):
    result = run("compare", "old.csv", "new.csv", "--run", "kept", "-q")
    assert (result.exit_code, result.output) == (0, "")
    said = json.loads(run("runs", "kept", "list", "--format", "json").stdout)
    Draft202012Validator(schema("heldout.runs/1")).validate(said)
    (one,) = said["runs"]
    assert (one["verb"], one["name"], one["look"]) == ("comparison", "old", 1)
    assert one["primary"]["metric"] == "accuracy"


def test_values_side_by_side_are_no_test(files):
    run("evaluate", "old.csv", "--save")
    run("evaluate", "new.csv", "--save")
    said = json.loads(run("runs", "compare", "old", "new", "--format", "json").stdout)
    Draft202012Validator(schema("heldout.runs/1")).validate(said)
    assert said["notes"] == [
        "values side by side are not a test of the difference: heldout compare makes one from the predictions"
    ]
    shown = run("runs", "compare", "old", "new").stdout
    assert shown.splitlines()[:2] == [
        "metric             old                   new",
        "accuracy           0.800 [0.739, 0.850]  0.875 [0.822, 0.914]",
    ]


def test_a_name_is_the_newest_run_of_that_name(files):
    run("evaluate", "old.csv", "--save", "nightly", "-q")
    printed = run("evaluate", "new.csv", "--save", "nightly").stdout
    old, new = saved()
    note = (
        f"'nightly' is {new.id} of {new.time[:16].replace('T', ' ')} (UTC), the newest of 2 runs with this name; "
        "name another by its id\n"
    )
    shown = run("runs", "show", "nightly")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, printed, note)
    assert run("runs", "show", new.id).stderr == ""
    exported = run("runs", "export", "nightly")
    assert ([one["id"] for one in json.loads(exported.stdout)], exported.stderr) == ([new.id], note)
    beside = run("runs", "compare", "nightly", old.id)
    assert beside.stdout.splitlines()[0].split() == ["metric", "nightly", new.id[:6], "nightly", old.id[:6]]
    said = json.loads(run("runs", "compare", "nightly", old.id, "--json").stdout)
    assert [one["id"] for one in said["runs"]] == [new.id, old.id]
    assert said["notes"][0] == note.rstrip()


def test_a_name_of_several_runs_deletes_none(files):
    run("evaluate", "old.csv", "--save", "nightly", "-q")
    run("evaluate", "new.csv", "--save", "nightly", "-q")
    old, new = saved()
    result = run("runs", "delete", "nightly")
    assert (result.exit_code, result.stderr) == (
        2,
        f"error: 'nightly' could be 2 runs: {old.id}, {new.id}\n  Fix: name the run to delete by its id\n",
    )
    assert len(saved()) == 2


def test_looks_stay_counted_after_delete(files):
    run("evaluate", "old.csv", "--save")
    (old,) = saved()
    result = run("runs", "delete", old.id[:6])
    assert (result.exit_code, result.stderr) == (0, f"deleted {old.id} old; the look at its rows stays counted\n")
    assert run("runs").stdout == "no runs are recorded\n"
    assert run("evaluate", "old.csv", "--save").stderr.endswith("look 2 at these rows\n")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ("runs", "lst"),
            (
                "Usage: heldout runs [OPTIONS] [DIR] COMMAND [ARGS]...\nTry 'heldout runs --help' for help.\n\n"
                "Error: No such command or folder 'lst'. Did you mean list?\n"
                "  Fix: heldout runs --help lists the commands\n"
            ),
        ),
        (
            ("runs", "nowhere"),
            "error: no runs are recorded in nowhere\n  Fix: name a folder that --save or --run has written to\n",
        ),
        (("runs", "kept", "show", "zz"), "error: no run is called 'zz'\n  Fix: heldout runs lists all\n"),
        (
            ("runs", "kept", "compare", "old"),
            "error: two runs or more stand side by side\n  Fix: for example heldout runs compare 7f3a b91c\n",
        ),
        (
            ("evaluate", "old.csv", "-q", "--save", "new.csv"),
            (
                "error: a run cannot be called new.csv, which is a file\n"
                "  Fix: put the files first, or write --save=NAME; here --save took new.csv as its name\n"
            ),
        ),
    ],
)
def test_mistakes_are_named(files, asked, said):
    open_store("kept")
    result = run(*asked)
    assert (result.exit_code, result.stderr) == (2, said)


@pytest.mark.parametrize(
    "asked",
    [
        ("evaluate", "--save", "old.csv"),
        ("compare", "--save", "old.csv", "new.csv"),
        ("gate", "--save", "old.csv", "--primary", "accuracy", "--margin", "0.1"),
        ("gate", "new.csv", "--save", "old.csv", "--primary", "accuracy", "--margin", "0.1"),
    ],
)
def test_a_file_that_save_took_is_named_before_what_seems_to_be_missing(files, asked):
    result = run(*asked)
    assert (result.exit_code, result.stderr) == (
        2,
        (
            "error: a run cannot be called old.csv, which is a file\n"
            "  Fix: put the files first, or write --save=NAME; here --save took old.csv as its name\n"
        ),
    )


def test_a_gate_is_a_look_at_the_rows_and_has_a_value(files):
    run("evaluate", "old.csv", "--save", "alone")
    found = run("gate", "old.csv", "new.csv", "--primary", "accuracy", "--margin", "0.1", "--save", "release")
    alone, release = saved()
    assert (alone.data == release.data, release.look) == (True, 2)
    assert f"recorded as {release.id} in .heldout, look 2 at these rows\n" in found.stderr
    line = run("runs").stdout.splitlines()[2].split()
    assert line[3:] == ["release", "200", "2", "of", "2", "accuracy", "+0.075", "[+0.014,", "+0.136]"]


def test_ceiling_and_choice_of_folds_have_values(files):
    lines = [f"{i % 7},{i % 3},{'ny'[i % 7 > 2]}" for i in range(90)]
    (files / "rows.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", encoding="utf-8")
    data = ("--data", "rows.csv", "--target", "y", "--save", "--quiet")
    assert run("lab", "ceiling", *data).exit_code == 0
    assert run("validate", "sklearn.naive_bayes:GaussianNB", "--choose-folds", "-m", "accuracy", *data).exit_code == 0
    ceiling, folds = json.loads(run("runs", "--json").stdout)["runs"]
    assert (ceiling["primary"]["metric"], folds["primary"]["metric"]) == ("error_rate", "accuracy")
    assert 0 <= ceiling["primary"]["value"] <= 1
    assert 0 <= folds["primary"]["value"] <= 1


def spoiled(change):
    """Change the first record behind the back of the store."""
    import sqlite3

    index = sqlite3.connect(".heldout/index.sqlite")
    with index:
        index.execute(f"UPDATE records SET {change} WHERE number = 1")
    index.close()


@pytest.mark.parametrize(
    "change",
    [
        "result = '{rotten'",
        "result = '[1]'",
        "result = 'null'",
        "result = replace(result, '0.8', '0.9')",
        "result = CAST(x'ff00fe' AS TEXT)",
        "options = 'none'",
        "time = 5",
        "verb = 'gate'",
        "sha256 = 'x'",
        "sha256 = NULL, result = '{'",
    ],
)
def test_one_damaged_record_does_not_hide_the_others(files, change):
    run("evaluate", "old.csv", "--save", "first", "-q")
    run("evaluate", "new.csv", "--save", "second", "-q")
    first = saved()[0].id
    spoiled(change)
    listed = run("runs")
    assert listed.exit_code == 0, listed.stderr
    assert "second" in listed.stdout
    assert f"{first} is damaged; remove it with heldout runs delete {first}" in " ".join(listed.stdout.split())
    Draft202012Validator(schema("heldout.runs/1")).validate(json.loads(run("runs", "--json").stdout))
    for asked in (("show", first), ("export", first), ("compare", first, "second")):
        found = run("runs", *asked)
        assert found.exit_code == 2
        assert found.stderr == (
            f"error[H100] the record {first} in .heldout is damaged\n"
            f"  Fix: remove it with heldout runs .heldout delete {first}; the look at its rows stays counted\n"
            "  See: heldout explain H100\n"
        )
    exported = run("runs", "export")
    assert [one["name"] for one in json.loads(exported.stdout)] == ["second"]
    assert exported.stderr == f"{first} is damaged; remove it with heldout runs delete {first}\n"
    assert run("runs", "delete", first).exit_code == 0
    assert "damaged" not in run("runs").stdout
    assert run("evaluate", "old.csv", "--save", "third").stderr.endswith("look 3 at these rows\n")


def test_every_validation_and_selection_of_the_same_rows_is_a_look_at_them(files):
    lines = [f"{i % 7},{i % 3},{'ny'[i % 7 > 2]}" for i in range(60)]
    (files / "rows.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", encoding="utf-8")
    candidates = '[nb]\nlearner = "sklearn.naive_bayes:GaussianNB"\ngrid = {var_smoothing = [1e-9, 0.1]}\n'
    (files / "candidates.toml").write_text(candidates, encoding="utf-8")
    rows = ("--data", "rows.csv", "--target", "y", "--save", "--quiet")
    learner = "sklearn.naive_bayes:GaussianNB"
    for command in (
        ("select", "candidates.toml", *rows),
        ("select", "candidates.toml", *rows, "--seed", "3"),
        ("select", "candidates.toml", *rows, "--protocol", "single"),
        ("validate", learner, *rows, "--cv", "3", "--seed", "4"),
        ("validate", learner, *rows, "--choose-folds", "-m", "accuracy"),
    ):
        assert run(*command).exit_code == 0
    listed = json.loads(run("runs", "--json").stdout)["runs"]
    assert [(one["look"], one["looks"]) for one in listed] == [(at, 5) for at in range(1, 6)]
    (files / "rows.csv").write_text("\n".join(["a,b,y", "0,0,y", *lines[1:]]) + "\n", encoding="utf-8")
    run("validate", learner, *rows, "--cv", "3")
    assert json.loads(run("runs", "--json").stdout)["runs"][-1]["look"] == 1


def test_a_difference_is_listed_with_its_sign_and_called_so(files):
    run("compare", "old.csv", "new.csv", "--save", "-q")
    shown = " ".join(run("runs").stdout.split())
    assert shown.endswith("accuracy +0.075 [+0.002, +0.148] (difference)")


@pytest.mark.parametrize("asked", ["list", "show", "compare"])
def test_the_help_offers_no_option_that_is_refused(files, asked):
    run("evaluate", "old.csv", "--save", "-q")
    given = {"list": ("list",), "show": ("show", "old"), "compare": ("compare", "old", "old")}[asked]
    values = {"--report": ["x.html"], "--chart": ["x.svg"], "--charts": ["x"], "--save": [], "--run": ["x"]}
    offered = run("runs", asked, "--help").stdout
    for name, value in values.items():
        works = run("runs", *given, name, *value).exit_code == 0
        assert (f" {name} " in offered) == works, name
    assert "--chart-format" not in offered


@pytest.mark.parametrize("asked", [("list",), ("compare", "old", "old")])
def test_a_list_of_runs_is_not_recorded(files, asked):
    run("evaluate", "old.csv", "--save")
    assert run("runs", *asked, "--save").stderr == (
        "error: --save has no effect here: a list of runs is not recorded\n  Fix: leave out --save\n"
    )
    assert run("runs", *asked, "--run", "kept").stderr == (
        "error: --run has no effect here: a list of runs is not recorded\n"
        "  Fix: name the folder first: heldout runs DIR list\n"
    )


def test_where_a_result_goes_is_checked_before_the_work(files):
    for option, path, what in (
        ("--report", "nowhere/x.html", "cannot be written: there is no folder nowhere"),
        ("--output", "nowhere/x.txt", "cannot be written: there is no folder nowhere"),
    ):
        found = run("evaluate", "missing.csv", option, path)
        assert found.stderr == (
            f"error: {option} {path} {what}\n  Fix: choose a folder that exists and may be written\n"
        )
    assert (
        run("evaluate", "missing.csv", "--report", ".").stderr
        == "error: --report . cannot be written: it is a folder\n  Fix: name a file\n"
    )
    assert run("evaluate", "missing.csv", "--run", "old.csv").stderr == (
        "error: --run old.csv is a file, and a folder is needed\n  Fix: name a folder\n"
    )
