"""--from: logs of evaluations on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema

NAMES = (
    *("log", "on_nan", "engine", "engine_address", "memory", "truth", "pred", "score", "prob_prefix", "id", "group"),
    *("weight", "task", "positive", "labels", "threshold", "link", "level", "alpha", "n_resamples", "seed"),
)
LOGS = Path(__file__).parents[1] / "inputs" / "formats" / "logs"


def run(*arguments: object):
    return CliRunner().invoke(verbs, [str(argument) for argument in arguments])


def test_evaluate_reads_a_log():
    result = run("evaluate", LOGS / "sums.jsonl", "--from", "lm-eval", "--group", "doc.subject", "--format", "json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    Draft202012Validator(schema(found["schema"])).validate(found)
    assert (found["rows"], found["units"]) == (4, 2)
    assert {name: one["value"] for name, one in found["estimates"].items()} == {"accuracy": 0.5}


def test_compare_reads_logs(tmp_path):
    again = tmp_path / "again.json"
    again.write_text((LOGS / "capitals.json").read_text(encoding="utf-8").replace('"N"', '"C"'), encoding="utf-8")
    result = run("compare", LOGS / "capitals.json", again, "--from", "inspect", "--format", "json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    Draft202012Validator(schema(found["schema"])).validate(found)
    assert found["matched"] == {"by": "id", "rows": 6, "only": {"capitals": 0, "again": 0}}
    assert [(one["metric"], round(one["value"], 3)) for one in found["differences"]] == [("accuracy", 0.167)]


def test_gate_reads_logs(tmp_path):
    again = tmp_path / "again.json"
    again.write_text((LOGS / "capitals.json").read_text(encoding="utf-8").replace('"N"', '"C"'), encoding="utf-8")
    asked = ("--from", "inspect", "--primary", "accuracy", "--margin", "0.5", "--format", "json")
    result = run("gate", LOGS / "capitals.json", again, *asked)
    assert result.exit_code in (0, 3)
    found = json.loads(result.stdout)
    Draft202012Validator(schema(found["schema"])).validate(found)
    assert [(one["against"], round(one["value"], 3), one["rows"]) for one in found["hurdles"]] == [
        ("baseline", 0.167, 6)
    ]


def test_every_verb_that_reads_predictions_has_the_same_options():
    shared = [option for option in verbs.get_command(None, "evaluate").params if option.name in NAMES]
    assert [option.name for option in shared] == list(NAMES)
    for verb in ("compare", "gate"):
        found = {option.name: option for option in verbs.get_command(None, verb).params}
        assert [(found[one.name].opts, found[one.name].help) for one in shared] == [
            (one.opts, one.help) for one in shared
        ]


def test_a_file_that_is_no_log_is_refused(tmp_path):
    path = tmp_path / "preds.jsonl"
    path.write_text('{"y": 1, "p": 0.5}\n', encoding="utf-8")
    result = run("evaluate", path, "--from", "lm-eval")
    assert result.exit_code == 2
    assert result.stderr == (
        "error[H106] line 1 of preds.jsonl is not a sample of lm-evaluation-harness: expected doc_id, found 'y', 'p'\n"
        "  Fix: name a samples_*.jsonl file, which lm_eval writes with --log_samples\n  See: heldout explain H106\n"
    )


def test_counts_are_no_log():
    result = run("evaluate", "--wrong", "1", "--of", "9", "--from", "inspect")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: --from has no effect with --wrong and --of: it needs rows\n  Fix: leave out --from\n"
    )
