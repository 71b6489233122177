from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import heldout
from heldout.cli import verbs
from heldout.report.schema import schema
from tests.language.writings import garbled, sentences

WANTED = sentences(30)


def run(*arguments):
    return CliRunner().invoke(verbs, ["text", *map(str, arguments)])


def refused(*arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


@pytest.fixture
def files(tmp_path):
    """References, a good system and a bad one."""
    texts = {"ref": WANTED, "good": garbled(WANTED, 0.1), "bad": garbled(WANTED, 0.5, seed=3)}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {name: tmp_path / f"{name}.txt" for name in texts}


def test_the_screen_has_signature_interval_and_verdict(files):
    result = run(files["ref"], files["good"], files["bad"], "--primary", "bleu")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "30 segments, 1 reference each"
    assert lines[1].startswith("bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert any(line.startswith("VERDICT  bad is WORSE than good on bleu (") for line in lines)
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("systems", [["good"], ["good", "bad"], ["good", "bad", "ref"]])
def test_the_json_keeps_to_its_schema(files, systems):
    result = run(files["ref"], *(files[name] for name in systems), "--format", "json")
    found = json.loads(result.stdout)
    Draft202012Validator(schema("heldout.text/1")).validate(found)
    assert found["models"] == systems
    assert len(found["inputs"]) == 1 + len(systems)


@pytest.mark.parametrize("form", ["md", "latex", "csv"])
@pytest.mark.parametrize("systems", [["good"], ["good", "bad"]])
def test_other_formats_name_the_metrics(files, form, systems):
    result = run(files["ref"], *(files[name] for name in systems), "--format", form)
    assert result.exit_code == 0, result.output
    assert "bleu" in result.stdout
    assert "chrf" in result.stdout


def test_csv_has_every_value_or_every_difference(files):
    alone = run(files["ref"], files["good"], "--format", "csv").stdout.splitlines()
    assert alone[0] == "metric,model,value,low,high,level,method,units,better,notes"
    assert len(alone) == 11
    both = run(files["ref"], files["good"], files["bad"], "--format", "csv").stdout.splitlines()
    assert both[0].startswith("metric,model,baseline,model_value,baseline_value,value,low,high")
    assert [line.split(",")[0] for line in both[1:]] == ["bleu", "chrf"]


def test_options_reach_python_by_their_names_there(files, monkeypatch):
    calls = []

    def text(*arguments, **options):
        calls.append((arguments, options))
        return SimpleNamespace(to_dict=dict)

    monkeypatch.setattr(heldout, "text", text, raising=False)
    run(
        *(files["ref"], files["good"], "--ref", files["bad"], "--metric", "bleu,ter", "--metric", "chrf", "-q"),
        *(
            "--group",
            "doc",
            "--level",
            "0.9",
            "--seed",
            "3",
            "--n-resamples",
            "500",
            "--tokenize",
            "intl",
            "--lowercase",
        ),
        *("--smoothing", "floor", "--smoothing-value", "0.1", "--test", "t", "--margin", "bleu=1", "--idf"),
        *("--embedder", "here", "--layer", "5", "--primary", "ter", "--baseline", "good", "--method", "bca"),
    )
    ((references, systems), options) = calls[0]
    assert references == [files["ref"], files["bad"]]
    assert systems == {"good": str(files["good"])}
    assert options == {
        "metrics": ["bleu", "ter", "chrf"], "primary": "ter", "baseline": "good", "margin": {"bleu": 1.0}, "test": "t",
        "groups": "doc", "tokenize": "intl", "lowercase": True, "smoothing": "floor", "smoothing_value": 0.1,
        "embedder": "here", "layer": 5, "idf": True, "confidence_level": 0.9, "method": "bca", "random_state": 3,
        "n_resamples": 500,
    }  # fmt: skip


def test_a_file_alone_is_refused(files):
    assert refused(files["ref"]) == (
        "error: 1 file was given, and texts need references and a system\n"
        "  Fix: for example heldout text references.txt system.txt\n"
    )


def test_lines_that_differ_in_number_are_refused(files, tmp_path):
    (tmp_path / "short.txt").write_text("one\n", encoding="utf-8")
    assert refused(files["ref"], tmp_path / "short.txt") == (
        "error[H112] 1 segment in short.txt, but 30 in ref.txt\n"
        "  Fix: write one line for each segment, an empty one where there is no text\n  See: heldout explain H112\n"
    )


def test_an_input_is_not_written_over(files):
    assert "is an input and would be overwritten" in refused(files["ref"], files["good"], "--output", files["ref"])


def test_a_run_is_recorded(files, tmp_path):
    folder = tmp_path / "runs"
    result = run(files["ref"], files["good"], files["bad"], "--save=first", "--run", folder)
    assert result.exit_code == 0, result.output
    assert "look 1 at these rows" in result.stderr
    again = run(files["ref"], files["good"], "--run", folder)
    assert "look 2 at these rows" in again.stderr
    listed = CliRunner().invoke(verbs, ["runs", str(folder)])
    assert listed.exit_code == 0, listed.output


def test_a_page_is_written_where_it_is_asked_for(files, tmp_path):
    result = run(files["ref"], files["good"], "--report", tmp_path / "page.html", "-q")
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "--report" in refused(files["ref"], files["good"], "--report", files["good"])


def test_a_packed_file_gives_its_system_a_plain_name(files, tmp_path):
    import gzip

    packed = tmp_path / "system.txt.gz"
    packed.write_bytes(gzip.compress(files["good"].read_bytes()))
    assert json.loads(run(files["ref"], packed, "--format", "json").stdout)["models"] == ["system"]
