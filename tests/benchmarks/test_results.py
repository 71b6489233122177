"""What a run leaves behind, and the tables made of it."""

from __future__ import annotations

import json

import pytest

from benchmarks import by_hand, by_hand_table, pages, results, table
from benchmarks.growth import Growth
from benchmarks.memory import CASES, Memory, memory
from benchmarks.ratios import Line
from benchmarks.tasks import TASKS

LINE = Line(
    task="auc",
    title="AUC | DeLong",
    rows=10**7,
    ours_s=0.25,
    peer="them",
    peer_s=5.058123,
    ratio=20.23249,
    limit="sorting",
    limit_s=0.1,
    bar=12,
    met=True,
    gap=1.1e-16,
    agrees=True,
    note="",
)
GROWTH = Growth(
    task="auc",
    title="AUC",
    rows=(10**4, 10**5),
    seconds=(0.001, 0.012),
    exponent=1.079,
    last_exponent=1.079,
    left_out=(10**6,),
)
MEMORY = Memory(
    task="scores",
    title="`evaluate`",
    rows=10**7,
    input_bytes=160_000_000,
    extra_bytes=300_000_000,
    bound_bytes=240_000_000,
    met=False,
)


@pytest.fixture
def found():
    return results.results([LINE], [GROWTH], [MEMORY])


def test_the_file_is_read_as_it_was_written(found, tmp_path):
    results.write(found, tmp_path / "results.json")
    assert results.read(tmp_path / "results.json") == found
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    assert found["results"][0]["peer_s"] == 5.058


def test_nan_is_null(found):
    assert results.plain({"gap": float("nan")}) == {"gap": None}
    assert "NaN" not in json.dumps(found)


def test_the_machine_is_not_named(found):
    assert set(found["machine"]) == {"processor", "cores", "memory_gib", "system", "python", "threads"}


def test_a_task_run_again_replaces_its_lines_and_keeps_its_place(found):
    other = {**found["results"][0], "task": "labels"}
    old = {**found, "results": [found["results"][0], {**found["results"][0], "peer": "others"}, other]}
    new = {**found, "results": [{**found["results"][0], "ratio": 99}], "growth": [], "memory": []}
    merged = results.merged(old, new)
    assert [(line["task"], line["ratio"]) for line in merged["results"]] == [("auc", 99), ("labels", 20.23)]
    assert (merged["growth"], merged["memory"]) == (found["growth"], found["memory"])


def test_other_versions_are_other_conditions(found):
    assert results.same_conditions(found, {**found, "machine": {**found["machine"], "threads": {}}})
    assert not results.same_conditions(found, {**found, "versions": {"numpy": "0"}})
    assert not results.same_conditions(found, {**found, "machine": {**found["machine"], "cores": 0}})


def test_the_tables(found):
    assert table.markdown(table.summary_rows(found)).splitlines() == [
        "| task | rows | peer | peer's time | ours, with interval | ratio |",
        "| --- | --- | --- | --- | --- | --- |",
        "| AUC with its confidence interval (DeLong) | 10⁷ | them | 5.06 s | 250 ms | 20.2× |",
    ]
    assert table.ratio_rows(found)[1][3:] == ("5.06 s", "250 ms", "20.2×", "12×", "yes", "100 ms", "1e-16", "–")
    assert table.limit_rows(found)[1][2:] == ("sorting", "100 ms", "250 ms", "2.5×")
    assert table.growth_rows(found) == [
        ("task", "10⁴", "10⁵", "10⁶", "exponent", "exponent, last step"),
        ("AUC", "1 ms", "12 ms", "left out", "1.08", "1.08"),
    ]
    assert table.memory_rows(found)[1] == ("`evaluate`", "10⁷", "160 MB", "300 MB", "240 MB", "no")


def test_what_is_not_there_yet_is_in_the_tables(found):
    line = {**found["results"][0], "ours_s": None, "ratio": None, "met": None}
    assert table.summary_rows({"results": [line]})[1][4:] == ("not yet", "–")
    assert table.ratio_rows({"results": [line]})[1][4:8] == ("not yet", "–", "12×", "–")
    assert table.limit_rows({"results": [line]})[1][4:] == ("not yet", "–")


