"""A chunked table means what the same table means in memory, however it is cut and whatever its last rows hold."""

from __future__ import annotations

import gzip
import pickle
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

from heldout.batch import Batch, differing_weights
from heldout.errors import HeldoutError
from heldout.inputs import read
from heldout.inputs.chunked import file_opening as opening, sample_rows as sampling
from heldout.inputs.chunked.chunked_table import open_chunks, read_chunks
from heldout.inputs.chunked.column_recipe import Facts, code_chunk
from heldout.inputs.chunked.recipe_inference import infer_recipe
from heldout.inputs.chunked.sample_rows import columns_needed, sample_rows

WALKS = 8
"""No table here needs more walks than this."""


@pytest.fixture(autouse=True)
def short_head(monkeypatch):
    """Eight rows are the head, so that almost everything new comes later."""
    monkeypatch.setattr(sampling, "HEAD", 8)
    monkeypatch.setattr(sampling, "GLANCE", 1)
    monkeypatch.setattr(sampling, "ELSEWHERE", 2)


def cut(table: pa.Table, folder: Path, cuts: list[int], group: int) -> Path:
    """The table as files, each with small row groups."""
    edges = [0, *sorted(min(at, len(table)) for at in cuts), len(table)]
    for at, (low, high) in enumerate(pairwise(edges)):
        pq.write_table(table.slice(low, high - low), folder / f"part-{at:03}.parquet", row_group_size=group)
    return folder


def streamed(folder, **options):
    """All rows by chunks, read again with a larger sample as often as something new is found."""
    source = open_chunks(folder)
    columns = columns_needed(source, **options)
    rows = sample_rows(source, columns)
    for _ in range(WALKS):
        reading, recipe = infer_recipe(rows, **options)
        found = [
            code_chunk(chunk, recipe) for file_chunk in source.file_chunks for chunk in read_chunks(file_chunk, columns)
        ]
        facts = sum((each.facts for each in found), Facts())
        if facts.new_rows is None:
            return reading, found, facts
        rows = rows.plus(facts.new_rows)
    raise AssertionError(f"{WALKS} walks found something new")


def joined(found) -> Batch:
    def side(name):
        columns = [getattr(each.batch, name) for each in found]
        return None if columns[0] is None else np.concatenate(columns)

    columns = {name: side(name) for name in ("truth", "prediction", "score", "weight")}
    # a chunk keeps weights that are equal in itself, as other chunks may have others; over all rows they are none
    return replace(found[0].batch, **columns | {"weight": differing_weights(columns["weight"])})


def same(table: pa.Table, folder: Path, cuts: list[int], group: int, **options) -> None:
    """The same batch, the same decisions, or an error on both sides."""
    cut(table, folder, cuts, group)
    try:
        whole = read(table, **options)
    except HeldoutError as error:
        if error.code in ("H102", "H103", "H109"):  # said of all rows, by those who have added them up
            return
        with pytest.raises(HeldoutError):
            streamed(folder, **options)
        return
    reading, found, facts = streamed(folder, **options)
    batch = joined(found)
    assert (batch.task, batch.labels, batch.positive) == (whole.batch.task, whole.batch.labels, whole.batch.positive)
    assert (batch.probabilities, reading.threshold) == (whole.batch.probabilities, whole.threshold)
    assert reading.columns == whole.columns
    for name in ("truth", "prediction", "score", "weight"):
        ours, theirs = getattr(batch, name), getattr(whole.batch, name)
        assert (ours is None) == (theirs is None), name
        if ours is not None:
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
    assert facts.rows == len(table)
    assert facts.kept == whole.batch.rows
    units = whole.batch.unit
    if units is not None:
        names = [name for each in found for name in each.unit.to_pylist()]
        codes = {name: at for at, name in enumerate(dict.fromkeys(names))}
        first = np.unique(units, return_index=True)[1]
        assert [codes[name] for name in names] == np.argsort(np.argsort(first))[units].tolist()


LABELS = st.sampled_from(
    [
        (pa.int64(), [0, 1]),
        (pa.int8(), [-1, 1]),
        (pa.bool_(), [False, True]),
        (pa.string(), ["no", "yes"]),
        (pa.string(), ["0", "1", "1.0", " 1"]),
        (pa.string(), ["0", "1", "NA", "", "01"]),
        (pa.string(), ["true", "False", "TRUE"]),
        (pa.dictionary(pa.int8(), pa.string()), ["b", "a"]),
        (pa.float64(), [0.0, 1.0]),
        (pa.int64(), [3, 1, 70_000_000_000]),
        (pa.string(), ["cat", "dog", "fish"]),
        (pa.float32(), [1.0, 2.0, 3.0]),
    ]
)
SCORES = st.sampled_from(
    [[0.1, 0.9, 0.5, 0.25], [0.0, 1.0], [0.0, 1.0, 0.5], [-2.0, 3.0, 0.5], [0.25, 1.0 + 1e-10, 2.0]]
)
CUTS = st.lists(st.integers(0, 60), max_size=4)


