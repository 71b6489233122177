from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from heldout.cli import verbs


def run(*arguments):
    return CliRunner().invoke(verbs, ["compare", *map(str, arguments)])


@pytest.fixture
def scores(tmp_path):
    """Eight data sets on which the forest wins and the two trees are alike."""
    lines = [f"set {i},{70 + i},{70 + i + (-1) ** i * 0.5},{75 + 1.5 * i}" for i in range(8)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["dataset,tree,pruned,forest", *lines]) + "\n", encoding="utf-8")
    return path


def test_the_text(scores):
    result = run(scores, "--across-sets")
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        "Friedman corrected for ties: chi-square 12.00, df 2, p 0.002\n"
        "Iman-Davenport: F 21.00, df 2 and 14, p <0.001\n"
        "8 data sets, 3 learners   higher is better\n"
        "\n"
        "learner  average rank  alike\n"
        "forest          1.000  a\n"
        "tree            2.500  b\n"
        "pruned          2.500  b\n"
        "sharing a letter: not significantly different (Wilcoxon signed rank, Holm over\n"
        "  3)\n"
        "\n"
        "learner  minus   difference  95% CI            p      won-tied-lost\n"
        "pruned   tree             ~  [-0.500, +0.500]  1.000  4-0-4\n"
        "forest   tree          +6.8  [+5.5, +8.0]      0.023  8-0-0\n"
        "forest   pruned        +6.8  [+5.5, +8.0]      0.023  8-0-0\n"
        "p: Wilcoxon signed rank, Holm over 3\n"
        "differences are pseudomedians (Hodges-Lehmann), each interval on its own\n"
        "~ not significant at 5%\n"
        "\n"
        "VERDICT  forest is BETTER than tree, pruned.\n"
    )


def test_options_reach_python(scores):
    given = ("--post-hoc", "control", "--baseline", "forest", "--rope", 1, "--seed", 4, "--level", 0.9)
    given += ("--n-resamples", 500)
    answer = json.loads(
        run(scores, "--across-sets", "--lower-is-better", "--id", "dataset", "--format", "json", *given).stdout
    )
    asked = [answer[name] for name in ("post_hoc", "baseline", "rope", "n_resamples", "seed", "level", "better")]
    assert asked == ["control", "forest", 1.0, 500, 4, 0.9, "lower"]
    assert [one["verdict"] for one in answer["pairs"]] == ["BETTER", "BETTER"]
    assert answer["pairs"][0]["practical"]["better"] > 0.99


def test_a_rope_of_zero_is_a_rope(scores):
    answer = json.loads(run(scores, "--across-sets", "--rope", 0, "--format", "json").stdout)
    assert answer["rope"] == 0.0
    assert answer["pairs"][0]["practical"]["within"] == 0.0


NO_EFFECT = "has no effect with --across-sets: the table holds scores, not predictions"
FOR_PREDICTIONS = "  Fix: add --fold-scores or --across-sets if the files hold scores\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--across-sets", "--truth", "y"), f"--truth {NO_EFFECT}\n  Fix: leave out --truth\n"),
        (("--across-sets", "--unpaired"), f"--unpaired {NO_EFFECT}\n  Fix: leave out --unpaired\n"),
        (("--across-sets", "--from", "inspect"), f"--from {NO_EFFECT}\n  Fix: leave out --from\n"),
        (("--rope", "0"), f"--rope has no effect on predictions\n{FOR_PREDICTIONS}"),
        (("--lower-is-better",), f"--lower-is-better has no effect on predictions\n{FOR_PREDICTIONS}"),
    ],
)
def test_options_that_do_not_fit(scores, arguments, message):
    result = run(scores, *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message}")


def test_one_table_only(scores):
    result = run(scores, scores, "--across-sets")
    assert (result.exit_code, result.stderr) == (
        2,
        (
            "error: 2 files were given, and --across-sets takes one table of scores\n"
            "  Fix: for example heldout compare scores.csv --across-sets\n"
        ),
    )


def test_folds_as_rows_are_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("dataset,a,b\niris,0.9,0.8\niris,0.8,0.9\n", encoding="utf-8")
    result = run(path, "--across-sets")
    assert (result.exit_code, result.stderr) == (
        2,
        (
            "error[H301] scores.csv: the data set 'iris' occurs 2 times; these look like fold scores, and folds of one"
            " data set are not independent\n  Fix: average the folds of each data set first\n  See: heldout "
            "explain H301\n"
        ),
    )
