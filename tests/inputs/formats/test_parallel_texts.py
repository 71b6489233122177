from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from heldout.errors import DataError, UsageError
from heldout.inputs.formats.parallel_texts import one_system, read_segments


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def lines(*objects):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


def refused(*arguments, **options):
    with pytest.raises(DataError) as problem:
        read_segments(*arguments, **options)
    return str(problem.value)


@pytest.mark.parametrize(
    "content",
    [
        "a b\n\nc\u2028d\n",
        "a b\n\nc\u2028d",
        "a b\r\n\r\nc\u2028d\r\n",
        b"\xef\xbb\xbf" + "a b\n\nc\u2028d\n".encode(),
        "a b\n\nc\u2028d\n".encode("utf-16"),
        gzip.compress("a b\n\nc\u2028d\n".encode(), mtime=0),
    ],
)
def test_a_line_is_a_segment_however_lines_end(file, content):
    found = read_segments(["x", "y", "z"], {"a": file("a.txt", content)})
    assert found.systems == {"a": ("a b", "", "c\u2028d")}
    assert found.sources[0].path.endswith("a.txt")


def test_several_files_of_references_stand_beside_each_other(file):
    paths = [file("r1.txt", "a\nb\n"), file("r2.txt", "c\nd\n")]
    assert read_segments(paths, {"s": ["a", "b"]}).references == (("a", "c"), ("b", "d"))


def test_json_lines_are_matched_by_id(file):
    wanted = file("r.jsonl", lines({"id": 1, "references": ["a", "b"]}, {"id": 2, "references": ["c"]}))
    said = file("s.jsonl", lines({"id": 2, "hypothesis": "x"}, {"id": 1, "hypothesis": "y"}))
    found = read_segments(wanted, {"s": said})
    assert found.references == (("a", "b"), ("c",))
    assert found.systems["s"] == ("y", "x")
    assert found.matched == "id"


def test_json_lines_without_ids_are_matched_by_position(file):
    found = read_segments(["a", "b"], {"s": file("s.jsonl", lines({"pred": "x"}, {"pred": "2020-01-01"}))})
    assert (found.systems["s"], found.matched) == (("x", "2020-01-01"), "position")


def test_which_of_several_fields_was_read_is_told(file):
    several = file("s.jsonl", lines(*({"text": "good", "prediction": "zz", "source": "gut"} for _ in "ab")))
    found = read_segments(["a", "b"], {"s": several})
    assert found.systems["s"] == ("zz", "zz")
    (note,) = found.checks
    assert note.code == "H111"
    assert note.text.startswith("s.jsonl has the fields text, prediction: prediction is read; rename it if")
    matched = file("r.jsonl", lines({"id": 1, "ref": "a", "target": "b"}, {"id": 2, "ref": "a", "target": "b"}))
    with_ids = file("t.jsonl", lines({"id": 2, "text": "a", "hyp": "b"}, {"id": 1, "text": "a", "hyp": "b"}))
    found = read_segments(matched, {"t": with_ids})
    assert (found.systems["t"], found.references[0]) == (("b", "b"), ("a",))
    assert [note.text.split(":")[0] for note in found.checks] == [
        "r.jsonl has the fields ref, target",
        "t.jsonl has the fields text, hyp",
    ]
    plain = read_segments(["a"], {"s": file("u.jsonl", lines({"text": "x", "source": "y"}))})
    assert plain.checks == ()


def test_a_document_is_a_unit(file):
    wanted = file("r.jsonl", lines(*({"ref": "a", "doc": name} for name in "bab")))
    found = read_segments(wanted, {"s": ["a", "a", "a"]}, groups="doc")
    assert (found.unit.tolist(), found.units, found.rows) == ([1, 0, 1], 2, 3)
    named = read_segments(["a", "a", "a"], {"s": ["a", "a", "a"]}, groups=file("docs.txt", "x\nx\ny\n"))
    assert named.unit.tolist() == [0, 0, 1]
    listed = read_segments(["a", "a", "a"], {"s": ["a", "a", "a"]}, groups=np.array([7, 7, 5]))
    assert listed.unit.tolist() == [1, 1, 0]


