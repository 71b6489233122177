"""Every number of a simulation is refused where no data can be drawn with it: nan, infinities, numbers out of range."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from heldout.cli import verbs
from heldout.errors import UsageError
from heldout.lab import gaussian, twins, world

NONSENSE = ("nan", "inf", "-inf", "1e300", "-1e300")


def asked(*words):
    answer = CliRunner().invoke(verbs, ["lab", "world", *words])
    return answer.exit_code, answer.stdout, answer.stderr


def every_parameter():
    listed = json.loads(asked("--json")[1])["worlds"]
    shared = next(one for one in listed if one["name"] == "any of these")["parameters"]
    pairs = next(one for one in listed if one["name"] == "pair-")["parameters"]
    simulations = [one for one in listed if one["name"] not in ("any of these", "pair-")]
    for one in simulations:
        for name, usual in one["parameters"].items():
            if not isinstance(usual, str):
                yield f"{one['name']}:{name}"
    yield from (f"binormal:{name}" for name in shared)
    yield from (f"pair-coin:{name}" for name, usual in pairs.items() if not isinstance(usual, str))


@pytest.mark.parametrize("parameter", list(every_parameter()))
def test_numbers_that_no_data_can_have_are_refused_in_one_sentence(parameter):
    for value in NONSENSE:
        code, printed, message = asked(f"{parameter}={value}")
        assert code == 2, printed
        assert message.startswith("error: ")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("gaussian:distance=-1", "distance of the world 'gaussian' is -1, but must be from 0 to 1,000"),
        ("gaussian:distance=nan", "world to learn from gaussian:distance=nan: distance is nan, which is not a finite"),
        ("gaussian:spread=0", "spread of the world 'gaussian' is 0, but must be above 0 and at most 1,000"),
        (
            "sine:noise=-1",
            (
                "noise of the world 'sine' is -1, but must be from 0 to 1,000 "
                "Fix: give noise another value, or leave it out; heldout lab world lists the parameters"
            ),
        ),
    ],
)
def test_the_sentence_names_the_parameter_and_its_range(word, message):
    answer = CliRunner().invoke(verbs, ["lab", "bias-variance", "--learner", "knn", "--world", word, "--n", "20"])
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())


def test_python_refuses_them_as_the_command_line_does():
    for make, name, value in (
        (gaussian, "distance", -1.0),
        (gaussian, "distance", float("nan")),
        (gaussian, "distance", float("inf")),
        (gaussian, "spread", 0.0),
        (gaussian, "classes", 1),
        (twins, "distance", 0.0),
        (twins, "gain", float("nan")),
    ):
        with pytest.raises(UsageError, match=f"{name} of the world '{make.__name__}' is {value:g}, but must be"):
            make(**{name: value})


@pytest.mark.parametrize("word", ["classes:classes=2.5", "coin:size=1.5", "pair-coin:models=2.5"])
def test_parts_of_a_whole_number_are_refused(word):
    with pytest.raises(UsageError, match="but must be a whole number"):
        world(word)


def test_equal_means_are_allowed():
    assert gaussian(distance=0.0).means[0] == gaussian(distance=0.0).means[1]
