"""Whether chunks of several tables are the same rows: the first one that is not is named with its file and number."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import Recipe, code_chunk
from heldout.inputs.chunked.same_rows import same_rows

COLUMNS = {"y": [0, 1, 1], "p": [0.1, 0.8, 0.6], "id": ["u", "v", "w"], "w": [1.0, 2.0, 1.0], "g": ["a", "a", "b"]}
RECIPE = Recipe(
    task="binary", truth="y", score="p", labels=(0, 1), positive=1, threshold=0.5, probabilities=True,
    truths=((0, 0), (1, 1)),
)  # fmt: skip


def looked_at(second, recipe=RECIPE, other=None):
    """The rows beside themselves with some columns changed."""
    chunks = [
        Chunk(batch=pa.record_batch(COLUMNS | changed), place=place, first=100)
        for changed, place in (({}, "old.parquet"), (second, "new.parquet"))
    ]
    recipes = (recipe, other or recipe)
    same_rows(("old", "new"), chunks, [code_chunk(*pair) for pair in zip(chunks, recipes, strict=True)], recipes)


def test_rows_that_are_the_same_pass_whatever_the_models_say():
    looked_at({"p": [0.9, 0.1, 0.2]}, replace(RECIPE, id="id", weight="w", group="g"))


def test_a_chunk_is_the_same_as_itself():
    chunk = Chunk(batch=pa.record_batch(COLUMNS), place="one.parquet", first=0)
    same_rows(("a", "b"), [chunk, chunk], [code_chunk(chunk, RECIPE)] * 2, (RECIPE, replace(RECIPE, id="id")))


@pytest.mark.parametrize(
    ("changed", "recipe", "message"),
    [
        ({"y": [0, 1, 0]}, RECIPE, "different truths: 1 in old (row 103 of old.parquet), 0 in new (row 103 of new."),
        (
            {"id": ["u", "x", "w"]},
            replace(RECIPE, id="id"),
            "different ids: 'v' in old (row 102 of old.parquet), 'x' in new (row 102 of new.parquet)",
        ),
        ({"w": [1.0, 2.0, 1.5]}, replace(RECIPE, weight="w"), "different weights: 1.0 in old (row 103 of old.parquet)"),
        ({"g": ["a", "b", "b"]}, replace(RECIPE, group="g"), "different groups: 'a' in old (row 102 of old.parquet)"),
    ],
)
def test_the_first_row_that_differs_is_named(changed, recipe, message):
    with pytest.raises(DataError) as refused:
        looked_at(changed, recipe)
    assert str(refused.value).startswith("[H101] old and new have ")
    assert message in str(refused.value)


def test_a_column_that_only_one_has_is_named():
    with pytest.raises(DataError, match="old has groups and new has none"):
        looked_at({}, replace(RECIPE, group="g"), RECIPE)
    with pytest.raises(DataError, match="new has weights and old has none"):
        looked_at({}, RECIPE, replace(RECIPE, weight="w"))