def test_a_page_without_marks_is_told():
    with pytest.raises(ValueError, match="the page has no marks <!-- a --> and <!-- end of a -->"):
        pages.refreshed("<!-- a --> only", {"a": "x"})


def test_refreshing_twice_changes_nothing_more(found):
    page = "before\n<!-- a -->\n<!-- end of a -->\nafter\n"
    once = pages.refreshed(page, {"a": "x"})
    assert once == "before\n<!-- a -->\n\nx\n\n<!-- end of a -->\nafter\n"
    assert pages.refreshed(once, {"a": "x"}) == once


@pytest.mark.parametrize("name", ["README.md", "docs/performance.md"])
def test_the_pages_show_what_the_file_says(name):
    page = (pages.ROOT / name).read_text(encoding="utf-8")
    assert pages.refreshed(page, pages.blocks(results.read(results.PATH))[pages.ROOT / name]) == page


def test_the_readme_shows_four_rows_of_speed():
    rows = table.summary_rows(results.read(results.PATH))
    assert [(row[0].split(",")[0], row[2]) for row in rows[1:]] == [
        ("AUC with its confidence interval (DeLong)", "scikit-learn roc_auc_score"),
        ("bootstrap of the AUC", "loop over scikit-learn roc_auc_score"),
        ("`evaluate`: every binary metric with its interval", "scikit-learn, five calls"),
        ("the twelve COCO figures", "pycocotools COCOeval"),
    ]


BY_HAND = {
    "results": [
        {
            "case": case,
            "simulation": "50 rows.",
            "measures": measures,
            "should_be": should_be,
            "by_hand": 0.7843,
            "by_hand_error": 0.0065,
            "heldout": 0.951,
            "heldout_error": 0.0034,
            "repeats": 4000,
        }
        for case, measures, should_be in (
            ("few errors", "coverage of a 95% interval", 0.95),
            ("coin flips", "reported accuracy", 0.5),
        )
    ]
}


def test_evaluations_by_hand_are_told_with_their_rates():
    _, errors, coins = by_hand_table.summary_rows(BY_HAND)
    assert errors[1:] == ("the 95% interval contains the true value in **78.4%**", "95.1%", "95%")
    assert coins[1:] == ("reported accuracy **78.4%**", "95.1%", "50% (the true one)")
    assert by_hand_table.full_rows(BY_HAND)[1][1:] == (
        "50 rows.",
        "4,000",
        "coverage of a 95% interval",
        "78.4% ± 0.7",
        "95.1% ± 0.3",
        "95%",
    )


def test_every_evaluation_by_hand_has_its_words():
    assert [case.name for case in by_hand.CASES] == list(by_hand_table.WRITTEN)
    assert {case.measures for case in by_hand.CASES} == set(by_hand_table.MEASURED)


@pytest.mark.skipif(not pages.BY_HAND.exists(), reason="make by-hand has not run")
@pytest.mark.parametrize("name", ["README.md", "docs/by-hand.md"])
def test_the_pages_show_what_was_measured_by_hand(name):
    page = (pages.ROOT / name).read_text(encoding="utf-8")
    found = json.loads(pages.BY_HAND.read_text(encoding="utf-8"))
    assert pages.refreshed(page, pages.by_hand_blocks(found)[pages.ROOT / name]) == page


def test_the_file_has_every_task_at_its_rows():
    kept = results.read(results.PATH)
    assert {(line["task"], line["peer"], line["rows"], line["bar"]) for line in kept["results"]} == {
        (task.name, peer.name, task.rows, peer.bar) for task in TASKS.values() for peer in task.peers
    }
    assert [line["task"] for line in kept["growth"]] == [
        task.name for task in TASKS.values() if task.ours and task.grows
    ]
    assert [line["task"] for line in kept["memory"]] == list(CASES)


def test_no_number_in_the_file_disagrees():
    assert [line["task"] for line in results.read(results.PATH)["results"] if line["agrees"] is False] == []


@pytest.mark.slow
def test_memory_is_measured_in_a_process_of_its_own():
    found = memory("labels", 10**5)
    assert (found.input_bytes, found.bound_bytes, found.met) == (1_600_000, 2_400_000, None)
    assert 0 <= found.extra_bytes < 10**8
