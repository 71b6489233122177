"""heldout lab coverage, size, power, cards and the like: simulated error rates."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.option_names import python_names
from heldout.cli.options import (
    ALPHA as LEVEL_OF_ALPHA,
    HOW,
    INPUT,
    LEVEL,
    METRIC,
    OUTPUT,
    RESULT,
    SEED,
    choice,
    command,
    file,
    only,
    option,
    options,
    resamples,
    several,
    typed,
)
from heldout.cli.output import Place
from heldout.cli.output_paths import STANDARD_OUTPUT
from heldout.cli.standard_streams import put
from heldout.errors import UsageError
from heldout.file_writing import write_file

if TYPE_CHECKING:
    from heldout.lab.rates.card_settings import Asked

JOBS = option(
    "--n-jobs", type=int, metavar="N", default=1, show_default=True, heading=HOW,
    help="Processes; the numbers do not depend on it.",
)  # fmt: skip
INTO = file("--into", heading=OUTPUT, help="Keep finished blocks in this file, and resume from those that it has.")
CARDS_OUTPUT = file("-o", "--output", heading=OUTPUT, help="Write the rates here, as the package ships them.")
ALPHA = option(
    "--alpha", type=float, metavar="A", default=0.05, show_default=True, heading=HOW, help="Level of the test."
)


FOR_DRY_RUNS = ("world", "upto", "defaults", "repeats", "drawn", "dry_run", "seed", "n_jobs")
"""Options of `lab cards` that mean something where settings are only counted and timed."""


def repeats(default: int | None = None, text: str = "Number of simulated samples.") -> Callable[[Any], Any]:
    """How many samples are simulated."""
    shown: dict[str, Any] = {} if default is None else {"default": default, "show_default": True}
    return option("--repeats", type=int, metavar="R", heading=HOW, help=text, **shown)


EFFORT = (SEED, JOBS, INTO, *RESULT)
"""What every simulation takes, and where its result goes."""
SETTING = (
    option("--world", metavar="NAME", heading=INPUT, help="The simulation, such as coin:p=0.01; see lab world."),
    option("--n", type=int, metavar="N", heading=INPUT, help="Rows of one sample."),
    METRIC,
    repeats(None, "Number of simulated samples; small problems are enumerated instead."),
    resamples(999),
)
OVER_SPLITS = (
    option("--world", metavar="NAME", heading=INPUT, help="The simulation that the rows come from."),
    option("--n", type=int, metavar="N", heading=INPUT, help="Rows of one sample."),
    repeats(1000),
)


def asked(values: dict[str, Any], *positional: str) -> tuple[dict[str, Any], Place]:
    """The options that were typed, under their Python names, and the place of the result."""
    given = typed(values)
    place = Place(values)
    kept = {name: value for name, value in given.items() if name in values and name not in positional}
    return python_names(kept, {"learner": "models"}), place


def placed(values: dict[str, Any]) -> None:
    """Refuse a simulation without a world or a number of rows."""
    for name, example in (("world", "--world coin:p=0.01"), ("n", "--n 50")):
        if values[name] is None:
            raise UsageError(
                f"--{name} is missing", fix=f"write, for instance, {example}; heldout lab world lists simulations"
            )


@command(
    "coverage",
    short_help="Simulated coverage of confidence intervals.",
    examples=("heldout lab coverage normal wilson --world coin:p=0.01 --n 50",),
)
@click.argument("methods", nargs=-1, metavar="METHOD...")
@options(
    SETTING,
    LEVEL,
    LEVEL_OF_ALPHA,
    option("--window", type=float, metavar="W", heading=HOW,
           help="Mean and minimum over true values up to W smaller and larger, such as 0.2."),
    EFFORT,
)  # fmt: skip
def coverage(methods: tuple[str, ...], **values: Any) -> None:
    """Coverage of the intervals of each METHOD on n rows of a simulation; of the default method if none is named."""
    from heldout import lab

    placed(values)
    world, n = values["world"], values["n"]
    given, place = asked(values, "world", "n")
    place.deliver(lab.coverage(list(methods or ("auto",)), world, n, **given))


def _tested(question: str, tests: tuple[str, ...], values: dict[str, Any]) -> None:
    """Ask for the size or the power of tests."""
    from heldout import lab

    placed(values)
    world, n, alpha = values["world"], values["n"], values.pop("alpha")
    given, place = asked(values, "world", "n")
    place.deliver(getattr(lab, question)(list(tests or ("auto",)), world, n, alpha=alpha, **given))


@command(
    "size",
    short_help="Simulated type I error of tests.",
    examples=("heldout lab size mcnemar exact --world pair-coin:p=0.8 --n 50",),
)
@click.argument("tests", nargs=-1, metavar="TEST...")
@options(
    SETTING,
    ALPHA,
    EFFORT,
)
def size(tests: tuple[str, ...], **values: Any) -> None:
    """Type I error: how often each TEST rejects that equally good models are equal (default: the test of compare).

    With models=5 in the simulation: how often any of the later models is wrongly called different from the first.
    """
    _tested("size", tests, values)


@command(
    "power",
    short_help="Simulated power of tests.",
    examples=("heldout lab power mcnemar --world pair-coin:p=0.8,gain=0.05 --n 400",),
)
@click.argument("tests", nargs=-1, metavar="TEST...")
@options(SETTING, ALPHA, EFFORT)
def power(tests: tuple[str, ...], **values: Any) -> None:
    """Power: how often each TEST rejects that the models are equal where they differ by gain= of the simulation."""
    _tested("power", tests, values)


@command(
    "cards",
    short_help="Simulate every interval and test on the grid, and keep the rates.",
    examples=("heldout lab cards --into cards.jsonl --output cards.json --n-jobs 2",),
)
@options(
    option("--world", metavar="TEXT", heading=INPUT, help="Only simulations whose name contains this."),
    option("--upto", type=int, metavar="N", heading=INPUT, help="Only settings with at most N rows."),
    option("--defaults", is_flag=True, help="Only the default of each metric."),
    repeats(2000,
            "Minimum number of samples for closed forms; up to 10 times more for a Monte-Carlo error of 0.5 points."),
    option("--drawn", type=int, metavar="R", default=500, show_default=True, heading=HOW,
           help="Minimum number of samples for methods that resample; more until the error is 1 point."),
    option("--dry-run", is_flag=True, heading=HOW,
           help="Only count the settings, and estimate from some of them how long all take."),
    SEED,
    JOBS,
    INTO,
    CARDS_OUTPUT,
)  # fmt: skip
def cards(  # noqa: PLR0917 one parameter per option
    world: str | None, upto: int | None, defaults: bool, repeats: int, drawn: int, dry_run: bool, seed: int,
    n_jobs: int, into: str | None, output: str | None,
) -> None:  # fmt: skip
    """Simulate the coverage of every interval, the type I error of every test, and the rates of bands and gates.

    The whole grid takes an hour or more; --dry-run estimates it. It can be stopped at any time: the same command
    resumes.
    """
    from heldout.lab.rates.card_measurement import Effort, estimated_minutes, measured_cards

    if into is None and not dry_run:
        raise UsageError("--into is missing", fix="name a file for finished settings, such as --into cards.jsonl")

    def chosen(setting: Asked) -> bool:
        named = world is None or world in setting.world
        return named and (upto is None or setting.n <= upto) and (not defaults or "auto" in setting.methods)

    effort = Effort(closed=repeats, drawn=drawn, seed=seed)
    if dry_run:
        only(typed(click.get_current_context().params), FOR_DRY_RUNS, "--dry-run", "nothing is written")
        found = estimated_minutes(effort=effort, chosen=chosen)
        for kind, settings, minutes in found:
            put(f"{kind}: {settings:,} settings, {minutes:.1f} minutes of one core\n")
        total, cores = sum(minutes for _, _, minutes in found), max(n_jobs, 1)
        processes = f"{cores} process{'es' if cores > 1 else ''}"
        put(f"{sum(settings for _, settings, _ in found):,} settings, {total / cores:.0f} minutes in {processes}\n")
        return
    assert into is not None
    made = measured_cards(into, effort=effort, n_jobs=n_jobs, chosen=chosen)
    lines = [
        line
        for kind in ("intervals", "tests", "procedures")
        for metrics in made.get(kind, {}).values()
        for methods in metrics.values()
        for line in methods.values()
    ]
    _written(output, json.dumps(made, separators=(",", ":")) + "\n")
    _counted(sum(map(len, lines)), output, f" in {len(made['worlds'])} simulations")


@command(
    "corpus-cards",
    short_help="Simulate detect, masks and text, and keep the rates.",
    examples=("heldout lab corpus-cards --into corpus.jsonl --output corpus-cards.json",),
)
@options(
    option("--only", type=choice("boxes", "pixels", "segments"), heading=HOW,
           help="Simulate detect, masks or text alone; the other rates are those that the package ships."),
    repeats(1000, "Samples of a setting."),
    SEED,
    JOBS,
    INTO,
    CARDS_OUTPUT,
)  # fmt: skip
def corpus_cards(
    *, into: str | None, output: str | None, repeats: int, seed: int, n_jobs: int, only: str | None
) -> None:
    """Simulate the intervals and tests of detect, masks and text where mAP, mean IoU and BLEU are known.

    It takes about an hour, and can be stopped at any time: the same command resumes.
    """
    from heldout.cards.lookup import shipped_cards
    from heldout.lab.corpora.corpus_cards import all_corpus_rates, corpus_cards as made_of, merged

    if into is None:
        raise UsageError("--into is missing", fix="name a file for finished blocks, such as --into corpus.jsonl")
    chosen = only or ""
    rates = all_corpus_rates(
        repeats=repeats, random_state=seed, n_jobs=n_jobs, into=into, chosen=lambda world, _: world.startswith(chosen)
    )
    made = merged(shipped_cards("corpus-cards.json"), made_of(rates)) if only else made_of(rates)
    _written(output, json.dumps(made, separators=(",", ":")) + "\n")
    _counted(len(rates), output, f" in {len(made['worlds'])} simulations")


@command(
    "split-cards",
    short_help="Simulate every interval and test over splits, and keep the rates.",
    examples=("heldout lab split-cards --into split-cards.jsonl --output split-cards.json",),
)
@options(
    repeats(500, "Samples of a setting."),
    option("--trees", type=int, metavar="R", default=300, show_default=True, heading=HOW,
           help="Samples with trees; a third of them for intervals."),
    SEED,
    JOBS,
    INTO,
    CARDS_OUTPUT,
)  # fmt: skip
def split_cards(  # noqa: PLR0917 one parameter per option
    into: str | None, output: str | None, repeats: int, trees: int, seed: int, n_jobs: int
) -> None:
    """Simulate intervals and tests over splits with stable and unstable learners, at 100 and at 300 rows.

    It takes about half an hour, and can be stopped at any time: the same command resumes.
    """
    from heldout.lab.folds.split_cards import split_cards as simulated

    if into is None:
        raise UsageError("--into is missing", fix="name a file for finished blocks, such as --into split-cards.jsonl")
    made = simulated(repeats=repeats, trees=trees, random_state=seed, n_jobs=n_jobs, into=into)
    _written(output, _by_line(made))
    _counted(len(made["intervals"]) + len(made["tests"]), output)


def _by_line(cards: dict[str, object]) -> str:
    """JSON with a line per card."""
    parts = []
    for name, value in cards.items():
        if isinstance(value, list):
            lines = ",\n".join(json.dumps(line) for line in value)
            parts.append(f"{json.dumps(name)}: [\n{lines}\n]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{" + ",\n".join(parts) + "}\n"


def _written(output: str | None, text: str) -> None:
    if output in STANDARD_OUTPUT:
        put(text)
    elif output is not None:
        write_file(output, text)


def _counted(count: int, output: str | None, where: str = "") -> None:
    put(f"{count:,} cards{where}" + (f", written to {output}" if output else "") + "\n")


@command(
    "split-coverage",
    short_help="Simulated coverage of intervals over splits.",
    examples=("heldout lab split-coverage --learner least_squares --n 100 --repeats 200",),
)
@click.argument("methods", nargs=-1, metavar="METHOD...")
@options(
    option("--learner", metavar="A,B", multiple=True, callback=several,
           help="least_squares on noise; linear, knn, tree or an import path on classes.  [default: least_squares]"),
    OVER_SPLITS,
    LEVEL,
    LEVEL_OF_ALPHA,
    EFFORT,
)  # fmt: skip
def split_coverage(methods: tuple[str, ...], **values: Any) -> None:
    """Coverage of intervals over splits, of an error that is known; of all intervals if none is named.

    On noise the error of least squares is known exactly. With other learners the simulation is of classes, such as
    gaussian:distance=1.5,dimensions=5.
    """
    from heldout import lab

    given, place = asked(values)
    place.deliver(lab.split_coverage(list(methods), **given))


@command(
    "split-size",
    short_help="Simulated type I error of tests over splits.",
    examples=("heldout lab split-size naive_fold_t@10x10 --learner linear --n 99 --repeats 99",),
)
@click.argument("tests", nargs=-1, metavar="TEST...")
@options(
    option("--learner", metavar="A,B", multiple=True, callback=several, help="linear, knn, tree, or an import path."),
    OVER_SPLITS,
    ALPHA,
    EFFORT,
)
def split_size(tests: tuple[str, ...], **values: Any) -> None:
    """Type I error of tests over splits: how often they reject for equally good learners (default: all tests)."""
    from heldout import lab

    alpha = values.pop("alpha")
    given, place = asked(values)
    place.deliver(lab.split_size(list(tests), alpha=alpha, **given))


@command(
    "corpus-rates",
    short_help="Simulated error rates of detect, masks and text.",
    examples=("heldout lab corpus-rates --world segments:quality=0.8 --n 50 --repeats 100",),
)
@options(
    option("--world", metavar="NAME", heading=INPUT,
           help="boxes, pixels or segments, such as segments:quality=0.8.  [default: all]"),
    option("--n", type=int, metavar="N", heading=INPUT, help="Images, segments or documents of a sample."),
    repeats(1000),
    resamples(300),
    EFFORT,
)  # fmt: skip
def corpus_rates(**values: Any) -> None:
    """Coverage of the intervals of detect, masks and text, and type I error of their tests.

    In the simulations segments and pixels, BLEU, chrF, TER and mean IoU are known exactly; in boxes, mAP and its kin
    are those of 400,000 images. Without a world, all settings are simulated, which takes an hour.
    """
    from heldout import lab

    world, n = values["world"], values["n"]
    if (world is None) != (n is None):
        missing = "--n is missing" if n is None else "--world is missing"
        raise UsageError(missing, fix="write, for instance, --world segments:quality=0.8 --n 50")
    given, place = asked(values, "world", "n")
    if world is None:
        from heldout.lab.corpora.corpus_cards import all_corpus_rates

        place.deliver(all_corpus_rates(**given))
        return
    place.deliver(lab.corpus_rates(world, n, **given))


@command(
    "held-out",
    short_help="Check the rate look-up: half of the simulations predict the other.",
    examples=("heldout lab held-out",),
)
@options(
    file("--cards", heading=INPUT, help="A file of `lab cards`.  [default: the cards of the package]"),
    option("--halves", type=int, metavar="N", default=4, show_default=True, heading=HOW,
           help="How often the settings are divided."),
    SEED,
    RESULT,
)  # fmt: skip
def held_out(**values: Any) -> None:
    """Look up the rates of half of the simulated settings in the cards of the other half.

    A look-up is good if the rate that it prints is at most 2 points better than the measured one in 95% of cells, with
    single settings held out and with whole simulations. The exit code is 1 if it is not.
    """
    from heldout import lab

    given, place = asked(values)
    result = lab.held_out(**given)
    place.deliver(result)
    click.get_current_context().exit(0 if all(rate.holds for rate in result) else 1)


@command(
    "outside",
    short_help="Error rates in data unlike the simulations, against bounds.",
    examples=("heldout lab outside --only weights --repeats 200",),
)
@options(
    option("--only", metavar="AREA", multiple=True, callback=several, heading=INPUT,
           help="Areas by name, such as weights; repeatable.  [default: all]"),
    repeats(2000, "Simulated samples of a setting; a fourth of them where a method resamples."),
    EFFORT,
)  # fmt: skip
def outside(**values: Any) -> None:
    """Error rates of the defaults in data unlike all other simulations, each against its bound.

    Through the public verbs, as a user would call them. The exit code is 1 if a rate misses its bound without a reason.
    All of it takes hours; with --into it can be stopped at any time: the same command resumes.
    """
    from heldout import lab

    given, place = asked(values)
    result = lab.outside(**given)
    place.deliver(result)
    click.get_current_context().exit(1 if result.missed else 0)


@command(
    "world",
    short_help="The simulations, their parameters and true values.",
    examples=("heldout lab world", "heldout lab world binormal:auc=0.9"),
)
@click.argument("name", required=False)
@options(RESULT)
def world(name: str | None, **values: Any) -> None:
    """What the simulation NAME (such as binormal:auc=0.9) is made of, and its true values; all if none is named."""
    from heldout.lab.world_catalogue import all_worlds, one_world

    Place(values).deliver(all_worlds() if name is None else one_world(name))
