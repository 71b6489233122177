"""Evaluation logs: right and wrong answers as rows, what belongs together kept, and one sentence for a wrong shape."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import heldout
from heldout.errors import HeldoutError
from heldout.inputs import Reading, read

LOGS = Path(__file__).parent / "logs"
CHOICES, SUMS, CAPITALS = LOGS / "choices.jsonl", LOGS / "sums.jsonl", LOGS / "capitals.json"
fuzz = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def codes_and_texts(reading: Reading) -> list[tuple[str, str]]:
    return [(check.code, check.text) for check in reading.checks]


def archive(log: dict, **more: str) -> bytes:
    """An Inspect log as Inspect packs it: a header, and a file per sample and epoch."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as inside:
        inside.writestr("header.json", json.dumps({key: value for key, value in log.items() if key != "samples"}))
        for sample in log["samples"]:
            inside.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        for name, text in more.items():
            inside.writestr(name, text)
    return packed.getvalue()


def lines(*samples: dict) -> str:
    return "\n".join(json.dumps(sample) for sample in samples)


def inspected(*samples: dict, status: str = "success") -> str:
    return json.dumps({"status": status, "samples": samples})


def scored(name: int | str, value: object, epoch: int = 1) -> dict:
    return {"id": name, "epoch": epoch, "scores": {"match": {"value": value}}}


def test_samples_of_the_harness_are_right_or_wrong():
    reading = read(CHOICES, log="lm-eval")
    assert reading.batch.truth.tolist() == [1] * 6
    assert reading.batch.prediction.tolist() == [1, 0, 0, 1, 1, 1]
    assert reading.ids.tolist() == ["0", "1", "2", "3", "4", "5"]
    assert reading.batch.unit.tolist() == [0, 0, 1, 1, 2, 2]
    assert reading.columns == {"truth": "y_true", "pred": "acc", "group": "doc.passage_id", "id": "doc_id"}
    assert [Path(source.path).name for source in reading.sources] == ["choices.jsonl"]
    text = "samples with the same doc.passage_id are not independent, so they are clusters"
    assert codes_and_texts(reading) == [("H111", f"{text}; --group FIELD (groups=) names other clusters")]


def test_pred_names_the_metric():
    reading = read(CHOICES, log="lm-eval", pred="acc_norm")
    assert reading.batch.prediction.tolist() == [1, 1, 0, 1, 0, 1]
    assert reading.columns["pred"] == "acc_norm"


def test_a_document_counts_once_however_many_filters_there_are():
    reading = read(SUMS, log="lm-eval")
    assert reading.batch.prediction.tolist() == [1, 0, 0, 1]
    assert reading.batch.unit is None
    assert codes_and_texts(reading) == [
        (
            "H111",
            (
                "2 filters are logged ('strict-match', 'flexible-extract') and 'strict-match' is used; "
                "--pred METRIC,FILTER (y_pred=) names another"
            ),
        ),
        ("H111", "doc.subject has 2 values and does not define clusters; --group doc.subject (groups=) makes it do so"),
    ]
    other = read(SUMS, log="lm-eval", pred="exact_match,flexible-extract", group="doc.subject")
    assert other.batch.prediction.tolist() == [1, 1, 0, 1]
    assert other.batch.unit.tolist() == [0, 0, 1, 1]
    assert codes_and_texts(other) == []


def test_fields_by_their_path_are_weights_segments_and_ids(file):
    path = file(
        "a.jsonl",
        lines(
            {"doc_id": 0, "doc": {"key": "x", "w": 2, "kind": "hard"}, "em": True},
            {"doc_id": 1, "doc": {"key": "y", "w": 1, "kind": "easy"}, "em": False},
        ),
    )
    reading = read(path, log="lm-eval", id="doc.key", weight="doc.w", segments="doc.kind")
    assert reading.ids.tolist() == ["x", "y"]
    assert reading.batch.weight.tolist() == [2, 1]
    assert reading.batch.segments["doc.kind"].names == ("easy", "hard")
    assert reading.batch.prediction.tolist() == [1, 0]