def column(draw, kind, values, rows, gap) -> pa.Array:
    """Values, of which the last may only come in the last row; some may be missing."""
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    rare = draw(st.booleans())
    some = values[:-1] if rare and len(values) > 1 else values
    taken = [some[at] for at in rng.integers(0, len(some), rows)]
    if rare:
        taken[-1] = values[-1]
    for at in rng.integers(0, rows, draw(st.integers(0, 3))) if gap else ():
        taken[at] = None
    if pa.types.is_dictionary(kind):
        return pa.array(taken, kind.value_type).dictionary_encode()
    return pa.array(taken, kind)


@st.composite
def tables(draw) -> tuple[pa.Table, dict]:
    rows = draw(st.integers(1, 60))
    gap = draw(st.booleans())
    kind, values = draw(LABELS)
    found = {"y": column(draw, kind, values, rows, gap)}
    shape = draw(st.sampled_from(["pred", "score", "both", "prob"]))
    if shape in ("pred", "both"):
        found["yhat"] = column(draw, kind, values, rows, gap)
    if shape in ("score", "both"):
        kind = draw(st.sampled_from([pa.float64(), pa.float32()]))
        name = draw(st.sampled_from(["p", "score"]))
        found[name] = column(draw, kind, draw(SCORES), rows, gap)
    if shape == "prob":
        share = np.array(draw(st.lists(st.sampled_from([0.1, 0.3, 0.75]), min_size=rows, max_size=rows)))
        names = dict.fromkeys(str(value) for value in values)
        found |= {f"p_{name}": (1 - share) / max(len(names) - 1, 1) if at else share for at, name in enumerate(names)}
    if draw(st.booleans()):
        found["weight"] = column(draw, pa.float64(), [1.0, 0.5, 0.0], rows, gap=False)
    if draw(st.booleans()):
        found["group"] = column(draw, pa.string(), ["a", "b", "c"], rows, gap)
    options = {"on_nan": "drop"} if draw(st.booleans()) else {}
    first = values[0] if not isinstance(values[0], float) else int(values[0])
    more = [{}, {}, {"threshold": 0.3}, {"positive": first}, {"task": "multiclass"}, {"link": "logit"}]
    return pa.table(found), options | draw(st.sampled_from(more))


@pytest.mark.slow
@given(made=tables(), cuts=CUTS, group=st.integers(1, 40))
@settings(max_examples=50, deadline=None)
def test_chunks_mean_what_the_whole_means(made, cuts, group):
    table, options = made
    with tempfile.TemporaryDirectory() as folder:
        same(table, Path(folder), cuts, group, **options)


NUMBERS = st.sampled_from([[1.5, 2.25, -3.0], [1.0, 2.0, 2.5], [7.0, 8.0, 1e200], [0.0, 1.0, 30.0]])


@pytest.mark.slow
@given(data=st.data(), cuts=CUTS, group=st.integers(1, 40))
@settings(max_examples=20, deadline=None)
def test_numbers_in_chunks_mean_what_they_mean_in_memory(data, cuts, group):
    draw = data.draw
    rows, values, gap = draw(st.integers(1, 60)), draw(NUMBERS), draw(st.booleans())
    kind = draw(st.sampled_from([pa.float64(), pa.float32()])) if values[-1] < 1e38 else pa.float64()
    table = pa.table({name: column(draw, kind, values, rows, gap) for name in ("y", "yhat")})
    options = draw(st.sampled_from([{}, {"on_nan": "drop"}, {"task": "regression"}]))
    with tempfile.TemporaryDirectory() as folder:
        same(table, Path(folder), cuts, group, **options)


def test_whole_numbers_are_classes_or_numbers_by_how_many_rows_there_are(tmp_path):
    table = pa.table({"y": range(60), "yhat": range(60)})
    same(table, tmp_path, [20], 10)
    same(table.cast(pa.schema({"y": pa.float64(), "yhat": pa.float64()})), tmp_path, [20], 10)


