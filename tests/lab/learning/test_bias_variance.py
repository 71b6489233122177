from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.tree import DecisionTreeRegressor

from heldout import lab
from heldout.errors import UsageError
from heldout.lab.learning.bias_variance import domingos, kohavi_wolpert, squared
from heldout.lab.learning.small_learners import knn
from heldout.report.schema import schema

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 2))
NUMBERS = X[:, 0] + 0.3 * RNG.standard_normal(60)
CLASSES = (X[:, 0] + 0.7 * RNG.standard_normal(60) > 0).astype(int)


def sums(found):
    return [sum(part.value for part in one.parts.values()) for one in found.decompositions]


@pytest.mark.parametrize("design", ["fixed", "random"])
@pytest.mark.parametrize("word", ["constant", "poly:degree=3", "knn:k=2"])
def test_parts_add_up_to_the_error_of_squared_loss(word, design):
    found = lab.bias_variance(word, world="sine:noise=0.3", n=12, design=design, repeats=60)
    assert sums(found) == [pytest.approx(found.expected_loss.value, rel=1e-12)]
    assert found.expected_loss.value == pytest.approx(
        found.measured.value, abs=5 * np.hypot(found.expected_loss.error, found.measured.error)
    )
    for point in found.curve:
        assert point["noise"] + point["bias2"] + point["variance"] == pytest.approx(point["expected_loss"], rel=1e-12)


@pytest.mark.parametrize("word", ["constant", "linear", "knn:k=3"])
@pytest.mark.parametrize("world", ["gaussian:distance=2", "gaussian:distance=1.5,classes=2,prevalence=0.2,spread=2"])
def test_parts_add_up_to_the_error_of_zero_one_loss(word, world):
    found = lab.bias_variance(word, world=world, n=15, points=80, repeats=60)
    assert [one.name for one in found.decompositions] == ["Domingos", "Kohavi–Wolpert"]
    best, main = found.notes
    assert best.startswith("the best rule errs on ")
    assert main == (
        "Domingos's bias asks for the most frequent prediction: where two are nearly as frequent, chance adds to it"
    )
    assert sums(found) == [pytest.approx(found.expected_loss.value, rel=1e-12)] * 2
    apart = abs(found.expected_loss.value - found.measured.value)
    assert apart < 5 * np.sqrt(0.25 / (60 * 80))


def test_three_classes_add_up_too():
    found = lab.bias_variance("knn:k=1", world="gaussian:distance=1.5,classes=3", n=15, points=80, repeats=60)
    assert sums(found) == [pytest.approx(found.expected_loss.value, rel=1e-12)] * 2


@pytest.mark.parametrize("seed", range(5))
def test_the_formulas_hold_for_any_shares(seed):
    rng = np.random.default_rng(seed)
    shares, chances = rng.dirichlet(np.ones(4), 30), rng.dirichlet(np.ones(4), 30)
    loss = 1 - (shares * chances).sum(axis=1)
    for formula in (domingos, kohavi_wolpert):
        np.testing.assert_allclose(np.sum(list(formula(np.full(30, 9.0), shares, chances).values()), axis=0), loss)


def test_two_classes_are_as_domingos_wrote_them():
    # c1 N + B + c2 V with c1 = 2 P(ŷ = y*) - 1 and c2 = 1 where the main prediction is best, else -1
    for share, chance in [(0.8, 0.9), (0.3, 0.9), (0.6, 0.4)]:
        shares, chances = np.array([[1 - share, share]]), np.array([[1 - chance, chance]])
        parts = domingos(np.array([9.0]), shares, chances)
        best, main = int(chance > 0.5), int(share > 0.5)
        hits, variance = shares[0, best], 1 - shares[0, main]
        assert parts["noise"][0] == pytest.approx((2 * hits - 1) * (1 - chances[0, best]))
        assert parts["bias"][0] == float(best != main)
        assert parts["unbiased variance"][0] == pytest.approx(variance if best == main else 0)
        assert parts["biased variance"][0] == pytest.approx(0 if best == main else -variance)


def test_squares_of_means_are_not_biased_by_few_training_sets():
    rng = np.random.default_rng(1)
    said = rng.normal(1.0, 2.0, (4000, 3, 1))  # three training sets, 4000 times; true mean 1, variance 4
    parts = squared(np.array([3.0]), said.mean(axis=1), (said**2).mean(axis=1), np.array([0.0]), np.array([0.0]))
    assert parts["bias²"].mean() == pytest.approx(1, abs=0.2)
    assert parts["variance"].mean() == pytest.approx(4, abs=0.3)
    votes = (rng.random((4000, 3, 1)) < 0.3).mean(axis=1)
    shares = np.stack([1 - votes, votes], axis=-1)
    parts = kohavi_wolpert(np.array([3.0]), shares, np.array([[1.0, 0.0]]))
    assert parts["variance"].mean() == pytest.approx(0.3 * 0.7, abs=0.01)
    assert parts["bias²"].mean() == pytest.approx(0.3**2, abs=0.015)


