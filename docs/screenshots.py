"""Screenshots of the HTML report for the README and the tutorials: `make pictures` writes them into docs/images.

Each shows in Chromium a report that the library has just written from the data of `heldout demo`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

import heldout
from heldout.verbs.demo import COMPARED, demo

IMAGES = Path(__file__).parent / "images"
WIDTH = 1100
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def pages(folder: Path) -> dict[str, Path]:
    """The reports that pictures are taken of."""
    shown = demo(folder)
    reading: dict[str, Any] = {"groups": "patient_id", "threshold": 0.2}
    models = {"champion": str(shown.champion), "challenger": str(shown.path)}
    evaluation = heldout.evaluate(str(shown.path), segments=["site"], **reading)
    comparison = heldout.compare(models, primary="roc_auc", metrics=COMPARED, **reading)
    return {
        "evaluation": evaluation.report(folder / "evaluation.html"),
        "comparison": comparison.report(folder / "comparison.html"),
    }


def chromium() -> str:
    """Where the browser is."""
    names = (os.environ.get("HELDOUT_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found is None:
        sys.exit("Chromium is not installed: apt-get install -y chromium, or name one with HELDOUT_CHROMIUM")
    return found


def opened(browser: Any, path: Path, **options: Any) -> Any:
    """A report whose charts are drawn."""
    page = browser.new_context(viewport={"width": WIDTH, "height": 800}, device_scale_factor=1.5, **options).new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-drawn]", state="attached")
    return page


def between(page: Any, first: str, last: str, path: Path) -> None:
    """A picture of the report from the top of one section to the end of another."""
    down = page.evaluate("window.scrollY")
    top = page.locator(first).first.bounding_box()["y"] + down
    end = page.locator(last).first.bounding_box()
    clip = {"x": 0, "y": max(top - 12, 0), "width": WIDTH, "height": end["y"] + down + end["height"] - top + 12}
    page.screenshot(path=path, full_page=True, clip=clip)
    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)  # a third of the bytes


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as p:
        made = pages(Path(folder))
        browser = p.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = opened(browser, made["evaluation"], color_scheme="light")
        between(page, "header", "#metrics", IMAGES / "html-report.png")
        page.get_by_role("radio", name="lowest expected cost").check()
        between(page, "#explorer", "#explorer", IMAGES / "explorer.png")
        between(page, "#curves", "#curves .figures figure:nth-child(2)", IMAGES / "curves.png")
        page = opened(browser, made["comparison"], color_scheme="light")
        between(page, "header", "#metrics", IMAGES / "comparison.png")
        between(page, "#differences", "#differences .figures", IMAGES / "differences.png")
        browser.close()
    for path in sorted(IMAGES.glob("*.png")):
        print(f"{path.relative_to(IMAGES.parent.parent)}  {path.stat().st_size // 1024} kB")  # noqa: T201 a script


if __name__ == "__main__":
    main()
