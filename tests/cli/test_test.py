from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from scipy.stats import binomtest

import heldout
from heldout.cli import verbs
from heldout.report.schema import schema

NUMBERS = ("0.3", "-1.2", "2.2", "0.8", "-1.9", "0.1", "2.7", "-0.4")
SIGMAS = ("--sigma0", "1", "--sigma1", "2")
NOT_ACCEPTED = "to fail to reject is not to accept: the interval says what else is possible"
ASK_DIFFERENTLY = "test and interval ask differently: one of them excludes {} and the other does not"
ONE_SIDE = "the test is one-sided: each end of the interval by itself is a 95% bound"
ROUGH = "a count of fewer than 5 is expected somewhere: the p-value is rough"


def run(*arguments):
    return CliRunner().invoke(verbs, ["test", *map(str, arguments)])


def found(*arguments):
    result = run(*arguments, "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    answer = json.loads(result.stdout)
    Draft202012Validator(schema("heldout.test/1")).validate(answer)
    return answer


def test_binomial():
    answer = found("binomial", 15, "--of", 20, "--share", 0.5, "--alternative", "greater", "--alpha", 0.01)
    assert answer["pvalue"] == pytest.approx(0.020695, abs=1e-6)
    assert (answer["decision"], answer["alpha"], answer["statistic"]) == ("fail to reject", 0.01, 15)
    assert answer["null"] == "the share is 0.5"
    assert answer["alternative"] == "the share is greater than 0.5"
    assert answer["effect"] == {
        "name": "share",
        "value": 0.75,
        "low": pytest.approx(0.46789, abs=1e-5),
        "high": 1.0,
        "level": 0.99,
    }
    assert (answer["power"], answer["beta"], answer["power_at"]) == (None, None, None)
    assert answer["notes"] == [NOT_ACCEPTED]


def test_binomial_is_two_sided_about_a_half_unless_told():
    answer = found("binomial", 15, "--of", 20)
    assert answer["pvalue"] == pytest.approx(0.041389, abs=1e-6)
    assert (answer["decision"], answer["alternative"]) == ("reject", "the share is not 0.5")
    assert answer["notes"] == []


def test_binomial_to_the_other_side():
    answer = found("binomial", 15, "--of", 20, "--alternative", "less")
    assert answer["pvalue"] == pytest.approx(0.994091, abs=1e-6)
    assert (answer["effect"]["low"], answer["alternative"]) == (0.0, "the share is less than 0.5")


def test_binomial_power_at_an_alternative():
    answer = found("binomial", 15, "--of", 20, "--alternative", "greater", "--against", 0.7)
    assert answer["power"] == pytest.approx(0.416371, abs=1e-6)  # P(X >= 15), X binomial(20, 0.7)
    assert answer["beta"] == pytest.approx(1 - 0.416371, abs=1e-6)
    assert answer["power_at"] == "the share is 0.7"


def test_chi2():
    answer = found("chi2", 10, 15, 8, 20)
    assert answer["statistic"] == pytest.approx(6.547, abs=5e-4)
    assert answer["pvalue"] == pytest.approx(0.088, abs=5e-4)
    assert (answer["df"], answer["decision"], answer["symbol"]) == (3, "fail to reject", "chi2")
    assert answer["effect"]["value"] == pytest.approx((6.547 / 53) ** 0.5, abs=1e-4)
    assert answer["effect"]["low"] == 0 < answer["effect"]["value"] < answer["effect"]["high"]


@pytest.mark.parametrize("expected", ["0.2,0.3,0.5", "20,30,50", "0.2, 0.3,0.5"])
def test_chi2_of_given_shares(expected):
    answer = found("chi2", 30, 30, 40, "--expected", expected)
    assert answer["statistic"] == pytest.approx(10**2 / 20 + 10**2 / 50)
    assert answer["null"] == "the counts follow the expected shares"
    assert (answer["decision"], answer["notes"]) == ("reject", [])


def test_chi2_of_other_numbers_are_shares():
    answer = found("chi2", 30, 30, 40, "--expected", "2", "--expected", "3", "--expected", "5")
    assert answer["statistic"] == pytest.approx(7)
    assert answer["notes"][0] == "the expected numbers add up to 10, the observed ones to 100: taken as shares"


def test_chi2_of_few():
    assert found("chi2", 1, 2, 3)["notes"] == [ROUGH, NOT_ACCEPTED]


def test_chi2_of_a_perfect_fit_is_not_certain():
    answer = found("chi2", 10, 10, 10)
    assert (answer["pvalue"], answer["effect"]["low"]) == (1.0, 0.0)
    assert answer["effect"]["high"] == pytest.approx(0.2988, abs=1e-3)
    assert answer["notes"] == [NOT_ACCEPTED]


def test_chi2_of_many_counts_adds_chance_to_the_effect():
    answer = found("chi2", *[7, 13] * 20)
    assert answer["statistic"] == pytest.approx(36)
    assert answer["effect"]["high"] < answer["effect"]["value"]
    assert answer["notes"] == [
        "the effect seen lies above its interval because chance alone adds to it: trust the interval",
        NOT_ACCEPTED,
    ]


def test_lr():
    answer = found("lr", *NUMBERS, *SIGMAS)
    assert answer["statistic"] == pytest.approx(18.08)
    assert (answer["df"], answer["decision"]) == (8, "reject")
    assert answer["log_ratio"] == pytest.approx(1.2348, abs=1e-4)
    assert answer["critical"] == pytest.approx(15.507, abs=1e-3)
    assert answer["power"] + answer["beta"] == pytest.approx(1)
    assert answer["power_at"] == answer["alternative"] == "the standard deviation is 2"
    assert answer["inputs"] == []
    assert answer["effect"]["level"] == 0.9
    assert answer["effect"]["low"] == pytest.approx(18.08 / 15.507, abs=1e-3)  # so it passes 1 with the decision
    assert answer["notes"] == [ONE_SIDE]


def test_lr_that_misses_on_the_other_side():
    answer = found("lr", "0.1", "-0.2", "0.1", "0.05", *SIGMAS)
    assert answer["decision"] == "fail to reject"
    assert answer["effect"]["high"] < 1
    assert answer["notes"] == [ONE_SIDE, ASK_DIFFERENTLY.format(1), NOT_ACCEPTED]


@pytest.mark.parametrize("text", ["\n".join(NUMBERS), "error\n" + "\n".join(NUMBERS) + "\n", ", ".join(NUMBERS)])
def test_lr_of_a_file(tmp_path, text):
    path = tmp_path / "errors.txt"
    path.write_text(text, encoding="utf-8")
    answer = found("lr", path, *SIGMAS)
    (source,) = answer["inputs"]
    assert source["path"] == str(path)
    assert answer | {"inputs": []} == found("lr", *NUMBERS, *SIGMAS)


def test_proportions():
    answer = found("proportions", 30, 100, 20, 100)
    assert (round(answer["statistic"], 3), round(answer["pvalue"], 4)) == (1.633, 0.1025)
    assert answer["effect"]["value"] == pytest.approx(0.1)
    assert (round(answer["effect"]["low"], 4), round(answer["effect"]["high"], 4)) == (-0.0202, 0.2167)
    assert answer["method"] == "z, pooled"


def test_proportions_as_in_the_textbook():
    answer = found("proportions", 30, 100, 20, 100, "--textbook")
    assert (round(answer["statistic"], 4), round(answer["pvalue"], 4)) == (1.6440, 0.1002)
    assert (round(answer["effect"]["low"], 4), round(answer["effect"]["high"], 4)) == (-0.0192, 0.2192)
    assert answer["method"] == "z, unpooled"


def test_proportions_of_few():
    assert found("proportions", 3, 8, 1, 9)["notes"][1:] == [ROUGH, NOT_ACCEPTED]


def test_text_is_the_default():
    result = run("chi2", 10, 15, 8, 20)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "effect     value  95% CI          p\n"
        "Cohen's w  0.351  [0.000, 0.577]  0.0878\n"
        "tests: chi-square, goodness of fit, chi2 6.547, df 3 (Cohen's w)\n"
        "\n"
        "DECISION  fail to reject that all counts are equally likely, against: they are\n"
        "          not (alpha 0.05)\n"
        "\n"
        "note to fail to reject is not to accept: the interval says what else is possible\n"
    )