def test_samples_of_inspect_that_ran_twice_are_one_unit():
    reading = read(CAPITALS, log="inspect")
    assert reading.batch.prediction.tolist() == [1, 0, 1, 1, 0, 0]
    assert reading.ids.tolist() == ["France, 1", "Spain, 1", "France, 2", "Spain, 2", "Italy, 1", "Italy, 2"]
    assert reading.batch.unit.tolist() == [0, 1, 0, 1, 2, 2]
    assert reading.columns == {"truth": "y_true", "pred": "scores.match", "group": "id", "id": "id, epoch"}
    assert read(CAPITALS, log="inspect", id="id").ids.tolist() == reading.ids.tolist()
    assert codes_and_texts(reading) == [
        ("H111", "1 sample is partly right (P) and counts as wrong"),
        (
            "H111",
            (
                "samples ran more than once (epoch), so the runs of one id are a cluster; --group "
                "FIELD (groups=) names other clusters"
            ),
        ),
    ]


def test_an_archive_of_inspect_says_what_its_json_says(file):
    log = json.loads(CAPITALS.read_text(encoding="utf-8"))
    packed = read(file("a.eval", archive(log, **{"summaries.json": "[]"})), log="inspect")
    plain = read(CAPITALS, log="inspect")
    assert packed.batch.prediction.tolist() == plain.batch.prediction.tolist()
    assert packed.ids.tolist() == plain.ids.tolist()
    assert packed.checks == plain.checks


def test_an_unfinished_log_is_noted(file):
    reading = read(file("a.json", inspected(scored(1, "C"), scored(2, 0), status="error")), log="inspect")
    assert codes_and_texts(reading) == [("H111", "the status of a.json is 'error': samples may be missing")]
    assert reading.batch.prediction.tolist() == [1, 0]


def test_a_sample_that_was_not_scored_is_missing_and_never_dropped_silently(file, said):
    path = file("a.json", inspected(scored(1, "C"), {"id": 2, "epoch": 1, "scores": None}, scored(3, "I")))
    assert said(read, path, log="inspect") == (
        "[H305] a.json: scores.match is missing in row 2. Rows are never dropped silently\n"
        "  Fix: complete the values, or drop these rows with on_nan='drop'"
    )
    reading = read(path, log="inspect", on_nan="drop")
    assert reading.batch.prediction.tolist() == [1, 0]
    assert reading.ids.tolist() == ["1", "3"]


def test_logs_may_be_zipped(file):
    path = file("a.jsonl.gz", gzip.compress(CHOICES.read_bytes()))
    assert read(path, log="lm-eval").batch.prediction.tolist() == [1, 0, 0, 1, 1, 1]


def test_accuracy_is_that_of_the_same_answers_as_arrays():
    found = heldout.evaluate(CHOICES, log="lm-eval")
    arrays = heldout.evaluate(
        np.ones(6, int), [1, 0, 0, 1, 1, 1], groups=list("aabbcc"), labels=[0, 1], metrics="accuracy"
    )
    assert list(found.estimates) == ["accuracy"]
    assert found["accuracy"] == pytest.approx(4 / 6)
    assert (found["accuracy"].low, found["accuracy"].high) == (arrays["accuracy"].low, arrays["accuracy"].high)
    assert found.baseline is None
    assert "H309" not in {check.code for check in found.checks}


def test_nothing_wrong_and_nothing_right_have_intervals(file):
    right = file("right.jsonl", lines(*({"doc_id": i, "acc": 1} for i in range(9))))
    wrong = file("wrong.jsonl", lines(*({"doc_id": i, "acc": 0} for i in range(9))))
    best, worst = (heldout.evaluate(path, log="lm-eval")["accuracy"] for path in (right, wrong))
    assert (best, worst) == (1, 0)
    assert 0.5 < best.low < best.high == 1
    assert 0 == worst.low < worst.high < 0.5
    found = heldout.compare({"wrong": wrong, "right": right}, log="lm-eval")
    assert (found.verdict, found["accuracy"].value, found.matched) == ("BETTER", 1, "id")


def test_models_are_matched_by_document(file):
    old = file("old.jsonl", lines(*({"doc_id": i, "acc": int(i % 3 > 0)} for i in range(30))))
    new = file("new.jsonl", lines(*({"doc_id": i, "acc": int(i % 6 > 0)} for i in reversed(range(30)))))
    found = heldout.compare({"old": old, "new": new}, log="lm-eval")
    assert [one.metric for one in found.differences if one.printed] == ["accuracy"]
    assert found["accuracy"].value == pytest.approx(5 / 30)
    # 5 discordant pairs, all one way: the mid-p of McNemar's test is 2 * (1/2)**5 - (1/2)**5
    assert found["accuracy"].pvalue == pytest.approx(0.5**5)