def test_text_files_in_chunks_mean_what_one_text_file_means(tmp_path):
    body = ["no,no,0.25", "yes,no,0.75", "no,yes, 1e-3 "] * 10 + ["NA,no,0.5", "yes,yes,1"]
    whole = tmp_path / "whole.csv"
    whole.write_text("\n".join(["y,yhat,p", *body]))
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "1.csv").write_text("\n".join(["y,yhat,p", *body[:7]]))
    (folder / "2.csv.gz").write_bytes(gzip.compress("\r\n".join(["yhat,p,y", *map(turned, body[7:])]).encode()))
    one, (reading, found, facts) = read(whole), streamed(folder)
    assert reading.batch.labels == one.batch.labels == ("NA", "no", "yes")
    np.testing.assert_array_equal(joined(found).truth, one.batch.truth)
    np.testing.assert_array_equal(joined(found).prediction, one.batch.prediction)
    assert facts.rows == len(body)


def turned(line: str) -> str:
    """The first field last."""
    first, *others = line.split(",")
    return ",".join([*others, first])


def test_numbers_written_as_text_are_read_as_at_the_door(tmp_path):
    (tmp_path / "1.csv").write_text("y;p\n1;0,5\n0;0,25\n")
    (tmp_path / "2.csv").write_text("y;p\n1;0,75\n0; 1e-3\n1;nan\n")
    _, found, facts = streamed(tmp_path, on_nan="drop")
    assert joined(found).score.tolist() == [0.5, 0.25, 0.75, 0.001]
    assert facts.gaps == {"p": (1, 0)}


def test_a_score_outside_its_range_in_the_last_row_changes_the_decision(tmp_path):
    table = pa.table({"y": [0, 1] * 20, "score": [0.2, 0.8] * 19 + [0.2, 3.0]})
    cut(table, tmp_path, [30], 10)
    reading, found, _ = streamed(tmp_path)
    assert not reading.batch.probabilities
    assert reading.threshold is None
    assert joined(found).prediction is None


def test_errors_name_the_file_and_its_row(tmp_path, said):
    sound = pa.table({"y": [0, 1] * 8, "p": [0.2, 0.8] * 8, "weight": [1.0] * 16})

    def told(name, value, **options):
        column = pa.array([*sound.column(name).to_pylist()[:-1], value], sound.schema.field(name).type)
        pq.write_table(sound, tmp_path / "a.parquet", row_group_size=4)
        pq.write_table(sound.set_column(sound.schema.get_field_index(name), name, column), tmp_path / "b.parquet")
        return said(streamed, tmp_path, **options)

    assert told("p", None) == (
        "[H305] b.parquet: p is missing in row 16. Rows are never dropped silently\n"
        "  Fix: complete the values, or drop these rows with on_nan='drop'"
    )
    assert told("p", float("inf")) == (
        "[H305] b.parquet: p is infinite (inf) in row 16. Rows are never dropped silently\n"
        "  Fix: complete the values, or drop these rows with on_nan='drop'"
    )
    assert told("p", 7.0) == (
        "[H306] b.parquet: probabilities are outside [0, 1] (min 0.2, max 7): p is 7 in row 16; "
        "these look like percentages\n  Fix: divide percentages by 100"
    )
    assert told("weight", -2.0) == (
        "[H109] b.parquet: the weight in weight is -2 in row 16, and must be zero or more\n"
        "  Fix: remove the row, or give it the weight 0"
    )
    assert told("y", 2) == (
        f"[H107] {tmp_path.name}: the single score p needs two classes, and y has 3: 0, 1, 2\n"
        "  Fix: give one column of probabilities per class (p_<class>), or predicted labels, "
        "or pass y_pred='p' "
        "and task='regression' if these are numbers to predict"
    )


def test_probabilities_that_do_not_sum_to_one_are_named_with_their_row(tmp_path, said):
    rows = {"y": ["a", "b"] * 10, "yhat": ["a"] * 20, "p_a": [0.25] * 20, "p_b": [0.75] * 19 + [0.5]}
    cut(pa.table(rows), tmp_path, [12], 4)
    assert said(streamed, tmp_path) == (
        "[H306] part-001.parquet: the probabilities of row 8 (p_a, p_b) sum to 0.75, not to 1\n"
        "  Fix: export one probability for every class, or pass link='logit' if these are logits"
    )


def test_too_large_numbers_and_text_among_numbers_are_named_with_their_row(tmp_path, said):
    cut(pa.table({"y": [0.5] * 20, "yhat": [0.5] * 19 + [1e200]}), tmp_path, [12], 4)
    assert said(streamed, tmp_path) == (
        "[H108] part-001.parquet: yhat is 1e+200 in row 8: the square of its error would overflow\n"
        "  Fix: write the numbers in a larger unit"
    )
    folder = tmp_path / "text"
    folder.mkdir()
    (folder / "a.csv").write_text("y,p\n" + "0,0.5\n1,0.75\n" * 8)
    (folder / "b.csv").write_text("y,p\n" + "0,0.5\n1,0.75\n" * 8 + "1,75%\n")
    assert said(streamed, folder) == (
        "[H108] b.csv: p is '75%' in row 17, which is not a number\n"
        "  Fix: write percentages as shares between 0 and 1: 75% is 0.75"
    )


