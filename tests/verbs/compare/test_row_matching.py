"""Which rows of two models are the same: by id, by what a log's samples ask, by position."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.errors import HeldoutError

LOGS = Path(__file__).parents[2] / "inputs" / "formats" / "logs"


def samples(answers, *, ids=None, documents=None):
    """Lines as lm-evaluation-harness 0.4 writes them, as far as they are read."""
    documents = range(len(answers)) if documents is None else documents
    ids = range(len(answers)) if ids is None else ids
    lines = [
        {"doc_id": id, "doc": {"question": f"question {document}"}, "doc_hash": f"hash {document}", "acc": float(right)}
        for id, document, right in zip(ids, documents, answers, strict=True)
    ]
    return "\n".join(json.dumps(line) for line in lines)


def compared(tmp_path, one, two, **options):
    paths = {}
    for name, text in (("one", one), ("two", two)):
        paths[name] = tmp_path / f"{name}.jsonl"
        paths[name].write_text(text, encoding="utf-8")
    return heldout.compare(paths, log=options.pop("log", "lm-eval"), **options)


def refusal(*arguments, **options):
    with pytest.raises(HeldoutError) as caught:
        compared(*arguments, **options)
    return str(caught.value)


def answers_of(rng, size=60):
    return rng.random(size) < 0.6, rng.random(size) < 0.6


def test_shuffled_documents_are_matched_by_content(tmp_path):
    rng = np.random.default_rng(1)
    first, second = answers_of(rng)
    straight = compared(tmp_path, samples(first), samples(second))
    order = rng.permutation(60)
    shuffled = compared(tmp_path, samples(first), samples(second[order], documents=order.tolist()))
    assert (straight.matched, shuffled.matched) == ("id", "content")
    assert shuffled["accuracy"].to_dict() == straight["accuracy"].to_dict()
    note = next(check for check in shuffled.checks if check.code == "H101")
    differ = [place for place, document in enumerate(order) if place != document]
    assert note.text == (
        f"{len(differ)} ids are of another question in two than in one (first: {differ[0]}): "
        "rows are matched by what they ask"
    )
    assert "60 rows matched by content (0 only in one, 0 only in two)" in str(shuffled)


def test_other_documents_under_the_same_ids_are_refused(tmp_path):
    first, second = answers_of(np.random.default_rng(2))
    assert refusal(tmp_path, samples(first), samples(second, documents=range(100, 160))) == (
        "[H101] 60 ids are of another question in two than in one (first: 0), and the two logs have no question in "
        "common\n  Fix: evaluate both models on the same questions"
    )


def test_documents_that_only_one_log_has_are_refused_or_left_out(tmp_path):
    first, second = answers_of(np.random.default_rng(3))
    other = samples(second, documents=range(20, 80))
    assert refusal(tmp_path, samples(first), other).startswith(
        "[H101] questions do not match: 60 in one, 60 in two (40 without a partner, such as hash 0, hash 1, hash 2"
    )
    shared = compared(tmp_path, samples(first), other, on_missing="intersect")
    assert (shared.matched, shared.rows, shared.only) == ("content", 40, {"one": 20, "two": 20})
    assert shared["accuracy"].value == pytest.approx(np.mean(second[:40]) - np.mean(first[20:]))


def test_logs_without_hashes_are_matched_by_the_document_itself(tmp_path):
    text = (LOGS / "choices.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    turned = [{**line, "doc_id": place} for place, line in enumerate(lines[::-1])]
    found = compared(tmp_path, text, "\n".join(map(json.dumps, turned)), groups="doc.passage_id")
    assert (found.matched, found["accuracy"].value) == ("content", 0.0)


def inspected(samples_, **header):
    return json.dumps({"status": "success", "eval": {"task": "capitals"}, **header, "samples": samples_})


def sample(id, question, value, epoch=1):
    asked = [{"id": f"made anew {id} {value}", "role": "user", "content": question}]
    return {"id": id, "epoch": epoch, "input": asked, "target": "x", "scores": {"match": {"value": value}}}


def test_samples_of_inspect_are_matched_by_input_and_target(tmp_path):
    """Messages of the input get new ids in every run."""
    one = inspected([sample(1, "a?", "C"), sample(2, "b?", "I"), sample(3, "c?", "C")])
    two = inspected([sample(1, "b?", "I"), sample(2, "c?", "C"), sample(3, "a?", "C")])
    found = compared(tmp_path, one, two, log="inspect")
    assert (found.matched, found.rows, found["accuracy"].value) == ("content", 3, 0.0)
    assert compared(tmp_path, one, one, log="inspect").matched == "id"
    three = inspected([sample(1, "d?", "I"), sample(2, "e?", "C"), sample(3, "f?", "C")])
    assert "no question in common" in refusal(tmp_path, one, three, log="inspect")


def test_weights_must_agree():
    rng = np.random.default_rng(4)
    rows = pd.DataFrame({"y_true": rng.integers(0, 2, 50), "y_score": rng.random(50), "weight": 1 + rng.random(50)})
    other = rows.assign(y_score=rng.random(50), weight=rows["weight"].where(rows.index != 7, 3.0))
    with pytest.raises(HeldoutError) as caught:
        heldout.compare({"one": rows, "two": other})
    weight = f"{rows['weight'][7]:.6g}"
    assert str(caught.value) == (
        f"[H101] one and two have different weights (first: row 8, {weight} and 3)\n"
        "  Fix: use one weight per row for all models, and check that the rows are the same"
    )
    with pytest.raises(HeldoutError, match=r"two has weights and one has none"):
        heldout.compare({"one": rows.drop(columns="weight"), "two": other})
    assert heldout.compare({"one": rows, "two": other.drop(columns="weight")}, n_resamples=100).rows == 50


def two_tables(**second):
    """Tables of two models with the same rows, the second with other columns."""
    rng = np.random.default_rng(3)
    rows = {"id": np.arange(60), "y": rng.integers(0, 2, 60), "clinic": np.arange(60) // 4, "sex": ["f", "m"] * 30}
    one = pd.DataFrame({**rows, "y_pred": rng.integers(0, 2, 60)})
    two = pd.DataFrame({**rows, "y_pred": rng.integers(0, 2, 60)}).assign(**second)
    return one, two.sample(frac=1, random_state=1)


def contradiction(tmp_path, form, verb, one, two, **options):
    if verb == "gate":
        options |= {"primary": "accuracy", "margin": 0.1}
    given = {"one": one, "two": two}
    if form == "column":
        given = pd.concat([one.assign(model="one"), two.assign(model="two")])
        options["model_column"] = "model"
        options |= {"baseline": "one"} if verb == "gate" else {}
    elif form == "files":
        given = {name: tmp_path / f"{name}.csv" for name in ("one", "two")}
        one.to_csv(given["one"], index=False)
        two.to_csv(given["two"], index=False)
    with pytest.raises(HeldoutError) as caught:
        getattr(heldout, verb)(given, **options)
    assert caught.value.code == "H101"
    return str(caught.value)


@pytest.mark.parametrize("verb", ["compare", "gate"])
@pytest.mark.parametrize("form", ["frames", "files", "column"])
def test_groups_that_contradict_each_other_are_refused(tmp_path, form, verb):
    one, two = two_tables(clinic=np.where(np.arange(60) == 17, 0, np.arange(60) // 4))
    said = contradiction(tmp_path, form, verb, one, two, groups="clinic")
    assert "different groups (first: id 17)" in said


@pytest.mark.parametrize("form", ["frames", "files", "column"])
def test_segments_that_contradict_each_other_are_refused(tmp_path, form):
    one, two = two_tables(sex=["f", "m"] * 28 + ["m", "m", "f", "m"])
    said = contradiction(tmp_path, form, "compare", one, two, segments="sex")
    assert "different segments in sex in 1 row (first: id 56, 'f' and 'm')" in said


def test_groups_by_another_name_are_the_same_groups():
    one, two = two_tables(clinic=[f"clinic {at // 4}" for at in range(60)])
    assert heldout.compare({"one": one, "two": two}, groups="clinic").units == 15


def test_notes_name_rows_by_the_id_that_matched_them():
    rng = np.random.default_rng(4)
    truth, ids = np.tile([0, 1], 40), rng.permutation(1000)[:80]
    score = np.clip(truth * 0.4 + rng.random(80) * 0.6, 0.05, 0.95)
    zero = np.where(np.isin(np.arange(80), [11, 31]), 0.0, score)
    one, two = (pd.DataFrame({"id": ids, "y": truth, "p": values}) for values in (score, zero))
    shuffled = two.sample(frac=1, random_state=1)
    models, by_place = {"one": one, "two": shuffled}, {"one": one.drop(columns="id"), "two": two.drop(columns="id")}
    named = f"log_loss is infinite for two: id {ids[11]}, {ids[31]} gave probability 0"
    assert named in str(heldout.compare(models, metrics=["log_loss"]).to_dict())
    gated = str(heldout.gate(models, primary="log_loss", margin=0.1).to_dict())
    assert named.replace("for two", "for candidate") in gated
    placed = str(heldout.compare(by_place, metrics=["log_loss"]).to_dict())
    assert "log_loss is infinite for two: row 12, 32 gave probability 0" in placed


@pytest.mark.parametrize("reading", [{}, {"engine": "local"}])
def test_ids_of_some_models_only_are_refused(tmp_path, monkeypatch, reading):
    """Files in another order would be paired wrongly, and where classes repeat their truths may even agree."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"id": range(60), "y_true": [0, 1] * 30, "y_pred": [0, 1, 1] * 20})
    for name in ("a", "b", "c"):
        frame.drop(columns=["id"] if name == "b" else []).to_csv(f"{name}.csv", index=False)
    models = {name: f"{name}.csv" for name in ("a", "b", "c")}
    calls = (
        (lambda: heldout.compare(models, **reading), "a.csv, c.csv have"),
        (lambda: heldout.gate({"b": "b.csv", "a": "a.csv"}, primary="accuracy", margin=0.1, **reading), "a.csv has"),
    )
    for call, having in calls:
        with pytest.raises(HeldoutError) as caught:
            call()
        assert str(caught.value) == (
            f"[H101] {having} an id column and b.csv has none, so it is not known which rows are the same\n"
            "  Fix: write the ids into every file; or leave them out of all, if the rows are in the same order"
        )


def test_ids_of_some_frames_only_are_refused():
    frame = pd.DataFrame({"id": range(60), "y_true": [0, 1] * 30, "y_pred": [0, 1, 1] * 20})
    with pytest.raises(HeldoutError, match="old has an id column and new has none"):
        heldout.compare({"old": frame, "new": frame.drop(columns="id")})
