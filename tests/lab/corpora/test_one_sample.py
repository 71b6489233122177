"""Worlds of pictures and texts by their words."""

from __future__ import annotations

import pytest

from heldout.errors import UsageError
from heldout.lab.corpora.one_sample import set_world


@pytest.mark.parametrize(
    ("word", "message", "fix"),
    [
        (
            "boxes:classes=0",
            "boxes with classes=0, objects=1, wrong=1.5, blur=0.1 and tail=0 cannot be drawn",
            "such as boxes:classes=3,objects=1,wrong=1.5,blur=0.1",
        ),
        (
            "pixels:present=0",
            "pixels with classes=4, present=0, quality=0.85 and spread=6 cannot be drawn",
            "such as pixels:classes=4,present=0.5,quality=0.85,spread=6",
        ),
        (
            "segments:short=0.7,long=0.7",
            "segments with length=20, quality=0.7, spread=4, short=0.7, long=0.7, size=1 and alike=0.7 cannot be drawn",
            "such as segments:length=20,quality=0.7,spread=4,short=0.2,long=0.1",
        ),
        (
            "segment",
            "no world of pictures or texts is named 'segment'; did you mean 'segments'?",
            "choose one of boxes, pixels, segments",
        ),
    ],
)
def test_messages(word, message, fix):
    with pytest.raises(UsageError) as caught:
        set_world(word)
    assert str(caught.value) == f"{message}\n  Fix: {fix}"


@pytest.mark.parametrize(
    "word", ["boxes:classes=2,objects=1,wrong=1,blur=0.1,tail=1", "pixels:classes=3,present=0.5,quality=0.9,spread=4"]
)
def test_a_world_is_called_by_its_word(word):
    assert set_world(word).name == word
