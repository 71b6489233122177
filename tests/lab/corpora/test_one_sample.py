"""Simulations of pictures and texts by their words."""

from __future__ import annotations

import pytest

from heldout.errors import UsageError
from heldout.lab.corpora.one_sample import set_world


@pytest.mark.parametrize(
    ("word", "message", "fix"),
    [
        (
            "boxes:classes=0",
            "classes of the world 'boxes' is 0, but must be from 1 to 1,000",
            "give classes another value, or leave it out; heldout lab world lists the parameters",
        ),
        (
            "pixels:present=0",
            "present of the world 'pixels' is 0, but must be above 0 and at most 1",
            "give present another value, or leave it out; heldout lab world lists the parameters",
        ),
        (
            "segments:short=0.7,long=0.7",
            "the shares short=0.7 and long=0.7 of the world 'segments' add up to more than 1",
            "give shares of at most 1 together, such as short=0.2,long=0.2",
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
