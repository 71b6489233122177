"""Figures of images by the names that people write."""

from __future__ import annotations

import pytest

from heldout.formulas.image_metrics import IMAGE_FIGURES, RANKED, image_figure, is_image_share


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Pixel-Accuracy", "pixel_accuracy"),
        ("pixel accuracy", "pixel_accuracy"),
        (" mean average precision ", "AP"),
        ("mAP", "AP"),
        ("MIOU", "mean_iou"),
        ("dice", "Dice"),
    ],
)
def test_names_whatever_their_capitals_and_spaces(written, name):
    assert image_figure(written).name == name


def test_average_precision_at_any_overlap():
    at_60, at_50 = image_figure(" AP60 "), image_figure("AP50")
    assert (
        at_60.formula
        == at_50.formula
        == ("mean over classes, and over recalls r = 0, .01, ..., 1, of the best precision at recall r or beyond")
    )
    assert at_60.definition == at_50.definition.replace(".50", ".60")
    assert image_figure("AR60") is None


def test_figures_of_images_lie_between_0_and_1():
    shares = [is_image_share(name) for name in ("iou", "dice", "IoU", "AP", "AP65", "log_loss", "AP6500")]
    assert shares == [True, True, True, True, True, False, False]


def test_figures_of_masks_are_not_taken_for_figures_of_boxes():
    masks = {name for name, one in IMAGE_FIGURES.items() if one.of == "masks"}
    assert masks == {"IoU", "Dice", "mean_iou", "mean_dice", "pixel_accuracy"}
    assert {one.of for name, one in IMAGE_FIGURES.items() if name not in masks} == {"boxes"}
    assert all(name.startswith(("AP", "AR")) for name in set(IMAGE_FIGURES) - masks)


def test_the_averages_of_one_ranked_list_have_a_definition_each():
    assert list(RANKED) == ["AP", "AP_interpolated"]
