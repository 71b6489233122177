"""A joint table from a file: the three forms it may have hold the same table."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import DataError, UsageError
from heldout.lab.concepts.joint_table_file import read_table

LONG = "x,class,p\na,no,0.4\na,yes,0.1\nb,no,0.2\nb,yes,0.3\n"
WIDE = "x,no,yes\na,0.4,0.1\nb,0.2,0.3\n"
COUNTS = "x,class,count\na,no,4\na,yes,1\nb,no,2\nb,yes,3\n"
ROWS = "x,class\n" + 4 * "a,no\n" + "a,yes\n" + 2 * "b,no\n" + 3 * "b,yes\n"
P = [[0.4, 0.1], [0.2, 0.3]]


@pytest.fixture
def read(tmp_path):
    def reading(text, **options):
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        return read_table(path, **options)

    return reading


@pytest.mark.parametrize(
    ("text", "kind"), [(LONG, "probabilities"), (WIDE, "probabilities"), (COUNTS, "counts"), (ROWS, "rows")]
)
def test_every_form_gives_the_same_table(read, text, kind):
    found = read(text)
    np.testing.assert_allclose(found.world.p, P)
    assert found.world.classes == ("no", "yes")
    assert found.kind == kind
    assert (found.counts is None) is (kind == "probabilities")


def test_attributes_that_are_not_named_are_summed_over(read):
    text = "x,z,class,p\na,1,no,0.3\na,2,no,0.1\na,1,yes,0.1\nb,1,no,0.2\nb,2,yes,0.3\n"
    np.testing.assert_allclose(read(text, attributes=["x"]).world.p, P)
    assert read(text).world.domain.points == 4


def test_a_column_may_be_a_classifier(read):
    found = read("x,class,p,rule\na,no,0.4,no\na,yes,0.1,no\nb,no,0.2,yes\nb,yes,0.3,yes\n", classifiers=["rule"])
    assert found.classifiers["rule"].tolist() == [0, 1]
    assert found.columns["attributes"] == ["x"]


def test_smoothing_adds_rows_to_counts(read):
    np.testing.assert_allclose(read(COUNTS, smoothing=1).world.p, np.array([[5, 2], [3, 4]]) / 14)
    with pytest.raises(UsageError, match="--smoothing adds rows to counts, but the table holds probabilities"):
        read(LONG, smoothing=1)


def test_probabilities_that_were_rounded_are_made_to_add_up(read):
    found = read("x,class,p\na,no,0.3333\na,yes,0.3333\nb,no,0.3333\n")
    assert found.world.p.sum() == pytest.approx(1)
    assert found.notes == ("the probabilities add up to 0.9999 and were divided by that",)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (LONG.replace("0.4", "0.7"), {}, "the probabilities add up to 1.3, and a joint table adds up to 1"),
        (LONG.replace("0.4", "-0.4"), {}, "p is -0.4 in row 1, which is neither a probability nor a count"),
        ("class,p\nno,0.4\nyes,0.6\n", {}, "has no column for an attribute"),
        ("x,no,no\na,1,2\n", {"wide": True}, "has the class 'no' twice"),
        (
            "x,class,p,rule\na,no,0.5,no\nb,yes,0.5,perhaps\n",
            {"classifiers": ["rule"]},
            "rule says 'perhaps', not among the classes",
        ),
        (
            "x,class,p,rule\na,no,0.25,no\na,yes,0.25,yes\nb,yes,0.5,yes\n",
            {"classifiers": ["rule"]},
            "rule says both 'no' and 'yes' of x=a",
        ),
    ],
)
def test_what_is_no_table_is_refused(read, text, options, said):
    with pytest.raises(DataError) as refused:
        read(text, **options)
    assert said in str(refused.value)


def test_more_attributes_than_a_domain_has(read):
    head, ones = ",".join(f"a{at}" for at in range(70)), ",".join(["1"] * 70)
    with pytest.raises(UsageError) as caught:
        read(f"{head},class\n{ones},no\n{ones},yes\n")
    assert str(caught.value) == (
        "there are 70 attributes ('a0', 'a1', 'a2', 'a3', 'a4' and 65 more), and a domain has at most 32\n"
        "  Fix: leave out attributes, first those with one value"
    )
    lines = "".join(",".join([str(row)] * 31) + ",no\n" for row in range(2000))
    with pytest.raises(UsageError) as caught:
        read(",".join(f"a{at}" for at in range(31)) + ",class\n" + lines)
    assert str(caught.value) == (
        "the attributes 'a0', 'a1', 'a2', 'a3', 'a4' and 26 more make about 10^102 points (2000 × 2000 × 2000 × 2000 × "
        "2000 × …), and a domain has at most 100,000\n  Fix: leave out attributes, or merge values"
    )