def test_a_file_is_written(tmp_path):
    path = tmp_path / "answer.json"
    result = run("chi2", 10, 15, 8, 20, "--format", "json", "--output", path)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {path}\n")
    assert json.loads(path.read_text(encoding="utf-8")) == found("chi2", 10, 15, 8, 20)


def test_the_file_of_numbers_is_not_written_over(tmp_path):
    path = tmp_path / "errors.txt"
    path.write_text("1\n2\n", encoding="utf-8")
    result = run("lr", path, *SIGMAS, "--output", path)
    assert result.exit_code == 2
    assert result.stderr == f"error: --output {path} is an input and would be overwritten\n  Fix: choose another file\n"
    assert path.read_text(encoding="utf-8") == "1\n2\n"


def test_quiet():
    result = run("proportions", 30, 100, 20, 100, "--quiet")
    assert (result.exit_code, result.output) == (0, "")


WHOLE = "give whole numbers from 0 to 1e15"
NUMERIC = "give numbers such as -0.4, or the name of one file of numbers"


def explained(message: str) -> str:
    """The line that names the command that explains a code."""
    return f"  See: heldout explain {message[1:5]}\n" if message.startswith("[") else ""


@pytest.mark.parametrize(
    ("arguments", "message", "fix"),
    [
        ("binomial 21 --of 20", "[H110] 21 of 20 is more than there are", "give the part, then the whole"),
        ("binomial 0 --of 0", "[H110] there is nothing to count: 0 in all", "give the counts of at least one row"),
        ("binomial 0 --of -4", "[H110] -4 is not a count", WHOLE),
        ("binomial 1 --of 9 --share 1", ": --share is 1, which is not between 0 and 1", "give a share such as 0.5"),
        ("binomial 1 --of 9 --against 7", ": --against is 7, which is not between 0 and 1", "give a share such as 0.5"),
        (
            "binomial 1 --of 10000001",
            ": --of is 10,000,001, too many for the exact test",
            "heldout evaluate --wrong K --of N gives the share with its interval",
        ),
        (
            "chi2 1 2 --alpha 0.5",
            ": --alpha is 0.5, which is not a significance level",
            "give a number above 0 and below 0.5, such as 0.05",
        ),
        ("chi2 5", "[H110] one count alone fits whatever is expected", "give at least two counts"),
        ("chi2 0 0", "[H110] there is nothing to count: 0 in all", "give the counts of at least one row"),
        ("chi2 1 10000000000000000", "[H110] 10000000000000000 is not a count", WHOLE),
        (
            "chi2 5 6 --expected 1,2,3",
            ": 2 counts were observed, but 3 are expected",
            "give --expected one number for each count, with commas between them",
        ),
        (
            "chi2 5 6 --expected 1,0",
            ": --expected holds 0: a count of 0 or less cannot be expected",
            "leave out or join categories that cannot occur",
        ),
        ("chi2 5 6 --expected 1,b", "[H108] --expected: 'b' is not a number", NUMERIC),
        (
            "lr 1 2 --sigma0 1 --sigma1 1",
            ": --sigma0 and --sigma1 are both 1: there is nothing to test",
            "give two standard deviations that differ",
        ),
        (
            "lr 1 2 --sigma0 0 --sigma1 1",
            ": --sigma0 is 0, but must be a standard deviation from 1e-60 to 1e+60",
            "give a number such as 1",
        ),
        ("lr 1 x --sigma0 1 --sigma1 2", "[H108] number 2: 'x' is not a number", NUMERIC),
        (
            "lr 1 nan --sigma0 1 --sigma1 2",
            "[H305] number 2 holds nan, which is missing or infinite",
            "remove it, and say why it was removed",
        ),
        (
            "lr - --sigma0 1 --sigma1 2",
            ": the numbers are not read from standard input",
            "give the numbers or the name of a file",
        ),
        (
            "lr nowhere.txt --sigma0 1 --sigma1 2",
            "[H100] there is no file nowhere.txt",
            "check the path and the folder it starts from",
        ),
        ("proportions 3 2 1 9", "[H110] 3 of 2 is more than there are", "give the part, then the whole"),
        (
            "proportions 0 5 9 9 --textbook",
            ": both shares are 0 or 1, so the textbook's standard error is 0",
            "leave out --textbook",
        ),
    ],
)
def test_what_cannot_be_tested(arguments, message, fix):
    result = run(*arguments.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error{message}\n  Fix: {fix}\n{explained(message)}"


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        (" \n", "[H112] errors.txt holds no number", "give a text file with one number per line"),
        ("1\n2\nthree\n", "[H108] errors.txt, line 3: 'three' is not a number", NUMERIC),
        ("a b\n1 2\n", "[H108] errors.txt, line 1: 'a' is not a number", NUMERIC),
    ],
)
def test_a_file_that_holds_something_else(tmp_path, text, message, fix):
    path = tmp_path / "errors.txt"
    path.write_text(text, encoding="utf-8")
    result = run("lr", path, *SIGMAS)
    assert (result.exit_code, result.stderr) == (2, f"error{message}\n  Fix: {fix}\n{explained(message)}")


