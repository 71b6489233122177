"""JSON text: how deeply it is nested, and names that are twice in an object, wherever JSON is read."""

from __future__ import annotations

import json
import warnings
import zipfile

import pytest
from hypothesis import example, given, settings, strategies as st

import heldout
from heldout.inputs.formats import json_text
from heldout.inputs.formats.json_text import json_value, nesting

VALUES = st.recursive(
    st.none() | st.integers() | st.text(alphabet='[]{}"\\:, \n', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='[{"\\', max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


def depth(value):
    if not isinstance(value, list | dict):
        return 0
    return 1 + max((depth(one) for one in (value.values() if isinstance(value, dict) else value)), default=0)


@settings(max_examples=200)
@given(st.lists(VALUES, min_size=1, max_size=4), st.sampled_from([1, 2, 3, 7, 1 << 22]))
@example(["]]]]"], 1)
def test_levels_are_counted_outside_of_texts(values, at_once):
    """Whatever texts hold, however many brackets are counted at a time, of the whole and of its lines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "AT_ONCE", at_once)
        assert nesting(json.dumps(values, indent=1).encode()) == depth(values)
        lines = "\n".join(map(json.dumps, values))
        assert nesting(lines.encode(), lines=True) == max(map(depth, values))


def test_a_line_with_an_open_quote_does_not_hide_the_next_one():
    assert nesting(b'{"a: 1\n[[[1]]]\n', lines=True) == 3


def test_a_number_of_thousands_of_digits_is_too_large(said):
    message = said(json_value, "1" * 5000, "a.json")
    assert message.startswith("[H108] a.json has a whole number of thousands of digits, beyond the largest floating-")


@pytest.mark.parametrize("text", ["[1, 2", '{"a": }', "", "nul", '"\\ud8"'])
def test_what_is_not_json(text, said):
    message = said(json_value, text, "a.json")
    assert message.startswith("[H100] a.json is not valid JSON: ")
    assert message.endswith("\n  Fix: copy or export the file again")


TWICE = '{"image_id": 7, "score": 0.1, "score": 0.9}'
FIX = "\n  Fix: write every name once in an object"


NOTHING = {"images": [], "categories": [], "annotations": []}
READERS = {
    "detect": ("d.json", f"[{TWICE}]", lambda path: heldout.detect(NOTHING, path)),
    "masks": ("d.json", f"[{TWICE}]", lambda path: heldout.masks(path, path)),
    "lm-eval": ("s.jsonl", TWICE, lambda path: heldout.evaluate(path, log="lm-eval")),
    "inspect": ("s.json", f'{{"samples": [{TWICE}]}}', lambda path: heldout.evaluate(path, log="inspect")),
    "rows": ("a.jsonl", f"{TWICE}\n", heldout.evaluate),
    "texts": ("a.jsonl", f"{TWICE}\n", lambda path: heldout.text(path, path)),
    "fold scores": ("f.json", f"[{TWICE}]", heldout.compare_fold_scores),
    "threshold": ("t.json", TWICE, lambda path: heldout.evaluate([0, 1], [0, 1], threshold_from=path)),
}


@pytest.mark.parametrize("kind", READERS)
def test_a_name_that_is_twice_in_an_object_is_refused(file, said, kind):
    """The last of two values would win in silence: a score of 0.9 for one of 0.1."""
    name, text, read = READERS[kind]
    where = f"line 1 of {name}" if name.endswith("jsonl") else name
    message = f"[H106] {where} has the name 'score' twice in one object, the one with 'image_id' 7{FIX}"
    assert said(read, file(name, text)) == message


def test_a_sample_that_is_twice_in_an_archive_is_refused(tmp_path, said):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in (1, 2, 1):
            content = {"id": sample, "epoch": 1, "scores": {"match": {"value": "C"}}}
            archive.writestr(f"samples/{sample}.json", json.dumps(content))
    assert said(heldout.evaluate, path, log="inspect") == (
        "[H105] log.eval has samples/1.json twice, and one of the two would be left out\n  Fix: write the log again"
    )
