"""Random options of every command, found by looking at the command line itself, so that a new option is tried too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import click

from tests.fuzz import seeds
from tests.fuzz.contents import Content
from tests.fuzz.mutations import TEXTS

Words = tuple[str, ...]


@cache
def commands() -> dict[Words, click.Command]:
    """Every command that does something, by what is typed for it."""
    from heldout.cli import verbs

    return dict(_leaves(verbs, click.Context(verbs), ()))


def _leaves(command: click.Command, ctx: click.Context, typed: Words) -> Iterator[tuple[Words, click.Command]]:
    if not isinstance(command, click.Group):
        yield typed, command
        return
    for name in command.list_commands(ctx):
        inner = command.get_command(ctx, name)
        assert inner is not None
        yield from _leaves(inner, click.Context(inner, parent=ctx, info_name=name), (*typed, name))


@dataclass
class Draft:
    """A case in the making: files by their stems, and words in groups; `@stem` stands for the name of a file."""

    command: Words
    words: list[Words]
    files: dict[str, Content] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    """Names that options of columns may have."""
    never: tuple[str, ...] = ()
    """Options that are not tried, such as those that would take too long."""
    tame: bool = False
    """Whether the values of options are likely to be allowed."""


@cache
def names(what: str) -> tuple[str, ...]:
    """Names that the package knows, from its own tables."""
    from heldout.charts.plot import VIEWS
    from heldout.estimates.interval_choice import METHODS
    from heldout.formulas import METRICS
    from heldout.verbs.compare.paired_difference import TESTS

    known = {"metrics": METRICS, "methods": METHODS, "tests": TESTS, "charts": VIEWS}
    return (*known[what], "nosuch")


COUNTS = ("0", "1", "2", "3", "5", "20", "-1", "x", "1.5", "")
LARGE = (*COUNTS, "7", "40", "1000", "1000000", "9223372036854775808", "-9223372036854775809")
SHARES = ("0", "1", "0.5", "0.9", "0.95", "0.05", "1e-9", "0.999999999999", "1e-300", "-0.1", "1.1", "nan", "inf", "x")
REAL = (*SHARES, "2", "-1", "100", "1e308", "-1e308", "-inf")
LARGE_INTEGERS = (
    "of",
    "wrong",
    "rows",
    "truths",
    "seed",
    "horizon",
    "look",
    "looks_budget",
    "digits",
    "min_fold",
    "layer",
)
"""Whole numbers that may be large: they cost no time. Of all others, new ones included, only small ones are tried."""
LABELS = ("0", "1", "no", "yes", "cat", "True", "nosuch", "")
CVS = ("2", "3", "5x2", "loo", "holdout", "boot", ".632+", "group", "time", "nested", "2x2", "0", "x", "lpo:0", "1")
LEARNERS = (
    "linear",
    "knn:k=1",
    "constant",
    "tree",
    "poly:degree=1",
    "nosuch",
    "knn:k=0",
    "sklearn.naive_bayes:GaussianNB",
)
WORLDS = ("coin:p=0.1", "binormal:auc=0.8", "pair-coin:p=0.8", "numbers", "gaussian:distance=1", "sine:noise=0.1",
          "coin:p=2", "coin:", "nosuch", "clustered-coin", "segments:quality=0.8", "twins:gain=0.5")  # fmt: skip
TEXT_METRICS = ("bleu", "chrf", "chrf++", "ter", "ngrams", "ngrams_unclipped", "AP", "AP50", "mean_iou", "dice")
POOLS: dict[str, tuple[str, ...]] = {
    "n_resamples": ("0", "99", "100", "150", "200", "-1", "x"),
    "n_jobs": ("0", "1", "x"),
    "n_trials": ("0", "1", "3"),
    "memory": ("1K", "0", "1", "2G", "-1K", "x", "1e400G", "100000000T"),
    "positive": LABELS,
    "labels": ("0,1", "no,yes", "cat,dog,emu", "0=a,1=b,2=c", "0,0", "a,,b", "1"),
    "threshold": SHARES,
    "choose_threshold": ("1:10", "1:1", "0:0", "-1:1", "nan:1", "1", "1e308:1e308"),
    "margin": ("0", "0.01", "0.5", "accuracy=0.1", "=0.1", "nan", "-1", "x", "1e308"),
    "looks": ("1", "2", "5", "0", "0.5,1", "1,0.5", "x", "nan,1", "0.1,0.2,0.3"),
    "parts": ("train=2,test=1", "a=1", "a=0,b=1", "a=nan,b=1", "../x=1,y=1", "a=1e308,b=1e308", "=1", "a=1,a=2"),
    "folds": ("2", "3", "loo", "2,5", "0", "1", "-1", "100", "x"),
    "cv": CVS,
    "inner_cv": CVS,
    "range": ("0.8,0.9", "0.9,0.8", "0,1", "x", "nan,1"),
    "expected": ("0.25,0.75", "1,1", "0,1", "-1,2", "x", "nan,1", "30,70"),
    "sweep": ("n=5,8", "degree=0,1", "k=1,2", "n=0", "x=", "=1", "n=nan", "n=1e9x"),
    "linear": ("1,0,-1", "1", "x", "nan,1,1", "0,0,0"),
    "concept": ("sky=sun", "size=1..2", "size=2..1", "sky=", "=x", "nosuch=1"),
    "world": WORLDS,
    "learner": LEARNERS,
    "model": ("a=y_score", "y_score", "=", "a=", "nosuch", "p_cat"),
    "sampler": ("tpe", "random", "annealing", "nosuch"),
    "tokenize": ("13a", "none", "char", "intl", "nosuch"),
    "embedder": ("nosuch",),
    "chart": ("x.svg", "roc=x.csv", "metrics=x.csv", "nosuch=x.csv", "x", "=x.svg", "confusion=x.csv"),
    "save": ("a", "", "a\nb"),
    "engine_address": ("nosuch:1",),
    "prob_prefix": ("p_", "", "x", "p_cat"),
    "only": ("nosuch", "boxes"),
    "upto": ("0", "-1"),
}
"""Option → texts that mean something to it, or nearly."""
INPUTS: dict[str, Callable[[Random], Content]] = {
    "confusion": seeds.counts,
    "class_counts": seeds.class_counts,
    "cost": seeds.counts,
    "train": seeds.scores,
    "reference": seeds.scores,
    "threshold_from": seeds.threshold,
    "define": lambda _: seeds.METRIC,
    "data": seeds.features,
    "anchor": seeds.scores,
    "noise_floor": seeds.scores,
    "pilot": seeds.scores,
    "ranked": seeds.ranked,
    "ref": seeds.texts,
}
"""Option → a file for it; other options that take a file get a table."""
WRONG = (
    "x",
    "nosuch",
    "",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "0",
    "1.1",
    "-0.1",
    "1.5",
    "1e-300",
    "=0.1",
    "nan:1",
)
"""Values that hardly any option allows."""
RARELY = (
    *("confusion", "class_counts", "wrong", "of", "engine_address", "chart_format", "ranked", "truths", "fold_scores"),
    *(
        "across_sets",
        "rope",
        "post_hoc",
        "n_train",
        "n_test",
        "allow_overlap",
        "layer",
        "idf",
        "embedder",
        "log",
        "look",
    ),
    *("spending", "lower_is_better", "model_column", "series", "smoothing_value", "learning_curve", "choose_folds"),
)
"""Options that exclude most others, or need one of them."""
FILES_WRITTEN = {
    "report": "page.html",
    "junit": "junit.xml",
    "keep_predictions": "kept.parquet",
    "timings": "times.csv",
}
PLACES = ("out", "out", "out", "", "missing/out", ".", "out.gz", "é", "x" * 300)


def option_words(parameter: click.Option, draft: Draft, rng: Random) -> Words:
    """One option as it is typed, with a random value; a file that it needs is added to the draft."""
    typed = max(parameter.opts, key=len)
    if parameter.is_flag:
        return (typed,)
    return (typed, *(value(parameter, draft, rng) for _ in range(parameter.nargs)))


def value(parameter: click.Option, draft: Draft, rng: Random) -> str:
    name, kind = parameter.name or "", parameter.metavar or ""
    if not draft.tame and rng.random() < 0.04:
        return rng.choice(TEXTS).replace("\x00", "").encode("utf-8", "replace").decode()
    if getattr(parameter, "is_output", False):
        if name in POOLS:
            return rng.choice(POOLS[name])
        if "FILE" in kind or "DIR" in kind:
            wild = not draft.tame and rng.random() < 0.3
            return (
                rng.choice((*PLACES, *["@" + stem for stem in draft.files])) if wild else FILES_WRITTEN.get(name, "out")
            )
    elif kind == "COLUMN":
        own = [column for column in draft.columns if column.startswith(name)]
        return rng.choice(own if own and draft.tame else (*draft.columns, *draft.columns, "nosuch"))
    elif "FILE" in kind:
        return input_file(name, draft, rng)
    values = plain_values(parameter)
    return rng.choice([one for one in values if one not in WRONG] or values if draft.tame else values)


def input_file(name: str, draft: Draft, rng: Random) -> str:
    """A file for an option: one of its own, or any other of the case."""
    if draft.files and rng.random() < 0.2:
        return "@" + rng.choice(list(draft.files))
    stem = f"{name}{len(draft.files)}"
    draft.files[stem] = INPUTS.get(name, seeds.scores)(rng)
    return "@" + stem


def plain_values(parameter: click.Option) -> tuple[str, ...]:
    """Values of an option that is neither a column nor a file."""
    name, kind = parameter.name or "", parameter.type
    if name in POOLS:
        return POOLS[name]
    if name in ("metric", "primary"):
        return (*names("metrics"), *TEXT_METRICS)
    if name in ("test", "tests", "method"):
        return (*names("tests"), *names("methods"), "corrected_t", "kfold_t", "mcnemar@10")
    if isinstance(kind, click.Choice):
        return (*map(str, kind.choices), *map(str, kind.choices), "nosuch")
    if isinstance(kind, click.types.IntParamType | click.IntRange):
        return LARGE if name in LARGE_INTEGERS else COUNTS
    if isinstance(kind, click.types.FloatParamType | click.FloatRange):
        return REAL
    return (*LABELS, *REAL)


def random_options(draft: Draft, rng: Random) -> list[Words]:
    """Up to five options of the command of a draft, those of its output less often."""
    taken = {word for words in draft.words for word in words}
    open_to_choice: list[Any] = [
        parameter
        for parameter in commands()[draft.command].params
        if isinstance(parameter, click.Option)
        and parameter.name not in ("help", *draft.never, *(RARELY if draft.tame else ()))
        and not taken & set(parameter.opts)
    ]
    weights = [0.3 if getattr(one, "is_output", False) else 1.0 for one in open_to_choice]
    count = rng.choice((0, 0, 1, 1, 2) if draft.tame else (0, 1, 1, 2, 2, 3, 5))
    chosen = dict.fromkeys(rng.choices(range(len(open_to_choice)), weights, k=count)) if open_to_choice else {}
    return [option_words(open_to_choice[at], draft, rng) for at in chosen]
