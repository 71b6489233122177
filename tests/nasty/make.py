"""A folder of nasty files of our own, with a manifest in the format that `run.py` reads.

python tests/nasty/make.py DIR
"""

from __future__ import annotations

import gzip
import json
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = [(i, "Yes" if i % 3 == 0 else "No", "Yes" if i % 4 == 0 else "No", (i * 37 % 100) / 100) for i in range(24)]
CSV = "id,y,yhat,p\n" + "".join(f"{i},{y},{yhat},{p}\n" for i, y, yhat, p in ROWS)
LEGAL = {
    "positive": "Yes",
    "n": 24,
    "accuracy": sum(y == yhat for _, y, yhat, _ in ROWS) / 24,
    "brier": sum((p - (y == "Yes")) ** 2 for _, y, _, p in ROWS) / 24,
}


def parquet(columns: dict[str, Any]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


COLUMNS = dict(zip(("id", "y", "yhat", "p"), map(list, zip(*ROWS, strict=True)), strict=True))
AS_LEGAL = {
    "plain.csv": CSV,
    "crlf.csv": CSV.replace("\n", "\r\n"),
    "cr.csv": CSV.replace("\n", "\r"),
    "bom.csv": b"\xef\xbb\xbf" + CSV.encode(),
    "utf16.csv": CSV.encode("utf-16"),
    "semicolon.csv": CSV.replace(",", ";"),
    "decimal_comma.csv": CSV.replace(",", ";").replace(".", ","),
    "tab.tsv": CSV.replace(",", "\t"),
    "zipped.csv.gz": gzip.compress(CSV.encode()),
    "blank_lines.csv": CSV.replace("\n", "\n\n"),
    "no_final_newline.csv": CSV[:-1],
    "spaces.csv": CSV.replace("id,y,yhat,p", " id , y , yhat , p "),
    "upper.csv": CSV.replace("id,y,yhat,p", "ID,Y,YHAT,P"),
    "table.parquet": parquet(COLUMNS),
    "categorical.parquet": parquet({**COLUMNS, "y": pa.array(COLUMNS["y"]).dictionary_encode()}),
    "lines.jsonl": "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in ROWS),
}
"""Contents that all say the same."""

ERRORS: dict[str, tuple[bytes | str, list[str]]] = {
    "empty.csv": ("", ["empty"]),
    "newlines.csv": ("\n\n\n", ["empty"]),
    "header.csv": ("id,y,yhat,p\n", ["no rows"]),
    "ragged.csv": (CSV.replace("\n", "\n1,Yes,No,0.2,too,many\n", 1), ["line 2", "2 too many"]),
    "short.csv": (CSV + "99,Yes\n", ["line 26", "missing"]),
    "quote.csv": (CSV.replace("Yes", '"Yes', 1), ["quote", "line 2"]),
    "bytes.csv": (bytes(range(256)) * 3, ["decode"]),
    "nul.csv": (CSV.replace("Yes", "Y\0es", 1), ["NUL", "line 2"]),
    "page.csv": ("<!DOCTYPE html><html></html>", ["web page", "column"]),
    "no_header.csv": (CSV.split("\n", 1)[1], ["column", "y_true", "header"]),
    "other_columns.csv": (CSV.replace("id,y,yhat,p", "a,b,c,e"), ["a, b, c, e", "y_true"]),
    "twice.csv": (CSV.replace("id,y,yhat,p", "id,y,y,p"), ["y", "twice"]),
    "latin1.csv": (CSV.replace("Yes", "Né").encode("latin-1"), ["encoding", "line 2"]),
    "cut.csv.gz": (gzip.compress(CSV.encode())[:60], ["truncated"]),
    "cut.parquet": (AS_LEGAL["table.parquet"][:300], ["truncated", "parquet"]),
    "text.parquet": (CSV, ["parquet"]),
    "zero.parquet": ("", ["empty"]),
    "nested.parquet": (parquet({"y": [["a"], ["b"]], "p": [0.1, 0.2]}), ["y", "list"]),
    "mixed.csv": ("y,yhat\n1,1\n1.0,1\nTrue,1\nyes,1\n", ["y", "'True'", "'1.0'"]),
    "missing.csv": ("y,yhat\na,a\n,a\nb,\n", ["row 2", "row 3"]),
    "above_one.csv": ("y,p\nYes,0.2\nNo,1.7\n", ["1.7", "row 2"]),
    "negative.csv": ("y,p\nYes,0.2\nNo,-0.1\n", ["-0.1", "row 2"]),
    "percent.csv": ("y,p\nYes,20\nNo,90\n", ["90", "percentages"]),
    "percent_signs.csv": ("y,p\nYes,20%\nNo,90%\n", ["20%", "row 1", "0.2"]),
    "nan.csv": ("y,p\nYes,0.2\nNo,nan\nYes,0.5\nNo,\n", ["rows 2, 4"]),
    "inf.csv": ("y,p\nYes,0.2\nNo,inf\n", ["inf", "row 2"]),
    "word.csv": ("y,p\nYes,0.2\nNo,high\n", ["'high'", "row 2"]),
    "overflow.csv": ("y,p\nYes,0.2\nNo,1e400\n", ["1e400", "row 2"]),
    "hex.csv": ("y,p\nYes,0x1p-2\nNo,1_0\n", ["0x1p-2", "row 1"]),
    "arabic.csv": ("y,p\nYes,٠٫٢\nNo,.9\n", ["٠٫٢", "row 1"]),
    "decisions.csv": ("y,y_score\nYes,1\nNo,0\nNo,1\n", ["0 and 1", "--pred y_score"]),
    "sum.csv": ("y,p[a],p[b],p[c]\na,0.7,0.2,0.1\nb,0.5,0.3,0.3\nc,0,0,1\n", ["row 2", "1.1"]),
    "zero_row.csv": ("y,p[a],p[b],p[c]\na,0,0,0\nb,0,1,0\nc,0,0,1\n", ["row 1", "sum to 0"]),
    "logits.csv": ("y,p[a],p[b],p[c]\na,3,-2,0\nb,0,1,0\nc,0,0,1\n", ["-2", "logits"]),
    "no_column.csv": ("y,p[a],p[b]\na,0.5,0.5\nd,0.5,0.5\nb,0,1\n", ["'d'"]),
    "other_way.csv": ("y,p\n" + "No,0.8\nYes,0.2\n" * 20, ["--positive No", "average"]),
    "regression_gap.csv": ("y,yhat\n1,1.1\nnan,2\n3,inf\n", ["row 2", "row 3"]),
    "thousands.csv": ('y,yhat\n"1,234.5","1,200"\n2,2\n', ["1,234.5", "row 1"]),
    "targets.csv": ("y1,y2,yhat1\n1,2,1\n3,4,3\n", ["y2"]),
    "ids.csv": (CSV + "0,Yes,Yes,0.5\n", ["id '0'", "rows 1, 25"]),
    "negative_weight.csv": ("y,yhat,weight\na,a,1\nb,a,-2\n", ["-2", "row 2"]),
    "zero_weights.csv": ("y,yhat,weight\na,a,0\nb,a,0\n", ["weight", "zero"]),
    "models.csv": ("y,p_lr,p_rf\na,0.1,0.2\nb,0.5,0.5\n", ["p_lr, p_rf", "--score p_lr"]),
}
"""Contents that must be refused, and what the refusal must mention."""

WARNINGS: dict[str, tuple[str, list[str]]] = {
    "case.csv": ("y,yhat\nYes,Yes\nyes,Yes\nNo,No\n", ["'Yes'", "'yes'"]),
    "blanks.csv": ("y,yhat\nYes,Yes \nNo,No\n", ["'Yes '"]),
    "composed.csv": ("y,yhat\ncaf\u00e9,cafe\u0301\nth,th\n", ["caf"]),
    "zero_width.csv": ("y,yhat\ncat,ca\u200bt\ndog,dog\n", ["cat", "\\u200b"]),
    "na_words.csv": ("y,yhat\nNA,NA\nDE,NA\n", ["'NA'"]),
    "booleans.csv": ("y,yhat\nTrue,true\nFalse,false\nTrue,false\n", ["'True'"]),
    "float_labels.csv": ("y,yhat\n1,1.0\n2,2.0\n", ["1.0"]),
    "empty_class.csv": ("y,p[a],p[b],p[c]\na,0.7,0.2,0.1\nb,0.2,0.7,0.1\n", ["'c'"]),
    "one_class.csv": ("y,p\nYes,0.9\nYes,0.2\n", ["one class"]),
}
"""Contents that are judged, with a remark that mentions these words."""

FIGURES: dict[str, tuple[str, dict[str, Any]]] = {
    "leading_zero.csv": ("y,yhat\n01,01\n1,01\n02,02\n01,1\n", {"accuracy": 0.5, "classes": 3}),
    "huge.csv": ("y,yhat\n9007199254740993,9007199254740992\n9007199254740993,9007199254740993\n", {"accuracy": 0.5}),
    "beyond.csv": ("y,yhat\n99999999999999999999,99999999999999999999\n1,1\n", {"accuracy": 1.0}),
    "line_break.csv": ('y,yhat\n"two\nlines","two\nlines"\none,"two\nlines"\n', {"accuracy": 0.5}),
    "unicode.csv": ("y,yhat\nStraße,Straße\n日本,日本\n🦊,日本\n", {"accuracy": 2 / 3, "classes": 3}),
    "script.csv": ('y,yhat\n<script>alert(1)</script>,a\na,a\n"=1+1",a\n', {"accuracy": 1 / 3}),
    "only_predicted.csv": ("y,yhat\na,a\nb,c\n", {"accuracy": 0.5, "classes": 3}),
    "exact_zero.csv": ("y,p\nYes,0\nNo,0.5\n", {"log_loss": "Infinity", "brier": 0.625}),
    "one_ulp.csv": ("y,p\nYes,0.2\nNo,1.0000000000000002\n", {"brier": 0.82}),
    "tied.csv": ("y,p\nYes,0.5\nNo,0.5\nNo,0.5\n", {"roc_auc": 0.5}),
    "one_row.csv": ("y,p\nYes,0.9\n", {"n": 1}),
}
"""Contents that are legal, and figures they must give."""

LEAKS: dict[str, tuple[str, str, list[str]]] = {
    "train.csv": ("age,bmi,dose,y\n" + "".join(f"{i},{20 + i / 7:.3f},{i % 5},Yes\n" for i in range(40)), "ok", []),
    "groups.csv": ("row,group,part\n0,g1,train\n1,g1,test\n2,g2,train\n3,g3,test\n", "error", ["'g1'"]),
    "times.csv": (
        "row,time,part\n0,2020-01-01,train\n1,2020-06-01,test\n2,2020-07-01,train\n",
        "error",
        ["2020-07-01"],
    ),
}
PAIR = "id,y,yhat\n" + "".join(f"{i},{y},{yhat}\n" for i, y, yhat, _ in ROWS)
LINES = PAIR.splitlines(keepends=True)
PAIRS: dict[str, tuple[str, str, list[str]]] = {
    "pair_first.csv": (PAIR, "ok", []),
    "pair_turned.csv": ("".join([LINES[0], *LINES[:0:-1]]), "ok", []),
    "pair_short.csv": ("".join(LINES[:-1]), "error", ["H101", "23"]),
    "pair_more.csv": (PAIR + "77,Yes,No\n", "error", ["H101", "77"]),
    "pair_truth.csv": (PAIR.replace("5,No,", "5,Yes,", 1), "error", ["H101", "id 5", "'No'", "'Yes'"]),
    "pair_twice.csv": (PAIR + "3,Yes,No\n", "error", ["H105", "'3'", "rows 4, 25"]),
    "pair_gap.csv": (PAIR.replace("5,No,No", "5,No,", 1), "error", ["H305", "row 6"]),
    "pair_folds.csv": ("fold,score\n1,0.81\n2,0.79\n3,0.84\n", "error", ["H301", "folds", "out-of-fold"]),
    "pair_numbers.csv": ("forest\n0.81\n0.79\n0.84\n", "error", ["H301", "3 numbers"]),
    "pair_regression.csv": ("id,y,yhat\n0,1.5,2.5\n1,2.5,2.0\n", "error", ["H101"]),
}
"""Files that are held against the first of them."""
SPLITS = "repeat,fold,learner,n_train,n_test,accuracy\n"
FOLDS = [(repeat, fold, learner) for repeat in range(2) for fold in range(5) for learner in "ab"]
SCORES = SPLITS + "".join(f"{r},{k},{x},80,20,{0.8 + (7 * k * ord(x) + r) % 11 / 100:.2f}\n" for r, k, x in FOLDS)
CV: dict[str, tuple[str, str, list[str]]] = {
    "cv.csv": (SCORES, "ok", []),
    "cv_wide.csv": ("fold,tree,forest,n_train,n_test\n1,.8,.9,80,20\n2,.7,.9,80,20\n3,.8,.8,80,20\n", "ok", []),
    "cv_same.csv": (SPLITS + "".join(f"{r},{k},{x},80,20,0.{k + 5}\n" for r, k, x in FOLDS), "ok", ["identical"]),
    "cv_level.csv": (
        SPLITS + "".join(f"{r},{k},{x},80,20,{0.9 if x == 'a' else 0.75}\n" for r, k, x in FOLDS),
        "undefined named",
        ["variance", "-0.15"],
    ),
    "cv_gap.csv": (SCORES + "2,0,a,80,20,\n2,0,b,80,20,0.9\n", "error", ["H305", "'a'", "row 21"]),
    "cv_word.csv": (SCORES.replace("0,0,a,80,20,0.", "0,0,a,80,20,o."), "error", ["H108", "row 1"]),
    "cv_lacking.csv": (SCORES.rpartition("1,4,b")[0], "error", ["H101", "b", "repeat 1, fold 4"]),
    "cv_twice.csv": (SCORES + "0,3,a,80,20,0.9\n", "error", ["H101", "2 scores of repeat 0, fold 3"]),
    "cv_three.csv": (SCORES + "0,0,c,80,20,0.9\n", "error", ["3 learners", "'c'"]),
    "cv_one.csv": (SPLITS + "0,0,a,80,20,.9\n0,0,b,80,20,.8\n", "error", ["H310", "one fold"]),
    "cv_no_training.csv": (SCORES.replace(",80,", ",0,"), "error", ["n_train", "0"]),
    "cv_no_sizes.csv": ("fold,a,b\n1,.8,.9\n2,.7,.9\n", "error", ["H301", "--n-train"]),
    "cv_lonely.csv": ("fold,a\n1,.8\n2,.7\n", "error", ["1 column of scores"]),
}
"""Scores of folds."""
SCENE: dict[str, Any] = {
    "images": [{"id": 1, "width": 90, "height": 60}],
    "categories": [{"id": 4, "name": "cat"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 4, "bbox": [5, 5, 20, 20], "area": 400, "iscrowd": 0}],
}
SEEN: dict[str, Any] = {"image_id": 1, "category_id": 4, "bbox": [6, 5, 20, 20], "score": 0.7}


def scene(**changes: Any) -> str:
    """A truth whose only object differs in this."""
    return json.dumps({**SCENE, "annotations": [{**SCENE["annotations"][0], **changes}]})


def seen(**changes: Any) -> str:
    """Detections of which the only one differs in this."""
    return json.dumps([{**SEEN, **changes}])


def label_map(values: list[list[int]]) -> bytes:
    sink = BytesIO()
    np.save(sink, np.array(values))
    return sink.getvalue()


PICTURES: dict[str, dict[str, tuple[bytes | str, str, list[str]]]] = {
    "coco-gt": {
        "scene.json": (json.dumps(SCENE), "ok", []),
        "scene_list.json": ("[1]", "error", ["annotations"]),
        "scene_cut.json": (json.dumps(SCENE)[:80], "error", ["JSON"]),
        "scene_blank.json": ("  \n", "error", ["empty"]),
        "scene_latin1.json": (json.dumps(SCENE).replace("cat", "caf\u00e9").encode("latin-1"), "error", ["encoding"]),
        "scene_no_images.json": (json.dumps({**SCENE, "images": None}), "error", ["images"]),
        "scene_infinite.json": (scene(bbox=[5, 5, float("inf"), 2]), "error", ["inf"]),
        "scene_nested.json": (scene(bbox=[[1], 2, 3, 4]), "error", ["bbox", "1"]),
        "scene_text_area.json": (scene(area="400"), "error", ["area", "'400'"]),
        "scene_odd_id.json": (scene(image_id=[1]), "error", ["image_id"]),
        "scene_wide_gap.json": (json.dumps({**SCENE, "annotations": []}), "ok or undefined named", []),
    },
    "coco-dt": {
        "seen.json": (seen(), "ok", []),
        "seen_text_score.json": (seen(score="0.7"), "error", ["score", "'0.7'"]),
        "seen_infinite.json": (seen(score=float("inf")), "error", ["score", "inf"]),
        "seen_negative.json": (seen(bbox=[5, 5, -3, 4]), "error", ["-3"]),
        "seen_other_class.json": (seen(category_id=5), "error", ["category_id 5"]),
        "seen_number.json": ("3", "error", ["list"]),
        "seen_nothing.json": ("[]", "warn", ["no detections"]),
        "seen_corners.json": (seen(bbox=[50, 50, 500, 500]), "warn", ["500", "corners"]),
    },
    "boxes": {
        "boxes.csv": ("image,label,x,y,w,h,score\na,cat,1,2,0,4,.9\n", "error", ["row 1", "size"]),
        "boxes_short.csv": ("image,label,x,y,w,score\na,cat,1,2,3,.9\n", "error", ["'h'"]),
    },
    "mask": {
        "map.npy": (label_map([[0, 1], [2, 1]]), "ok", []),
        "map_long.npy": (label_map([[0, 1, 1], [2, 1, 1]]), "error", ["shape", "2 x 3"]),
        "map_strange.npy": (label_map([[0, 1], [2, 7]]), "error", ["7", "--labels"]),
        "map_cut.npy": (label_map([[0, 1], [2, 1]])[:90], "error", ["NPY"]),
        "map.png": (b"\x89PNG\r\n\x1a\n", "error", ["image"]),
    },
}
"""Boxes and masks: each file is held against the first sound one of the other side."""
TABLES = {
    **PICTURES,
    "confusion": {
        "cm_negative.csv": ("a,b\n5,-1\n2,7\n", "error", ["-1"]),
        "cm_wide.csv": ("a,b,c\n5,1,0\n2,7,0\n", "error", ["square"]),
        "cm.csv": (",a,b\na,5,1\nb,2,7\n", "ok", []),
    },
    "text-ref": {"wanted.txt": ("the cat sat\nit stayed\n", "ok", [])},
    "text-hyp": {
        "said.txt": ("\ufeffthe cat\r\nit went\r\n", "ok", []),
        "said_nothing.txt": ("\n\n", "ok", ["2 of 2", "empty"]),
        "said_more.txt": ("the cat\nit\nwent\n", "error", ["3 segments", "2"]),
        "said_latin1.txt": ("the cat\ncaf\u00e9\n".encode("latin-1"), "error", ["line 2", "encoding"]),
        "said_nowhere.txt": ("", "error", ["empty"]),
        "said.jsonl": ('{"pred": "the cat"}\n{"pred": 3}\n', "error", ["segment 2", "not text"]),
        "said_cut.jsonl": ('{"pred": "the cat"}\n{"pred": "it\n', "error", ["line 2", "JSON"]),
    },
    "costs": {
        "costs_short.csv": (",Yes\nYes,0\nNo,1\n", "error", ["'No'"]),
        "costs.csv": (",Yes,No\nYes,0,5\nNo,1,-1\n", "ok", []),
    },
    "leak": LEAKS,
    "pair": PAIRS,
    "cv": CV,
}


def entries() -> list[tuple[str, bytes | str, dict[str, Any]]]:
    """Name, contents and manifest entry of every file."""

    def entry(kind: str, outcome: str, words: list[str], figures: dict[str, Any] | None = None) -> dict[str, Any]:
        found = {"kind": kind, "expect": {"outcome": outcome, "must_mention": words}}
        return {**found, "expected": figures} if figures else found

    made = [(name, text, entry("predictions", "ok", [], LEGAL)) for name, text in AS_LEGAL.items()]
    made += [(name, text, entry("predictions", "error", words)) for name, (text, words) in ERRORS.items()]
    made += [(name, text, entry("predictions", "warn", words)) for name, (text, words) in WARNINGS.items()]
    made += [(name, text, entry("predictions", "ok", [], figures)) for name, (text, figures) in FIGURES.items()]
    made += [
        (name, text, entry(kind, outcome, words))
        for kind, tables in TABLES.items()
        for name, (text, outcome, words) in tables.items()
    ]
    return made


def make(folder: Path) -> int:
    """Write all files and their manifest; how many there are."""
    made = entries()
    for name, contents, _ in made:
        (folder / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
    manifest = {"format": "heldout-nasty/1", "files": [{"file": name, **entry} for name, _, entry in made]}
    (folder / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")
    return len(made)


if __name__ == "__main__":
    print(make(Path(sys.argv[1])))
