"""The tables of the page on pictures and texts are those of the cards that the package ships."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from heldout.cards.lookup import COLUMNS, FILES, _known
from heldout.lab.corpora.corpus_cards import SETTINGS, samples
from heldout.lab.corpora.one_sample import lines_of, set_world
from heldout.report.schema import schema

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "lab-pictures-and-texts.md"


def every_card():
    """All cards, by kind, metric, method, world and n."""
    stored = _known(FILES[1])
    found = {}
    for kind in ("intervals", "tests"):
        for metrics in stored[kind].values():
            for metric, methods in metrics.items():
                for method, lines in methods.items():
                    for line in lines:
                        card = dict(zip(COLUMNS, (stored["worlds"][line[0]], *line[1:]), strict=False))
                        found[kind, metric, method, card["world"], card["n"]] = card
    return found


CARDS = every_card()


def cells(asked, world, n):
    """Rates in percent; empty where there is none."""
    found = [CARDS.get((*one, world, n)) for one in asked]
    return ["" if card is None else f"{100 * card['rate']:.1f}" for card in found]


def settings(family):
    return [(world, n) for world, sizes in SETTINGS.items() for n in sizes if world.startswith(family)]


def table(head, lines):
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def boxes():
    asked = [("intervals", name, "auto") for name in ("AP", "AP50", "APsmall", "AR100")]
    asked += [("intervals", "AP", "percentile"), ("intervals", "AP by class", "auto"), ("tests", "AP", "auto")]
    lines = []
    for word, n in settings("boxes"):
        world = set_world(word)
        classes = f"{world.classes}, the k-th with a k-th of the first" if world.tail else f"{world.classes}"
        truth = CARDS["intervals", "AP", "auto", word, n]["truth"]
        lines.append([classes, f"{world.objects:g}", f"{n}", f"{truth:.3f}", *cells(asked, word, n)])
    head = ["classes", "objects per image and class", "images", "true AP", "AP", "AP50", "APsmall", "AR100"]
    return table([*head, "AP, percentiles", "AP of all classes", "rejected"], lines)


def pixels():
    asked = [("intervals", name, "auto") for name in ("mean_iou", "mean_dice", "pixel_accuracy", "iou by class")]
    asked += [("tests", "mean_iou", "auto")]
    lines = []
    for word, n in settings("pixels"):
        world, truth = set_world(word), CARDS["intervals", "mean_iou", "auto", word, n]["truth"]
        facts = [f"{world.classes}", f"{100 * world.present:g}", f"{n}", f"{truth:.3f}"]
        lines.append([*facts, *cells(asked, word, n)])
    head = ["classes", "each in % of images", "images", "true mean IoU", "mean IoU", "mean Dice", "pixel accuracy"]
    return table([*head, "IoU of all classes", "rejected"], lines)


def texts():
    names = ("bleu", "chrf", "ter", "ngram_precision_4", "ngram_recall_1")
    asked = [("intervals", name, "auto") for name in names]
    asked += [("tests", "bleu", test) for test in ("auto", "t", "bootstrap")]
    lines = []
    for word, n in settings("segments"):
        world, truth = set_world(word), CARDS["intervals", "bleu", "auto", word, n]["truth"]
        unit = f"{n:,} documents of {world.size}" if world.size > 1 else f"{n:,} segments"
        lines.append([unit, f"{truth:.1f}", *cells(asked, word, n)])
    head = ["sample", "true BLEU", "BLEU", "chrF", "TER", "4-gram precision", "word recall"]
    return table([*head, "swaps", "t", "bootstrap"], lines)


TABLES = {"boxes": boxes, "pixels": pixels, "texts": texts}


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_figures_that_were_measured(name):
    shown = PAGE.read_text(encoding="utf-8").partition(f"<!-- table: {name} -->\n\n")[2].partition("\n\n")[0]
    assert shown == TABLES[name]()


def most():
    return max(card["repeats"] for card in CARDS.values())


def test_every_line_of_every_setting_was_measured_as_often_as_the_page_says():
    for world, sizes in SETTINGS.items():
        for n in sizes:
            found = [card["repeats"] for key, card in CARDS.items() if key[3:] == (world, n)]
            assert found == [samples(world, n, most())] * len(lines_of(set_world(world)))
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(f"--repeats {most()} --into") == 1
    assert f"have {most():,} samples,\nthe others {samples('', 0, most())}:" in page


def test_nothing_is_worse_than_the_page_says():
    """Of what is used unless told otherwise: no interval below 90%, and no test above 8%, by more than two errors."""
    for (kind, _, method, *_), card in CARDS.items():
        if method == "auto":
            beyond = card["rate"] - 0.08 if kind == "tests" else 0.9 - card["rate"]
            assert beyond < 2 * card["error"], card


def test_the_bias_that_the_tutorial_tells_of():
    measured = json.loads((DOCS / "measured" / "detections.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema("heldout.corpus-rates/1")).validate(measured)
    first = measured["results"][0]
    assert (first["metric"], first["n"], set_world(first["world"]).classes) == ("AP", 15, 3)
    page = (DOCS / "tutorials" / "boxes-and-masks.md").read_text(encoding="utf-8")
    bias, truth = f"{first['bias']:.3f}", f"{first['truth']:.3f}"
    said = f"with 15 images and three\nclasses the bias is {bias} where the true value is {truth}"
    assert said in page