@pytest.mark.parametrize("kind", ["binomial", "chi2", "lr", "proportions"])
def test_every_test_has_help(kind):
    result = run(kind, "--help")
    assert result.exit_code == 0
    assert f"Usage: heldout test {kind} " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_two_shares_to_one_side_with_their_standard_error():
    answer = found("proportions", 30, 100, 20, 100, "--textbook", "--alternative", "greater")
    assert answer["statistic"] == pytest.approx(1.6440, abs=1e-4)
    assert answer["standard_error"] == pytest.approx(0.060828, abs=1e-6)
    assert answer["pvalue"] == pytest.approx(0.050089, abs=1e-6)
    assert answer["alternative"] == "the first is greater"
    assert (answer["effect"]["low"], answer["effect"]["high"]) == (pytest.approx(-0.00005, abs=1e-5), 1.0)
    assert answer["notes"][0] == (
        "the standard error of the difference d is 0.0608; d > 0 at a one-sided level of 0.95, "
        "which textbooks write as P(d > 0)"
    )
    lax = found("proportions", 30, 100, 20, 100, "--textbook", "--alternative", "greater", "--alpha", 0.051)
    assert lax["decision"] == "reject"


def test_two_shares_to_the_other_side():
    answer = found("proportions", 20, 100, 30, 100, "--alternative", "less")
    assert answer["pvalue"] == pytest.approx(0.0512, abs=1e-4)
    assert (answer["effect"]["low"], answer["method"]) == (-1.0, "z, pooled, less")


