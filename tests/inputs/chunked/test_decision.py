"""What the columns of a table in parts mean, decided by a few rows and made a recipe for all."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from heldout.errors import DataError, UsageError
from heldout.inputs.chunked import witness_rows
from heldout.inputs.chunked.chunked_table import parted
from heldout.inputs.chunked.decision import decided, other_labels
from heldout.inputs.chunked.witness_rows import columns_needed, witness


@pytest.fixture(autouse=True)
def short_head(monkeypatch):
    """Two rows are the head, so that everything else comes later."""
    monkeypatch.setattr(witness_rows, "HEAD", 2)
    monkeypatch.setattr(witness_rows, "GLANCE", 1)
    monkeypatch.setattr(witness_rows, "ELSEWHERE", 0)


@pytest.fixture
def rows(tmp_path):
    def made(**columns):
        path = tmp_path / "rows.parquet"
        pq.write_table(pa.table(columns), path)
        source = parted(path)
        return witness(source, columns_needed(source))

    return made


def test_the_recipe_names_every_column_by_its_role(rows):
    found = rows(y_true=["no", "yes"] * 4, y_score=[0.2, 0.7] * 4, weight=[1.0, 1.0] * 4, group=list("aabbccdd"))
    reading, recipe = decided(found)
    assert (recipe.task, recipe.truth, recipe.score) == ("binary", "y_true", "y_score")
    assert (recipe.weight, recipe.group) == ("weight", "group")  # by name, though the first rows weigh the same
    assert (recipe.labels, recipe.positive, recipe.threshold) == (("no", "yes"), 1, 0.5)
    assert reading.batch.labels == recipe.labels


def test_numbers_are_counted_from_their_mean(rows):
    _, recipe = decided(rows(y_true=[1.5, 2.5], y_pred=[1.0, 3.0]), task="regression")
    assert (recipe.task, recipe.prediction, recipe.origin) == ("regression", "y_pred", 2.0)


def test_labels_that_come_later_are_looked_for_before_a_fault_is_believed(rows):
    found = rows(y_true=["a", "a", "b", "c"], y_pred=["a", "a", "a", "b"])
    more = other_labels(found, {})
    assert [piece.batch.column("y_true").to_pylist() for piece in more] == [["b"], ["c"]]
    _, recipe = decided(found.plus(more))
    assert recipe.labels == ("a", "b", "c")


def test_a_fault_is_named_with_its_file_and_row(rows):
    with pytest.raises(DataError) as refused:
        decided(rows(y_true=[0, 1, 0, 1], y_score=["0.2", "high", "0.4", "0.9"]))
    assert "rows.parquet" in str(refused.value)
    assert "'high'" in str(refused.value)
    assert "row 2" in str(refused.value)


def test_logs_and_several_truths_are_not_read_in_parts(rows):
    with pytest.raises(UsageError, match="an evaluation log is not read in parts"):
        decided(rows(y_true=[0, 1], y_score=[0.2, 0.7]), log="inspect")
