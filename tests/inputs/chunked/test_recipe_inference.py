"""What the columns of a chunked table mean, inferred from a few rows and made a recipe for all."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from heldout.errors import DataError, UsageError
from heldout.inputs.chunked import recipe_inference, sample_rows as sampling
from heldout.inputs.chunked.chunked_table import open_chunks
from heldout.inputs.chunked.recipe_inference import infer_recipe
from heldout.inputs.chunked.sample_rows import columns_needed, sample_rows


@pytest.fixture(autouse=True)
def short_head(monkeypatch):
    """Two rows are the head, so that everything else comes later."""
    monkeypatch.setattr(sampling, "HEAD", 2)
    monkeypatch.setattr(sampling, "GLANCE", 1)
    monkeypatch.setattr(sampling, "ELSEWHERE", 0)


@pytest.fixture
def rows(tmp_path):
    def made(**columns):
        path = tmp_path / "rows.parquet"
        pq.write_table(pa.table(columns), path)
        source = open_chunks(path)
        return sample_rows(source, columns_needed(source))

    return made


def test_the_recipe_names_every_column_by_its_role(rows):
    sample = rows(y_true=["no", "yes"] * 4, y_score=[0.2, 0.7] * 4, weight=[1.0, 1.0] * 4, group=list("aabbccdd"))
    reading, recipe = infer_recipe(sample)
    assert (recipe.task, recipe.truth, recipe.score) == ("binary", "y_true", "y_score")
    assert (recipe.weight, recipe.group) == ("weight", "group")  # by name, though the first rows weigh the same
    assert (recipe.labels, recipe.positive, recipe.threshold) == (("no", "yes"), 1, 0.5)
    assert reading.batch.labels == recipe.labels


def test_numbers_are_counted_from_their_mean(rows):
    _, recipe = infer_recipe(rows(y_true=[1.5, 2.5], y_pred=[1.0, 3.0]), task="regression")
    assert (recipe.task, recipe.prediction, recipe.origin) == ("regression", "y_pred", 2.0)


def test_labels_that_come_later_are_looked_for_before_an_error_is_raised(rows):
    sample = rows(y_true=["a", "a", "b", "c"], y_pred=["a", "a", "a", "b"])
    new_rows = recipe_inference._rows_with_other_labels(sample, {})
    assert [chunk.batch.column("y_true").to_pylist() for chunk in new_rows] == [["b"], ["c"]]
    _, recipe = infer_recipe(sample.plus(new_rows))
    assert recipe.labels == ("a", "b", "c")


def test_an_error_is_named_with_its_file_and_row(rows):
    with pytest.raises(DataError) as refused:
        infer_recipe(rows(y_true=[0, 1, 0, 1], y_score=["0.2", "high", "0.4", "0.9"]))
    assert "rows.parquet" in str(refused.value)
    assert "'high'" in str(refused.value)
    assert "row 2" in str(refused.value)


def test_logs_are_not_read_in_chunks(rows):
    with pytest.raises(UsageError, match="an evaluation log cannot be read in chunks"):
        infer_recipe(rows(y_true=[0, 1], y_score=[0.2, 0.7]), log="inspect")