def test_a_known_mean_moves_the_numbers():
    shifted = [str(float(number) + 5) for number in NUMBERS]
    moved, plain = found("lr", *shifted, *SIGMAS, "--mean", "5"), found("lr", *NUMBERS, *SIGMAS)
    assert moved["statistic"] == pytest.approx(plain["statistic"])
    assert moved["null"] == "the standard deviation around 5 is 1"


def test_the_sign_of_the_log_ratio_is_said():
    told = run("lr", *NUMBERS, *SIGMAS).stdout
    assert "alternative over null hypothesis: the data are likelier under the alternative" in " ".join(told.split())


def test_a_mean_that_is_not_a_number_is_refused():
    refused = run("lr", *NUMBERS, *SIGMAS, "--mean", "nan")
    assert refused.exit_code == 2
    assert "--mean is nan, but must be a number from -1e+60 to 1e+60" in refused.output


@pytest.mark.parametrize("arguments", [("lr", *NUMBERS, *SIGMAS), ("proportions", 45, 100, 60, 100)])
def test_a_level_that_rounds_to_one_is_refused(arguments):
    refused = run(*arguments, "--alpha", "1e-17")
    assert refused.exit_code == 2
    assert "--alpha is 1e-17, which is not a significance level" in refused.output


def test_a_number_too_large_for_a_square_is_not_called_infinite():
    assert "holds 1e200, which is beyond 1e+60" in run("lr", "1e200", *SIGMAS).output


@pytest.mark.parametrize(
    ("long", "short", "arguments"),
    [
        ("chi-square", "chi2", ("10", "15", "8", "20")),
        ("likelihood-ratio", "lr", (*NUMBERS, *SIGMAS, "--mean", "0.5")),
    ],
)
def test_a_test_has_the_name_that_its_summary_uses(long, short, arguments):
    def without_settings(name):
        answer = found(name, *arguments)
        return {key: value for key, value in answer.items() if key not in ("created", "settings")}

    assert without_settings(long) == without_settings(short)


def test_a_textbook_test_needs_no_null_value_in_python():
    answer = heldout.test.binomial(12, 40)
    assert answer.pvalue == pytest.approx(binomtest(12, 40).pvalue)


def test_notes_in_python_are_those_on_the_screen():
    one = heldout.test.binomial(5, 10, 0.2)
    assert one.notes
    assert list(one.notes) == one.to_dict()["notes"]


def test_the_chance_of_a_positive_difference_uses_the_variance_of_each_share():
    pooled, own = (heldout.test.proportions(9, 10, 40, 100, textbook=each) for each in (False, True))
    assert "by each share's own variance the standard error of the difference d is 0.107;" in pooled.notes[0]
    assert pooled.notes[0].partition("; ")[2] == own.notes[0].partition("; ")[2]
    assert not any("d > 0" in note for note in heldout.test.proportions(0, 10, 0, 12).notes)