def test_monte_carlo_errors_are_as_large_as_what_repeating_shows():
    # three neighbours at fixed x are a matrix S: bias is (S - 1) f, variance is noise² times the diagonal of S Sᵀ
    x = np.linspace(0, 1, 8)[:, None]
    smoother = np.stack([knn(3).fit(x, unit)(x) for unit in np.eye(8)], axis=1)
    f = np.sin(2 * np.pi * x[:, 0])
    truth = {"bias²": np.mean((smoother @ f - f) ** 2), "variance": 0.09 * np.mean((smoother**2).sum(axis=1))}
    away = {name: [] for name in truth}
    for seed in range(40):
        found = lab.bias_variance("knn:k=3", world="sine:noise=0.3", n=8, repeats=30, random_state=seed)
        for name, value in truth.items():
            away[name].append((found[name].value - value) / found[name].error)
    for name, many in away.items():
        assert abs(np.mean(many)) < 0.5, name
        assert 0.75 < np.std(many) < 1.3, name


def test_bootstrap_draws_of_numbers():
    found = lab.bias_variance(DecisionTreeRegressor(random_state=0), X, NUMBERS, repeats=40)
    assert (found.loss, found.design, found.world, found.n) == ("squared", "bootstrap", None, 60)
    assert list(found.decompositions[0].parts) == ["bias² and noise", "variance"]
    assert sums(found) == [pytest.approx(found.expected_loss.value, rel=1e-12)]
    assert found.measured is None
    assert found.curve == ()


def test_bootstrap_draws_of_classes_are_judged_on_the_rows_left_out():
    found = lab.bias_variance("knn:k=1", X, CLASSES, repeats=40)
    assert [list(one.parts) for one in found.decompositions] == [
        ["bias and noise", "unbiased variance", "biased variance"],
        ["bias² and noise", "variance"],
    ]
    assert sums(found) == [pytest.approx(found.expected_loss.value, rel=1e-12)] * 2
    # a memoriser makes no mistake on rows it has seen; on these it does
    assert found.expected_loss.value > 0.1


def test_whole_numbers_may_be_numbers():
    found = lab.bias_variance("constant", X, CLASSES, loss="squared", repeats=40)
    assert found.loss == "squared"


def test_the_same_seed_gives_the_same_numbers():
    first, again, other = (
        lab.bias_variance("poly:degree=2", world="sine", repeats=25, random_state=seed).to_dict() for seed in (3, 3, 4)
    )
    assert first == again
    assert first["expected_loss"] != other["expected_loss"]


def test_results_are_valid():
    validator = Draft202012Validator(schema("heldout.bias-variance/1"))
    for found in (
        lab.bias_variance("knn:k=1", world="sine", repeats=25),
        lab.bias_variance("knn:k=1", world="gaussian", repeats=25, points=20),
        lab.bias_variance("knn:k=1", X, CLASSES, repeats=25),
    ):
        validator.validate(found.to_dict())


def test_what_is_printed():
    text = str(lab.bias_variance("fixed-line:slope=-1,intercept=0.5", world="sine:noise=0.3", n=3, repeats=20))
    head, _, rest = text.partition("measured on new rows: ")
    assert head == (
        "fixed-line:slope=-1,intercept=0.5 in sine:noise=0.3, squared loss: 20 training\n"
        "  sets, 3 rows at the same x\n\n"
        "noise + bias² + variance:\n"
        "part           value ± error\n"
        "noise          0.0900\n"
        "bias²          0.1667\n"
        "variance       0.0000\n"
        "expected loss  0.2567\n"
    )
    assert rest.partition("\n")[2] == (
        "\n"
        "     x   truth  mean rule   bias²  variance  expected loss\n"
        "0.0000  0.0000     0.5000  0.2500    0.0000         0.3400\n"
        "0.5000  0.0000     0.0000  0.0000    0.0000         0.0900\n"
        "1.0000  0.0000    -0.5000  0.2500    0.0000         0.3400\n"
        "\n"
        "note ± is one Monte-Carlo standard error\n"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"world": "sine", "repeats": 19},
            "repeats is 19, too few training sets for a variance\n  Fix: ask for 20 or more",
        ),
        (
            {},
            (
                "rows come either from a world or from data\n"
                "  Fix: name a world, or give data and its target, one of them"
            ),
        ),
        (
            {"world": "sine", "X": X, "y": NUMBERS},
            (
                "rows come either from a world or from data\n"
                "  Fix: name a world, or give data and its target, one of them"
            ),
        ),
        ({"world": "sine", "n": 0}, ("n is 0, but must be 1 or more\n  Fix: leave out n for its default")),
        (
            {"world": "sine", "loss": "squared"},
            "loss means nothing where rows come from a world\n  Fix: leave out loss",
        ),
        ({"X": X, "y": NUMBERS, "n": 9}, "n means nothing where rows come from data\n  Fix: leave out n"),
        ({"X": X, "y": NUMBERS, "loss": "log"}, "loss 'log' is not known\n  Fix: choose squared or zero-one"),
        ({"X": X}, "the truth is needed once\n  Fix: give y, or the name of the target column of a table"),
        ({"world": "sine", "design": "odd"}, "design 'odd' is not known\n  Fix: choose fixed or random"),
        (
            {"world": "gaussian", "design": "fixed"},
            (
                "design has no effect in the world gaussian:distance=2: x is sampled again for every training set\n"
                "  Fix: leave out design"
            ),
        ),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises(UsageError) as caught:
        lab.bias_variance("constant", **given)
    assert str(caught.value) == message


def test_a_learner_of_numbers_in_a_world_of_classes_is_refused():
    with pytest.raises(UsageError) as caught:
        lab.bias_variance("fixed-line:intercept=0.3", world="gaussian", repeats=20, points=30)
    assert str(caught.value) == (
        "the learner predicts something else than one of the classes 0 to 1 for each of 30 rows\n"
        "  Fix: fit it to classes: its predict must give the labels it has seen"
    )
