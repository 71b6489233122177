"""Pages of detections, masks and texts in a real Chromium: complete, quiet, safe, and readable on a telephone."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from tests.browser.conftest import HOSTILE

pytestmark = pytest.mark.slow


def detections():
    rng = np.random.default_rng(2)
    count = 120
    truth = {
        "image": [f"{at // 4} {HOSTILE}" for at in range(count)],
        "label": rng.choice(["cat", HOSTILE], count).tolist(),
        "x": (200.0 * (np.arange(count) % 4)).tolist(),
        "y": [0.0] * count,
        "w": (side := rng.choice([20.0, 60.0, 130.0], count)).tolist(),
        "h": side.tolist(),
    }
    x = np.array(truth["x"]) + 0.12 * side * rng.normal(size=count)
    return heldout.detect(
        truth, {HOSTILE: {**truth, "x": x.tolist(), "score": rng.random(count).tolist()}}, n_resamples=200
    )


def masks():
    rng = np.random.default_rng(2)
    truth = [rng.integers(0, 3, (8, 9)) for _ in range(12)]
    said = {
        name: [np.where(rng.random(one.shape) < share, 0, one) for one in truth]
        for name, share in (("old", 0.4), (HOSTILE, 0.2))
    }
    return heldout.masks(truth, said, labels={0: "road", 1: HOSTILE, 2: "sky"})


def texts():
    wanted = [f"the {n} cat sat on the mat and it stayed there {HOSTILE}" for n in "abcdefghijkl"]
    good = [text.replace("stayed", "was") if at % 2 else text for at, text in enumerate(wanted)]
    poor = [text.replace("cat sat", "dog lay") for text in wanted]
    return heldout.text(wanted, {"good": good, HOSTILE: poor}, primary="bleu", n_resamples=200)


@pytest.fixture(scope="module", params=[detections, masks, texts], ids=lambda made: made.__name__)
def path(request, folder):
    return request.param().report(folder / f"{request.param.__name__}.html")


def test_everything_is_drawn_nothing_complains_and_no_name_is_run(opened, path):
    seen = opened(path)
    page = seen.page
    assert (seen.complaints, seen.requests) == ([], [path.as_uri()])
    places = page.locator("[data-figure]")
    assert places.count() == page.locator("[data-figure] svg").count() >= 4
    assert min(place.bounding_box()["height"] for place in places.all()) > 40
    assert page.evaluate("window.hurt") is None
    assert page.locator("img").count() == 0
    assert "<script>window.hurt = 1</script>" in page.locator("#disagreement").inner_text()


def test_a_telephone_does_not_scroll_sideways_and_paper_cuts_no_chart(opened, path):
    page = opened(path, width=320, dark=True).page
    for details in page.locator("details").all():
        details.evaluate("one => one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 680, "height": 900})
    page.emulate_media(media="print")
    for picture in page.locator("[data-figure] svg").all():
        box = picture.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 681