HARNESS = "  Fix: name a samples_*.jsonl file, which lm_eval writes with --log_samples"
INSPECT = "  Fix: name a log of Inspect that was written with its samples (.eval or .json)"
WRONG = "  Fix: name a metric or scorer of right and wrong answers with y_pred="
SHAPES = [
    ("lm-eval", "\x1c", "[H112] a.log has no samples\n" + HARNESS),
    ("lm-eval", "", "[H100] a.log is empty (0 bytes)\n  Fix: write the log again"),
    (
        "lm-eval",
        '{"doc_id": 0, "acc": 1}\n[',
        "[H100] line 2 of a.log is not valid JSON: Expecting value: line 1 column 2 (char 1)\n" + HARNESS,
    ),
    ("lm-eval", "[1]", "[H100] line 1 of a.log holds a list, and a JSON object was expected\n" + HARNESS),
    (
        "lm-eval",
        '{"y": 1, "p": 0.5}',
        "[H106] line 1 of a.log is not a sample of lm-evaluation-harness: expected doc_id, found 'y', 'p'\n" + HARNESS,
    ),
    (
        "lm-eval",
        '{"doc_id": 0, "metrics": ["bleu"], "bleu": 0.3}',
        (
            "[H106] line 1 of a.log has no metric of right and wrong: expected acc, exact_match, acc_norm, em, "
            "found 'bleu'\n  Fix: name the metric with y_pred="
        ),
    ),
    (
        "lm-eval",
        '{"doc_id": 0, "acc": 1}\n{"doc_id": 1, "em": 1}',
        (
            "[H106] line 2 of a.log has no metric acc, which other samples have: found 'doc_id', 'em'\n"
            "  Fix: name a metric that every sample has with y_pred="
        ),
    ),
    (
        "lm-eval",
        '{"doc_id": 0, "acc": 0.3}',
        "[H107] line 1 of a.log: acc is 0.3, which is neither right nor wrong (expected 1 or 0)\n" + WRONG,
    ),
    (
        "lm-eval",
        '{"doc_id": null, "acc": 1}',
        (
            "[H305] line 1 of a.log: doc_id is empty, and the id needs a value\n"
            "  Fix: name a field that has a value in every sample"
        ),
    ),
    (
        "lm-eval",
        '{"doc_id": [0], "acc": 1}',
        (
            "[H107] line 1 of a.log: doc_id is a list, and the id needs text or a number\n"
            "  Fix: name a field that holds one value, with dots between the levels"
        ),
    ),
    (
        "lm-eval",
        '{"doc_id": 0, "acc": 1}\n{"doc_id": 0, "acc": 0}',
        (
            "[H105] a.log: 1 id occurs more than once (at most 2 times): doc_id '0' is in rows 1, 2, "
            "and these are not independent\n"
            "  Fix: groups='doc_id' for cluster-robust intervals, or remove the duplicates"
        ),
    ),
    (
        "inspect",
        '{"doc_id": 0, "acc": 1}',
        "[H106] a.log is not a log of Inspect: expected samples, found 'doc_id', 'acc'\n" + INSPECT,
    ),
    ("inspect", '{"samples": []}', "[H112] a.log has no samples\n" + INSPECT),
    (
        "inspect",
        '{"samples": [3]}',
        "[H100] sample 1 of a.log is 3, and a JSON object was expected\n" + INSPECT,
    ),
    (
        "inspect",
        '{"samples": [{"scores": {}}]}',
        "[H106] sample 1 of a.log is not a sample of Inspect: expected id and scores, found 'scores'\n" + INSPECT,
    ),
    (
        "inspect",
        '{"samples": [{"id": 1}]}',
        "[H106] a.log has no scores\n  Fix: score the log first with inspect score",
    ),
    (
        "inspect",
        '{"samples": [{"id": 1, "scores": {"match": {"answer": "x"}}}]}',
        "[H106] sample 1 of a.log: the score of match has no value: found 'answer'\n" + INSPECT,
    ),
    (
        "inspect",
        inspected(scored(1, "C"), scored(2, 0.7)),
        "[H107] sample 2 of a.log: scores.match is 0.7, which is neither right nor wrong "
        "(expected 1 or 0 or one of C, I, P, N)\n" + WRONG,
    ),
    (
        "inspect",
        "PK\x03\x04x",
        "[H100] a.log is not a valid zip archive: File is not a zip file\n  Fix: copy the log again",
    ),
]


