"""Specifications: valid, with no colour and no user's word in a place where it would be run."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import vl_convert
from altair.vegalite.v6.schema import core
from jsonschema import ValidationError

from heldout.charts import spec, theme
from heldout.charts.drawing import HOMES
from heldout.charts.drawing.theme import CATEGORY, INK, MUTED, ON_GROUND, PAPER, RAMP, RULE, STRONG
from heldout.charts.plot import VIEWS

EXPRESSIONS = {
    "names[datum.value]",
    "lines[datum.value]",
    "boxes[datum.value]",
    "says[-1 - datum.value]",
    "datum.value == 0 ? '0' : datum.label",
    "datum.sure",
    "!datum.sure",
    "datum.whole",
    "!datum.whole",
    "datum.right",
    "!datum.right",
    f"datum.share === null || datum.share < {STRONG}",
    f"!(datum.share === null || datum.share < {STRONG})",
}
"""Everything that is ever run: constants of ours."""


def walked(node, key=""):
    """Every key with its value, data left out."""
    if isinstance(node, dict):
        for name, one in node.items():
            if name not in ("values", "params", "description", "title"):
                yield name, one
                yield from walked(one, name)
    elif isinstance(node, list):
        for one in node:
            yield from walked(one, key)


def test_every_kind_is_drawn_and_listed(figures):
    kinds = {figure.kind for figure in figures.values()}
    assert kinds == set(HOMES)
    assert kinds == set(VIEWS)


@pytest.mark.parametrize("kind", HOMES)
def test_every_specification_is_valid(figures, kind):
    for made in [spec(figure, titled=True) for figure in figures.values() if figure.kind == kind]:
        json.dumps(made, allow_nan=False)
        core.Root.validate(with_few_values(made))


def with_few_values(node):
    """A specification with a few rows of its data: the schema would be asked about every row in turn."""
    if isinstance(node, dict):
        return {name: with_few_values(part[:5] if name == "values" else part) for name, part in node.items()}
    return [with_few_values(one) for one in node] if isinstance(node, list) else node


def drawn_marks(node):
    """How many items each mark of a drawing has."""
    if node.get("role") == "mark" and node.get("marktype") != "group":
        yield node["marktype"], len(node.get("items", []))
    for one in node.get("items", []):
        yield from drawn_marks(one)


@pytest.mark.parametrize("kind", HOMES)
def test_every_mark_is_drawn(figures, kind):
    """A specification may be valid and show nothing: every mark of ours has something to show."""
    figure = next(figure for figure in figures.values() if figure.kind == kind)
    graph = vl_convert.vegalite_to_scenegraph(spec(figure, width=400))["scenegraph"]
    marks = list(drawn_marks(graph))
    assert len(marks) >= 2
    assert [kind for kind, items in marks if not items] == []


@pytest.mark.parametrize("dark", [False, True])
def test_the_theme_is_valid(figures, dark):
    made = spec(figures["fold_choice"], dark=dark)
    assert made["config"] == theme(dark)
    core.Root.validate(made)


def test_an_invalid_specification_is_found(figures):
    made = spec(figures["fold_choice"])
    made["layer"][0]["mark"]["type"] = "blob"
    with pytest.raises(ValidationError):
        core.Root.validate(made)


def test_only_our_own_constants_are_run(figures, hostile):
    for figure in figures.values():
        for key, value in walked(spec(figure)):
            if key in ("labelExpr", "filter", "expr", "calculate", "test"):
                assert value in EXPRESSIONS
            if key == "field":
                assert hostile not in value


def test_a_hostile_name_is_data(figures, hostile):
    made = json.dumps(spec(figures["roc, comparison"])["params"])
    assert json.dumps(hostile)[1:-1] in made


def test_colours_live_in_the_theme_alone(figures):
    for figure in figures.values():
        plain = json.dumps([value for _, value in walked(spec(figure, themed=False))], default=str)
        assert re.findall(r"#[0-9a-fA-F]{3,8}\b", plain) == []


def test_every_style_is_in_the_theme(figures):
    known = set(theme()["style"])
    used = {
        style
        for figure in figures.values()
        for key, value in walked(spec(figure, themed=False))
        if key == "style"
        for style in ([value] if isinstance(value, str) else value)
    }
    assert used == known


def test_charts_follow_the_width_of_what_contains_them(figures):
    for figure in figures.values():
        made = spec(figure)
        if "vconcat" in made:
            assert all(panel["width"] == 440 for panel in made["vconcat"])
        else:
            assert made["width"] == "container"
            assert made["autosize"] == {"type": "fit-x", "contains": "padding"}
    assert spec(figures["roc, evaluation"], width=300)["width"] == 300


def test_only_marks_of_single_numbers_have_tooltips(figures):
    """A line or an area is one item, and a tooltip on it would show its first point wherever one points."""
    for figure in figures.values():
        for _, node in walked({"all": spec(figure)}):
            if isinstance(node, dict) and "mark" in node and node["mark"]["type"] in ("line", "area"):
                assert "tooltip" not in node["encoding"]


def test_the_description_is_the_alt_text(figures):
    figure = figures["confusion, evaluation"]
    assert spec(figure)["description"] == figure.alt


def light(colour):
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_marks_have_the_contrast_that_readers_need(dark):
    paper = PAPER[dark]
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert min(contrast(text[dark], paper) for text in (INK, MUTED)) >= 4.5
    assert min(contrast(colour, paper) for colour in (*CATEGORY[dark], RULE[dark])) >= 3


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_on_a_coloured_ground_can_be_read(dark):
    ramp = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in RAMP[dark]])
    for share in np.linspace(0, 1, 101):
        ground = [np.interp(share, np.linspace(0, 1, len(ramp)), ramp[:, channel]) for channel in range(3)]
        colour = "#" + "".join(f"{round(part):02x}" for part in ground)
        assert contrast(ON_GROUND[dark][int(share >= STRONG)], colour) >= 4.5, share


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    "seen",
    [
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ],
    ids=["no red", "no green"],
)
def test_the_first_colours_are_told_apart_without_red_or_green(seen, dark):
    """Colours as people see them who lack a cone [machado09]."""
    colours = np.array([[int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] for colour in CATEGORY[dark][:3]])
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    lacking = np.clip(linear @ np.array(seen).T, 0, 1) ** (1 / 2.2)
    apart = np.linalg.norm(lacking[:, None] - lacking[None], axis=2)[np.triu_indices(3, 1)]
    assert apart.min() > 0.2
