"""Debian's Chromium, driven by Playwright, and pages of a small clinic to open in it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.verbs.demo import clinic

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
HOSTILE = "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'>"


def chromium() -> str | None:
    names = (os.environ.get("HELDOUT_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make env")
    path = chromium()
    if path is None:
        pytest.skip("Chromium is not installed: apt-get install -y chromium, or name one with HELDOUT_CHROMIUM")
    with playwright.sync_playwright() as p:
        started = p.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@dataclass
class Seen:
    """A page that is open, and everything that was asked for or complained about."""

    page: object
    requests: list = field(default_factory=list)
    complaints: list = field(default_factory=list)


@pytest.fixture
def opened(browser):
    contexts = []

    def opened(path: Path, *, width: int = 1280, dark: bool = False) -> Seen:
        scheme = "dark" if dark else "light"
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.set_default_timeout(20_000)
        contexts.append(context)
        seen = Seen(context.new_page())
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        seen.page.on("console", lambda m: seen.complaints.append(m.text) if m.type in ("error", "warning") else None)
        seen.page.goto(path.as_uri())
        if seen.page.locator("[data-figure]").count():
            seen.page.wait_for_selector("html[data-drawn]", state="attached")
        return seen

    yield opened
    for context in contexts:
        context.close()


def visits(rows: int = 400, seed: int = 5) -> dict[str, np.ndarray]:
    return clinic(rows, seed)


def evaluated(seed: int = 5, **options):
    columns = visits(seed=seed)
    return heldout.evaluate(
        columns,
        truth="y_true",
        y_score="y_prob",
        groups="patient_id",
        id="id",
        segments=["site"],
        n_resamples=200,
        **options,
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def page_of_an_evaluation(folder):
    return evaluated(threshold=0.2).report(folder / "evaluation.html")


@pytest.fixture(scope="session")
def page_of_a_comparison(folder):
    models = {name: clinic(400, 5, model=name) for name in ("champion", "challenger")}
    found = heldout.compare(
        models, truth="y_true", y_score="y_prob", groups="patient_id", id="id", threshold=0.2, primary="roc_auc",
        segments=["site"], n_resamples=200,
    )  # fmt: skip
    return found.report(folder / "comparison.html")


@pytest.fixture(scope="session")
def page_of_hostile_names(folder):
    rng = np.random.default_rng(3)
    labels = np.array([HOSTILE, "fine\u2028]]>"])
    code = rng.integers(0, 2, 120)
    columns = {
        "truth": labels[code],
        "y_prob": np.round(np.clip(code * 0.4 + 0.6 * rng.random(120), 0, 1), 3),
        HOSTILE: np.where(np.arange(120) % 2, HOSTILE, "other"),
    }
    found = heldout.evaluate(
        columns,
        truth="truth",
        y_score="y_prob",
        pos_label="fine\u2028]]>",
        segments=[HOSTILE],
        threshold=0.5,
        n_resamples=200,
    )
    return found.report(folder / "hostile.html")