@pytest.mark.parametrize(("kind", "contents", "sentence"), SHAPES, ids=[shape[2][:60] for shape in SHAPES])
def test_a_wrong_shape_gets_one_sentence(file, said, kind, contents, sentence):
    assert said(read, file("a.log", contents), log=kind) == sentence


def test_a_piece_of_an_archive_that_is_no_json_is_named(file, said):
    path = file("a.eval", archive({"samples": []}, **{"samples/7_epoch_1.json": "oops"}))
    assert said(read, path, log="inspect") == (
        "[H100] samples/7_epoch_1.json in a.eval is not valid JSON: Expecting value: line 1 column 1 (char 0)\n"
        + INSPECT
    )


def test_names_that_are_not_there(said):
    assert said(read, SUMS, log="lm-eval", pred="exact_match,loose") == (
        "[H106] sums.jsonl has no filter 'loose': its filters are 'strict-match', 'flexible-extract'\n"
        "  Fix: name a metric and a filter that are there, such as y_pred='exact_match,strict-match'"
    )
    assert said(read, CAPITALS, log="inspect", pred="judge") == (
        "[H106] capitals.json has no scorer 'judge': its scorers are 'match', 'graded'\n"
        "  Fix: name one of these scorers"
    )
    assert said(read, CAPITALS, log="inspect", group="metadata.country") == (
        "[H106] sample 1 of capitals.json has no field 'metadata.country' for the group; its fields are 'id', 'epoch', "
        "'input', 'target', 'metadata', 'scores', 'metadata.continent', 'scores.match', 'scores.graded'\n"
        "  Fix: name one of these fields, with dots between the levels"
    )


