"""The documentation site in a browser: nothing is cut off on a telephone or a laptop, and search needs no server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    "index": "index.md",
    "metrics": "metrics.md",
    "charts": "charts.md",
    "html-report": "html-report.md",
    "sources": "sources.md",
    "performance": "performance.md",
    "_generated/python/heldout.evaluate": "_generated/python/heldout.evaluate.rst",
    "_generated/python/heldout.Evaluation": "_generated/python/heldout.Evaluation.rst",
    "_generated/python/heldout.stats.wilson": "_generated/python/heldout.stats.wilson.rst",
    "_generated/commands/heldout-evaluate": "_generated/commands/heldout-evaluate.md",
}
OVERFLOWING = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = one => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const outside = [];
  for (const one of document.querySelectorAll("article *")) {
    const box = one.getBoundingClientRect();
    if (!box.width || !box.height || (box.right <= width + 1 && box.left >= -1)) continue;
    let parent = one.parentElement;
    while (parent && parent.tagName !== "ARTICLE" && !scrolls(parent)) parent = parent.parentElement;
    if (parent.tagName === "ARTICLE" || parent.getBoundingClientRect().right > width + 1)
      outside.push(`${one.tagName} ${Math.round(box.right)} ${one.textContent.trim().slice(0, 40)}`);
  }
  return outside;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A few pages of the site, built as the whole is."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed: make env")
    folder = tmp_path_factory.mktemp("site")
    left_out = shutil.ignore_patterns("_build", "_generated", "__pycache__", "measured")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=left_out)
    command = [sys.executable, "-m", "sphinx", "-q", "-c", str(ROOT / "docs"), "-b", "html"]
    chosen = ["-D", "include_patterns=" + ",".join(PAGES.values())]  # links to the other pages warn
    made = [*command, *chosen, str(folder / "docs"), str(folder / "html")]
    subprocess.run(made, cwd=ROOT, check=True, capture_output=True)
    return folder / "html"


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_cut_off(opened, site, width):
    for name in PAGES:
        page = opened(site / f"{name}.html", width=width).page
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert page.evaluate(OVERFLOWING) == [], name


@pytest.mark.slow
def test_the_definition_of_a_metric_has_room(opened, site):
    for width in (390, 1280):
        page = opened(site / "metrics.html", width=width).page
        cell = page.locator("tr", has=page.locator("code", has_text="average_precision")).first.locator("td").nth(1)
        assert cell.bounding_box()["width"] > 250


@pytest.mark.slow
def test_search_finds_wilson_without_a_server(opened, site):
    seen = opened(site / "search.html")
    seen.page.goto((site / "search.html").as_uri() + "?q=wilson")
    seen.page.wait_for_selector("#search-results li a")
    found = seen.page.locator("#search-results li a").evaluate_all("all => all.map(one => one.href)")
    assert any("heldout.stats.wilson.html" in link for link in found)
    assert [address for address in seen.requests if not address.startswith(("file:", "data:"))] == []


@pytest.mark.slow
def test_a_key_of_a_source_leads_to_its_entry(opened, site):
    page = opened(site / "_generated/python/heldout.stats.wilson.html").page
    page.get_by_role("link", name="[wilson27]").click()
    assert page.url.endswith("/sources.html#wilson27")
    assert "E. B. Wilson (1927)" in page.locator("#wilson27").inner_text()


@pytest.mark.slow
def test_code_has_a_button_that_copies_and_options_have_anchors(opened, site):
    page = opened(site / "_generated/commands/heldout-evaluate.html").page
    assert page.locator("button.copybtn").count() >= 2
    assert page.locator("#option-group").count() == 1


@pytest.mark.slow
def test_options_are_read_on_a_telephone_without_scrolling(opened, site):
    page = opened(site / "_generated/commands/heldout-evaluate.html", width=390).page
    row = page.locator("tr", has=page.locator("#option-memory"))
    boxes = [row.locator("td").nth(at).bounding_box() for at in range(3)]
    assert all(box["x"] + box["width"] <= 390 for box in boxes)
    assert boxes[0]["y"] < boxes[1]["y"] < boxes[2]["y"]


@pytest.mark.slow
def test_the_copy_button_does_not_cover_code_on_a_telephone(opened, site):
    page = opened(site / "_generated/commands/heldout-evaluate.html", width=390).page
    block = page.locator("div.highlight", has=page.locator("button.copybtn")).first
    button, code = block.locator("button.copybtn").bounding_box(), block.locator("pre").bounding_box()
    padding = block.locator("pre").evaluate("one => parseFloat(getComputedStyle(one).paddingTop)")
    assert button["y"] + button["height"] <= code["y"] + padding + 1


@pytest.mark.slow
def test_the_site_is_dark_where_the_system_is(opened, site):
    page = opened(site / "index.html").page
    lightness = "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    page.emulate_media(color_scheme="light")
    assert min(page.evaluate(lightness)) > 200
    page.emulate_media(color_scheme="dark")
    assert max(page.evaluate(lightness)) < 60


@pytest.mark.slow
def test_what_is_cut_off_is_found(opened, site):
    page = opened(site / "sources.html", width=390).page
    page.evaluate("document.querySelector('article h1').style.width = '600px'")
    assert any(line.startswith("H1 ") for line in page.evaluate(OVERFLOWING))