def test_a_fault_in_the_head_is_named_with_its_own_file(tmp_path, said):
    pq.write_table(pa.table({"y": [0, 1], "p": [0.2, 0.8]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"y": [0, 1], "p": [0.2, -4.0]}), tmp_path / "b.parquet")
    assert said(streamed, tmp_path) == (
        "[H306] b.parquet: probabilities are outside [0, 1] (min -4, max 0.2): p is -4 in row 2; "
        "these look like logits\n  Fix: pass probabilities, or link='logit' if these are logits"
    )


def test_a_fault_of_rows_in_the_middle_of_a_file_is_named_with_their_number(tmp_path, said, monkeypatch):
    monkeypatch.setattr(opening, "FILE_CHUNK_ROWS", 10)
    rows = {"y": ["a", "b"] * 20, "yhat": ["a", "b"] * 20, "p": [0.5] * 31 + [9.0] * 9}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet", row_group_size=10)
    assert said(streamed, tmp_path) == (
        "[H306] a.parquet: probabilities are outside [0, 1] (min 9, max 9): p is 9 in row 32; "
        "these look like percentages\n  Fix: divide percentages by 100"
    )


def test_a_head_without_complete_rows_is_no_fault_where_they_are_dropped(tmp_path, said):
    cut(pa.table({"y": [0, 1] * 20, "p": [None] * 30 + [0.25, 0.75] * 5}), tmp_path, [12], 10)
    reading, found, facts = streamed(tmp_path, on_nan="drop")
    assert (facts.dropped, facts.gaps, reading.threshold) == (30, {"p": (30, 0)}, 0.5)
    assert joined(found).score.tolist() == [0.25, 0.75] * 5
    assert said(streamed, tmp_path) == (
        "[H305] part-000.parquet: p is missing in rows 1, 2, 3, 4, 5 and 3 more. Rows are never dropped silently\n"
        "  Fix: complete the values, or drop these rows with on_nan='drop'"
    )


def test_logs_are_not_read_in_chunks(tmp_path, said):
    cut(pa.table({"y": [0, 1], "yhat": [0, 1]}), tmp_path, [1], 1)
    assert said(streamed, tmp_path, log="lm-eval") == (
        "an evaluation log cannot be read in chunks\n  Fix: give one log file, or leave out the engine (engine=)"
    )


def test_recipes_facts_and_chunks_travel(tmp_path):
    cut(pa.table({"y": ["a"] * 9 + ["b"], "p": [0.5] * 10}), tmp_path, [5], 3)
    source = open_chunks(tmp_path)
    rows = sample_rows(source, ("y", "p"))
    _, recipe = infer_recipe(rows)
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert pickle.loads(pickle.dumps(source)) == source
    last = code_chunk(next(read_chunks(source.file_chunks[-1], ("y", "p"))), replace(recipe, truths=(("a", 0),)))
    (row,) = pickle.loads(pickle.dumps(last.facts)).new_rows
    assert (row.batch.to_pylist(), row.place, row.first) == ([{"y": "b", "p": 0.5}], "part-001.parquet", 4)


def test_new_labels_are_counted_once_each_and_no_more_than_classes_can_be(tmp_path):
    cut(pa.table({"y": np.arange(40_000), "yhat": np.arange(40_000)}), tmp_path, [20_000], 20_000)
    source = open_chunks(tmp_path)
    _, recipe = infer_recipe(sample_rows(source, ("y", "yhat")), task="multiclass")
    (chunk,) = read_chunks(source.file_chunks[0], ("y", "yhat"))
    found = code_chunk(chunk, recipe).facts.new_rows
    assert sum(row.batch.num_rows for row in found) == 2_001


def test_segments_and_units_come_by_their_names(tmp_path):
    made = {"y": [0, 1] * 6, "p": [0.25, 0.75] * 6, "group": [7, 8, 9] * 4, "place": ["b", "a", None] * 4}
    cut(pa.table(made), tmp_path, [6], 6)
    _, found, _ = streamed(tmp_path, segments=["place"])
    segment = found[0].batch.segments["place"]
    assert [segment.names[code] for code in segment.codes] == ["b", "a", "(missing)"] * 2
    assert found[1].unit.to_pylist() == [7, 8, 9] * 2
    assert found[1].first == 0
    assert found[1].place == "part-001.parquet"
