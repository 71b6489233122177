"""The page in a real Chromium: nothing is loaded, nothing complains, it reads light and dark, small and on paper."""

from __future__ import annotations

import itertools

import pytest

pytestmark = pytest.mark.slow
PAGES = ["page_of_an_evaluation", "page_of_a_comparison", "page_of_hostile_names"]


@pytest.fixture(params=PAGES)
def path(request):
    return request.getfixturevalue(request.param)


def test_opens_from_a_file_without_a_complaint_and_without_another_request(opened, path):
    seen = opened(path)
    assert seen.complaints == []
    assert seen.requests == [path.as_uri()]


def test_every_chart_is_drawn_described_and_has_its_numbers_below(opened, path):
    page = opened(path).page
    places = page.locator("[data-figure]")
    assert places.count() == page.locator("[data-figure] svg").count() >= 4
    for place in places.all():
        assert len(place.get_attribute("aria-label")) > 20
        assert place.bounding_box()["height"] > 40
        assert place.locator("xpath=..").locator("details table tbody tr").count() > 0


def test_no_script_but_our_own_runs(opened, page_of_an_evaluation):
    seen = opened(page_of_an_evaluation)
    page = seen.page
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.hurt = 3'; document.body.append(s)"
    )
    assert page.evaluate("window.hurt") is None
    assert "Content Security Policy" in seen.complaints[0]
    assert "unsafe-eval" not in page.locator("meta[http-equiv]").get_attribute("content")


def test_a_hostile_label_stays_text(opened, page_of_hostile_names):
    page = opened(page_of_hostile_names).page
    assert page.evaluate("window.hurt") is None
    assert page.locator("img").count() == 0
    assert "<script>window.hurt = 1</script>" in page.locator("#segments").inner_text()
    assert "<script>" in page.locator("#confusion").inner_text()


@pytest.mark.parametrize("width", [320, 390])
def test_a_narrow_screen_does_not_scroll_sideways(opened, path, width):
    page = opened(path, width=width).page
    for details in page.locator("details").all():
        details.evaluate("one => one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def background(page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_dark_and_light_follow_the_system_and_the_switch(opened, page_of_an_evaluation):
    light, dark = opened(page_of_an_evaluation).page, opened(page_of_an_evaluation, dark=True).page
    assert (background(light), background(dark)) == ("rgb(255, 255, 255)", "rgb(20, 23, 28)")
    drawn = light.locator("[data-figure] svg").first.inner_html()
    light.get_by_role("button", name="Dark", exact=True).click()
    light.wait_for_selector("html[data-drawn=dark]", state="attached")
    assert background(light) == background(dark)
    assert light.locator("[data-figure] svg").first.inner_html() != drawn
    light.get_by_role("button", name="Light", exact=True).click()
    light.wait_for_selector("html[data-drawn=light]", state="attached")
    assert background(light) == "rgb(255, 255, 255)"


def test_the_switch_of_colours_stands_apart_from_what_copies(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    copy = page.get_by_role("group", name="Copy")
    assert copy.get_by_role("button").all_inner_texts() == ["text", "Markdown", "LaTeX", "CSV"]
    box, switch = copy.bounding_box(), page.get_by_role("button", name="Dark", exact=True).bounding_box()
    assert switch["x"] > box["x"] + box["width"] + 100


def test_prints_on_paper_with_no_chart_cut(opened, path):
    page = opened(path).page
    assert page.pdf(format="A4").startswith(b"%PDF-")
    page.set_viewport_size({"width": 680, "height": 900})  # A4 less its margins
    page.emulate_media(media="print")
    width = page.evaluate("document.documentElement.clientWidth")
    for picture in page.locator("[data-figure] svg").all():
        box = picture.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width + 1
    kept = page.locator("figure").first.evaluate("one => getComputedStyle(one).breakInside")
    assert kept == "avoid"


def test_a_keyboard_reaches_verdict_slider_and_tables(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    page.locator("#slider").focus()
    before = page.locator("#threshold").input_value()
    page.keyboard.press("ArrowRight")
    assert float(page.locator("#threshold").input_value()) > float(before)
    assert page.locator("#slider").get_attribute("aria-valuetext").startswith("threshold ")
    assert page.locator(".box:not([tabindex])").count() == 0


def test_headings_go_down_one_step_at_a_time(opened, path):
    page = opened(path).page
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_copies_are_what_the_command_line_prints(opened, page_of_an_evaluation, folder):
    from playwright.sync_api import expect

    from heldout.report import rendered
    from tests.browser.conftest import evaluated

    page = opened(page_of_an_evaluation).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Markdown").click()
    # a locator is asked again from outside; wait_for_function evaluates text in the page, which its policy forbids
    expect(page.locator("#copied")).to_have_text("Markdown copied")
    assert page.evaluate("navigator.clipboard.readText()") == rendered(evaluated(threshold=0.2).to_dict(), "md")


def test_the_matrix_can_be_read_in_three_ways(opened, page_of_an_evaluation):
    page = opened(page_of_an_evaluation).page
    cells = page.locator(".matrix [data-counts]")
    counts = [float(text) for text in cells.all_inner_texts()]
    page.get_by_role("button", name="Per 1,000 rows").click()
    assert [float(text) for text in cells.all_inner_texts()] == [round(1000 * n / sum(counts), 1) for n in counts]
    page.get_by_role("button", name="Share of the truth").click()
    shares = [float(text.rstrip("%")) for text in cells.all_inner_texts()]
    assert shares[0] + shares[1] == pytest.approx(100, abs=0.11)