def test_empty_texts_are_told_and_kept():
    found = read_segments(["a", " ", "b"], {"s": ["", "x", "\t"]})
    assert [check.text for check in found.checks] == [
        "2 of 3 texts of s are empty (segments 1, 3); they count as they are",
        "1 of 3 references is empty (segment 2); it counts as it is",
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "s.txt",
            "a\n",
            (
                "[H112] 1 segment in s.txt, but 2 in the references\n"
                "  Fix: write one line for each segment, an empty one where there is no text"
            ),
        ),
        ("s.txt", "", "[H100] s.txt is empty (0 bytes)\n  Fix: export the predictions again"),
        (
            "s.txt",
            b"a\n\xff\n",
            (
                "[H100] line 2 of s.txt cannot be decoded: byte 0xff is not valid in the encoding "
                "UTF-8\n  Fix: save the file in UTF-8 encoding (from Latin-1: iconv -f latin1 -t utf-8)"
            ),
        ),
        *(
            (
                "s.txt",
                content,
                (
                    "[H100] line 2 of s.txt contains a NUL byte, so the file is not plain text\n"
                    "  Fix: export the texts again in UTF-8 encoding"
                ),
            )
            for content in ("a\nb\0c\n", "a\nb\0c\n".encode("utf-16"))
        ),
        (
            "s.jsonl",
            lines({"id": 1, "pred": "a"}, {"id": 1, "pred": "b"}),
            (
                "[H105] id of s.jsonl: the id 1 occurs twice, "
                "in segments 1 and 2\n  Fix: give every segment an id of its own"
            ),
        ),
        (
            "s.jsonl",
            lines({"id": 1, "pred": "a"}, {"id": None, "pred": "b"}),
            ("[H305] id of s.jsonl: segment 2 has no id\n  Fix: give every segment an id, or none"),
        ),
        (
            "s.jsonl",
            lines({"pred": "a"}, {"pred": None}),
            ("[H305] pred of s.jsonl: segment 2 is missing\n  Fix: give a text, '' where it is empty"),
        ),
        (
            "s.jsonl",
            lines({"pred": "a"}, {"pred": 3}),
            ("[H305] pred of s.jsonl: segment 2 is 3, which is not text\n  Fix: give a text, '' where it is empty"),
        ),
        (
            "s.jsonl",
            lines({"n": 1, "m": "a"}, {"n": 2, "m": "b"}),
            (
                "[H106] s.jsonl has no field of predicted texts: its fields are n, m\n"
                "  Fix: call the field of predicted texts hypothesis, or one of hyp, prediction, pred, output, "
                "translation, y_pred, text"
            ),
        ),
        (
            "s.jsonl",
            '{"pred": "a"}\n{"pred"\n',
            (
                "[H100] line 2 of s.jsonl is not valid JSON: Expecting ':' delimiter: line 1 "
                'column 8 (char 7)\n  Fix: write one object per line, such as {"y": "yes", "p": 0.7}'
            ),
        ),
        ("s.jsonl", "\n\n", "[H100] s.jsonl is empty: it has no object\n  Fix: write one object per line"),
    ],
)
def test_bad_files_are_refused_with_the_place(file, name, content, said):
    assert refused(["x", "y"], {"s": file(name, content)}) == said


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([1, 3], "1 id of r.jsonl is not in s.jsonl (first: 2)"),
        ([3, 4], "2 ids of r.jsonl are not in s.jsonl (first: 1)"),
        ([1, 2, 3], "1 id of s.jsonl is not in r.jsonl (first: 3)"),
    ],
)
def test_other_ids_are_refused(file, ids, said):
    wanted = file("r.jsonl", lines(*({"id": id, "ref": "a"} for id in (1, 2))))
    got = file("s.jsonl", lines(*({"id": id, "pred": "a"} for id in ids)))
    assert refused(wanted, {"s": got}) == f"[H101] {said}\n  Fix: give every file the same segments"


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([1], "[H112] there are 1 groups, but 2 segments\n  Fix: give one name for each segment"),
        ([1, None], "[H305] segment 2 has no group\n  Fix: give every segment a group"),
        ([1, float("nan")], "[H305] segment 2 has no group\n  Fix: give every segment a group"),
    ],
)
def test_bad_groups_are_refused(groups, said):
    assert refused(["a", "b"], {"s": ["a", "b"]}, groups=groups) == said


def test_a_field_that_is_not_there_is_refused(file):
    wanted = file("r.jsonl", lines({"ref": "a", "doc": 1}))
    said = refused(wanted, {"s": ["a"]}, groups="dok")
    assert said == "[H106] r.jsonl has no field 'dok': it has ref, doc\n  Fix: name one of these fields with groups="


def test_lists_must_hold_texts_and_references():
    assert refused([["a"], []], {"s": ["a", "b"]}) == (
        "[H305] the references: segment 2 has no reference\n  Fix: give it one, or leave the segment out"
    )
    assert refused([], {"s": []}) == "[H112] the references: there is no segment\n  Fix: give one text for each segment"
    assert refused(["a"], {"s": [["a"]]}).startswith("[H305] s: segment 1 is ['a'], which is not text")


def test_systems_have_names():
    assert one_system("runs/sys.txt.gz") == {"sys": "runs/sys.txt.gz"}
    assert one_system(Path("a.txt")) == {"a": Path("a.txt")}
    assert one_system(["x"]) == {"hypothesis": ["x"]}
    with pytest.raises(UsageError) as problem:
        one_system({})
    assert str(problem.value) == "there is no system to evaluate\n  Fix: give its texts, or a file of them"


@pytest.mark.parametrize("id", [[1], {"a": 1}])
def test_an_id_of_several_values_is_refused(file, id):
    lines = "".join(json.dumps({"id": id, "reference": "a"}) + "\n" for _ in range(2))
    assert refused(file("r.jsonl", lines), {"s": file("s.jsonl", lines)}) == (
        f"[H107] id of r.jsonl: the id of segment 1 is {id}, which is neither text nor a number\n"
        "  Fix: give every segment an id of one value"
    )