def test_options_that_a_log_cannot_use(said):
    assert said(read, SUMS, log="lm_eval") == (
        "log 'lm_eval' is not known; did you mean 'lm-eval'?\n  Fix: choose one of lm-eval, inspect"
    )
    assert said(read, {"y": [1]}, log="lm-eval") == (
        "a log is a file, and a dict was given\n  Fix: pass the path of the log"
    )
    assert said(read, SUMS, log="lm-eval", pred=["acc", "em"]) == (
        "a log has one prediction, and pred is ['acc', 'em']\n  Fix: name one metric or scorer"
    )
    assert said(read, SUMS, log="lm-eval", threshold=0.5) == (
        "threshold has no meaning for an evaluation log, whose samples are right or wrong\n"
        "  Fix: leave it out; y_pred= names the metric or scorer"
    )
    assert said(heldout.evaluate, str(SUMS), log="lm-eval", train="train.csv") == (
        "train needs the rows of a table, but a log was given\n  Fix: leave out train or log"
    )
    assert said(heldout.evaluate, [1, 0], [1, 1], log="lm-eval") == (
        "log names columns of a file or frame, but arrays were given\n  Fix: pass the arrays themselves"
    )


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.sampled_from("CIPN\ud800")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["value", "subject", "passage_id", "match", "\ud800"]), inner, max_size=2),
    ),
    max_leaves=4,
)
fields = ["doc_id", "doc", "acc", "em", "filter", "metrics", "id", "epoch", "scores", "metadata", "weight", "p"]
names = st.one_of(st.integers(), st.text(min_size=1, max_size=3))
anything = st.lists(st.one_of(values, st.dictionaries(st.sampled_from(fields), values, max_size=6)), max_size=4)
harness_like = st.lists(
    st.fixed_dictionaries(
        {"doc_id": names, "acc": st.sampled_from([0, 1, None])}, optional={"doc": values, "filter": values}
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda one: str(one["doc_id"]),
)
inspect_like = st.lists(
    st.builds(scored, names, st.sampled_from([*"CIPN", 0, True]), st.integers(1, 2)),
    min_size=1,
    max_size=4,
    unique_by=lambda one: (str(one["id"]), one["epoch"]),
)
found_in = st.one_of(
    st.tuples(st.just("lm-eval"), st.one_of(anything, harness_like)),
    st.tuples(st.just("inspect"), st.one_of(anything, inspect_like)),
)
options = st.fixed_dictionaries(
    {},
    optional={
        "pred": st.sampled_from(["acc", "match", "em,x", ",", "", "id", "doc_id"]),
        "group": st.sampled_from(["doc.subject", "id", "doc_id", "", "."]),
        "weight": st.sampled_from(["weight", "acc"]),
        "segments": st.sampled_from([("doc",), ("epoch", "acc"), ("p",)]),
        "on_nan": st.just("drop"),
    },
)


def survives(data: bytes, kind: str, chosen: dict) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.log"
        path.write_bytes(data)
        try:
            reading = read(path, log=kind, **chosen)
        except HeldoutError:
            return
        assert reading.batch.truth.all()


@fuzz
@given(found_in, st.one_of(st.just({}), options))
def test_only_our_own_errors_escape(logged, chosen):
    kind, found = logged
    text = json.dumps({"samples": found}) if kind == "inspect" else "\n".join(map(json.dumps, found))
    survives(text.encode(), kind, chosen)


@fuzz
@given(st.binary(max_size=60), st.integers(0, 2000), st.sampled_from(["lm-eval", "inspect"]), st.booleans())
def test_only_our_own_errors_escape_damaged_files(piece, place, kind, packed):
    whole = archive(json.loads(CAPITALS.read_text(encoding="utf-8"))) if packed else SUMS.read_bytes()
    survives(whole[:place] + piece + whole[place + len(piece) :], kind, {})
    survives(piece, kind, {})


def reduced(reducer: object, *samples: dict) -> str:
    header = {"status": "success", "eval": {"config": {"epochs": 3, "epochs_reducer": reducer}}}
    return json.dumps({**header, "samples": samples})


RUNS = [scored("a", value, epoch) for epoch, value in ((1, "I"), (2, "C"), (3, "I"))]
RUNS += [scored("b", value, epoch) for epoch, value in ((1, "C"), (2, "C"), (3, "I"))]
RUNS += [scored("c", "I", epoch) for epoch in (1, 2, 3)]


@pytest.mark.parametrize(
    ("reducer", "needed", "right"),
    [("at_least_1", 1, [1, 1, 0]), ("max", 1, [1, 1, 0]), ("at_least_2", 2, [0, 1, 0]), ("at_least_3", 3, [0, 0, 0])],
)
def test_a_reducer_of_inspect_that_says_right_or_wrong_is_honoured(reducer, needed, right, file):
    reading = read(file("a.json", reduced([reducer, "mean"], *RUNS)), log="inspect")
    assert reading.batch.prediction.tolist() == right
    assert reading.ids.tolist() == ["a", "b", "c"]
    assert reading.batch.unit is None
    text = f"a sample counts as right if {needed} or more of its epochs are: the log reduces epochs by {reducer}"
    assert codes_and_texts(reading) == [("H111", text)]


@pytest.mark.parametrize("reducer", [None, ["mean"], []])
def test_the_mean_of_epochs_needs_no_reducing(reducer, file):
    reading = read(file("a.json", reduced(reducer, *RUNS)), log="inspect")
    assert (reading.batch.rows, reading.batch.units) == (9, 3)
    assert len(reading.checks) == 1


def test_a_reducer_that_is_not_honoured_is_said(file):
    reading = read(file("a.json", reduced(["pass_at_2"], *RUNS)), log="inspect")
    assert (reading.batch.rows, reading.batch.units) == (9, 3)
    assert codes_and_texts(reading)[0] == (
        "H111",
        (
            "the log reduces epochs by pass_at_2, which is not a share of right answers: every epoch counts as a row "
            "here, as with the reducer mean"
        ),
    )


def test_an_epoch_that_was_not_scored_decides_nothing(file):
    runs = [RUNS[0], RUNS[1], {"id": "a", "epoch": 3, "scores": None}, *RUNS[6:8], {**RUNS[8], "scores": None}]
    path = file("a.json", reduced(["at_least_1"], *runs))
    reading = read(path, log="inspect", on_nan="drop")
    assert reading.ids.tolist() == ["a"]


@pytest.mark.parametrize("samples", [[], None, [{"id": 1, "epoch": 1, "scores": {}}]])
def test_a_failed_run_of_inspect_is_named_as_failed(samples, file, said):
    log = {"status": "error", "error": {"message": "the model is not there\nat line 3"}, "samples": samples}
    expected = (
        "[H112] a.json is the log of a run that failed (its status is 'error': the model is not there), and no sample "
        "was scored\n  Fix: run it to the end with inspect eval-retry, and name the log of that run"
    )
    assert said(read, file("a.json", json.dumps(log)), log="inspect") == expected
    packed = archive({**log, "samples": samples or []})
    assert said(read, file("a.eval", packed), log="inspect") == expected.replace("a.json", "a.eval")
