"""No option without effect: in every mode of every verb, each option changes something or is refused.

`make option-table` tries all of them and writes effects.json beside this file. Here the table is compared with the
commands, and what takes little time is tried again: not what only the form of a result depends on, which is tried in
one mode of a verb, and of slow modes only what is refused.
"""

from __future__ import annotations

import contextlib
from functools import partial

import pytest

import heldout
import heldout.plan
from heldout.cli.options import OUTPUT
from tests.options.effects import EFFECTS, Bench, commands, effect, flag
from tests.options.files import write_files
from tests.options.modes import MODES
from tests.options.python_calls import takes
from tests.options.table import read_table

FIRST = {mode.verb: mode for mode in reversed(MODES)}
"""Of every verb the mode in which all options are tried."""

REFUSED_BEFORE_THE_CALL = {
    ("evaluate", "--labels"): "the file of a confusion matrix names the classes; in Python a matrix has no names",
    ("gate", "--baseline"): "files are candidate and reference; in Python models come by name, in any order",
    ("gate", "--model-column"): "Python refuses it beside models too",
    ("compare", "--model-column"): "Python refuses it beside models too",
    ("detect", "--iou"): "Python refuses it with this rule too",
    ("plan difference", "--pilot"): "Python refuses it beside what is found from a pilot too",
    ("plan power", "--pilot"): "Python refuses it beside what is found from a pilot too",
}
"""Options that the command line refuses although the function of Python has the argument, and why that is right."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    write_files(folder)
    return Bench(folder)


@pytest.fixture(scope="module")
def table():
    return read_table()


def test_every_command_has_a_mode():
    assert {mode.verb for mode in MODES} == set(commands())


def test_the_table_has_every_mode_and_every_option(table):
    assert [(verb, name) for verb, modes in table.items() for name in modes] == [(one.verb, one.name) for one in MODES]
    for mode in MODES:
        assert list(table[mode.verb][mode.name]) == [flag(option) for option in mode.options], str(mode)


def test_no_option_is_ignored(table):
    kinds = {
        line.partition(":")[0] for modes in table.values() for options in modes.values() for line in options.values()
    }
    assert kinds <= set(EFFECTS)


def test_what_python_refuses_too(bench):
    with contextlib.chdir(bench.folder):
        two = {"old": "scores-old.csv", "new": "scores-new.csv"}
        beside = "names the models of one table, and models were given as well"
        with pytest.raises(heldout.HeldoutError, match=beside):
            heldout.gate(two, primary="roc_auc", margin=0.1, model_column="maker")
        with pytest.raises(heldout.HeldoutError, match=beside):
            heldout.compare(two, primary="roc_auc", model_column="maker")
        with pytest.raises(heldout.HeldoutError, match="iou has no effect with the rule coco"):
            heldout.detect("boxes.csv", {"new": "boxes-new.csv"}, iou=0.7)
        for planned in (heldout.plan.difference, partial(heldout.plan.power, rows=100)):
            with pytest.raises(heldout.HeldoutError, match="disagree is found from the pilot, so it cannot be given"):
                planned("accuracy", 0.8, gain=0.05, disagree=0.2, pilot=list(two.values()))


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_options_do_what_the_table_says(mode, bench, table):
    written = table[mode.verb][mode.name]
    retried = [option for option in mode.options if _is_retried(mode, option, written[flag(option)])]
    found = {flag(option): effect(bench, mode, option) for option in retried}
    assert {name: str(one) for name, one in found.items()} == {name: written[name] for name in found}
    only_here = [flag(option) for option in retried if _refused_by_the_command_line_alone(bench, mode, option, found)]
    assert [name for name in only_here if (mode.verb, name) not in REFUSED_BEFORE_THE_CALL] == []


def _is_retried(mode, option, written):
    if mode.slow:
        return written.startswith("refused")
    return option.heading != OUTPUT or FIRST[mode.verb] is mode


def _refused_by_the_command_line_alone(bench, mode, option, found):
    """Whether the command line refuses what a function of Python would take: it must refuse it itself."""
    one = found[flag(option)]
    if one.kind != "refused" or one.calls or option.heading == OUTPUT or mode.slow:
        return False
    base = bench.outcome(*mode.verb.split(), *mode.arguments.split(), *(("--json",) if mode.has("as_json") else ()))
    return any(takes(call, option) for call in base.calls)
