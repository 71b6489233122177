"""The page "Measured error rates": its tables and pictures are what the cards say, and it builds without any."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from docs import facts, pictures, rates
from docs.goals import coverage_miss, procedure_miss, size_miss
from heldout.cards.lookup import Card
from heldout.formulas import METRICS
from heldout.lab.rates.card_measurement import gathered

DOCS = Path(rates.__file__).parent
PEERS = json.loads(facts.PEERS.read_text(encoding="utf-8"))
EMPTY = {"schema": "heldout.cards/1", "level": 0.95, "worlds": [], "intervals": {}, "tests": {}}
LABELS = "labels:prevalence=0.2,precision=0.7,recall=0.7"


def made(metric, method, n, rate, *, world="coin:p=0.9", kind="intervals", design="rows", repeats=0):
    facts = {"truth": 0.9, "rate": rate, "worst": rate, "width": 0.1, "error": 0.005 if repeats else 0.0}
    where = {"kind": kind, "design": design, "metric": metric, "method": method, "world": world, "n": n}
    return {**where, **facts, "repeats": repeats}


SMALL = gathered(
    [
        [made("accuracy", "auto", 20, 0.951), made("accuracy", "auto", 100, 0.949)],
        [made("accuracy", "auto", 100, 0.912, world="coin:p=0.5"), made("accuracy", "normal", 100, 0.871)],
        [made("accuracy", "normal", 100, 0.94, world="coin:p=0.5"), made("accuracy", "bca", 100, 0.99, repeats=1000)],
        [made("error_rate", "auto", n, rate) for n, rate in ((20, 0.951), (100, 0.949))],
        [made("mae", "auto", 50, 0.985, world="numbers:own=1", repeats=1000)],
        [made("accuracy", "auto", 100, 0.902, world="clustered-coin:p=0.5,size=5", design="clustered", repeats=500)],
        [made("f1", "auto", 100, 0.08, kind="tests", repeats=2000), made("f1", "t", 100, 0.04, kind="tests")],
    ]
)
"""A few cards of everything."""


def lines(text):
    return [line for line in text.splitlines() if line.startswith("| `")]


@pytest.mark.slow
def test_without_cards_every_table_says_so():
    assert set(rates.pages(EMPTY).values()) == {rates.UNMEASURED}
    shown, drawn = pictures.pages(EMPTY, PEERS)
    assert (shown["picture-coverage"], shown["picture-sizes"]) == (rates.UNMEASURED, rates.UNMEASURED)
    assert list(drawn) == ["peers-coverage"]


def test_coverage_is_the_mean_over_worlds_and_the_lowest():
    page = rates.pages(SMALL)["rates-coverage"]
    assert page.startswith("### Shares\n\n| metric | simulations | n ≤ 20 | 30 to 60 | 100 to 200 |\n")
    assert lines(page) == [
        "| `accuracy` | 2 | 95.1 (95.1) | – | 93.0 (91.2) ▼ |",
        "| `error_rate` | 1 | 95.1 (95.1) | – | 94.9 (94.9) |",
        "| `mae` | 1 | – | 98.5 (98.5) | – |",
    ]
    assert "All samples enumerated; no Monte-Carlo error.\n\n### Means of losses" in page
    assert page.endswith("Repetitions: 1,000. Monte-Carlo error: 0.5 points or less.\n")


def test_metrics_with_the_same_figures_share_a_line():
    same = gathered([[made(name, "auto", 50, 0.95) for name in ("accuracy", "recall", "mae")]])
    assert lines(rates.pages(same)["rates-coverage"]) == [
        "| `accuracy`, `recall` | 1 | 95.0 (95.0) |",
        "| `mae` | 1 | 95.0 (95.0) |",
    ]


def test_clustered_rows_have_a_table_of_their_own():
    assert lines(rates.pages(SMALL)["rates-clustered"]) == ["| `accuracy` | 1 | 90.2 (90.2) ▼ |"]


def test_sizes_are_the_mean_over_worlds_and_the_highest():
    page = rates.pages(SMALL)
    assert lines(page["rates-sizes"]) == ["| `f1` | 1 | 8.0 (8.0) ▲ |"]
    assert lines(page["rates-tests"]) == ["| `f1` | `t` −1.0, **default** +3.0 |"]


def test_every_default_test_is_listed_by_world():
    page = rates.pages(SMALL)["sizes"]
    assert page.startswith("## `coin:p=0.9`\n\n| metric | n | rejected | repetitions |  |\n")
    assert lines(page) == ["| `f1` | 100 | 8.0% ± 0.5 | 2,000 | too high |"]


def test_methods_stand_in_order_and_those_with_fewer_cards_apart():
    assert lines(rates.pages(SMALL)["rates-methods"])[0] == (
        "| `accuracy` | **default** −3.8, `normal` −7.9; at fewer settings: `bca` +4.0 |"
    )


def test_what_is_off_is_listed_the_worst_first():
    assert lines(rates.pages(SMALL)["rates-off"]) == [
        "| `accuracy` | interval, clustered | 1 of 1 | 90.2% ± 0.5 ▼ | 100 | `clustered-coin:p=0.5,size=5` |",
        "| `f1` | test | 1 of 1 | 8.0% ± 0.5 ▲ | 100 | `coin:p=0.9` |",
        "| `accuracy` | interval | 1 of 3 | 91.2% ± 0.0 ▼ | 100 | `coin:p=0.5` |",
    ]
    held = gathered([[made("accuracy", "auto", 100, 0.95)]])
    assert rates.off(held) == "None: every default meets its goal on every card.\n"


def test_what_was_run_is_counted():
    page = rates.run(SMALL)
    assert page.startswith("12 cards from 4 simulations, measured with heldout ")
    assert "| all samples enumerated | 7 | 1 | 0.0 |" in page
    assert "| 1,000 | 2 | 0 | 0.5 |" in page
    assert "Not simulated: intervals of `roc_auc`, " in page
    assert "Not simulated: tests of any metric.\n" in rates.run({**SMALL, "tests": {}})


def test_events_are_those_of_the_setting():
    stored = {**SMALL, "features": {"accuracy": [[0, 100, 9.0, 2.0, 0.0, 0.0, 2.7, 1.0, 0.0]]}}
    assert rates.events_of(stored) == {("accuracy", "coin:p=0.9", 100): 9.0}
    few = {**SMALL, "features": {"accuracy": [[SMALL["worlds"].index("coin:p=0.5"), 100, 4.0, *[0.0] * 6]]}}
    assert "93.0 (91.2) |" in rates.pages(few)["rates-coverage"]  # 91.2% is enough with four events


@pytest.mark.parametrize(
    ("events", "level", "rate", "error", "mark"),
    [
        (10, 0.95, 0.95, 0.0, ""),
        (10, 0.95, 0.929, 0.0, "▼"),
        (10, 0.95, 0.976, 0.0, "▲"),
        (10, 0.95, 0.929, 0.001, ""),
        (4, 0.95, 0.901, 0.0, ""),
        (4, 0.95, 0.899, 0.0, "▼"),
        (4, 0.95, 1.0, 0.0, ""),
        (10, 0.8, 0.73, 0.0, ""),
        (10, 0.8, 0.71, 0.0, "▼"),
        (10, 0.99, 0.985, 0.0, "▼"),
    ],
)
def test_the_goal_depends_on_events_and_level(events, level, rate, error, mark):
    facts = {"world": "coin:p=0.9", "n": 100, "truth": 0.9, "worst": rate, "width": 0.1, "repeats": 0}
    assert coverage_miss(Card(rate=rate, error=error, level=level, **facts), events)[0] == mark


@pytest.mark.parametrize(
    ("target", "rate", "mark"), [(0.05, 0.06, ""), (0.05, 0.07, "▲"), (0.95, 0.92, "▼"), (0.8, 0.79, "")]
)
def test_a_procedure_has_the_goal_of_its_target(target, rate, mark):
    card = Card(world="coin", n=50, truth=target, rate=rate, error=0.0, worst=rate, width=None, repeats=9)
    assert procedure_miss(card)[0] == mark


def test_other_designs_levels_and_procedures_have_tables():
    stored = gathered([
        [made("accuracy", "auto", 60, 0.95, design="weighted"), made("accuracy", "auto", 60, 0.91, design="serial")],
        [{**made("accuracy", "auto", 40, 0.9, design="levels"), "level": 0.9}],
        [{**made("roc_band", "auto", 60, 0.9, kind="procedures", repeats=500), "truth": 0.95}],
        [made("accuracy", "unpaired", 40, 0.05, kind="tests", repeats=500)],
    ])  # fmt: skip
    page = rates.pages(stored)
    assert lines(page["rates-weighted"]) == ["| `accuracy` | 1 | 95.0 (95.0) |"]
    assert lines(page["rates-serial"]) == ["| `accuracy` | 1 | 91.0 (91.0) ▼ |"]
    assert lines(page["rates-levels"]) == ["| `accuracy` | 90.0 (90.0) |"]
    assert lines(page["rates-unpaired"]) == ["| `accuracy` | 1 | 5.0 (5.0) |"]
    assert "| roc band | 95% | 1 | 90.0 to 90.0% | 90.0% ± 0.5 ▼ (n = 60, `coin:p=0.9`) |" in page["rates-procedures"]


@pytest.mark.parametrize(("rate", "error", "mark"), [(0.06, 0.0, ""), (0.07, 0.004, "▲"), (0.07, 0.005, "")])
def test_a_test_may_not_reject_too_often(rate, error, mark):
    card = Card(world="pair-coin:p=0.9", n=50, truth=0.9, rate=rate, error=error, worst=rate, width=None, repeats=9)
    assert size_miss(card)[0] == mark


def test_the_cards_that_are_shipped_make_a_page():
    stored = rates.read()
    made = rates.pages(stored)
    assert all(made.values())
    assert stored["intervals"]["rows"]
    assert [name for name in stored["intervals"]["rows"] if f"`{name}`" not in made["rates-coverage"]] == []


@pytest.fixture(scope="module")
def everything():
    """A card of every metric at two numbers of rows, and the pictures of them."""
    rows = [
        made(name, "auto", n, rate + place / 5000, kind=kind, repeats=1000)
        for kind, rate in (("intervals", 0.94), ("tests", 0.04))
        for place, name in enumerate(METRICS)
        for n in (10, 2000)
    ]
    stored = gathered([rows])
    return stored, *pictures.pages(stored, PEERS)


def words(svg):
    root = ET.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return set(
        re.findall(r"[^\s,]+", " ".join("".join(one.itertext()) for one in root.iter() if one.tag.endswith("text")))
    )


@pytest.mark.slow
@pytest.mark.parametrize("stem", ["coverage", "sizes"])
def test_the_pictures_name_every_metric(everything, stem):
    _, shown, drawn = everything
    kinds = [name for name in drawn if name.startswith(f"{stem}-")]
    assert len(kinds) == len(pictures.READS)
    assert set(METRICS) - set().union(*(words(drawn[name]) for name in kinds)) == set()
    told = shown[f"picture-{stem}"]
    assert [name for name in METRICS if not re.search(rf"[:,] {re.escape(name)}[,.]", told)] == []
    assert [name for name in kinds if f"](_generated/{name}.svg)" not in told] == []


def test_metrics_with_the_same_rates_share_a_panel():
    stored = gathered([[made(name, "auto", n, 0.95) for name in ("mse", "rmse") for n in (10, 100)]])
    assert list(pictures.alike({name: named["auto"] for name, named in rates.cards(stored, "intervals").items()})) == [
        "mse, rmse"
    ]


@pytest.mark.slow
def test_the_picture_of_the_peers_names_them_and_their_worlds(everything):
    _, shown, drawn = everything
    assert {"heldout", "confidenceinterval", "statsmodels", "pycm", "coin:p=0.99"} <= words(drawn["peers-coverage"])
    assert "statsmodels" in shown["picture-peers"]


def build(folder, stored, shown, drawn):
    """The page by itself, warnings being errors; the pages it leads to are there, but empty."""
    page = (DOCS / "measured-error-rates.md").read_text(encoding="utf-8")
    (folder / "index.md").write_text(page, encoding="utf-8")
    for name in re.findall(r"\]\(([\w/-]+\.md)\)", page):
        (folder / name).write_text("---\norphan: true\n---\n# Elsewhere\n", encoding="utf-8")
    (folder / "_generated").mkdir()
    tables = {**rates.pages(stored), **shown, "peers": facts.peers(), "outside": facts.outside()}
    files = {f"{name}.md": text for name, text in tables.items()} | {f"{name}.svg": svg for name, svg in drawn.items()}
    for name, text in files.items():
        (folder / "_generated" / name).write_text(text, encoding="utf-8")
    options = ["-C", "-D", "extensions=myst_parser", "-D", "exclude_patterns=_generated", "-W", "-q", "-b", "html"]
    command = [sys.executable, "-m", "sphinx", *options, str(folder), str(folder / "_html")]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ended.returncode == 0, ended.stderr
    return (folder / "_html" / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_builds_with_cards(everything, tmp_path):
    html = build(tmp_path, *everything)
    assert html.count("<img ") == 2 * len(pictures.READS) + 1
    assert html.count('alt="Coverage of the default interval against n') == len(pictures.READS)
    assert "Not measured" not in html.partition("Coverage with clusters")[0]


@pytest.mark.slow
def test_the_page_builds_without_cards(tmp_path):
    html = build(tmp_path, EMPTY, *pictures.pages(EMPTY, PEERS))
    assert html.count("Not measured: the package ships no such cards yet.") == 17
    assert html.count("<img ") == 1
