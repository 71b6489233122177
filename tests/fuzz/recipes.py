"""A sound call of every command: its files and what must be typed, from which mutations and options begin."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzz import seeds
from tests.fuzz.contents import Content, Table, Tree
from tests.fuzz.options import LEARNERS, WORLDS, Draft, Words, names
from tests.fuzz.stores import VALIDATION, finished_fits, recorded

PREDICTIONS = (seeds.scores, seeds.labels, seeds.classes, seeds.numbers, seeds.several_labels)
METRIC_OF = {
    seeds.scores: ("roc_auc", "brier", "accuracy", "log_loss"),
    seeds.labels: ("accuracy", "f1_macro", "mcc"),
    seeds.classes: ("accuracy", "log_loss", "roc_auc_ovr"),
    seeds.numbers: ("mae", "rmse", "r2"),
    seeds.several_labels: ("subset_accuracy", "hamming_loss"),
}
"""Predictions → metrics that suit them."""


def rows_of(content: Content) -> list[str]:
    return list(content.columns) if isinstance(content, Table) else []


def other_model(table: Table, rng: Random) -> Table:
    """The same rows with other predictions: those of another row, now and then."""
    columns = dict(table.columns)
    for name, values in table.columns.items():
        if name.startswith(("y_pred", "y_score")):
            columns[name] = [value if rng.random() < 0.6 else rng.choice(values) for value in values]
    return Table(columns)


def evaluate(rng: Random) -> Draft:
    way = rng.random()
    if way < 0.08:
        return Draft(("evaluate",), [("--wrong", str(rng.randrange(9))), ("--of", str(rng.randrange(20)))])
    if way < 0.2:
        option, made = rng.choice((("--confusion", seeds.counts), ("--class-counts", seeds.class_counts)))
        return Draft(("evaluate",), [(option, "@counts")], {"counts": made(rng)})
    if way < 0.32:
        return log(("evaluate",), 1, rng)
    made = rng.choice(PREDICTIONS)
    table = made(rng)
    return Draft(("evaluate",), [("@rows",), *some_metrics(made, rng)], {"rows": table}, rows_of(table))


def some_metrics(made: Callable[[Random], Table], rng: Random) -> list[Words]:
    """Few metrics, most of the time: all of them take ten times as long."""
    return [("--metric", ",".join(rng.sample(METRIC_OF[made], 2)))] if rng.random() < 0.7 else []


def log(command: Words, count: int, rng: Random, *more: Words) -> Draft:
    """Evaluation logs of one program."""
    program, made = rng.choice((("lm-eval", seeds.harness_log), ("inspect", seeds.inspect_log)))
    files: dict[str, Content] = {f"log{k}": made(rng) for k in range(count)}
    columns = ["doc.subject", "doc_id", "id", "epoch", "metadata.part", "match", "exact_match", "target"]
    return Draft(command, [*((f"@{stem}",) for stem in files), ("--from", program), *more], files, columns)


def compare(rng: Random) -> Draft:
    way = rng.random()
    if way < 0.1:
        return log(("compare",), 2, rng)
    if way < 0.2:
        files: dict[str, Content] = {"a": seeds.fold_scores(rng), "b": seeds.fold_scores(rng)}
        words = [("@a",), ("@b",), ("--fold-scores",), ("--n-train", "90"), ("--n-test", "10")]
        return Draft(("compare",), words, files, ["fold", "learner", "accuracy"])
    if way < 0.28:
        sets = seeds.set_scores(rng)
        return Draft(("compare",), [("@sets",), ("--across-sets",)], {"sets": sets}, rows_of(sets))
    made = rng.choice(PREDICTIONS)
    old = made(rng)
    if way < 0.4 and "y_score" in old.columns:
        both = Table({**old.columns, "new": other_model(old, rng).columns["y_score"]})
        words = [("@rows",), ("--model", "y_score"), ("--model", "new"), *some_metrics(made, rng)]
        return Draft(("compare",), words, {"rows": both}, rows_of(both))
    models = {"old": old, "new": other_model(old, rng)}
    words = [("@old",), ("@new",), *some_metrics(made, rng), *some_looks(rng)]
    return Draft(("compare",), words, {**models}, rows_of(old))


def gate(rng: Random) -> Draft:
    made = rng.choice(PREDICTIONS)
    decided = [("--primary", rng.choice(METRIC_OF[made])), ("--margin", rng.choice(("0.01", "0.5")))]
    if rng.random() < 0.1:
        return log(("gate",), 2, rng, ("--primary", "accuracy"), ("--margin", "0.1"))
    old = made(rng)
    models: dict[str, Content] = {"old": old, "new": other_model(old, rng)}
    return Draft(("gate",), [("@old",), ("@new",), *decided, *some_looks(rng)], models, rows_of(old))


def some_looks(rng: Random) -> list[Words]:
    return [("--looks", rng.choice(("2", "0.5,1"))), ("--look", rng.choice("12"))] if rng.random() < 0.1 else []


def split(rng: Random) -> Draft:
    table = rng.choice((seeds.features, *PREDICTIONS))(rng)
    return Draft(("split",), [("@rows",)], {"rows": table}, rows_of(table))


def validate(rng: Random) -> Draft:
    if rng.random() < 0.25:
        words = [(VALIDATION[0],), *zip(VALIDATION[1::2], VALIDATION[2::2], strict=True), ("--run", "store")]
        return Draft(("validate",), words, dict(finished_fits()), ["x1", "x2", "y"])
    rows = seeds.features(rng)
    learners = ["sklearn.naive_bayes:GaussianNB", "sklearn.dummy:DummyClassifier", "sklearn.linear_model:Ridge"]
    chosen = [(name,) for name in rng.sample(learners, rng.choice((1, 1, 2)))]
    cv = [("--cv", rng.choice(("2", "3", "holdout")))] if rng.random() < 0.9 else []
    return Draft(("validate",), [*chosen, ("--data", "@rows"), ("--target", "y"), *cv], {"rows": rows}, rows_of(rows))


def select(rng: Random) -> Draft:
    rows = seeds.features(rng)
    words = [("@models",), ("--data", "@rows"), ("--target", "y"), ("--cv", "2"), ("--inner-cv", "2")]
    models = seeds.candidates(rng)
    if "bayes" in models.value:  # a grid has no ranges
        words += [("--search", "random"), ("--n-trials", "2")]
    return Draft(("select",), words, {"models": models, "rows": rows}, rows_of(rows))


def text(rng: Random) -> Draft:
    files = {name: seeds.texts(rng) for name in ("refs", "one", "two")[: rng.choice((2, 2, 3))]}
    return Draft(("text",), [(f"@{name}",) for name in files], files, ["doc", "pred", "ref"])


def detect(rng: Random) -> Draft:
    if rng.random() < 0.15:
        return Draft(("detect",), [("--ranked", "@list"), ("--truths", "9")], {"list": seeds.ranked(rng)})
    made = rng.choice((seeds.coco, seeds.coco, seeds.box_table))
    files: dict[str, Content] = {"truth": made(rng, found=False), "one": made(rng, found=True)}
    if rng.random() < 0.3:
        files["two"] = made(rng, found=True)
    masks = [("--iou-type", "masks")] if made is seeds.coco and rng.random() < 0.5 else []
    return Draft(("detect",), [*((f"@{name}",) for name in files), *masks], files)


def masks(rng: Random) -> Draft:
    if rng.random() < 0.3:
        truth = seeds.coco(rng, found=False)
        found: Content = seeds.coco(rng, found=rng.random() < 0.5)
        return Draft(("masks",), [("@truth",), ("@one",)], {"truth": truth, "one": found})
    files: dict[str, Content] = {f"{side}/{k}": seeds.label_map(rng) for side in ("truth", "one") for k in range(2)}
    return Draft(("masks",), [("truth",), ("one",)], files)


def runs(question: str) -> Callable[[Random], Draft]:
    def made(rng: Random) -> Draft:
        ids = {"compare": ("a", "b"), "show": ("a",), "delete": ("a",), "export": (), "list": ()}[question]
        chosen = [(rng.choice((one, "aaaa", "nosuch", "")) if rng.random() < 0.2 else one,) for one in ids]
        return Draft(("runs", question), chosen, dict(recorded()))

    return made


def counted(*words: str) -> Callable[[Random], Draft]:
    """A test or a plan of numbers alone; each number is replaced by a random one at times."""

    def made(rng: Random) -> Draft:
        pool = ("0", "1", "-1", "5", "0.5", "1e300", "1e-300", "nan", "inf", "10000000", "99999999999999999999", "x")
        taken = [rng.choice(pool) if word[-1].isdigit() and rng.random() < 0.25 else word for word in words]
        command = tuple(taken[:2])
        groups: list[Words] = []
        for word in taken[2:]:
            if groups and groups[-1][0].startswith("--") and len(groups[-1]) == 1:
                groups[-1] = (*groups[-1], word)
            else:
                groups.append((word,))
        return Draft(command, groups)

    return made


EXPECTED: dict[str, tuple[Words, ...]] = {
    "accuracy": (("--disagree", "0.08"),),
    "recall": (("--prevalence", "0.2"), ("--disagree", "0.1")),
    "roc_auc": (("--prevalence", "0.3"), ("--correlation", "0.5")),
    "mae": (("--sd", "2"), ("--correlation", "0.5")),
}
"""Metric → what a plan has to know of it; what concerns two models only where two are compared."""


def planned(question: str, *words: Words) -> Callable[[Random], Draft]:
    def made(rng: Random) -> Draft:
        metric, value = rng.choice(list(EXPECTED)), "0.85"
        known = [part for part in EXPECTED[metric] if question in PAIRED or part[0] in ("--prevalence", "--sd")]
        if rng.random() < 0.3:
            metric = rng.choice(names("metrics"))
        if rng.random() < 0.3:
            value = rng.choice(("0.5", "0", "1", "0.999", "3", "-1", "nan", "inf", "1e308"))
        kept = [part for part in known if rng.random() < 0.9]
        return Draft(("plan", question), [(metric,), (value,), *words, *kept], {}, ["y_true", "y_score", "group"])

    return made


PAIRED = ("difference", "power")
"""Plans that are about two models."""


def simulated(question: str, *words: Words, never: tuple[str, ...] = ("into",)) -> Callable[[Random], Draft]:
    """A simulation of little effort."""

    def made(rng: Random) -> Draft:
        swapped = [
            (option, rng.choice(pool)) if (pool := SWAPPED.get(option)) and rng.random() < 0.3 else (option, *values)
            for option, *values in words
        ]
        return Draft(("lab", question), swapped, {}, [], never)

    return made


def on_a_table(question: str, made_of: Callable[[Random], Table], *words: Words) -> Callable[[Random], Draft]:
    """A simulation from a table."""

    def made(rng: Random) -> Draft:
        table = made_of(rng)
        return Draft(("lab", question), list(words), {"rows": table}, rows_of(table), ("into",))

    return made


def one_word(*command: str, of: Callable[[], Words]) -> Callable[[Random], Draft]:
    """A command that takes a word, one of some."""
    return lambda rng: Draft(command, [(rng.choice(of()),)])


def cards(rng: Random) -> Draft:
    content = Tree({"intervals": {}, "tests": {}, "worlds": {}})
    words = [("--halves", "1"), *([("--cards", "@cards")] if rng.random() < 0.8 else [])]
    return Draft(("lab", "held-out"), words, {"cards": content})


SWAPPED = {"--world": WORLDS, "--learner": LEARNERS}
FEW: tuple[Words, ...] = (("--repeats", "3"), ("--n", "8"))
FEW_SPLITS: tuple[Words, ...] = (("--repeats", "2"), ("--n", "30"))
FEW_FITS: tuple[Words, ...] = (("--repeats", "20"), ("--n", "8"))
PAIRS = ("--world", "pair-coin:p=0.8")
SIGMAS = ("--sigma0", "1", "--sigma1", "2")
RECIPES: dict[Words, tuple[float, Callable[[Random], Draft]]] = {
    ("evaluate",): (30, evaluate),
    ("compare",): (16, compare),
    ("gate",): (10, gate),
    ("split",): (6, split),
    ("validate",): (5, validate),
    ("select",): (3, select),
    ("text",): (6, text),
    ("detect",): (12, detect),
    ("masks",): (8, masks),
    **{("runs", one): (1, runs(one)) for one in ("list", "show", "compare", "export", "delete")},
    ("test", "binomial"): (1, counted("test", "binomial", "15", "--of", "20")),
    ("test", "chi-square"): (1, counted("test", "chi-square", "30", "70")),
    ("test", "likelihood-ratio"): (1, counted("test", "likelihood-ratio", "0.3", "-1.2", "2", *SIGMAS)),
    ("test", "proportions"): (1, counted("test", "proportions", "45", "100", "60", "100")),
    ("plan", "bound"): (1, planned("bound", ("--lower-bound", "0.8"))),
    ("plan", "difference"): (1, planned("difference", ("--gain", "0.02"))),
    ("plan", "interval"): (1, planned("interval", ("--half-width", "0.02"))),
    ("plan", "power"): (1, planned("power", ("--rows", "100"), ("--gain", "0.1"))),
    ("plan", "looks"): (1, one_word("plan", "looks", of=lambda: ("2", "3", "0.5,1", "5", "0", "x", "99", "1,1"))),
    ("lab", "coverage"): (1, simulated("coverage", ("--world", "coin:p=0.1"), *FEW)),
    ("lab", "size"): (1, simulated("size", PAIRS, *FEW)),
    ("lab", "power"): (1, simulated("power", ("--world", "pair-coin:p=0.8,gain=0.1"), *FEW)),
    ("lab", "cards"): (0.1, simulated("cards", ("--upto", "0"), ("--into", "done"), never=("world", "dry_run"))),
    ("lab", "split-coverage"): (0.3, simulated("split-coverage", ("naive_fold_interval@10",), *FEW_SPLITS)),
    ("lab", "split-size"): (
        0.3,
        simulated("split-size", ("naive_fold_t@10x10",), ("--learner", "linear"), *FEW_SPLITS),
    ),
    ("lab", "split-power"): (0.3, simulated("split-power", ("mcnemar@10",), *FEW_SPLITS)),
    ("lab", "compare"): (
        0.3,
        simulated("compare", ("linear",), ("knn:k=1",), ("--test", "mcnemar@10"), *FEW_SPLITS),
    ),
    ("lab", "split-cards"): (0.1, simulated("split-cards")),
    ("lab", "corpus-cards"): (0.1, simulated("corpus-cards")),
    ("lab", "corpus-rates"): (
        0.3,
        simulated("corpus-rates", ("--world", "segments:quality=0.8"), *FEW, ("--n-resamples", "30")),
    ),
    ("lab", "held-out"): (0.2, cards),
    ("lab", "outside"): (0.1, simulated("outside", ("--only", "nosuch"))),
    ("lab", "world"): (0.5, simulated("world", ("coin:p=0.1",))),
    ("lab", "selection-bias"): (0.5, simulated("selection-bias", ("--configurations", "3"), *FEW_SPLITS)),
    ("lab", "threshold-bias"): (0.5, simulated("threshold-bias", *FEW_SPLITS)),
    ("lab", "failures"): (0.1, simulated("failures", ("--repeats", "1"))),
    ("lab", "bias-variance"): (
        1,
        simulated("bias-variance", ("--learner", "poly:degree=1"), ("--world", "sine:noise=0.3"), *FEW_FITS),
    ),
    ("lab", "estimation-bias"): (1, simulated("estimation-bias", ("--learner", "linear"), *FEW_FITS)),
    ("lab", "ceiling"): (1, on_a_table("ceiling", seeds.features, ("--data", "@rows"), ("--target", "y"))),
    ("lab", "true-error"): (1, on_a_table("true-error", seeds.joint_table, ("@rows",), ("--classifier", "mine"))),
    ("lab", "overfitting"): (1, on_a_table("overfitting", seeds.joint_table, ("@rows",), *FEW_FITS)),
    ("lab", "table"): (2, on_a_table("table", seeds.joint_table, ("@rows",))),
    ("lab", "version-space"): (
        2,
        on_a_table("version-space", seeds.concept, ("@rows",), ("--target", "ride"), ("--space", "conjunctions")),
    ),
    ("demo",): (0.02, lambda _: Draft(("demo",), [("--output", "clinic")], never=("repeat",))),
    ("explain",): (0.5, one_word("explain", of=lambda: (*names("metrics"), *names("methods"), "H305", "H999"))),
    ("completion",): (0.1, one_word("completion", of=lambda: ("bash", "zsh", "fish", "x"))),
}
"""Command → its share of the cases, and a sound call of it."""
